//! Reachability and determinism as properties, over the random documents of [`crate::equivalence`].

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use gen_tools::diagnostic::Code;
use gen_tools::options::BodyStyle;
use gen_tools::{Input, Layout, Options, generate};
use proptest::prelude::*;
use proptest::test_runner::TestError;
use serde_json::{Map, Value, json};

use crate::equivalence::document::{Version, with_operations};
use crate::equivalence::evaluate::decoded;
use crate::equivalence::{runner, shrink, tape};
use crate::walk::{closure, each_schema, references, uses, without_definitions};

/// What a document gives: by method and path the bytes of the tool and its call, or the code of the
/// reason why there is none.
fn tools(document: &Value, body: BodyStyle) -> BTreeMap<String, String> {
    let input = Input::parse("document.json", document.to_string()).expect("the document can be read");
    let mut options = Options::default();
    options.body = body;
    let generation = generate(&input, &options).expect("it is an OpenAPI document");
    let entry = |tool| match tool {
        Ok(tool) => {
            let tool: gen_tools::Tool<'_, '_> = tool;
            let call = tool.call();
            let operation =
                format!("{} {}", call["method"].as_str().unwrap(), call["path"].as_str().unwrap());
            (operation, format!("{}\n{call}", serde_json::to_string(&tool).expect("a tool is JSON")))
        }
        Err(gen_tools::LeftOut { operation, diagnostic, .. }) => (operation, diagnostic.code.to_string()),
    };
    generation.tools().map(entry).collect()
}

/// The bytes of the whole list.
fn bytes(document: &Value) -> Vec<u8> {
    let input = Input::parse("document.json", document.to_string()).expect("the document can be read");
    let generation = generate(&input, &Options::default()).expect("it is an OpenAPI document");
    let mut bytes = Vec::new();
    generation.write(&mut bytes, Layout::Pretty).expect("it can be written");
    bytes
}

/// A map with its entries in another order: turned by so many, and reversed or not.
fn reordered(map: &Value, turn: usize, reverse: bool) -> Value {
    let mut entries: Vec<_> = map.as_object().expect("a map").clone().into_iter().collect();
    let length = entries.len().max(1);
    entries.rotate_left(turn % length);
    if reverse {
        entries.reverse();
    }
    Value::Object(entries.into_iter().collect())
}

/// A map with an entry more, after so many of its own.
fn inserted(map: Option<&Value>, at: usize, (key, value): (String, Value)) -> Value {
    let mut out = Map::new();
    let entries: Vec<_> = map.and_then(Value::as_object).into_iter().flatten().collect();
    let at = at % (entries.len() + 1);
    for (known, entry) in entries.iter().take(at) {
        out.insert((*known).clone(), (*entry).clone());
    }
    out.insert(key, value);
    for (known, entry) in entries.iter().skip(at) {
        out.insert((*known).clone(), (*entry).clone());
    }
    Value::Object(out)
}

/// The document with what its operations share, and one operation alone.
fn with_only(document: &Value, path: &str, method: &str) -> Value {
    let mut only = document.clone();
    only["paths"] = json!({path: {method: document["paths"][path][method]}});
    only
}

/// What differs between two runs, in words.
fn difference(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Option<String> {
    let differs = |(operation, tool): (&String, &String)| {
        let other = after.get(operation).map_or("nothing", String::as_str);
        (other != tool).then(|| format!("{operation} was\n{tool}\nand is\n{other}"))
    };
    before.iter().find_map(differs)
}

/// The faults of one document, in words.
fn faults(
    document: &Value,
    unrelated: (String, Value),
    component: (String, Value),
    turn: usize,
) -> Option<String> {
    if bytes(document) != bytes(document) {
        return Some("a second run gives other bytes".to_owned());
    }
    let before = tools(document, BodyStyle::Flat);
    let mut other = document.clone();
    other["paths"] = reordered(&document["paths"], turn, turn.is_multiple_of(2));
    if let Some(difference) = difference(&before, &tools(&other, BodyStyle::Flat)) {
        return Some(format!("with paths in another order, {difference}"));
    }
    let mut other = document.clone();
    other["paths"] = inserted(document.get("paths"), turn, unrelated);
    let (parent, key) = Version::of(document).components().rsplit_once('/').expect("two segments");
    let holder = other.pointer_mut(parent)?;
    let components = inserted(holder.get(key), turn / 3, component);
    holder[key] = components;
    if let Some(difference) = difference(&before, &tools(&other, BodyStyle::Flat)) {
        return Some(format!("with an unrelated operation, {difference}"));
    }
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in item.as_object().into_iter().flat_map(Map::keys) {
            let alone = tools(&with_only(document, path, method), BodyStyle::Flat);
            if let Some(difference) = difference(&alone, &before) {
                return Some(format!("among others, {difference}"));
            }
        }
    }
    reach_faults(document)
}

/// What is wrong with the definitions of each tool.
fn reach_faults(document: &Value) -> Option<String> {
    let input = Input::parse("document.json", document.to_string()).expect("the document can be read");
    let mut options = Options::default();
    options.body = BodyStyle::Nested;
    let generation = generate(&input, &options).expect("it is an OpenAPI document");
    let mut all = Vec::new();
    for tool in generation.tools().filter_map(Result::ok) {
        let schema = tool.input_schema();
        let definitions: BTreeSet<String> =
            schema["$defs"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let reached = reachable(document, &schema, &definitions);
        if reached != definitions {
            return Some(format!("{} has {definitions:?} and reaches {reached:?}", tool.name()));
        }
        all.push((tool.call(), schema, definitions));
    }
    // What is read otherwise than it stands reaches other definitions, too.
    let bent = generation.diagnostics().iter().any(|found| found.code == Code::OpenedAllOf);
    let excludes = document.to_string().contains("\"readOnly\":true");
    if Version::of(document) != Version::V31 || bent || excludes {
        return None;
    }
    all.iter().find_map(|(call, schema, definitions)| source_fault(document, call, schema, definitions))
}

/// The definitions that a tool needs: by references, and by what data seems to refer to, where the
/// names of components stand as in the document.
fn reachable(document: &Value, schema: &Value, definitions: &BTreeSet<String>) -> BTreeSet<String> {
    let all_uses = |schema: &Value| {
        let mut found = uses(schema, definitions);
        for text in references(schema).data {
            let pointer = place(document, &text);
            let key = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
            let safe = safe(&key);
            // Of two names that are one when written safely, each has a hash behind it.
            let means = |name: &&String| **name == safe || name.starts_with(&format!("{safe}_"));
            found.extend(definitions.iter().filter(means).cloned());
        }
        found
    };
    let uses_of = schema["$defs"].as_object().into_iter().flatten();
    let uses_of = uses_of.map(|(name, definition)| (name.clone(), all_uses(definition))).collect();
    closure(all_uses(&without_definitions(schema)), &uses_of)
}

/// A component's name with the characters that keys of `$defs` have.
fn safe(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect()
}

/// The difference between the definitions of a tool and what its schemas reach in the document.
fn source_fault(
    document: &Value,
    call: &Value,
    schema: &Value,
    definitions: &BTreeSet<String>,
) -> Option<String> {
    let (method, path) = (call["method"].as_str()?.to_lowercase(), call["path"].as_str()?);
    let operation = &document["paths"][path][&method];
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let parameters =
        operation["parameters"].as_array().into_iter().flatten().map(|parameter| &parameter["schema"]);
    let body = Some(body).filter(|_| schema["properties"].get("body").is_some());
    let mut places = BTreeSet::new();
    for schema in parameters.chain(body) {
        source_reach(document, schema, &mut places);
    }
    // A definition that a test refers to has an exact version, and both are the one place.
    let names: BTreeSet<&str> = definitions.iter().map(|name| name.trim_end_matches(".exact")).collect();
    let missing = places.iter().filter(|place| place.matches('/').count() == 3).any(|place| {
        let key = place.trim_start_matches("/components/schemas/").replace("~1", "/").replace("~0", "~");
        !names.iter().any(|known| known.starts_with(&safe(&key)))
    });
    (names.len() != places.len() || missing)
        .then(|| format!("{method} {path} has {definitions:?}, and the document reaches {places:?}"))
}

/// Adds the places of the schemas that a schema reaches in a document of OpenAPI 3.1.
fn source_reach(document: &Value, schema: &Value, places: &mut BTreeSet<String>) {
    let schema = kept(schema);
    let found = references(&schema);
    let own = found.schema.iter().map(|text| (text, false));
    for (text, is_data) in own.chain(found.data.iter().map(|text| (text, true))) {
        let pointer = place(document, text);
        let is_component = pointer.starts_with("/components/schemas/") && pointer.matches('/').count() == 3;
        let Some(target) = document.pointer(&pointer).filter(|_| is_component || !is_data) else { continue };
        if places.insert(pointer) {
            source_reach(document, target, places);
        }
    }
}

/// The place that a reference's text leads to, and then the aliases there: components that refer to
/// another and say nothing else.
fn place(document: &Value, text: &str) -> String {
    let mut pointer = decoded(text.trim_start_matches('#'));
    while let Some(next) = document.pointer(&pointer).and_then(|schema| alias(document, schema)) {
        pointer = decoded(next.trim_start_matches('#'));
    }
    pointer
}

fn alias<'d>(document: &Value, schema: &'d Value) -> Option<&'d str> {
    let object = schema.as_object()?;
    let says = |name: &String| match Version::of(document) {
        Version::V31 => {
            !name.starts_with("x-")
                && !["$ref", "$defs", "example", "externalDocs", "xml"].contains(&name.as_str())
        }
        Version::V30 => ["description", "nullable"].contains(&name.as_str()),
        Version::V2 => ["description", "x-nullable"].contains(&name.as_str()),
    };
    object.get("$ref")?.as_str().filter(|_| !object.keys().any(says))
}

/// A schema without the keywords that no tool has, and without what they hold.
fn kept(schema: &Value) -> Value {
    let mut pointers = Vec::new();
    each_schema(schema, &mut |at, _| pointers.push(at.to_owned()));
    let mut kept = schema.clone();
    for pointer in pointers {
        if let Some(Value::Object(object)) = kept.pointer_mut(&pointer) {
            object.retain(|name, _| {
                !name.starts_with("x-") && !["$defs", "externalDocs", "xml"].contains(&name.as_str())
            });
        }
    }
    kept
}

#[test]
fn definitions_and_bytes_follow_from_the_operation_alone() {
    let seen = Cell::new((0, 0));
    let result = runner(600).run(&(tape::choices(500), any::<u8>()), |(choices, turn)| {
        let (document, unrelated, component) = with_operations(&choices);
        let (tools, definitions) = seen.get();
        let found = self::tools(&document, BodyStyle::Flat);
        let more = found.values().filter(|tool| tool.contains("\"$defs\":{\"")).count();
        seen.set((tools + found.len(), definitions + more));
        let turn = usize::from(turn);
        let failing = |document: &Value| faults(document, unrelated.clone(), component.clone(), turn);
        let Some(fault) = failing(&document) else { return Ok(()) };
        let kind =
            |fault: &str| fault.split(',').next().unwrap_or_default().get(..8).unwrap_or_default().to_owned();
        let fails = |document: &Value| {
            if document["paths"].is_null() || document.get("swagger").or(document.get("openapi")).is_none() {
                return false;
            }
            let found = std::panic::catch_unwind(|| failing(document));
            matches!(found, Ok(Some(other)) if kind(&other) == kind(&fault))
        };
        let small = shrink::shrink(&document, &fails);
        Err(TestCaseError::fail(format!("{small}\n{}", failing(&small).unwrap_or(fault))))
    });
    let (tools, definitions) = seen.get();
    eprintln!("{tools} tools, {definitions} of them with definitions");
    if let Err(TestError::Fail(reason, _)) = result {
        panic!("{reason}");
    }
    result.expect("the cases run");
    assert!(definitions * 4 > tools, "only {definitions} of {tools} tools have definitions");
}
