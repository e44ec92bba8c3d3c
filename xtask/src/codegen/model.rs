//! The grammar after names are resolved: what the emitters print.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::json;
use super::sets::SETS;

pub struct Model {
    pub commit: String,
    pub classes: Vec<(String, String)>,
    pub kinds: Vec<Kind>,
    pub insts: Vec<json::Instruction>,
    /// Per entry of `SETS`.
    pub ext: Vec<Vec<json::Instruction>>,
    /// Capability names, ascending by value.
    pub capabilities: Vec<String>,
    pub extensions: Vec<String>,
}

pub struct Kind {
    /// Name of the Rust variant.
    pub ident: String,
    /// Name as the grammar writes it.
    pub name: String,
    pub category: String,
    /// Set it belongs to, where it is not of the core grammar.
    pub set: Option<usize>,
    pub enumerants: Vec<json::Enumerant>,
}

impl Model {
    pub fn load(dir: &Path) -> Result<Model> {
        let read = |name: &str| -> Result<json::Grammar> {
            let path = dir.join(name);
            let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))
        };
        let mut core = read("spirv.core.grammar.json")?;
        core.instructions.sort_by_key(|i| i.opcode);
        let mut kinds: Vec<Kind> = core.operand_kinds.into_iter().map(|k| Kind::new(k, None)).collect();
        let mut ext = Vec::new();
        for (n, set) in SETS.iter().enumerate() {
            let mut g = read(&format!("extinst.{}.grammar.json", set.file))?;
            g.instructions.sort_by_key(|i| i.opcode);
            kinds.extend(g.operand_kinds.into_iter().map(|k| Kind::new(k, Some(n))));
            ext.push(g.instructions);
        }
        for k in &mut kinds {
            let mut keyed = std::mem::take(&mut k.enumerants)
                .into_iter()
                .map(|e| Ok((e.value()?, e)))
                .collect::<Result<Vec<_>>>()?;
            keyed.sort_by_key(|e| e.0);
            ensure!(keyed.windows(2).all(|w| w[0].0 != w[1].0), "{} has a value twice", k.name);
            k.enumerants = keyed.into_iter().map(|e| e.1).collect();
        }
        let commit = std::fs::read_to_string(dir.join("COMMIT")).unwrap_or_else(|_| "an unnamed commit".into());
        let capabilities = kinds
            .iter()
            .find(|k| k.name == "Capability")
            .context("the grammar has no capabilities")?
            .enumerants
            .iter()
            .map(|e| e.enumerant.clone())
            .collect();
        let mut model = Model {
            commit: commit.trim().to_string(),
            classes: core
                .instruction_printing_class
                .into_iter()
                .map(|c| (class_ident(&c.tag), c.heading.unwrap_or("Not printed in the specification".into())))
                .collect(),
            kinds,
            insts: core.instructions,
            ext,
            capabilities,
            extensions: Vec::new(),
        };
        model.extensions =
            model.all_needs().flat_map(|n| n.extensions.iter().cloned()).collect::<BTreeSet<_>>().into_iter().collect();
        Ok(model)
    }

    fn all_needs(&self) -> impl Iterator<Item = &json::Needs> {
        let insts = self.insts.iter().chain(self.ext.iter().flatten()).map(|i| &i.needs);
        insts.chain(self.kinds.iter().flat_map(|k| &k.enumerants).map(|e| &e.needs))
    }

    /// The operand kind that `name` means in the core grammar or in set `set`.
    pub fn kind(&self, name: &str, set: Option<usize>) -> Result<&Kind> {
        let own = self.kinds.iter().find(|k| k.name == name && k.set == set);
        own.or_else(|| self.kinds.iter().find(|k| k.name == name && k.set.is_none()))
            .with_context(|| format!("unknown operand kind {name}"))
    }

    /// Dense index of a capability, by canonical name or alias.
    pub fn capability(&self, name: &str) -> Result<u16> {
        let kind = self.kind("Capability", None)?;
        let at = kind.enumerants.iter().position(|e| e.enumerant == name || e.aliases.iter().any(|a| a == name));
        at.map(|i| i as u16).with_context(|| format!("unknown capability {name}"))
    }

    /// For each capability, itself and all that it implies, transitively, as sorted dense indices.
    pub fn implied(&self) -> Result<Vec<Vec<u16>>> {
        let kind = self.kind("Capability", None)?;
        let direct = kind
            .enumerants
            .iter()
            .map(|e| e.needs.capabilities.iter().map(|c| self.capability(c)).collect::<Result<Vec<u16>>>())
            .collect::<Result<Vec<_>>>()?;
        Ok((0..direct.len())
            .map(|start| {
                let (mut seen, mut todo) = (BTreeSet::from([start as u16]), vec![start as u16]);
                while let Some(c) = todo.pop() {
                    todo.extend(direct[c as usize].iter().filter(|c| seen.insert(**c)));
                }
                seen.into_iter().collect()
            })
            .collect())
    }
}

impl Kind {
    fn new(k: json::OperandKind, set: Option<usize>) -> Kind {
        let prefix = set.map_or("", |s| SETS[s].ident);
        let ident = match k.kind.strip_prefix("DebugInfo") {
            Some(rest) if prefix.ends_with("DebugInfo") => format!("{prefix}{rest}"),
            _ => format!("{prefix}{}", k.kind),
        };
        Kind { ident, name: k.kind, category: k.category, set, enumerants: k.enumerants }
    }
}

/// Rust name of a printing class. What the specification does not print is tagged `@exclude`.
pub fn class_ident(tag: &str) -> String {
    if tag == "@exclude" {
        return "Unprinted".into();
    }
    tag.split(['-', '_']).map(|w| if w == "and" { "And".to_string() } else { w.to_string() }).collect()
}

/// `name` as a Rust identifier; names that start with a digit get `prefix` in front.
pub fn ident(name: &str, prefix: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("{prefix}{name}") } else { name.to_string() }
}

/// Collects distinct values and numbers them in order of first appearance.
pub struct Interner<T> {
    pub items: Vec<T>,
    at: BTreeMap<T, usize>,
}

impl<T: Ord + Clone> Interner<T> {
    pub fn new(first: Vec<T>) -> Self {
        let at = first.iter().cloned().zip(0..).collect();
        Interner { items: first, at }
    }

    pub fn add(&mut self, item: T) -> usize {
        *self.at.entry(item.clone()).or_insert_with(|| {
            self.items.push(item);
            self.items.len() - 1
        })
    }
}
