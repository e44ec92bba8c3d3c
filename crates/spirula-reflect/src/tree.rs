//! What the functions of a call tree use, together.

use alloc::vec::Vec;

use spirula_binary::Id;
use spirula_module::Module;

use crate::usage::{Access, Kinds, Lists, Usages};

/// A call tree: which variables its functions use, and what else.
#[derive(Default)]
pub(crate) struct Tree {
    /// Together; variables and the like each once.
    pub(crate) lists: Lists,
    pub(crate) kinds: Kinds,
    /// The functions, callers before callees.
    functions: Vec<u32>,
    /// By function and by variable: where it stands in the list, if that is what stands there. Tells what is listed
    /// without being cleared for each tree.
    function_places: Vec<u32>,
    variable_places: Vec<u32>,
}

impl Tree {
    /// Collects what the call tree of a function uses.
    pub(crate) fn fill(&mut self, m: &Module<'_>, usages: &Usages, root: Id) {
        self.lists.clear();
        self.kinds = Kinds::default();
        self.functions.clear();
        self.function_places.resize(m.functions().len(), 0);
        self.variable_places.resize(m.traced_count(), 0);
        self.list(m.info(root).function());
        let mut next = 0;
        while let Some(&f) = self.functions.get(next) {
            next += 1;
            if let Some([(from, kinds), (to, _)]) = usages.functions.get(f as usize..f as usize + 2) {
                self.kinds = self.kinds.or(*kinds);
                self.lists.extend(&usages.lists, *from, *to);
                usages.lists.variables(*from, *to).iter().for_each(|v| self.variable(*v));
            }
            let calls = m.functions().get(f as usize).map_or(&[][..], |f| m.calls(f));
            calls.iter().for_each(|c| self.list(m.info(c.callee).function()));
        }
        self.lists.combined.sort_unstable();
        self.lists.constants.sort_unstable();
        self.lists.constants.dedup();
    }

    fn list(&mut self, function: Option<usize>) {
        let Some((f, place)) = function.and_then(|f| Some((f as u32, self.function_places.get_mut(f)?))) else {
            return;
        };
        if self.functions.get(*place as usize) != Some(&f) {
            *place = self.functions.len() as u32;
            self.functions.push(f);
        }
    }

    fn variable(&mut self, (variable, access): (u32, Access)) {
        let Some(place) = self.variable_places.get_mut(variable as usize) else { return };
        match self.lists.variables.get_mut(*place as usize).filter(|v| v.0 == variable) {
            Some(known) => known.1 = known.1.or(access),
            None => {
                *place = self.lists.variables.len() as u32;
                self.lists.variables.push((variable, access));
            }
        }
    }

    /// How a variable is used; `None` where it is not.
    pub(crate) fn access(&self, m: &Module<'_>, variable: Id) -> Option<Access> {
        let variable = m.info(variable).traced()?;
        let place = *self.variable_places.get(variable)?;
        self.lists.variables.get(place as usize).filter(|v| v.0 == variable as u32).map(|v| v.1)
    }
}
