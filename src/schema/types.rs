//! `type`: what its names mean, and common slips for them.

use serde_json::{Map, Value, json};

use super::dialect::Refusal;
use super::forms::shown;
use super::keywords;
use super::rules::Site;
use crate::diagnostic::Code;

/// JSON Schema's name of a type, from itself or a slip whose meaning has the same JSON type.
pub(super) fn json_type(name: &str) -> Option<&'static str> {
    let known = TYPES.into_iter().find(|known| *known == name);
    known.or_else(|| meaning(name).map(|(json_type, _)| json_type).filter(|json_type| !json_type.is_empty()))
}

/// JSON Schema's types (2020-12 validation, section 6.1.1), the most common first.
const TYPES: [&str; 7] = ["string", "object", "array", "integer", "boolean", "number", "null"];

/// What a type's name means: JSON Schema's type (empty for any), and a format if it says one.
fn meaning(name: &str) -> Option<(&'static str, &'static str)> {
    let plain = |name| Some((name, ""));
    match name.to_ascii_lowercase().as_str() {
        "string" | "str" | "text" => plain("string"),
        "integer" | "int" | "int32" | "int64" | "long" => plain("integer"),
        "number" | "float" | "double" | "decimal" => plain("number"),
        "boolean" | "bool" => plain("boolean"),
        "object" | "dict" | "map" => plain("object"),
        "array" | "list" => plain("array"),
        "null" => plain("null"),
        "any" => plain(""),
        "date" => Some(("string", "date")),
        "datetime" | "date-time" => Some(("string", "date-time")),
        "uuid" => Some(("string", "uuid")),
        "file" => Some(("string", "binary")),
        _ => None,
    }
}

/// Type names that JSON Schema doesn't know (`rules`: MCP hosts refuse them).
pub(super) fn repair_type(schema: &mut Map<String, Value>, site: &Site<'_>) -> Result<(), Refusal> {
    let told = keywords::value(schema, "type").and_then(Value::as_str);
    if told.is_some_and(|name| TYPES.contains(&name)) {
        return Ok(());
    }
    match keywords::value(schema, "type").cloned() {
        None => {}
        Some(Value::String(name)) => {
            let (json_type, format) = meaning(&name).ok_or_else(|| unknown_type(&name))?;
            if json_type == name {
                return Ok(());
            }
            if name != "file" {
                (site.report)(Code::RepairedType, "type", repaired_type(&name, json_type));
            }
            if json_type.is_empty() {
                schema.shift_remove("type");
            } else {
                schema["type"] = json!(json_type);
            }
            if !format.is_empty() && !keywords::has(schema, "format") {
                schema.insert("format".to_owned(), json!(format));
            }
        }
        Some(Value::Array(list)) => {
            let mut types: Vec<Value> = Vec::new();
            for name in &list {
                let name = name.as_str().unwrap_or("null");
                let (json_type, _) = meaning(name).ok_or_else(|| unknown_type(name))?;
                if json_type != name {
                    (site.report)(Code::RepairedType, "type", repaired_type(name, json_type));
                }
                if !types.contains(&json!(json_type)) {
                    types.push(json!(json_type));
                }
            }
            if types.is_empty() || types.contains(&json!("")) {
                schema.shift_remove("type");
            } else {
                schema["type"] = Value::Array(types);
            }
        }
        Some(other) => {
            let message = format!("`type` is {}; expected a type's name or a list of them", shown(&other));
            return Err(Refusal::new(Code::InvalidSchema, "type", message));
        }
    }
    Ok(())
}

fn repaired_type(name: &str, json_type: &str) -> String {
    let taken = if json_type.is_empty() { "any type".to_owned() } else { format!("{json_type:?}") };
    format!("`type` is {name:?}, which JSON Schema doesn't know; taken as {taken}")
}

fn unknown_type(name: &str) -> Refusal {
    let known = "array, boolean, integer, null, number, object or string";
    Refusal::new(Code::UnknownType, "type", format!("`type` is {name:?}; expected {known}"))
}
