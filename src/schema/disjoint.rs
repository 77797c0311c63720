//! Whether no value fits two of several alternatives.

use serde_json::{Map, Value};

use super::definitions::Definitions;
use super::number;

/// What all values of a schema have in common.
#[derive(Default)]
struct Facts {
    types: Option<Vec<String>>,
    tags: Vec<(String, Vec<Value>)>,
    required: Vec<String>,
}

/// The most alternatives that are compared.
const MOST: usize = 100;

/// Whether finished schemas exclude each other for all that is seen at once: by type, or by the values
/// of a property that one of them requires.
pub(super) fn are_disjoint(cx: &Definitions<'_>, branches: &[Value]) -> bool {
    if branches.len() > MOST {
        return false;
    }
    let mut known: Vec<Facts> = Vec::new();
    for branch in branches {
        let mut facts = Facts::default();
        if let Value::Object(map) = branch {
            collect(cx, map, 8, &mut facts);
        }
        if !known.iter().all(|other| exclude(other, &facts)) {
            return false;
        }
        known.push(facts);
    }
    true
}

fn collect(cx: &Definitions<'_>, map: &Map<String, Value>, depth: u32, facts: &mut Facts) {
    let name =
        |value: &Value| value.as_str().map(|name| if name == "integer" { "number" } else { name }.to_owned());
    let types: Option<Vec<String>> = match map.get("type") {
        Some(Value::Array(names)) => names.iter().map(name).collect(),
        Some(stated) => name(stated).map(|name| vec![name]),
        None => None,
    };
    if facts.types.is_none() {
        facts.types = types;
    }
    for (key, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let values = match (property.get("const"), property.get("enum")) {
            (Some(only), _) => vec![only.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => continue,
        };
        facts.tags.push((key.clone(), values));
    }
    let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
    facts.required.extend(required.filter_map(Value::as_str).map(str::to_owned));
    if depth == 0 {
        return;
    }
    let target = map.get("$ref").and_then(Value::as_str).and_then(|reference| cx.by_reference(reference));
    let members = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
    for member in members.chain(target.map(super::Definition::value)).filter_map(Value::as_object) {
        collect(cx, member, depth - 1, facts);
    }
}

fn exclude(a: &Facts, b: &Facts) -> bool {
    if let (Some(a), Some(b)) = (&a.types, &b.types)
        && !a.iter().any(|name| b.contains(name))
    {
        return true;
    }
    let is_object =
        |facts: &Facts| facts.types.as_ref().is_some_and(|types| types.iter().all(|name| name == "object"));
    let apart = |(name, values): &(String, Vec<Value>)| {
        let others = b.tags.iter().filter(|(other, _)| other == name);
        let needed = a.required.contains(name) || b.required.contains(name);
        needed
            && others.into_iter().any(|(_, others)| {
                !values.iter().any(|value| others.iter().any(|other| number::equal(value, other)))
            })
    };
    (is_object(a) || is_object(b)) && a.tags.iter().any(apart)
}
