//! Findings for machines.

use serde_json::{Value, json};

use super::finding::{Finding, Place};

/// A finding as one line of JSON, without the newline. The fields are those of [`Finding`]; absent ones are left out.
pub fn json(finding: &Finding) -> String {
    // A finding has no maps with odd keys and no numbers that JSON lacks: it always serialises.
    serde_json::to_string(finding).unwrap_or_default()
}

/// Findings as one SARIF 2.1.0 log, `version` being that of the tool.
pub fn sarif<'a>(findings: impl IntoIterator<Item = &'a Finding>, version: &str) -> String {
    let mut rules: Vec<Value> = Vec::new();
    let mut indices = std::collections::BTreeMap::new();
    let mut results = Vec::new();
    for f in findings {
        let index = *indices.entry(f.rule.clone()).or_insert_with(|| {
            rules.push(rule(f));
            rules.len() - 1
        });
        results.push(result(f, index));
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "spirula", "version": version, "rules": rules } },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default()
}

fn rule(f: &Finding) -> Value {
    let Some(page) = f.page else { return json!({ "id": f.rule }) };
    let doc = page.doc.trim();
    let summary = doc.split("\n\n").next().unwrap_or(doc).replace('\n', " ");
    json!({
        "id": f.rule,
        "shortDescription": { "text": summary },
        "help": { "text": format!("{doc}\n\n{}", page.cite), "markdown": format!("{doc}\n\n*{}*", page.cite) },
        "properties": { "tags": [page.group] },
    })
}

fn result(f: &Finding, index: usize) -> Value {
    let mut text = f.message.clone();
    if let Some(help) = &f.help {
        text = format!("{text}\nhelp: {help}");
    }
    let mut result = json!({
        "ruleId": f.rule,
        "ruleIndex": index,
        "level": f.severity,
        "message": { "text": text },
        "locations": [location(&f.file, &f.place, None)],
    });
    if !f.related.is_empty() {
        let related: Vec<Value> = f
            .related
            .iter()
            .map(|r| location(r.file.as_deref().unwrap_or(&f.file), &r.place, Some(&r.message)))
            .collect();
        result["relatedLocations"] = related.into();
    }
    result
}

fn location(file: &str, place: &Place, message: Option<&str>) -> Value {
    let mut region = json!({});
    match place.line {
        Some(line) => {
            region["startLine"] = line.into();
            if let Some(column) = place.column {
                region["startColumn"] = column.into();
            }
        }
        None => {
            if let Some(byte) = place.byte {
                region["byteOffset"] = byte.into();
            }
        }
    }
    if let Some(asm) = &place.asm {
        region["snippet"] = json!({ "text": asm });
    }
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if region.as_object().is_some_and(|r| !r.is_empty()) {
        physical["region"] = region;
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

/// A path as a relative or absolute URI reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for b in path.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                out.push(char::from(b))
            }
            b'\\' => out.push('/'),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
