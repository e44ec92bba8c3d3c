//! `docs/*.schema.json`, made from the types of the reports.

use anyhow::Result;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Value, json};
use spirula_reflect::{Pipeline, Reflection, SCHEMA_VERSION};

/// The schemas, by the names of their files.
pub fn all() -> Result<[(&'static str, String); 2]> {
    Ok([
        ("docs/reflection.schema.json", text::<Reflection<'_>>("spirula reflect --format json")?),
        ("docs/pipeline.schema.json", text::<Pipeline>("spirula reflect --pipeline --format json")?),
    ])
}

/// The schema of what a command line writes.
fn text<T: JsonSchema>(command: &str) -> Result<String> {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    Plain.transform(&mut schema);
    schema.insert("title".to_owned(), json!(command));
    if let Some(version) = schema.pointer_mut("/properties/schema") {
        *version = json!({ "description": "Version of this schema.", "const": SCHEMA_VERSION });
    }
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// Descriptions as plain text, without the links of rustdoc, and without formats that only Rust knows.
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = plain(text);
        }
        schema.remove("format");
        transform_subschemas(self, schema);
    }
}

fn plain(text: &str) -> String {
    text.replace("[`Reflection::", "`").replace("`]", "`").replace("[`", "`").replace('\n', " ")
}
