//! What holds of [`super::normalise`] for every schema, and what does not.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};

use super::random::{Kind, data, schema};
use super::trace::{Step, trace};
use super::*;
use crate::schema::keywords::{Holds, keyword};

/// Runs a property over many values, the same ones each time; `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` ask for more and for others.
fn holds_for<S: Strategy>(values: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if matches!(config.rng_seed, RngSeed::Random) {
        config.rng_seed = RngSeed::Fixed(1);
    }
    if let Err(error) = TestRunner::new(config).run(values, property) {
        panic!("{error}");
    }
}

/// Schemas in which one rule makes way for another: the order of the rules settles them in one run.
const SETTLED: [&str; 5] = [
    r#"{"enum":[],"properties":{}}"#,
    r#"{"type":[],"const":""}"#,
    r#"{"type":"array","unevaluatedItems":{},"allOf":[]}"#,
    "{\"pattern\":\"(?i)\u{200b}\"}",
    r#"{"required":["a"],"patternProperties":{"(?i)a":{}}}"#,
];

#[test]
fn a_second_run_changes_nothing() {
    let settles = |schema: &Value| {
        let (once, steps) = trace(schema);
        for step in &steps {
            let again = step.reopened_for.first();
            prop_assert!(again.is_none(), "{again:?} would run again after {:?}", step.changed_by);
        }
        prop_assert_eq!(once.to_string(), normalised(once.clone()).to_string());
        Ok(())
    };
    for schema in SETTLED {
        settles(&serde_json::from_str(schema).unwrap()).unwrap();
    }
    holds_for(&schema(Kind::Wild), |schema| settles(&schema));
}

/// Whether a keyword's value is data that no rule may touch.
fn is_untouched_data(name: &str) -> bool {
    let data = |holds| matches!(holds, Holds::Data | Holds::Mapping | Holds::Reference);
    let ruled = ["title", "description", "$comment", "required", "enum", "examples", "type", "pattern"];
    // Said apart from the table, too.
    let anything = ["const", "default", "example", "discriminator"];
    anything.contains(&name) || (keyword(name).is_none_or(|row| data(row.holds)) && !ruled.contains(&name))
}

/// What is left of an `enum`: the first of equals, in order.
fn is_first_of_equals(before: &[Value], after: &[Value]) -> bool {
    let mut kept: Vec<&Value> = Vec::new();
    for value in before {
        if !kept.iter().any(|known| number::equal(known, value)) {
            kept.push(value);
        }
    }
    kept.iter().map(ToString::to_string).eq(after.iter().map(ToString::to_string))
}

fn says(value: Option<&Value>) -> Option<String> {
    value.map(Value::to_string)
}

#[test]
fn data_is_untouched() {
    holds_for(&schema(Kind::Wild), |schema| {
        for Step { before, after, .. } in trace(&schema).1 {
            for (name, value) in &before {
                let dropped = value.is_null() && !takes_null(name);
                if is_untouched_data(name) && !dropped {
                    prop_assert_eq!(Some(value.to_string()), says(after.get(name)), "{}", name);
                }
                if let (Value::Object(map), Some(Value::Object(left))) = (value, after.get(name))
                    && name != "patternProperties"
                    && keyword(name).is_some_and(|row| matches!(row.holds, Holds::Map | Holds::MapOrNames))
                {
                    let names: Vec<_> = left.keys().take(map.len()).collect();
                    prop_assert_eq!(map.keys().collect::<Vec<_>>(), names, "{}", name);
                }
            }
            if let Some(Value::Array(values)) = before.get("enum").filter(|values| **values != json!([])) {
                let left = after.get("enum").and_then(Value::as_array);
                prop_assert!(left.is_some_and(|left| is_first_of_equals(values, left)));
            }
            let added =
                after.keys().find(|name| !before.contains_key(*name) && !ADDED.contains(&name.as_str()));
            prop_assert_eq!(added, None);
        }
        Ok(())
    });
}

/// The only keywords that rules add.
const ADDED: [&str; 5] = ["type", "items", "properties", "description", "not"];

fn compile(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::draft202012::options().should_validate_formats(false).build(schema).ok()
}

/// Values to validate, apart from random ones: some of each type, and what the schema itself names.
fn instances(schema: &Value, found: &mut Vec<Value>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| instances(item, found)),
        Value::Object(map) => {
            found.extend(["const", "default"].iter().filter_map(|name| map.get(*name).cloned()));
            found.extend(map.get("enum").and_then(Value::as_array).into_iter().flatten().cloned());
            if let Some(Value::Array(names)) = map.get("required") {
                let object = |value: &Value| {
                    names
                        .iter()
                        .filter_map(Value::as_str)
                        .map(|name| (name.to_owned(), value.clone()))
                        .collect()
                };
                found.extend(
                    [json!(1), json!("a"), json!({}), json!([])].iter().map(object).map(Value::Object),
                );
            }
            map.values().for_each(|value| instances(value, found));
        }
        _ => {}
    }
}

/// Why the normalised schema may accept what the schema refuses, or refuse more than narrowing
/// explains. By what the rules promise: where they say that they widen. Apart from that: where a
/// schema counts or negates what others accept, or asks what they evaluate, at a distance.
fn is_excepted(steps: &[Step]) -> bool {
    let widening = [Code::MovedPattern, Code::RepairedPattern, Code::EmptyKeyword, Code::DroppedRequired];
    let widened = |step: &Step| {
        step.changed_by.contains(&"pattern-properties")
            || step.reports.iter().any(|code| widening.contains(code))
    };
    let adds = ran(steps, "array-items") || ran(steps, "required-known");
    steps.iter().any(|step| {
        widened(step)
            || (narrows(steps) && counts(step))
            || ((adds || narrows(steps)) && asks_what_is_evaluated(step))
    })
}

fn ran(steps: &[Step], rule: &str) -> bool {
    steps.iter().any(|step| step.changed_by.contains(&rule))
}

/// Whether anything is refused that was accepted: only `object-type` does that.
fn narrows(steps: &[Step]) -> bool {
    ran(steps, "object-type")
}

fn refers(value: &Value) -> bool {
    value.to_string().contains("\"$ref\"")
}

/// `oneOf` counts: a value that only one branch refuses now is accepted by the other alone. A test
/// is kept exact, but not the definition that it refers to.
fn counts(Step { before, after, .. }: &Step) -> bool {
    let tests = ["not", "if", "contains", "propertyNames"].iter().filter_map(|name| before.get(*name));
    let branches = before
        .get("oneOf")
        .is_some_and(|branches| refers(branches) || before.get("oneOf") != after.get("oneOf"));
    branches || tests.into_iter().any(refers)
}

/// `items` and `properties` that a rule adds in a branch mark what they describe as evaluated.
fn asks_what_is_evaluated(Step { before, after, .. }: &Step) -> bool {
    let asks = ["unevaluatedItems", "unevaluatedProperties"].iter().any(|name| before.contains_key(*name));
    asks && (before != after || before.values().any(refers) || before.contains_key("$ref"))
}

#[test]
fn what_the_normalised_schema_accepts_the_schema_accepts() {
    let (plain, referring) = (Kind::Valid { references: false }, Kind::Valid { references: true });
    let schemas = prop_oneof![2 => schema(plain), 1 => schema(referring)];
    let cases = (schemas, proptest::collection::vec(data(plain), 12));
    let narrowed = Cell::new(0);
    holds_for(&cases, |(schema, mut values)| {
        let (result, steps) = trace(&schema);
        let Some(original) = compile(&schema) else { return Ok(()) };
        if is_excepted(&steps) {
            return Ok(());
        }
        let normalised = compile(&result).ok_or_else(|| TestCaseError::fail("no longer compiles"))?;
        values.extend([
            json!([]),
            json!({}),
            json!(null),
            json!(1),
            json!("a"),
            json!(true),
            json!([1]),
            json!({"a": 1}),
        ]);
        instances(&schema, &mut values);
        for value in values {
            let (before, after) = (original.is_valid(&value), normalised.is_valid(&value));
            prop_assert!(before || !after, "{value} is accepted by {result} and not by {schema}");
            prop_assert!(
                narrows(&steps) || before == after,
                "{value} is accepted by {schema} and not by {result}"
            );
            narrowed.set(narrowed.get() + u32::from(before != after));
        }
        Ok(())
    });
    assert!(narrowed.get() > 0, "no schema narrowed");
}

/// A schema, and a value that it refuses (or accepts) and the normalised schema doesn't: where the
/// promise is not kept, each the smallest of its kind.
const BROKEN: [(&str, &str, bool); 5] = [
    // `oneOf` counts.
    (r#"{"oneOf":[{"items":{"properties":{}}},true]}"#, "[1]", true),
    // A definition that a test refers to is narrowed; conversion makes an exact one, this doesn't.
    (r##"{"not":{"$ref":"#/$defs/A"},"$defs":{"A":{"properties":{}}}}"##, "1", true),
    // What is added in a branch, or in what it refers to, counts as evaluated.
    (r#"{"allOf":[{"type":"array"}],"unevaluatedItems":false}"#, "[1]", true),
    (
        r##"{"$ref":"#/$defs/A","unevaluatedProperties":false,"$defs":{"A":{"required":["a"]}}}"##,
        r#"{"a":1}"#,
        true,
    ),
    // What is dropped in a test makes its answer yes.
    (r#"{"not":{"pattern":"(?i)a"}}"#, r#""b""#, false),
];

#[test]
fn where_more_or_less_is_accepted_than_promised() {
    for (schema, value, accepted) in BROKEN {
        let (schema, value): (Value, Value) =
            (serde_json::from_str(schema).unwrap(), serde_json::from_str(value).unwrap());
        let accepts = |schema: &Value| compile(schema).unwrap().is_valid(&value);
        assert_eq!(
            (accepts(&schema), accepts(&normalised(schema.clone()))),
            (!accepted, accepted),
            "{schema}"
        );
    }
}
