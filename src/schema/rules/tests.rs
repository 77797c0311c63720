//! Before and after, one rule at a time; then all of them under [`normalise`].

mod names;
mod properties;
mod random;
mod trace;

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

/// Where the schema of a case stands.
#[derive(Clone, Copy, Debug)]
enum At {
    /// It describes a value of its own.
    Own,
    /// So it does, under this name.
    Key(&'static str),
    /// In a combinator.
    Branch,
    /// In `not`, `if` or the like.
    Test,
    /// It is an argument.
    Argument,
    /// It describes a value of its own, in a response.
    Answer,
}

use At::{Answer, Argument, Branch, Key, Own, Test};

/// Before, after, and what is reported.
#[derive(Clone, Copy)]
struct Case {
    at: At,
    before: &'static str,
    after: &'static str,
    reports: &'static [Code],
}

const fn case(at: At, before: &'static str, after: &'static str) -> Case {
    Case { at, before, after, reports: &[] }
}

const fn told(code: &'static [Code], at: At, before: &'static str, after: &'static str) -> Case {
    Case { at, before, after, reports: code }
}

/// Where the rule must not apply.
const fn same(at: At, schema: &'static str) -> Case {
    case(at, schema, schema)
}

/// The one definition that references lead to in the cases is a text.
fn type_of(reference: &str) -> Option<&'static str> {
    (reference == "#/$defs/Text").then_some("string")
}

const CASES: &[(&str, &[Case])] = &[
    (
        "schema-shape",
        &[
            case(Own, r#"{"type":"array","items":null,"enum":null,"title":null}"#, r#"{"type":"array"}"#),
            case(Branch, r#"{"not":null}"#, "{}"),
            same(Own, r#"{"const":null,"default":null,"example":null,"unknown":null,"x-thing":null}"#),
            same(Own, r#"{"enum":[null],"items":false,"required":[]}"#),
        ],
    ),
    (
        "object-type",
        &[
            case(Own, r#"{"title":"T","properties":{}}"#, r#"{"type":"object","title":"T","properties":{}}"#),
            case(Key("a"), r#"{"required":["b"]}"#, r#"{"type":"object","required":["b"]}"#),
            case(Argument, r#"{"properties":{}}"#, r#"{"type":"object","properties":{}}"#),
            same(Branch, r#"{"properties":{},"required":["a"]}"#),
            same(Test, r#"{"properties":{},"required":["a"]}"#),
            same(Own, r#"{"type":["object","null"],"properties":{}}"#),
            same(Own, r##"{"$ref":"#/$defs/A","properties":{}}"##),
            same(Answer, r#"{"properties":{},"required":["a"]}"#),
            same(Own, r#"{"enum":[1],"properties":{}}"#),
            same(Own, r#"{"const":1,"properties":{}}"#),
            same(Own, r#"{"allOf":[{}],"properties":{}}"#),
            same(Own, r#"{"anyOf":[{}],"properties":{}}"#),
            same(Own, r#"{"oneOf":[{}],"required":["a"]}"#),
            same(Own, r#"{"additionalProperties":false}"#),
            same(Own, r#"{"patternProperties":{"^a":{}},"minProperties":1}"#),
        ],
    ),
    (
        "array-items",
        &[
            case(Own, r#"{"type":"array"}"#, r#"{"type":"array","items":{}}"#),
            case(Own, r#"{"type":["null","array"]}"#, r#"{"type":["null","array"],"items":{}}"#),
            case(
                Branch,
                r#"{"type":"array","prefixItems":[{}]}"#,
                r#"{"type":"array","prefixItems":[{}],"items":{}}"#,
            ),
            case(Test, r#"{"type":"array"}"#, r#"{"type":"array","items":{}}"#),
            same(Own, r#"{"type":"array","items":false}"#),
            case(
                Own,
                r#"{"type":"array","unevaluatedItems":{"type":"string"}}"#,
                r#"{"type":"array","items":{"type":"string"}}"#,
            ),
            same(Own, r#"{"type":"array","unevaluatedItems":false,"anyOf":[{"prefixItems":[{}]}]}"#),
            same(Own, r#"{"unevaluatedItems":false}"#),
            same(Own, r#"{"type":"string","minItems":1}"#),
            same(Own, r#"{"minItems":1}"#),
            same(Own, r#"{"const":"array"}"#),
        ],
    ),
    (
        "required-unique",
        &[
            case(Own, r#"{"required":["a","b","a","b","c"]}"#, r#"{"required":["a","b","c"]}"#),
            case(Test, r#"{"required":["a","a"]}"#, r#"{"required":["a"]}"#),
            same(Own, r#"{"required":["a","A"," a"]}"#),
            same(Own, r#"{"required":[1,1],"dependentRequired":{"a":["b","b"]}}"#),
            same(Own, r#"{"required":{"required":["a","a"]}}"#),
        ],
    ),
    (
        "enum-unique",
        &[
            case(Own, r#"{"enum":["b","a","b"]}"#, r#"{"enum":["b","a"]}"#),
            case(Branch, r#"{"enum":[1,1.0,"1",true,10,1e1]}"#, r#"{"enum":[1,"1",true,10]}"#),
            case(Own, r#"{"enum":[{"a":1,"b":[2]},{"b":[2.0],"a":1}]}"#, r#"{"enum":[{"a":1,"b":[2]}]}"#),
            case(Test, r#"{"enum":[null,null]}"#, r#"{"enum":[null]}"#),
            same(Own, r#"{"enum":[0,false,null,"","0",[],{}]}"#),
            same(Own, r#"{"enum":[18446744073709551616,18446744073709551617]}"#),
            same(Own, r#"{"const":[1,1],"default":[1,1]}"#),
        ],
    ),
    (
        "empty-keyword",
        &[
            told(&[Code::EmptyKeyword], Own, r#"{"enum":[],"type":"string"}"#, r#"{"type":"string"}"#),
            told(&[Code::EmptyKeyword], Branch, r#"{"allOf":[]}"#, "{}"),
            told(&[Code::EmptyKeyword; 2], Own, r#"{"oneOf":[],"anyOf":[]}"#, "{}"),
            case(Own, r#"{"required":[],"type":[],"prefixItems":[]}"#, "{}"),
            // In a test it is what it says.
            case(Test, r#"{"enum":[],"type":"string"}"#, r#"{"type":"string","not":{}}"#),
            case(Test, r#"{"oneOf":[],"anyOf":[]}"#, r#"{"not":{}}"#),
            told(&[Code::EmptyKeyword], Test, r#"{"allOf":[]}"#, "{}"),
            same(Own, r#"{"enum":[null],"required":[""],"allOf":[{}]}"#),
            same(Own, r#"{"examples":[],"default":[],"const":[],"unknown":[],"x-thing":[]}"#),
            same(Own, r#"{"properties":{},"enum":{}}"#),
        ],
    ),
    (
        "required-known",
        &[
            told(
                &[Code::DeclaredRequired],
                Own,
                r#"{"properties":{"type":{"type":"string"}},"required":["type","required"]}"#,
                r#"{"properties":{"type":{"type":"string"},"required":{}},"required":["type","required"]}"#,
            ),
            told(
                &[Code::DeclaredRequired],
                Argument,
                r#"{"type":"object","required":["a","b"],"additionalProperties":{"type":"string"}}"#,
                r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"additionalProperties":{"type":"string"}}"#,
            ),
            told(
                &[Code::DeclaredRequired],
                Own,
                r#"{"required":["a"],"additionalProperties":true}"#,
                r#"{"properties":{"a":{}},"required":["a"],"additionalProperties":true}"#,
            ),
            told(
                &[Code::DroppedRequired],
                Own,
                r#"{"properties":{"a":{}},"required":["b","a"],"additionalProperties":false}"#,
                r#"{"properties":{"a":{}},"required":["a"],"additionalProperties":false}"#,
            ),
            told(
                &[Code::DroppedRequired],
                Own,
                r#"{"required":["a"],"additionalProperties":false}"#,
                r#"{"additionalProperties":false}"#,
            ),
            same(Branch, r#"{"required":["a"]}"#),
            same(Test, r#"{"required":["a"],"additionalProperties":false}"#),
            same(Own, r#"{"allOf":[{}],"required":["a"]}"#),
            same(Own, r##"{"$ref":"#/$defs/A","required":["a"]}"##),
            same(Own, r#"{"patternProperties":{"^a":{}},"required":["a"],"additionalProperties":false}"#),
            same(Own, r#"{"unevaluatedProperties":false,"required":["a"]}"#),
            same(Own, r#"{"properties":{"a":false},"required":["a"]}"#),
        ],
    ),
    (
        "any-of",
        &[
            case(
                Answer,
                r#"{"title":"T","oneOf":[true],"not":{}}"#,
                r#"{"title":"T","anyOf":[true],"not":{}}"#,
            ),
            case(Answer, r#"{"oneOf":[true],"anyOf":[{}]}"#, r#"{"anyOf":[{}],"allOf":[{"anyOf":[true]}]}"#),
            same(Own, r#"{"oneOf":[true]}"#),
            same(Test, r#"{"oneOf":[true]}"#),
        ],
    ),
    (
        "type-visible",
        &[
            case(
                Own,
                r#"{"anyOf":[{"type":"object"},{"type":"object","properties":{}}]}"#,
                r#"{"type":"object","anyOf":[{"type":"object"},{"type":"object","properties":{}}]}"#,
            ),
            case(
                Branch,
                r#"{"oneOf":[{"const":"a"},{"enum":["b","c"]}]}"#,
                r#"{"type":"string","oneOf":[{"const":"a"},{"enum":["b","c"]}]}"#,
            ),
            case(
                Own,
                r##"{"anyOf":[{"$ref":"#/$defs/Text"},{"allOf":[{},{"type":"string"}]}]}"##,
                r##"{"type":"string","anyOf":[{"$ref":"#/$defs/Text"},{"allOf":[{},{"type":"string"}]}]}"##,
            ),
            case(Argument, r##"{"$ref":"#/$defs/Text"}"##, r##"{"type":"string","$ref":"#/$defs/Text"}"##),
            case(Argument, r#"{"enum":[true,false]}"#, r#"{"type":"boolean","enum":[true,false]}"#),
            same(Own, r#"{"enum":["a"]}"#),
            same(Own, r##"{"$ref":"#/$defs/Text"}"##),
            same(Argument, r##"{"$ref":"#/$defs/Other"}"##),
            same(Test, r#"{"anyOf":[{"type":"string"}]}"#),
            same(Own, r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#),
            same(Own, r#"{"anyOf":[{"type":"string"},{}]}"#),
            same(Own, r#"{"anyOf":[{"type":"string"},true]}"#),
            same(Own, r#"{"anyOf":[{"type":["string","null"]},{"type":"string"}]}"#),
            same(Own, r#"{"type":["string","null"],"anyOf":[{"type":"string"}]}"#),
            // A number may be of either type.
            same(Argument, r#"{"enum":[1,2]}"#),
            same(Argument, r#"{"const":null}"#),
            same(Argument, r#"{"properties":{"a":{"type":"string"}},"default":"a"}"#),
        ],
    ),
    (
        "hidden-text",
        &[
            told(&[Code::HiddenText], Own, "{\"description\":\" a\u{200b}b \"}", r#"{"description":"ab"}"#),
            told(
                &[Code::HiddenText; 2],
                Branch,
                "{\"$comment\":\"a\u{202e}b\",\"title\":\"a\\r\\nb\\u0007\"}",
                r#"{"$comment":"ab","title":"a\nb"}"#,
            ),
            same(Own, r#"{"description":" plain, é, 日本 \n\t"}"#),
            told(
                &[Code::HiddenText; 4],
                Own,
                "{\"default\":\"\u{200b}\",\"enum\":[\"\u{200b}\"],\"pattern\":\"\u{200b}\",\"unknown\":\"\u{200b}\"}",
                "{\"default\":\"\u{200b}\",\"enum\":[\"\u{200b}\"],\"pattern\":\"\u{200b}\",\"unknown\":\"\u{200b}\"}",
            ),
            told(
                &[Code::HiddenText; 2],
                Own,
                "{\"title\":{\"title\":\"\u{200b}\"},\"properties\":{\"\u{200b}\":{}}}",
                "{\"title\":{\"title\":\"\u{200b}\"},\"properties\":{\"\u{200b}\":{}}}",
            ),
        ],
    ),
    (
        "title",
        &[
            case(Key("pet_id"), r#"{"title":"Pet ID","type":"string"}"#, r#"{"type":"string"}"#),
            case(Key("größe"), r#"{"title":"GRÖSSE: größe"}"#, r#"{"title":"GRÖSSE: größe"}"#),
            case(Own, r#"{"title":" "}"#, "{}"),
            same(Own, r#"{"title":"Title"}"#),
            same(Key("pet_id"), r#"{"title":"Pet"}"#),
            same(Key("title"), r#"{"title":["title"],"description":"title","default":"title"}"#),
        ],
    ),
    (
        "pattern",
        &[
            told(&[Code::RepairedPattern], Own, r#"{"pattern":"^a\\-b$"}"#, r#"{"pattern":"^a-b$"}"#),
            told(
                &[Code::MovedPattern],
                Own,
                r#"{"pattern":"(?i)a","type":"string"}"#,
                r#"{"type":"string","description":"pattern: (?i)a"}"#,
            ),
            told(
                &[Code::MovedPattern],
                Branch,
                r#"{"description":"A name. ","pattern":"a++"}"#,
                r#"{"description":"A name. (pattern: a++)"}"#,
            ),
            same(Own, r#"{"pattern":"^[a-z\\-]+\\.\\p{L}$"}"#),
            same(Own, r#"{"pattern":{"pattern":"(?i)a"},"default":{"pattern":"(?i)a"},"format":"("}"#),
        ],
    ),
    (
        "pattern-properties",
        &[
            told(
                &[Code::MovedPattern],
                Own,
                r#"{"patternProperties":{"^a":{},"(?i)b":{}},"additionalProperties":false}"#,
                r#"{"patternProperties":{"^a":{}}}"#,
            ),
            told(&[Code::MovedPattern], Test, r#"{"patternProperties":{"a++":false}}"#, "{}"),
            case(
                Branch,
                r#"{"patternProperties":{"\\-":{"type":"string"}},"additionalProperties":false}"#,
                r#"{"patternProperties":{"-":{"type":"string"}},"additionalProperties":false}"#,
            ),
            same(Own, r#"{"patternProperties":{"^x-":{}},"additionalProperties":false}"#),
            same(Own, r#"{"properties":{"(?i)a":{}},"additionalProperties":false}"#),
            same(Own, r#"{"default":{"patternProperties":{"(?i)a":{}}}}"#),
        ],
    ),
];

/// Calls `run` with the site of a case; gives what was reported.
fn at_site(at: At, run: impl FnOnce(&Site<'_>)) -> Vec<Code> {
    let reports = RefCell::new(Vec::new());
    run(&Site {
        role: match at {
            Own | Key(_) | Argument | Answer => Role::Value,
            Branch => Role::Branch,
            Test => Role::Test,
        },
        key: if let Key(key) = at { Some(key) } else { None },
        exact: matches!(at, Test),
        direction: if matches!(at, Answer) { Direction::Output } else { Direction::Input },
        argument: matches!(at, Argument),
        report: &|code, _, message| {
            assert!(message.contains('`') && !message.ends_with('.'), "{message}");
            reports.borrow_mut().push(code);
        },
        pattern: &pattern::check,
        type_of: &type_of,
    });
    reports.into_inner()
}

#[test]
fn each_rule_does_what_its_cases_say() {
    for (name, cases) in CASES {
        let (_, _, _, rule) = RULES.iter().find(|(known, ..)| known == name).unwrap();
        for Case { at, before, after, reports } in *cases {
            let mut schema: Map<String, Value> = serde_json::from_str(before).unwrap();
            let told = at_site(*at, |site| rule(&mut schema, site));
            assert_eq!(serde_json::to_string(&schema).unwrap(), *after, "{name} at {at:?} on {before}");
            assert_eq!(told, *reports, "{name} at {at:?} on {before}");
            at_site(*at, |site| rule(&mut schema, site));
            assert_eq!(
                serde_json::to_string(&schema).unwrap(),
                *after,
                "{name} at {at:?}, again, on {before}"
            );
        }
    }
}

#[test]
fn every_rule_has_cases_of_both_kinds() {
    let ruled: BTreeSet<&str> = RULES.iter().map(|(name, ..)| *name).collect();
    let tested: BTreeSet<&str> = CASES.iter().map(|(name, _)| *name).collect();
    assert_eq!(tested, ruled);
    for (name, cases) in CASES {
        let kinds: BTreeSet<bool> = cases.iter().map(|case| case.before == case.after).collect();
        assert_eq!(kinds.len(), 2, "{name}");
    }
}

fn normalised(mut schema: Value) -> Value {
    normalise(&mut schema, "key");
    schema
}

#[test]
fn a_boolean_argument_is_an_object_and_no_other_boolean_is() {
    assert_eq!(normalised(json!(true)), json!({}));
    assert_eq!(normalised(json!(false)), json!({"not": {}}));
    let below =
        json!({"type": "object", "properties": {"a": true}, "not": false, "additionalProperties": false});
    assert_eq!(normalised(below.clone()), below);
}

#[test]
fn the_name_of_a_type_is_a_schema_where_a_schema_is_due() {
    assert_eq!(normalised(json!("array")), json!({"type": "array", "items": {}}));
    assert_eq!(
        normalised(
            json!({"type": "object", "properties": {"a": "string"}, "additionalProperties": "object"})
        ),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "object"}}),
    );
    let data = json!({"type": "array", "items": {}, "default": "string", "enum": ["string"], "unknown": {"items": "string"}});
    assert_eq!(normalised(data.clone()), data);
}
