use serde_json::{Value, json};

use super::*;

/// What changed, one text for each change: `+` for a compatible one, `-` for a breaking one.
fn judged(old: &Value, new: &Value, travel: Travel) -> Vec<String> {
    let definitions =
        |value: &Value| value.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, now) = (definitions(old), definitions(new));
    let bare = |value: &Value| {
        let mut value = value.clone();
        value.as_object_mut().map(|object| object.shift_remove("$defs"));
        value
    };
    let found = changes(&bare(old), &bare(new), Sides { old: &before, new: &now }, travel, "argument");
    let sign = |verdict| if verdict == Verdict::Breaking { '-' } else { '+' };
    found.iter().map(|change| format!("{} {}: {}", sign(change.verdict), change.place, change.text)).collect()
}

/// The same of the schema of the argument `a`, without the place if it is only that.
fn of_argument(old: &str, new: &str, travel: Travel) -> Vec<String> {
    let [old, new] = [old, new].map(|text| {
        let schema: Value = serde_json::from_str(text).unwrap();
        json!({"type": "object", "properties": {"a": schema}})
    });
    let texts = judged(&old, &new, travel).into_iter();
    texts.map(|text| text.replace("argument a: ", "").replace("argument a", "a")).collect()
}

/// Schemas before and now, and what is said of it.
const VERDICTS: &[(&str, &str, &str)] = &[
    // Types and values.
    (r#"{"type":"string"}"#, r#"{"type":"string"}"#, ""),
    (r#"{"type":"string"}"#, r#"{"type":["string","null"]}"#, "+ type widened from string to string or null"),
    (
        r#"{"type":["string","null"]}"#,
        r#"{"type":"string"}"#,
        "- type narrowed from string or null to string",
    ),
    (r#"{"type":["null","string"]}"#, r#"{"type":["string","null"]}"#, ""),
    (r#"{"type":"integer"}"#, r#"{"type":"number"}"#, "+ type widened from integer to number"),
    (r#"{"type":"number"}"#, r#"{"type":"integer"}"#, "- type narrowed from number to integer"),
    (r#"{"type":"integer"}"#, r#"{"type":"string"}"#, "- type changed from integer to string"),
    ("{}", r#"{"type":"string"}"#, "- type narrowed from any to string"),
    (
        r#"{"type":"string","minLength":1}"#,
        r#"{"type":"integer","minimum":1}"#,
        "- type changed from string to integer",
    ),
    (r#"{"type":"string"}"#, "{}", "+ type widened from string to any"),
    (r#"{"enum":["a","b"]}"#, r#"{"enum":["b"]}"#, "- no more accepts \"a\""),
    (r#"{"enum":["a"]}"#, r#"{"enum":["b","a"]}"#, "+ accepts also \"b\""),
    (r#"{"enum":["a"]}"#, r#"{"const":"a"}"#, ""),
    (r#"{"enum":[1]}"#, r#"{"enum":[1.0]}"#, ""),
    (r#"{"enum":["a"]}"#, r#"{"enum":["b"]}"#, "- no more accepts \"a\"|+ accepts also \"b\""),
    ("{}", r#"{"enum":["a"]}"#, "- accepts only \"a\" now"),
    (r#"{"const":"a"}"#, "{}", "+ accepts other values than \"a\", too"),
    (r#"{"const":"a"}"#, r#"{"const":"a","enum":["a","b"]}"#, ""),
    (r#"{"const":"a"}"#, r#"{"const":"a","enum":["b"]}"#, "- no more accepts \"a\""),
    // Bounds and the like.
    (r#"{"minimum":1}"#, r#"{"minimum":2}"#, "- minimum raised from 1 to 2"),
    (r#"{"minimum":1}"#, r#"{"minimum":-0.5}"#, "+ minimum lowered from 1 to -0.5"),
    (r#"{"minimum":1}"#, r#"{"minimum":1.0}"#, ""),
    (r#"{"maximum":10}"#, r#"{"maximum":9}"#, "- maximum lowered from 10 to 9"),
    (r#"{"maxLength":10}"#, r#"{"maxLength":100}"#, "+ maxLength raised from 10 to 100"),
    ("{}", r#"{"maxItems":3}"#, "- maxItems 3 added"),
    (r#"{"maxItems":3}"#, "{}", "+ maxItems 3 removed"),
    ("{}", r#"{"minLength":0}"#, ""),
    ("{}", r#"{"minLength":1}"#, "- minLength 1 added"),
    (r#"{"minItems":1}"#, "{}", "+ minItems 1 removed"),
    ("{}", r#"{"pattern":"^a"}"#, "- pattern \"^a\" added"),
    (r#"{"pattern":"^a"}"#, "{}", "+ pattern \"^a\" removed"),
    (r#"{"pattern":"^a"}"#, r#"{"pattern":"^b"}"#, "- pattern changed from \"^a\" to \"^b\""),
    (r#"{"format":"date"}"#, r#"{"format":"date-time"}"#, "- format changed from \"date\" to \"date-time\""),
    (r#"{"format":"date"}"#, "{}", "+ format \"date\" removed"),
    ("{}", r#"{"contentEncoding":"base64"}"#, "- contentEncoding \"base64\" added"),
    ("{}", r#"{"uniqueItems":true}"#, "- uniqueItems true added"),
    (r#"{"uniqueItems":true}"#, "{}", "+ uniqueItems true removed"),
    (r#"{"multipleOf":2}"#, r#"{"multipleOf":4}"#, "- multipleOf changed from 2 to 4"),
    // Annotations.
    (r#"{"description":"a"}"#, r#"{"description":"b","title":"c"}"#, "+ description, title changed"),
    (r#"{"default":1}"#, r#"{"default":2}"#, "+ default changed from 1 to 2"),
    ("{}", r#"{"deprecated":true}"#, "+ deprecated true added"),
    ("{}", r#"{"something":1}"#, "+ something changed"),
    // Objects and lists.
    (r#"{"properties":{"x":{}}}"#, "{}", "- a.x: removed"),
    ("{}", r#"{"properties":{"x":{}}}"#, "+ a.x: added, optional"),
    ("{}", r#"{"properties":{"x":{}},"required":["x"]}"#, "- a.x: added, required"),
    (r#"{"properties":{"x":{}}}"#, r#"{"properties":{"x":{}},"required":["x"]}"#, "- a.x: became required"),
    (r#"{"properties":{"x":{}},"required":["x"]}"#, r#"{"properties":{"x":{}}}"#, "+ a.x: became optional"),
    (r#"{"required":["x"]}"#, "{}", "+ a.x: became optional"),
    ("{}", r#"{"required":["x"]}"#, "- a.x: became required"),
    ("{}", r#"{"additionalProperties":false}"#, "- accepts no other properties any more"),
    (r#"{"additionalProperties":false}"#, "{}", "+ accepts other properties, too"),
    (
        r#"{"additionalProperties":{"type":"string"}}"#,
        r#"{"additionalProperties":true}"#,
        "+ a.*: type widened from string to any",
    ),
    (r#"{"items":{"minimum":1}}"#, r#"{"items":{"minimum":2}}"#, "- a[]: minimum raised from 1 to 2"),
    (r#"{"items":{}}"#, r#"{"items":{"type":"string"}}"#, "- a[]: type narrowed from any to string"),
    (
        r#"{"prefixItems":[{},{}]}"#,
        r#"{"prefixItems":[{},{"type":"null"}]}"#,
        "- a[1]: type narrowed from any to null",
    ),
    // A property may be called as a keyword.
    (r#"{"properties":{"enum":{"type":"string"}}}"#, r#"{"properties":{}}"#, "- a.enum: removed"),
    // Combinators.
    (
        r#"{"anyOf":[{"type":"string"}]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        "+ anyOf has also {\"type\":\"null\"}",
    ),
    (
        r#"{"oneOf":[{"minimum":1},{"const":0}]}"#,
        r#"{"oneOf":[{"const":0}]}"#,
        "- oneOf has no more {\"minimum\":1}",
    ),
    (
        r#"{"anyOf":[{"minimum":1},{"const":0}]}"#,
        r#"{"anyOf":[{"const":0},{"minimum":2}]}"#,
        "- a (anyOf 2): minimum raised from 1 to 2",
    ),
    (
        r#"{"anyOf":[{"minimum":1},{"const":0}]}"#,
        r#"{"anyOf":[{"const":0},{"minimum":1}]}"#,
        "+ anyOf written otherwise",
    ),
    (
        r#"{"allOf":[{"minimum":1}]}"#,
        r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#,
        "- allOf has also {\"maximum\":2}",
    ),
    (r#"{"type":"string"}"#, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "+ accepts also null"),
    (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, r#"{"type":"string"}"#, "- no more accepts null"),
    // Questions.
    (
        r#"{"not":{"minimum":1}}"#,
        r#"{"not":{"minimum":2}}"#,
        "- not changed from {\"minimum\":1} to {\"minimum\":2}",
    ),
    (r#"{"not":{"minimum":1}}"#, "{}", "+ not {\"minimum\":1} removed"),
    (
        r#"{"if":{"minimum":1},"then":{}}"#,
        r#"{"if":{"minimum":2},"then":{}}"#,
        "- if changed from {\"minimum\":1} to {\"minimum\":2}",
    ),
    (r#"{"then":{}}"#, r#"{"then":{"minimum":2}}"#, "- a (then): minimum 2 added"),
    ("true", "{}", ""),
    ("{}", "false", "- not {} added"),
];

#[test]
fn verdicts() {
    for &(old, new, expected) in VERDICTS {
        assert_eq!(of_argument(old, new, Travel::Input).join("|"), expected, "{old} {new}");
    }
}

#[test]
fn what_a_tool_gives_is_judged_the_other_way_round() {
    for (old, new, expected) in [
        (
            r#"{"type":"string"}"#,
            r#"{"type":["string","null"]}"#,
            "- type widened from string to string or null",
        ),
        (r#"{"enum":["a","b"]}"#, r#"{"enum":["b"]}"#, "+ no more accepts \"a\""),
        (r#"{"properties":{"x":{}}}"#, "{}", "- a.x: removed"),
        ("{}", r#"{"properties":{"x":{}}}"#, "+ a.x: added, optional"),
        (
            r#"{"properties":{"x":{}},"required":["x"]}"#,
            r#"{"properties":{"x":{}}}"#,
            "- a.x: became optional",
        ),
    ] {
        assert_eq!(of_argument(old, new, Travel::Output).join("|"), expected, "{old} {new}");
    }
    assert_eq!(of_argument("{\"minimum\":1}", "{}", Travel::Test), ["- minimum 1 removed"]);
    assert_eq!(of_argument("{\"title\":\"a\"}", "{}", Travel::Test), ["+ title changed"]);
}

#[test]
fn references_are_looked_through() {
    let tool = |schema: Value, definitions: Value| json!({"properties": {"a": schema}, "$defs": definitions});
    let pet = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let named = tool(json!({"$ref": "#/$defs/Pet"}), json!({"Pet": pet}));
    // One name on both sides: the definition is compared on its own.
    let other = tool(json!({"$ref": "#/$defs/Pet"}), json!({"Pet": {}}));
    assert_eq!(judged(&named, &other, Travel::Input), Vec::<String>::new());
    let described = tool(json!({"$ref": "#/$defs/Pet", "description": "x"}), json!({"Pet": pet}));
    assert_eq!(judged(&named, &described, Travel::Input), ["+ argument a: description changed"]);
    // Another name, or none.
    let renamed = tool(json!({"$ref": "#/$defs/Animal"}), json!({"Animal": pet}));
    let same = "+ argument a: means the same, written through another reference";
    assert_eq!(judged(&named, &renamed, Travel::Input), [same]);
    assert_eq!(judged(&named, &tool(pet.clone(), json!({})), Travel::Input), [same]);
    let smaller = tool(json!({"$ref": "#/$defs/Animal"}), json!({"Animal": {"type": "object"}}));
    assert_eq!(judged(&named, &smaller, Travel::Input), ["- argument a.name: removed"]);
    let nowhere = tool(json!({"$ref": "#/$defs/Nothing"}), json!({}));
    assert_eq!(judged(&named, &nowhere, Travel::Input), ["- argument a: refers to something else"]);
    // In a union.
    let union = |name: &str, schema: &Value| {
        let branches = json!([{"$ref": format!("#/$defs/{name}")}, {"type": "null"}]);
        tool(json!({"anyOf": branches}), json!({name: schema}))
    };
    let found = judged(&union("Pet", &pet), &union("Animal", &pet), Travel::Input);
    assert_eq!(found, ["+ argument a: anyOf written otherwise"]);
    let found = judged(&union("Pet", &pet), &union("Animal", &json!({"type": "object"})), Travel::Input);
    assert_eq!(found, ["- argument a (anyOf 1).name: removed"]);
    // Nullable.
    let nullable = json!({"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}]});
    let nullable = tool(nullable, json!({"Pet": pet}));
    assert_eq!(judged(&named, &nullable, Travel::Input), ["+ argument a: accepts also null"]);
}

#[test]
fn circles_of_definitions_end() {
    let tool = |name: &str, text: &str| {
        let reference = format!("#/$defs/{name}");
        json!({
            "properties": {"a": {"$ref": reference}},
            "$defs": {name: {"properties": {"next": {"$ref": reference}, "text": {"type": text}}}},
        })
    };
    let found = judged(&tool("A", "string"), &tool("B", "integer"), Travel::Input);
    assert_eq!(found, ["- argument a.text: type changed from string to integer"]);
    let circle = |name: &str| json!({"properties": {"a": {"$ref": format!("#/$defs/{name}")}}, "$defs": {name: {"$ref": format!("#/$defs/{name}")}}});
    assert_eq!(judged(&circle("A"), &circle("B"), Travel::Input), ["- argument a: refers to something else"]);
}
