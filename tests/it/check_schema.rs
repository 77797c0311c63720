//! The faults of one emitted schema, a tool's arguments or one definition, without its `$defs`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::walk::each_schema;

/// Keywords that never stand in an emitted schema: OpenAPI's own, and those of JSON Schema that
/// name or place a schema, which become plain references to the root's `$defs`.
const FORBIDDEN: &[&str] = &[
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$schema",
    "$vocabulary",
    "definitions",
    "discriminator",
    "example",
    "externalDocs",
    "nullable",
    "xml",
];

/// Keywords that may stand beside a `$ref`: draft-07 readers ignore them there, so nothing that
/// decides what is accepted may be among them. (`type` may repeat what the definition says, with
/// an empty `items` for an array.)
const BESIDE_A_REFERENCE: &[&str] = &[
    "$comment",
    "$ref",
    "default",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "type",
    "writeOnly",
];

/// All faults of `schema`, each beginning with its JSON Pointer.
pub(crate) fn schema_faults(schema: &Value) -> Vec<String> {
    let mut faults = meta_faults(schema);
    each_schema(schema, &mut |at, object| {
        faults.extend(object_faults(object).into_iter().map(|fault| format!("{at}: {fault}")));
    });
    faults
}

/// What the meta-schemas of the two dialects say.
fn meta_faults(schema: &Value) -> Vec<String> {
    let dialects = [
        ("2020-12", jsonschema::draft202012::meta::validate(schema)),
        ("draft-07", jsonschema::draft7::meta::validate(schema)),
    ];
    dialects
        .into_iter()
        .filter_map(|(name, result)| {
            let error = result.err()?;
            Some(format!("{}: not valid as {name}: {error}", error.instance_path()))
        })
        .collect()
}

/// The faults of one schema object, without those of the schemas in it.
fn object_faults(schema: &Map<String, Value>) -> Vec<String> {
    let mut faults = Vec::new();
    for (keyword, value) in schema {
        if FORBIDDEN.contains(&keyword.as_str()) || keyword.starts_with("x-") {
            faults.push(format!("the keyword `{keyword}`"));
        }
        if value.is_null() && !matches!(keyword.as_str(), "const" | "default") {
            faults.push(format!("`{keyword}` is null"));
        }
    }
    faults.extend(reference_faults(schema));
    faults.extend(array_faults(schema));
    faults.extend(list_faults(schema));
    faults.extend(pattern_faults(schema));
    faults.extend(title_faults(schema));
    faults
}

/// A `$ref` leads to a definition and has no assertion beside it.
fn reference_faults(schema: &Map<String, Value>) -> Vec<String> {
    let Some(reference) = schema.get("$ref") else { return Vec::new() };
    let target = reference.as_str().unwrap_or_default();
    let mut faults = Vec::new();
    if !target.strip_prefix("#/$defs/").is_some_and(is_definition_key) {
        faults.push(format!("`$ref` is {reference}, which is no `#/$defs/KEY`"));
    }
    for (keyword, value) in schema {
        let says_nothing = value.as_object().is_some_and(Map::is_empty);
        if !BESIDE_A_REFERENCE.contains(&keyword.as_str()) && !says_nothing {
            faults.push(format!("`{keyword}` beside `$ref`, where draft-07 readers ignore it"));
        }
    }
    faults
}

/// Is this a key that needs no escape in any `$ref`?
pub(crate) fn is_definition_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// An array type says what its items are, and in a way that draft-07 readers survive.
fn array_faults(schema: &Map<String, Value>) -> Vec<String> {
    let is_array = match schema.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    };
    let mut faults = Vec::new();
    if is_array && !schema.contains_key("items") {
        faults.push("an array type without `items`".to_owned());
    }
    if schema.contains_key("prefixItems") && schema.get("items") == Some(&Value::Bool(false)) {
        faults.push("`items: false` beside `prefixItems`: draft-07 readers refuse everything".to_owned());
    }
    faults
}

/// Lists of names and values are not empty and hold nothing twice.
fn list_faults(schema: &Map<String, Value>) -> Vec<String> {
    let mut faults = Vec::new();
    for keyword in ["allOf", "anyOf", "enum", "oneOf", "prefixItems", "required"] {
        if schema.get(keyword).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            faults.push(format!("`{keyword}` is empty"));
        }
    }
    for keyword in ["enum", "required"] {
        let values = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let mut seen = BTreeSet::new();
        for value in values {
            if !seen.insert(value.to_string()) {
                faults.push(format!("`{keyword}` holds {value} twice"));
            }
        }
    }
    faults
}

/// Patterns compile as ECMA-262 with `u` (2020-12 core, section 6.4; JSON Schema clients in
/// JavaScript use that flag).
fn pattern_faults(schema: &Map<String, Value>) -> Vec<String> {
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let keys = schema.get("patternProperties").and_then(Value::as_object);
    let keys = keys.into_iter().flat_map(|map| map.keys().map(String::as_str));
    pattern
        .into_iter()
        .chain(keys)
        .filter_map(|text| {
            let error = regress::Regex::with_flags(text, "u").err()?;
            Some(format!("the pattern {text:?} is not valid with `u`: {error}"))
        })
        .collect()
}

/// No property has a title that only repeats its key.
fn title_faults(schema: &Map<String, Value>) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter(|(key, property)| property["title"].as_str() == Some(key))
        .map(|(key, _)| format!("the title of `{key}` only repeats its key"))
        .collect()
}
