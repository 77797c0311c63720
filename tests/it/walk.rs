//! A walk over emitted schemas, written from the JSON Schema specifications alone: it judges the
//! product's walk and shares nothing with it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// What the value of a keyword holds (2020-12 core and applicator vocabularies, and what draft-07
/// readers still understand); `None` for data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// One schema.
    Schema,
    /// One schema or a list of them.
    SchemaOrSchemas,
    /// A list of schemas.
    Schemas,
    /// A map whose keys are names or patterns and whose values are schemas or, in draft-07's
    /// `dependencies`, lists of names.
    Map,
}

/// What the value of `keyword` holds.
fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "items" => Holds::SchemaOrSchemas,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::Schemas,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Holds::Map,
        _ => return None,
    })
}

/// Calls `visit` for every schema object in `schema`, itself included, with its JSON Pointer.
///
/// Boolean schemas and whatever is no schema where one belongs are not visited: the meta-schemas
/// judge those.
pub(crate) fn each_schema<'v>(schema: &'v Value, visit: &mut dyn FnMut(&str, &'v Map<String, Value>)) {
    descend(schema, &mut String::new(), visit);
}

/// [`each_schema`] at the pointer `at`, which is the same again afterwards.
fn descend<'v>(schema: &'v Value, at: &mut String, visit: &mut dyn FnMut(&str, &'v Map<String, Value>)) {
    let Some(object) = schema.as_object() else { return };
    visit(at, object);
    for (keyword, value) in object {
        match (holds(keyword), value) {
            (Some(Holds::Schema | Holds::SchemaOrSchemas), Value::Object(_)) => {
                step(value, keyword, at, visit);
            }
            (Some(Holds::Schemas | Holds::SchemaOrSchemas), Value::Array(members)) => {
                let length = enter(at, keyword);
                for (index, member) in members.iter().enumerate() {
                    step(member, &index.to_string(), at, visit);
                }
                at.truncate(length);
            }
            (Some(Holds::Map), Value::Object(entries)) => {
                let length = enter(at, keyword);
                for (key, entry) in entries {
                    step(entry, key, at, visit);
                }
                at.truncate(length);
            }
            _ => {}
        }
    }
}

/// Descends into `schema`, which stands at `segment`.
fn step<'v>(
    schema: &'v Value,
    segment: &str,
    at: &mut String,
    visit: &mut dyn FnMut(&str, &'v Map<String, Value>),
) {
    let length = enter(at, segment);
    descend(schema, at, visit);
    at.truncate(length);
}

/// Appends a segment to the pointer; gives the length before it.
fn enter(at: &mut String, segment: &str) -> usize {
    let length = at.len();
    at.push('/');
    at.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    length
}

/// The strings under keys `$ref` in one schema.
#[derive(Default)]
pub(crate) struct References {
    /// Those that refer: keywords of a schema.
    pub(crate) schema: BTreeSet<String>,
    /// Those that stand in data (`default`, `enum`, an unknown keyword).
    pub(crate) data: BTreeSet<String>,
}

/// All references in `schema`.
pub(crate) fn references(schema: &Value) -> References {
    let mut found = References::default();
    collect(schema, &mut found);
    found
}

/// Adds what the schema `value` refers to.
fn collect(value: &Value, found: &mut References) {
    let Value::Object(object) = value else {
        collect_data(value, found);
        return;
    };
    for (keyword, value) in object {
        match (holds(keyword), value) {
            (None, Value::String(target)) if keyword == "$ref" => {
                found.schema.insert(target.clone());
            }
            (Some(Holds::Schema | Holds::SchemaOrSchemas), Value::Object(_)) => collect(value, found),
            (Some(Holds::Schemas | Holds::SchemaOrSchemas), Value::Array(members)) => {
                for member in members {
                    collect(member, found);
                }
            }
            (Some(Holds::Map), Value::Object(entries)) => {
                entries.values().for_each(|entry| collect(entry, found));
            }
            _ => collect_data(value, found),
        }
    }
}

/// Adds every string under a key `$ref` in `value`.
fn collect_data(value: &Value, found: &mut References) {
    match value {
        Value::Array(members) => members.iter().for_each(|member| collect_data(member, found)),
        Value::Object(entries) => {
            for (key, entry) in entries {
                match entry {
                    Value::String(target) if key == "$ref" => {
                        found.data.insert(target.clone());
                    }
                    _ => collect_data(entry, found),
                }
            }
        }
        _ => {}
    }
}

/// The definition that a `$ref` string means, as `#/$defs/K` or with a component's raw name.
pub(crate) fn definition_name(target: &str) -> Option<&str> {
    target.strip_prefix("#/$defs/").or_else(|| target.strip_prefix("#/components/schemas/"))
}

/// The names among `existing` that `schema` uses, on purpose by data as well: one definition too
/// many is harmless, one too few is not.
pub(crate) fn uses(schema: &Value, existing: &BTreeSet<String>) -> BTreeSet<String> {
    let found = references(schema);
    found
        .schema
        .iter()
        .chain(&found.data)
        .filter_map(|target| definition_name(target))
        .filter(|name| existing.contains(*name))
        .map(str::to_owned)
        .collect()
}

/// Everything that can be reached from `start` through `uses_of`, which gives the names that a
/// definition uses.
pub(crate) fn closure(
    start: BTreeSet<String>,
    uses_of: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<String> {
    let mut reached = start.clone();
    let mut open: Vec<String> = start.into_iter().collect();
    while let Some(name) = open.pop() {
        for next in uses_of.get(&name).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    reached
}

/// An input schema without its `$defs`.
pub(crate) fn without_definitions(input_schema: &Value) -> Value {
    let mut root = input_schema.clone();
    if let Some(object) = root.as_object_mut() {
        object.shift_remove("$defs");
    }
    root
}

/// The definitions that one tool needs, from its own input schema alone.
pub(crate) fn reachable(input_schema: &Value) -> BTreeSet<String> {
    let definitions = input_schema["$defs"].as_object();
    let existing = definitions.into_iter().flat_map(|map| map.keys().cloned()).collect();
    let uses_of = definitions
        .into_iter()
        .flatten()
        .map(|(name, definition)| (name.clone(), uses(definition, &existing)))
        .collect();
    closure(uses(&without_definitions(input_schema), &existing), &uses_of)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(schema: &Value) -> Vec<String> {
        reachable(schema).into_iter().collect()
    }

    #[test]
    fn every_place_of_a_reference_is_seen() {
        let reference = json!({"$ref": "#/$defs/A"});
        for place in [
            json!({"items": reference}),
            json!({"items": [reference]}),
            json!({"prefixItems": [{}, reference]}),
            json!({"not": reference}),
            json!({"if": {}, "else": reference}),
            json!({"patternProperties": {"^a": reference}}),
            json!({"properties": {"$ref": reference}}),
            json!({"properties": {"default": reference}}),
            json!({"dependentSchemas": {"a": reference}}),
            json!({"dependencies": {"a": reference, "b": ["c"]}}),
            json!({"additionalProperties": reference, "properties": {}}),
            json!({"unevaluatedItems": reference}),
            json!({"contentSchema": reference}),
            json!({"default": [reference]}),
            json!({"enum": [{"deep": {"$ref": "#/components/schemas/A"}}]}),
            json!({"unknown": {"properties": {"$ref": "#/$defs/A"}}}),
        ] {
            let schema = json!({"properties": {"x": place}, "$defs": {"A": {}, "B": {}}});
            assert_eq!(names(&schema), ["A"], "{place}");
        }
    }

    #[test]
    fn what_is_no_reference_reaches_nothing() {
        for place in [
            json!({"enum": ["#/$defs/A"]}),
            json!({"default": {"$ref": {"a": "#/$defs/A"}}}),
            json!({"default": {"$ref": "#/$defs/Other"}}),
            json!({"required": ["$ref", "#/$defs/A"]}),
            json!({"description": "#/$defs/A"}),
        ] {
            let schema = json!({"properties": {"x": place}, "$defs": {"A": {}}});
            assert!(names(&schema).is_empty(), "{place}");
        }
    }

    #[test]
    fn cycles_end_and_chains_are_followed() {
        let schema = json!({
            "properties": {"x": {"$ref": "#/$defs/A"}},
            "$defs": {
                "A": {"items": {"$ref": "#/$defs/B"}},
                "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/C"}]},
                "C": {}, "D": {"$ref": "#/$defs/A"},
            },
        });
        assert_eq!(names(&schema), ["A", "B", "C"]);
    }

    #[test]
    fn schemas_are_visited_with_their_pointers() {
        let schema = json!({"properties": {"properties": {"not": {}}, "a/b": true}, "enum": [{}]});
        let mut seen = Vec::new();
        each_schema(&schema, &mut |at, _| seen.push(at.to_owned()));
        assert_eq!(seen, ["", "/properties/properties", "/properties/properties/not"]);
    }
}
