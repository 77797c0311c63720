//! A name is never mistaken for a keyword, nor data for a schema, at any depth.

use serde_json::{Map, Value, json};

use super::super::keywords::{Holds, KEYWORDS, Keyword};
use super::normalised;

/// Names of properties and definitions that a careless walk takes for keywords.
const NAMES: [&str; 16] = [
    "properties",
    "required",
    "definitions",
    "$defs",
    "$ref",
    "type",
    "items",
    "enum",
    "default",
    "nullable",
    "discriminator",
    "title",
    "pattern",
    "x-thing",
    "allOf",
    "additionalProperties",
];

/// How a schema comes to stand below another.
const WAYS: [fn(Value) -> Value; 9] = [
    |schema| schema,
    |schema| json!({"type": "array", "items": schema}),
    |schema| json!({"type": "object", "additionalProperties": schema}),
    |schema| json!({"type": "object", "allOf": [schema]}),
    |schema| json!({"type": "object", "anyOf": [schema, {"type": "object"}]}),
    |schema| json!({"type": "object", "properties": {"properties": schema}}),
    |schema| json!({"type": "object", "patternProperties": {"^x-": schema}}),
    |schema| json!({"type": "object", "dependentSchemas": {"required": schema}}),
    |schema| json!({"$defs": {"$defs": schema}, "not": {"$ref": "#/$defs/$defs"}}),
];

/// A schema that no rule changes, in which every name is the name of a property, and of a property
/// in each of those.
fn full_of_names(inner: &Value) -> Value {
    let map: Map<String, Value> = NAMES.iter().map(|name| ((*name).to_owned(), inner.clone())).collect();
    json!({"type": "object", "properties": map, "required": NAMES, "dependentRequired": {"required": NAMES}})
}

/// Data that each rule would change, were it a schema.
fn tempting() -> Value {
    json!({
        "properties": {"title": {"title": "Title", "type": "array"}, "type": "array"},
        "required": ["a", "a"],
        "enum": [1, 1.0],
        "anyOf": [{"enum": []}],
        "items": null,
        "description": "a\u{200b}",
        "pattern": "(?i)a",
        "patternProperties": {"(?i)a": true},
        "type": [],
    })
}

#[test]
fn properties_named_like_keywords_stay_what_they_are() {
    for leaf in [json!({"type": "string"}), json!(true), json!({"enum": [1, "a"], "default": 1})] {
        let (once, twice) = (full_of_names(&leaf), full_of_names(&full_of_names(&leaf)));
        for way in WAYS {
            let nested = WAYS.map(|outer| outer(way(once.clone())));
            for schema in nested.into_iter().chain([way(twice.clone())]) {
                assert_eq!(normalised(schema.clone()).to_string(), schema.to_string());
            }
        }
    }
}

#[test]
fn schemas_of_properties_named_like_keywords_are_normalised() {
    let before = full_of_names(&json!({"type": "array", "enum": [[], []]}));
    let after = full_of_names(&json!({"type": "array", "enum": [[]], "items": {}}));
    for way in WAYS {
        assert_eq!(normalised(way(before.clone())), way(after.clone()));
    }
}

#[test]
fn data_that_looks_like_schemas_stays_what_it_is() {
    let holders = [
        "default",
        "const",
        "examples",
        "enum",
        "x-thing",
        "unknown",
        "Properties",
        "discriminator",
        "example",
    ];
    for way in WAYS {
        for name in holders {
            let data = if name == "examples" || name == "enum" { json!([tempting(), 1]) } else { tempting() };
            let schema = way(json!({"type": "object", name: data}));
            assert_eq!(normalised(schema.clone()).to_string(), schema.to_string());
        }
    }
    // The data does tempt: as a schema it changes.
    assert_ne!(normalised(tempting()), tempting());
}

fn below(row: &Keyword, schema: &Value) -> Value {
    match row.holds {
        Holds::Schemas => json!([schema, schema]),
        Holds::Map => json!({"type": schema, "$ref": schema}),
        Holds::MapOrNames => json!({"type": schema, "required": ["items", "items"]}),
        _ => schema.clone(),
    }
}

#[test]
fn every_keyword_that_holds_schemas_is_entered_and_no_other() {
    let (before, after) = (json!({"type": "array"}), json!({"type": "array", "items": {}}));
    for row in KEYWORDS {
        let entered = !matches!(row.holds, Holds::Data | Holds::Reference | Holds::Mapping);
        // A type of its own keeps rules from adding to the schema around.
        let around = |value| {
            if row.name == "type" {
                json!({"type": value})
            } else {
                json!({"type": "object", row.name: value})
            }
        };
        let expected = around(below(row, if entered { &after } else { &before }));
        assert_eq!(normalised(around(below(row, &before))), expected, "{}", row.name);
    }
}
