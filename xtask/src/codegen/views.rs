//! Prints the typed instruction views of `spirula-binary`, one line per instruction.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::Result;

use super::json::Operand;
use super::model::Model;

pub fn file(model: &Model) -> Result<String> {
    let mut s = String::from("use super::macros::views;\n\nviews! {\n");
    for i in &model.insts {
        write!(s, "    {} {{", i.opname.trim_start_matches("Op")).ok();
        let mut taken = BTreeSet::new();
        let mut word = 1;
        let mut tail = None;
        for o in &i.operands {
            let fixed = o.quantifier.is_none() && fixed_type(model, o)?.is_some();
            if !fixed {
                tail = Some(if is_last_list(&i.operands, o) { list_name(&o.name) } else { "rest".to_string() });
                break;
            }
            let name = unique(&mut taken, field_name(o));
            write!(s, " {name}: {} = {word},", fixed_type(model, o)?.unwrap_or_default()).ok();
            word += 1;
            // What follows an enumerant with parameters has no fixed place.
            if model.kind(&o.kind, None)?.enumerants.iter().any(|e| !e.parameters.is_empty()) {
                tail = Some("rest".to_string());
                break;
            }
        }
        if let Some(t) = tail {
            write!(s, " ; {} = {word}", unique(&mut taken, t)).ok();
        }
        s += " }\n";
    }
    s += "}\n";
    Ok(s)
}

fn is_last_list(all: &[Operand], o: &Operand) -> bool {
    o.quantifier.as_deref() == Some("*") && all.last().is_some_and(|l| std::ptr::eq(l, o))
}

/// Type of the field, where the operand always takes one word.
fn fixed_type(model: &Model, o: &Operand) -> Result<Option<String>> {
    let kind = model.kind(&o.kind, None)?;
    Ok(match kind.category.as_str() {
        "Id" => Some("Id".into()),
        "ValueEnum" | "BitEnum" => Some(format!("g::{}", kind.ident)),
        _ => match o.kind.as_str() {
            "LiteralInteger" | "LiteralExtInstInteger" | "LiteralFloat" | "LiteralSpecConstantOpInteger" => {
                Some("u32".into())
            }
            _ => None,
        },
    })
}

fn field_name(o: &Operand) -> String {
    match o.kind.as_str() {
        "IdResultType" => return "result_type".into(),
        "IdResult" => return "result".into(),
        _ => {}
    }
    let name = if o.name.is_empty() { &o.kind } else { &o.name };
    snake(name)
}

/// A name for the words at the end: `Indexes` → `indexes`, `Operand 1, Operand 2, ...` → `operands`.
fn list_name(name: &str) -> String {
    let first = name.split(',').next().unwrap_or("").trim();
    let words: String = first.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    let snake = snake(&words);
    match snake.as_str() {
        "" => "rest".into(),
        s if s.ends_with('s') => snake,
        _ => snake + "s",
    }
}

fn snake(name: &str) -> String {
    let mut s = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && lower_before {
                s.push('_');
            }
            lower_before = c.is_ascii_lowercase() || c.is_ascii_digit();
            s.push(c.to_ascii_lowercase());
        } else {
            if !s.ends_with('_') && !s.is_empty() {
                s.push('_');
            }
            lower_before = false;
        }
    }
    let s = s.trim_end_matches('_').to_string();
    match s.as_str() {
        "type" => "ty".into(),
        "default" | "event" | "object" => s,
        "const" | "static" | "use" | "loop" | "in" | "return" | "break" | "continue" | "mod" | "struct" => s + "_",
        _ => s,
    }
}

fn unique(taken: &mut BTreeSet<String>, name: String) -> String {
    let mut candidate = name.clone();
    let mut n = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}_{n}");
        n += 1;
    }
    candidate
}
