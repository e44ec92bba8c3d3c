//! The JSON files as Khronos writes them.

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Grammar {
    #[serde(default)]
    pub instruction_printing_class: Vec<PrintingClass>,
    pub instructions: Vec<Instruction>,
    #[serde(default)]
    pub operand_kinds: Vec<OperandKind>,
}

#[derive(Deserialize)]
pub struct PrintingClass {
    pub tag: String,
    pub heading: Option<String>,
}

#[derive(Deserialize, Default)]
pub struct Needs {
    #[serde(default, alias = "capability", deserialize_with = "one_or_many")]
    pub capabilities: Vec<String>,
    #[serde(default)]
    pub extensions: Vec<String>,
    pub version: Option<String>,
    #[serde(rename = "lastVersion")]
    pub last_version: Option<String>,
}

#[derive(Deserialize)]
pub struct Instruction {
    pub opname: String,
    pub class: Option<String>,
    pub opcode: u32,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub operands: Vec<Operand>,
    #[serde(flatten)]
    pub needs: Needs,
}

#[derive(Deserialize, Clone)]
pub struct Operand {
    pub kind: String,
    pub quantifier: Option<String>,
    #[serde(default)]
    pub name: String,
}

#[derive(Deserialize)]
pub struct OperandKind {
    pub category: String,
    pub kind: String,
    #[serde(default)]
    pub enumerants: Vec<Enumerant>,
}

#[derive(Deserialize)]
pub struct Enumerant {
    pub enumerant: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    pub value: serde_json::Value,
    #[serde(default)]
    pub parameters: Vec<Operand>,
    #[serde(flatten)]
    pub needs: Needs,
}

impl Enumerant {
    pub fn value(&self) -> anyhow::Result<u32> {
        use anyhow::Context;
        match &self.value {
            serde_json::Value::String(s) => Ok(u32::from_str_radix(s.trim_start_matches("0x"), 16)?),
            v => Ok(v.as_u64().and_then(|v| v.try_into().ok()).context("enumerant value out of range")?),
        }
    }
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Either::deserialize(d)? {
        Either::One(s) => vec![s],
        Either::Many(v) => v,
    })
}
