//! A name is never mistaken for a keyword: every keyword as a name in every place where names stand.

use serde_json::{Map, Value, json};

use crate::check::check_list;
use crate::run::{ALL, convert, scratch};

/// Keywords of JSON Schema and of OpenAPI, and an extension.
const WORDS: &[&str] = &[
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
    "readOnly",
    "additionalProperties",
    "allOf",
    "not",
    "const",
    "examples",
    "description",
    "format",
];

/// Where a word can be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    QueryParameter,
    BodyProperty,
    NestedProperty,
    ItemsProperty,
    ComponentProperty,
    ComponentName,
    Pattern,
}

const PLACES: &[Place] = &[
    Place::QueryParameter,
    Place::BodyProperty,
    Place::NestedProperty,
    Place::ItemsProperty,
    Place::ComponentProperty,
    Place::ComponentName,
    Place::Pattern,
];

/// What the named thing is, and has to stay.
fn named() -> Value {
    json!({"type": "string", "maxLength": 7})
}

/// An object whose one property, required, has the name.
fn object_with(word: &str) -> Value {
    json!({"type": "object", "properties": {word: named()}, "required": [word]})
}

/// The schema of the body's property `holder` in a place that is inside a body.
fn holder(place: Place, index: usize, word: &str) -> Value {
    match place {
        Place::NestedProperty => {
            let inner = json!({"type": "object", "properties": {"c": object_with(word)}});
            json!({"type": "object", "properties": {"b": inner}})
        }
        Place::ItemsProperty => json!({"type": "array", "items": object_with(word)}),
        Place::ComponentProperty => json!({"$ref": format!("#/components/schemas/Holder{index}")}),
        Place::ComponentName => {
            json!({"items": {"$ref": format!("#/components/schemas/{word}")}, "type": "array"})
        }
        Place::Pattern => json!({"type": "object", "patternProperties": {word: named()}}),
        Place::QueryParameter | Place::BodyProperty => unreachable!("these have no holder"),
    }
}

/// The operation that has the word in that place.
fn operation(place: Place, index: usize, word: &str) -> Value {
    let mut operation = json!({"operationId": format!("op{index}"), "responses": {}});
    let body = match place {
        Place::QueryParameter => {
            operation["parameters"] =
                json!([{"name": word, "in": "query", "required": true, "schema": named()}]);
            return operation;
        }
        Place::BodyProperty => object_with(word),
        _ => json!({"type": "object", "properties": {"holder": holder(place, index, word)}}),
    };
    operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": body}}});
    operation
}

/// A document with one operation for each word in that place.
fn document(version: &str, place: Place) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for (index, word) in WORDS.iter().enumerate() {
        paths.insert(format!("/op{index}"), json!({"post": operation(place, index, word)}));
        match place {
            Place::ComponentProperty => drop(schemas.insert(format!("Holder{index}"), object_with(word))),
            Place::ComponentName => drop(schemas.insert((*word).to_owned(), named())),
            _ => {}
        }
    }
    json!({
        "openapi": version,
        "info": {"title": "Names", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

/// What an argument, or a key of `$defs`, may be called that the document calls `word`.
fn renamed(word: &str) -> &str {
    word.trim_start_matches('$')
}

/// What is wrong with the input schema of the tool that has the word in that place, apart from
/// whether its root is closed.
fn fault(place: Place, index: usize, word: &str, input: &Value) -> Option<String> {
    let mut input = input.clone();
    input.as_object_mut().and_then(|object| object.shift_remove("additionalProperties"));
    let whole = |properties: Value| {
        let mut schema = json!({"type": "object", "properties": properties, "$defs": {}});
        if matches!(place, Place::QueryParameter | Place::BodyProperty) {
            schema["required"] = json!([renamed(word)]);
        }
        schema
    };
    let (actual, expected) = match place {
        Place::QueryParameter | Place::BodyProperty => {
            (input.clone(), whole(json!({renamed(word): named()})))
        }
        Place::NestedProperty | Place::ItemsProperty | Place::Pattern => {
            (input.clone(), whole(json!({"holder": holder(place, index, word)})))
        }
        Place::ComponentProperty => {
            (input["$defs"].clone(), json!({format!("Holder{index}"): object_with(word)}))
        }
        Place::ComponentName => {
            let definitions = input["$defs"].as_object();
            let only = definitions.filter(|map| map.len() == 1).and_then(|map| map.values().next());
            (only.cloned().unwrap_or_default(), named())
        }
    };
    (actual != expected).then(|| format!("expected {expected}, found {actual}"))
}

/// All faults of the list of one document.
fn list_faults(place: Place, list: &Value) -> Vec<String> {
    let mut faults = check_list(list);
    let tools = list["tools"].as_array().map_or(&[][..], Vec::as_slice);
    if tools.len() != WORDS.len() {
        faults.push(format!("{} tools for {} operations", tools.len(), WORDS.len()));
    }
    for (index, (word, tool)) in WORDS.iter().zip(tools).enumerate() {
        faults.extend(
            fault(place, index, word, &tool["inputSchema"]).map(|fault| format!("`{word}`: {fault}")),
        );
    }
    faults
}

#[test]
fn no_name_is_mistaken_for_a_keyword() {
    let folder = scratch("keyword-names");
    let mut all = Vec::new();
    for version in ["3.0.3", "3.1.0"] {
        for place in PLACES.iter().copied().filter(|place| version != "3.0.3" || *place != Place::Pattern) {
            let text = document(version, place).to_string();
            let outcome = convert(&folder, &format!("{place:?}.json"), &text, &[]);
            let mut faults = match outcome.list() {
                Ok(list) => list_faults(place, &list),
                Err(fault) => vec![fault],
            };
            if outcome.code != Some(ALL) {
                faults.push(format!("exit code {:?}: {}", outcome.code, outcome.stderr));
            }
            all.extend(faults.into_iter().map(|fault| format!("{version} {place:?}: {fault}")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right tool for each word in that place.
    fn right(place: Place) -> Value {
        let tools = WORDS.iter().enumerate().map(|(index, word)| {
            let mut input = json!({"type": "object", "properties": {}});
            match place {
                Place::QueryParameter | Place::BodyProperty => {
                    input["properties"] = json!({renamed(word): named()});
                    input["required"] = json!([renamed(word)]);
                    input["$defs"] = json!({});
                }
                Place::ComponentProperty => {
                    input["properties"]["holder"] = json!({"$ref": format!("#/$defs/Holder{index}")});
                    input["$defs"] = json!({format!("Holder{index}"): object_with(word)});
                }
                Place::ComponentName => {
                    let reference = json!({"$ref": format!("#/$defs/{}", renamed(word))});
                    input["properties"]["holder"] = json!({"type": "array", "items": reference});
                    input["$defs"] = json!({renamed(word): named()});
                }
                _ => {
                    input["properties"]["holder"] = holder(place, index, word);
                    input["$defs"] = json!({});
                }
            }
            json!({"name": format!("op{index}"), "description": "Does.", "inputSchema": input})
        });
        json!({"tools": tools.collect::<Vec<_>>()})
    }

    #[test]
    fn right_tools_have_no_fault() {
        for place in PLACES {
            assert_eq!(list_faults(*place, &right(*place)), Vec::<String>::new(), "{place:?}");
        }
    }

    /// Everything that a client which takes names for keywords has done to a list.
    #[test]
    fn a_mistaken_name_is_a_fault() {
        for place in PLACES {
            for index in 0..WORDS.len() {
                let mut changed = 0;
                for change in [add_type, drop_named, empty_named] {
                    let mut list = right(*place);
                    let input = &mut list["tools"][index]["inputSchema"];
                    let before = input.clone();
                    each_map(input, &mut |map| change(map));
                    if *input != before {
                        changed += 1;
                        let faults = list_faults(*place, &list);
                        assert!(!faults.is_empty(), "{place:?} {}: {list}", WORDS[index]);
                    }
                }
                assert_eq!(changed, 3, "{place:?}");
            }
        }
    }

    fn is_named(map: &Map<String, Value>) -> Option<String> {
        map.iter().find(|(_, value)| **value == named()).map(|(key, _)| key.clone())
    }

    /// A stray `"type": "object"` in the map of properties.
    fn add_type(map: &mut Map<String, Value>) {
        if let Some(key) = is_named(map) {
            let other = if key == "type" { "kind" } else { "type" };
            map.insert(other.to_owned(), json!("object"));
        }
    }

    /// The property is gone.
    fn drop_named(map: &mut Map<String, Value>) {
        if let Some(key) = is_named(map) {
            map.shift_remove(&key);
        }
    }

    /// The property accepts anything.
    fn empty_named(map: &mut Map<String, Value>) {
        if let Some(key) = is_named(map) {
            map.insert(key, json!({}));
        }
    }

    fn each_map(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
        match value {
            Value::Array(members) => members.iter_mut().for_each(|member| each_map(member, change)),
            Value::Object(map) => {
                change(map);
                map.values_mut().for_each(|value| each_map(value, change));
            }
            _ => {}
        }
    }
}
