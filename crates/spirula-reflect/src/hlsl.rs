//! HLSL semantics and counter buffers (SPV_GOOGLE_hlsl_functionality1).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, LitStr};
use spirula_grammar::Decoration;
use spirula_module::{Decorations, Module};

use crate::budget::Budget;
use crate::model::{Counter, CounterEvidence, Semantic};

/// The semantics among some decorations.
pub(crate) fn semantics(budget: &Budget, decorations: Decorations<'_>) -> Vec<Semantic> {
    let own = decorations.filter(|d| d.decoration == Decoration::UserSemantic);
    let own = own.filter_map(|d| LitStr::read(d.operands));
    own.take_while(|s| budget.take(size_of::<Semantic>() + 2 * s.len())).map(|s| split(&s.to_text())).collect()
}

/// `TEXCOORD7` → TEXCOORD, 7. Semantics are compared without regard to case.
pub(crate) fn split(text: &str) -> Semantic {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, index) = text.split_at(text.len() - digits);
    let name = name.to_ascii_uppercase();
    Semantic { text: text.into(), index: index.parse().unwrap_or(0), system_value: name.starts_with("SV_"), name }
}

/// Variables by name.
pub(crate) type ByName<'n> = BTreeMap<&'n str, Id>;

/// Whether a variable may be a counter buffer, by the names that compilers give.
pub(crate) fn is_counter(name: &str) -> bool {
    name.starts_with("counter.var.") || name.ends_with("@count")
}

/// The counter buffer of a buffer: by decoration, else by the names that compilers give.
pub(crate) fn counter(m: &Module<'_>, buffer: Id, own: &str, counters: &ByName<'_>) -> Option<Counter> {
    if let Some(d) = m.decoration(buffer, Decoration::CounterBuffer) {
        return Some(Counter { id: d.operand(), evidence: CounterEvidence::Decoration });
    }
    if own.is_empty() || counters.is_empty() {
        return None;
    }
    let found = counters.get(&*alloc::format!("counter.var.{own}"));
    let found = found.or_else(|| counters.get(&*alloc::format!("{own}@count")))?;
    Some(Counter { id: found.0, evidence: CounterEvidence::Name })
}
