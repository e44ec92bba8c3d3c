//! HLSL semantics and counter buffers (SPV_GOOGLE_hlsl_functionality1).

use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::Decoration;
use spirula_module::{Decorations, Module, Names};

use crate::model::{Counter, CounterEvidence, Semantic};

/// The semantics among some decorations.
pub(crate) fn semantics(decorations: Decorations<'_>) -> Vec<Semantic> {
    let own = decorations.filter(|d| d.decoration == Decoration::UserSemantic);
    own.filter_map(|d| LitStr::read(d.operands)).map(|s| split(&s.to_text())).collect()
}

/// `TEXCOORD7` → TEXCOORD, 7. Semantics are compared without regard to case.
pub(crate) fn split(text: &str) -> Semantic {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, index) = text.split_at(text.len() - digits);
    let name = name.to_ascii_uppercase();
    Semantic { text: text.into(), index: index.parse().unwrap_or(0), system_value: name.starts_with("SV_"), name }
}

/// The counter buffer of a buffer: by decoration, else by the names that compilers give.
pub(crate) fn counter(m: &Module<'_>, names: &Names, buffer: Id, variables: &[Id]) -> Option<Counter> {
    if let Some(d) = m.decoration(buffer, Decoration::CounterBuffer) {
        return Some(Counter { id: d.operand(), evidence: CounterEvidence::Decoration });
    }
    let name = |id| names.get(m.words(), id).map(LitStr::to_text);
    let own = name(buffer).filter(|n| !n.is_empty())?;
    let candidates: [String; 2] = [alloc::format!("counter.var.{own}"), alloc::format!("{own}@count")];
    let found = variables.iter().find(|v| **v != buffer && name(**v).is_some_and(|n| candidates.contains(&n)))?;
    Some(Counter { id: found.0, evidence: CounterEvidence::Name })
}
