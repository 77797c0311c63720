//! Shows that every check of `check.rs` and `check_schema.rs` can fail: a good list with one thing
//! made wrong, and a part of the fault that has to be found.

use serde_json::{Value, json};

use crate::check::{check_list, compile, compile_draft7};

/// A list with no fault: a cycle, data with a `$ref`, every key of a tool.
fn good() -> Value {
    json!({"tools": [
        {
            "name": "create_pet",
            "description": "Creates a pet.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "pet": {"type": "object", "$ref": "#/$defs/Pet", "description": "The pet."},
                    "tags": {"type": ["array", "null"], "items": {"type": "string", "pattern": "^a$"}},
                    "default": {"default": {"$ref": "#/components/schemas/Only.Data"}},
                    "enum": {"enum": [1, "1", {"$ref": "#/components/schemas/nowhere"}]},
                },
                "required": ["pet", "tags"],
                "additionalProperties": false,
                "$defs": {
                    "Pet": {"type": "object", "properties": {
                        "title": {"type": "string"},
                        "required": {"type": "boolean"},
                        "x-name": true,
                        "friends": {"type": "array", "items": {"$ref": "#/$defs/Pet"}},
                    }, "required": ["title"]},
                    "Only.Data": {"type": "integer"},
                },
            },
            "annotations": {"title": "Create", "idempotentHint": true},
        },
        {
            "name": "list_pets",
            "description": "Lists pets.",
            "inputSchema": {"type": "object", "properties": {}, "$defs": {}},
            "annotations": {"readOnlyHint": true},
        },
    ]})
}

/// The faults of the good list after `spoil`.
fn faults(spoil: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut list = good();
    spoil(&mut list);
    check_list(&list)
}

/// Asserts that the good list with `value` at `pointer`, in the last tool unless it begins with
/// `/tools`, has a fault with the text `part`.
#[track_caller]
fn assert_fault(pointer: &str, value: Value, part: &str) {
    let shown = value.to_string();
    let found = faults(|list| set(list, pointer, value));
    assert!(found.iter().any(|fault| fault.contains(part)), "{pointer} = {shown}: {found:#?}");
}

/// Sets the last segment of `pointer` in the object that the rest leads to.
fn set(list: &mut Value, pointer: &str, value: Value) {
    let pointer =
        if pointer.starts_with("/tools") { pointer.to_owned() } else { format!("/tools/1{pointer}") };
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = list.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(key.replace("~1", "/"), value);
}

#[test]
fn a_good_list_has_no_fault() {
    assert_eq!(faults(|_| {}), Vec::<String>::new());
    assert_eq!(check_list(&json!({"tools": []})), Vec::<String>::new());
}

#[test]
fn the_list_is_one_key() {
    for list in [json!([]), json!({}), json!({"tools": {}}), json!({"tools": [], "nextCursor": "a"})] {
        assert_eq!(check_list(&list).len(), 1, "{list}");
    }
}

#[test]
fn keys_of_a_tool() {
    assert_fault("/inputschema", json!({}), "tool has the key `inputschema`");
    assert_fault("/outputSchema", json!({"type": "object"}), "`outputSchema` behind `annotations`");
    assert_fault("/x-note", json!(1), "tool has the key `x-note`");
    assert_fault("/title", Value::Null, "null `title`");
    assert_fault("/title", json!("behind"), "`title` behind `annotations`");
    for key in ["name", "description", "inputSchema"] {
        let found = faults(|list| {
            list["tools"][1].as_object_mut().unwrap().shift_remove(key);
        });
        assert!(found.iter().any(|fault| fault.contains(&format!("no `{key}`"))), "{found:#?}");
    }
    let found = faults(|list| list["tools"][1] = json!("tool"));
    assert!(found[0].contains("is no object"), "{found:#?}");
}

#[test]
fn output_schemas() {
    for (schema, part) in [
        (json!({"type": "array", "items": {}, "$defs": {}}), "the type of `outputSchema`"),
        (json!({"type": "object"}), "`$defs` of `outputSchema` is no object"),
        (json!({"type": "object", "anyOf": [{}], "$defs": {}}), "`anyOf` at the root"),
        (json!({"type": "object", "properties": {"a": true}, "$defs": {}}), "the schema of the output `a`"),
        (json!({"type": "object", "$defs": {"A": {}}}), "`A` cannot be reached"),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Pet"}}, "$defs": {}}),
            "finds nothing",
        ),
    ] {
        assert_fault("/outputSchema", schema, part);
    }
}

#[test]
fn names_of_tools() {
    for name in ["", "1st", "a.b", "a b", "é", &"a".repeat(65)] {
        assert_fault("/name", json!(name), "the name");
    }
    assert_fault("/name", json!(1), "the name");
    assert_fault("/name", json!("create_pet"), "stands twice");
    for name in ["_a", "-a", "A1-_", &"a".repeat(64)] {
        assert_eq!(faults(|list| set(list, "/name", json!(name))), Vec::<String>::new());
    }
}

#[test]
fn texts_and_annotations() {
    assert_fault("/description", json!(""), "says nothing");
    assert_fault("/description", json!(" \n"), "says nothing");
    assert_fault("/description", json!("a\u{202e}b"), "hides");
    assert_fault("/description", json!("a\u{200b}b"), "hides");
    assert_fault("/description", json!("a\u{7}b"), "hides");
    assert_fault("/annotations", json!({}), "`annotations` is empty");
    assert_fault("/annotations", Value::Null, "null `annotations`");
    assert_fault("/annotations/readOnlyHint", json!(false), "readOnlyHint");
    assert_fault("/annotations/destructiveHint", json!(true), "destructiveHint");
    assert_fault("/annotations/openWorldHint", json!("no"), "openWorldHint");
    assert_fault("/annotations/title", json!(""), "says nothing");
    assert_fault("/annotations/colour", json!("red"), "`colour`");
}

#[test]
fn keys_of_an_input_schema() {
    for key in ["$ref", "anyOf", "oneOf", "allOf", "not", "if", "$schema", "description", "enum"] {
        assert_fault(&format!("/inputSchema/{key}"), json!([]), &format!("has the key `{key}`"));
    }
    assert_fault("/inputSchema/type", json!(["object"]), "the type of `inputSchema`");
    assert_fault("/inputSchema/properties", json!([]), "`properties` is no object");
    assert_fault("/inputSchema/$defs", json!(true), "`$defs` is no object");
    assert_fault("/inputSchema/required", json!([]), "`required` is empty");
    assert_fault("/inputSchema/required", Value::Null, "null `required`");
    assert_fault("/inputSchema/required", json!(["a"]), "required and no argument");
    assert_fault("/inputSchema/required", json!([]), "`required` behind `$defs`");
    assert_fault("/tools/0/inputSchema/required", json!(["pet", "pet"]), "`required` holds \"pet\" twice");
    assert_fault("/tools/0/inputSchema/additionalProperties", json!(true), "only as `false`");
    for key in ["type", "properties", "$defs"] {
        let found = faults(|list| {
            list["tools"][1]["inputSchema"].as_object_mut().unwrap().shift_remove(key);
        });
        assert!(found.iter().any(|fault| fault.contains(&format!("no `{key}`"))), "{found:#?}");
    }
}

#[test]
fn arguments() {
    for name in ["a[b]", "$ref", "a b", "é", ""] {
        assert_fault(&format!("/inputSchema/properties/{name}"), json!({}), "the argument");
    }
    assert_fault(&format!("/inputSchema/properties/{}", "a".repeat(65)), json!({}), "the argument");
    assert_fault("/inputSchema/properties/a", json!(true), "the schema of the argument");
    assert_fault("/inputSchema/properties/a", Value::Null, "the schema of the argument");
    assert_fault("/inputSchema/properties/a", json!({"title": "a"}), "only repeats");
}

#[test]
fn definitions() {
    assert_fault("/inputSchema/$defs/Lost", json!({}), "`Lost` cannot be reached");
    assert_fault(
        "/inputSchema/properties/a",
        json!({"$ref": "#/$defs/Pet"}),
        "`Pet` is reachable and not there",
    );
    assert_fault("/inputSchema/properties/a", json!({"$ref": "#/$defs/No"}), "finds nothing");
    assert_fault(
        "/inputSchema/properties/a",
        json!({"$ref": "#/components/schemas/Pet"}),
        "no `#/$defs/KEY`",
    );
    assert_fault("/inputSchema/properties/a", json!({"$ref": "#/properties/b"}), "no `#/$defs/KEY`");
    assert_fault("/inputSchema/properties/a", json!({"$ref": "https://example.com/a"}), "no `#/$defs/KEY`");
    assert_fault("/tools/0/inputSchema/$defs/Pet/title", json!("Pet"), "repeats the definition's name");
    assert_fault("/tools/0/inputSchema/$defs/a b", json!({}), "a key of `$defs`");
    for data in ["#/components/schemas/Pet", "#/$defs/Pet"] {
        let value = json!({"examples": [{"$ref": data}]});
        assert_fault("/inputSchema/properties/a", value, "`Pet` is reachable and not there");
    }
    let found = faults(|list| {
        set(list, "/inputSchema/properties", json!({"a": {"$ref": "#/$defs/Pet"}}));
        set(list, "/inputSchema/$defs", json!({"Pet": {"type": "object"}}));
    });
    assert!(found.iter().any(|fault| fault.contains("is another one than in create_pet")), "{found:#?}");
    let found = faults(|list| {
        let definitions = list["tools"][0]["inputSchema"]["$defs"].as_object_mut().unwrap();
        definitions.shift_remove("Only.Data");
        set(list, "/inputSchema/properties", json!({"a": {"$ref": "#/$defs/Only.Data"}}));
        set(list, "/inputSchema/$defs", json!({"Only.Data": {"type": "integer"}}));
    });
    assert!(found.iter().any(|fault| fault.contains("create_pet: the definition `Only.Data`")), "{found:#?}");
}

#[test]
fn schemas_below_the_root() {
    for (schema, part) in [
        (json!({"type": "strin"}), "not valid as 2020-12"),
        (json!({"minimum": "1"}), "not valid as draft-07"),
        (json!({"exclusiveMinimum": true}), "not valid as 2020-12"),
        (json!({"items": [{}]}), "not valid as 2020-12"),
        (json!({"allOf": []}), "`allOf` is empty"),
        (json!({"enum": []}), "`enum` is empty"),
        (json!({"enum": [1, {"a": 1}, {"a": 1}]}), "twice"),
        (json!({"type": "array"}), "without `items`"),
        (json!({"type": ["null", "array"]}), "without `items`"),
        (json!({"prefixItems": [{}], "items": false}), "draft-07 readers refuse"),
        (json!({"pattern": "(?i)a"}), "the pattern"),
        (json!({"pattern": "\\-"}), "the pattern"),
        (json!({"patternProperties": {"[": {}}}), "the pattern"),
        (json!({"description": null}), "`description` is null"),
        (json!({"x-note": 1}), "`x-note`"),
        (json!({"nullable": true}), "`nullable`"),
        (json!({"discriminator": {"propertyName": "a"}}), "`discriminator`"),
        (json!({"example": 1}), "`example`"),
        (json!({"$id": "https://example.com/a"}), "`$id`"),
        (json!({"$anchor": "a"}), "`$anchor`"),
        (json!({"$dynamicRef": "#a"}), "`$dynamicRef`"),
        (json!({"definitions": {}}), "`definitions`"),
        (json!({"$defs": {}}), "`$defs`"),
        (json!({"$schema": "https://json-schema.org/draft/2020-12/schema"}), "`$schema`"),
    ] {
        for place in [
            json!({"not": schema}),
            json!({"type": "object", "properties": {"properties": schema}}),
            json!({"anyOf": [{"type": "array", "items": schema}]}),
        ] {
            assert_fault("/inputSchema/properties/a", place.clone(), part);
            assert_fault("/tools/0/inputSchema/$defs/Only.Data", place, part);
        }
    }
    let beside = json!({"$ref": "#/$defs/Only.Data", "minimum": 1});
    assert_fault("/tools/0/inputSchema/properties/beside", beside, "`minimum` beside `$ref`");
    let beside = json!({"$ref": "#/$defs/Only.Data", "items": {"type": "string"}});
    assert_fault("/tools/0/inputSchema/properties/beside", beside, "`items` beside `$ref`");
    let beside = json!({"$ref": "#/$defs/Only.Data", "type": "array", "items": {}});
    let found = faults(|list| set(list, "/tools/0/inputSchema/properties/beside", beside));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn keywords_as_names_and_data_are_no_fault() {
    let schema = json!({
        "type": "object",
        "properties": {"x-note": {}, "nullable": {}, "$defs": {}, "type": {"type": "string"}, "$ref": true},
        "default": {"x-note": null, "nullable": true, "type": "array"},
        "patternProperties": {"example": {}},
        "dependentSchemas": {"definitions": {}},
        "dependentRequired": {"required": ["a"]},
        "const": null,
    });
    let found = faults(|list| set(list, "/inputSchema/properties/a", schema));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_schema_that_does_not_compile_is_an_error() {
    for schema in [json!({"$ref": "#/$defs/No"}), json!({"pattern": "["}), json!({"type": "strin"})] {
        assert!(compile(&schema).is_err(), "{schema}");
        assert!(compile_draft7(&schema).is_err(), "{schema}");
    }
    assert!(compile(&json!({"format": "email"})).unwrap().is_valid(&json!("no address")));
}

/// A large list is checked soon, since equal definitions are judged once; else this test seems to hang.
#[test]
fn equal_definitions_are_judged_once() {
    let definitions: serde_json::Map<String, Value> = (0..200)
        .map(|i| {
            let next = format!("#/$defs/D{}", (i + 1) % 200);
            (
                format!("D{i}"),
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": next}}}),
            )
        })
        .collect();
    let tool = |i: usize| {
        let properties = json!({"a": {"$ref": format!("#/$defs/D{}", i % 200)}});
        let input = json!({"type": "object", "properties": properties, "$defs": definitions});
        json!({"name": format!("t{i}"), "description": "Does.", "inputSchema": input})
    };
    let list = json!({"tools": (0..300).map(tool).collect::<Vec<_>>()});
    assert_eq!(check_list(&list), Vec::<String>::new());
}
