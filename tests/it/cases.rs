//! `specs/S.calls.yaml` says what the tools of `specs/S.yaml` have to be:
//!
//! ```yaml
//! tools: [list_pets, create_pet]        # all names, in order
//! create_pet:
//!   accept: [{name: Rex}]               # arguments that are valid
//!   reject: [{}]                        # arguments that are not
//!   arguments: [name, owner]            # all names of arguments, in order
//!   definitions: [Owner]                # all keys of `$defs`, in order
//!   schema: {name: {type: string}}      # the exact schema of an argument
//!   output: {accept: [...], reject: [...], definitions: [...]}   # of its output schema
//! ```
//!
//! Every key may be absent. What is accepted must be accepted by a reader of draft-07 too, unless
//! the tool has `unevaluatedProperties`, `unevaluatedItems` or `prefixItems`: draft-07 doesn't know
//! them, and reads what stands beside them otherwise.

use std::path::Path;

use serde_json::Value;

use crate::check::{compile, compile_draft7};
use crate::golden::{give, specs, whole_files};
use crate::run::{root, scratch};

/// All failures of one file of cases against the list that its document gave.
fn failures(cases: &Value, list: &Value) -> Vec<String> {
    let Some(cases) = cases.as_object().filter(|cases| !cases.is_empty()) else {
        return vec!["the file asserts nothing".to_owned()];
    };
    let empty = Vec::new();
    let tools = list["tools"].as_array().unwrap_or(&empty);
    let mut failures = Vec::new();
    for (name, case) in cases {
        if name == "tools" && case.is_array() {
            let names = tools.iter().map(|tool| tool["name"].clone()).collect();
            failures.extend(differs("tools", case, &Value::Array(names)));
            continue;
        }
        match tools.iter().find(|tool| tool["name"] == **name) {
            Some(tool) => {
                let found = tool_failures(case, tool, "inputSchema");
                failures.extend(found.into_iter().map(|failure| format!("{name}: {failure}")));
            }
            None => failures.push(format!("{name}: there is no such tool")),
        }
    }
    failures
}

/// The failures of one of a tool's schemas.
fn tool_failures(case: &Value, tool: &Value, key: &str) -> Vec<String> {
    let input = &tool[key];
    let Some(case) = case.as_object().filter(|case| !case.is_empty()) else {
        return vec!["the case asserts nothing".to_owned()];
    };
    let mut failures = Vec::new();
    for (name, expected) in case {
        match (&name[..], expected) {
            ("accept" | "reject", Value::Array(calls)) => {
                failures.extend(call_failures(name == "accept", calls, input));
            }
            ("output", Value::Object(_)) if key == "inputSchema" => {
                let found = tool_failures(expected, tool, "outputSchema");
                failures.extend(found.into_iter().map(|failure| format!("output: {failure}")));
            }
            ("arguments", Value::Array(_)) => {
                failures.extend(differs(name, expected, &keys(&input["properties"])));
            }
            ("definitions", Value::Array(_)) => {
                failures.extend(differs(name, expected, &keys(&input["$defs"])));
            }
            ("schema", Value::Object(schemas)) => {
                for (argument, schema) in schemas {
                    let actual = &input["properties"][argument];
                    failures.extend(differs(&format!("the schema of {argument}"), schema, actual));
                }
            }
            _ => failures.push(format!("`{name}: {expected}` is no assertion")),
        }
    }
    failures
}

/// The keys of an object, as a list.
fn keys(object: &Value) -> Value {
    object.as_object().into_iter().flat_map(|object| object.keys().map(String::as_str)).collect()
}

/// The calls that are not judged as they should be.
fn call_failures(accept: bool, calls: &[Value], input: &Value) -> Vec<String> {
    let (newest, oldest) = match (compile(input), compile_draft7(input)) {
        (Ok(newest), Ok(oldest)) => (newest, oldest),
        (Err(error), _) | (_, Err(error)) => return vec![format!("the schema does not compile: {error}")],
    };
    let text = input.to_string();
    let old_can_tell = !["\"unevaluated", "\"prefixItems"].iter().any(|keyword| text.contains(keyword));
    let mut failures = Vec::new();
    for call in calls {
        match (accept, newest.validate(call)) {
            (true, Err(error)) => {
                failures.push(format!("refuses {call}: {error} (at `{}`)", error.instance_path()));
            }
            (false, Ok(())) => failures.push(format!("accepts {call}")),
            (true, Ok(())) if old_can_tell && !oldest.is_valid(call) => {
                failures.push(format!("draft-07 refuses {call}"));
            }
            _ => {}
        }
    }
    failures
}

/// The failure when two values are not the same.
fn differs(what: &str, expected: &Value, actual: &Value) -> Option<String> {
    let same = plain(expected) == plain(actual);
    (!same).then(|| format!("{what}: expected {expected}, found {actual}"))
}

/// The value with numbers in one spelling: YAML's reader does not keep their digits, JSON's does.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.as_i64().is_none() && number.as_u64().is_none() => {
                Value::String(format!("number {float}"))
            }
            _ => Value::String(format!("number {number}")),
        },
        Value::Array(members) => members.iter().map(plain).collect(),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, entry)| (key.clone(), plain(entry))).collect())
        }
        _ => value.clone(),
    }
}

/// The cases of a file, if it can be read.
fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_yaml::from_str(&text).map_err(|error| error.to_string())
}

#[test]
fn every_tool_accepts_and_rejects_what_it_should() {
    let scratch = scratch("cases");
    let specs = specs(root(), "specs");
    let mut all = Vec::new();
    for path in whole_files(&root().join("specs")) {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_prefix("specs/").and_then(|name| name.strip_suffix(".calls.yaml")) else {
            continue;
        };
        let found = match specs.iter().find(|spec| spec.stem == stem) {
            None => vec!["there is no document of this stem".to_owned()],
            Some(spec) => match (read(&path), give(spec, &scratch).outcome.list()) {
                (Ok(cases), Ok(list)) => failures(&cases, &list),
                (Err(error), _) | (_, Err(error)) => vec![error],
            },
        };
        all.extend(found.into_iter().map(|failure| format!("{name}: {failure}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn list() -> Value {
        json!({"tools": [{"name": "a", "inputSchema": {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/N"}, "m": {"minimum": 1.0}},
            "required": ["n"],
            "$defs": {"N": {"type": "integer"}},
        }}, {"name": "b", "inputSchema": {
            "type": "object",
            "properties": {"t": {"prefixItems": [{}], "items": false}},
            "$defs": {},
        }}]})
    }

    fn found(cases: &str) -> Vec<String> {
        failures(&serde_yaml::from_str(cases).unwrap(), &list())
    }

    #[test]
    fn true_assertions_hold() {
        let cases = "
            tools: [a, b]
            a: {accept: [{n: 1}, {n: 1, other: x}], reject: [{}, {n: x}], arguments: [n, m],
                definitions: [N], schema: {n: {$ref: '#/$defs/N'}, m: {minimum: 1.0}}}
            b: {definitions: []}";
        assert_eq!(found(cases), Vec::<String>::new());
    }

    #[test]
    fn false_assertions_fail() {
        for cases in [
            "tools: [b, a]",
            "tools: [a]",
            "c: {accept: [{}]}",
            "a: {accept: [{}]}",
            "a: {reject: [{n: 1}]}",
            "a: {arguments: [m, n]}",
            "a: {arguments: [n]}",
            "a: {definitions: []}",
            "a: {definitions: [N, M]}",
            "a: {schema: {n: {type: integer}}}",
            "a: {schema: {m: {minimum: 2}}}",
            "a: {schema: {o: {}}}",
            "a: {accepts: [{n: 1}]}",
            "a: {accept: {n: 1}}",
            "a: {}",
            "{}",
            "b: {accept: [{t: [a, b]}]}",
        ] {
            assert_eq!(found(cases).len(), 1, "{cases}: {:?}", found(cases));
        }
    }
}
