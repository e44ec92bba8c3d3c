//! What `comment` says of an instruction.

use spirula_binary::{Id, Inst};
use spirula_grammar::{Class, Op};

use super::ids::IdMap;

/// Decorations by target, and which sections have been announced.
pub(crate) struct Notes {
    /// Text of all decorations.
    text: String,
    entries: Vec<Entry>,
    /// First and last entry, counted from 1, of each id.
    by_id: IdMap<(u32, u32)>,
    announced: [bool; 3],
}

struct Entry {
    start: usize,
    end: usize,
    /// Counted from 1.
    next: u32,
}

impl Notes {
    pub(crate) fn new(module: &[u32]) -> Notes {
        Notes { text: String::new(), entries: Vec::new(), by_id: IdMap::new(module), announced: [false; 3] }
    }

    /// The heading to print before `inst`.
    pub(crate) fn heading(&mut self, inst: Inst<'_>) -> Option<&'static str> {
        let (section, heading) = match (inst.op(), inst.desc()?.class) {
            (Op::Line | Op::NoLine, _) => return None,
            (_, Class::Debug) => (0, "Debug Information"),
            (_, Class::Annotation) => (1, "Annotations"),
            (Op::Variable, _) | (_, Class::TypeDeclaration | Class::ConstantCreation) => {
                (2, "Types, variables and constants")
            }
            _ => return None,
        };
        let announced = self.announced.get_mut(section)?;
        if core::mem::replace(announced, true) { None } else { Some(heading) }
    }

    /// Notes an `OpDecorate` that was printed as `line`.
    pub(crate) fn decorate(&mut self, target: Id, line: &str) {
        let Some((_, decoration)) = line.split_once('%').and_then(|(_, rest)| rest.split_once(' ')) else { return };
        let start = self.text.len();
        self.text.push_str(decoration);
        self.entries.push(Entry { start, end: self.text.len(), next: 0 });
        let this = self.entries.len() as u32;
        let (first, last) = self.by_id.get(target);
        if let Some(last) = (last as usize).checked_sub(1).and_then(|i| self.entries.get_mut(i)) {
            last.next = this;
        }
        self.by_id.set(target, (if first == 0 { this } else { first }, this));
    }

    /// Takes the decorations of `id` out, so that however often an id is defined each is printed once.
    pub(crate) fn take(&mut self, id: Id) -> impl Iterator<Item = &str> {
        let mut next = self.by_id.get(id).0;
        if next != 0 {
            self.by_id.set(id, (0, 0));
        }
        let (text, entries) = (self.text.as_str(), self.entries.as_slice());
        core::iter::from_fn(move || {
            let entry = entries.get((next as usize).checked_sub(1)?)?;
            next = entry.next;
            text.get(entry.start..entry.end)
        })
    }
}
