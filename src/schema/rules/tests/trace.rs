//! What each rule does to each schema object under [`super::normalise`].

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use super::*;
use crate::schema::keywords::for_each_child_mut;

/// What the rules did to one schema object, whose subschemas are finished.
pub(super) struct Step {
    /// As it came, its subschemas too.
    pub(super) before: Map<String, Value>,
    /// As it left.
    pub(super) after: Map<String, Value>,
    /// The rules that changed it.
    pub(super) changed_by: Vec<&'static str>,
    /// The rules that would change it, were they to run again.
    pub(super) reopened_for: Vec<&'static str>,
    /// What was reported.
    pub(super) reports: Vec<Code>,
}

/// Where a schema object stands.
#[derive(Clone, Copy)]
struct Standing<'a> {
    role: Role,
    key: Option<&'a str>,
    exact: bool,
    argument: bool,
}

/// Normalises a schema as [`super::normalise`] does, which is asserted, and tells each step.
pub(super) fn trace(schema: &Value) -> (Value, Vec<Step>) {
    let mut steps = Vec::new();
    let mut traced = schema.clone();
    walk(
        &mut traced,
        Standing { role: Role::Value, key: Some("key"), exact: false, argument: true },
        &mut steps,
    );
    let result = normalised(schema.clone());
    assert_eq!(boolean_argument(traced).to_string(), result.to_string());
    (result, steps)
}

fn walk(schema: &mut Value, at: Standing<'_>, steps: &mut Vec<Step>) {
    if let Value::String(name) = schema {
        *schema = json!({"type": name});
    }
    let Value::Object(map) = schema else { return };
    let before = map.clone();
    for_each_child_mut(map, &mut |child, row, key| {
        let exact = at.exact || row.role == Role::Test;
        walk(child, Standing { role: row.role, key, exact, argument: false }, steps);
    });
    let reports = RefCell::new(Vec::new());
    let site = Site {
        role: at.role,
        key: at.key,
        exact: at.exact,
        direction: Direction::Input,
        argument: at.argument,
        report: &|code, _, _| reports.borrow_mut().push(code),
        pattern: &pattern::check,
        type_of: &|_| None,
    };
    let mut changed_by = Vec::new();
    for (name, _, added, rule) in RULES {
        let unchanged = map.clone();
        rule(map, &site);
        let allowed = Keywords::in_schema(&unchanged).with(*added);
        assert!(allowed.has(Keywords::in_schema(map)), "{name} adds more than it says: {map:?}");
        if !identical(map, &unchanged) {
            changed_by.push(*name);
        }
    }
    let after = map.clone();
    let reports = reports.take();
    let again = |(name, _, _, rule): &(&'static str, Keywords, Keywords, Rule)| {
        let mut map = after.clone();
        rule(&mut map, &Site { report: &|_, _, _| {}, ..site });
        (!identical(&map, &after)).then_some(*name)
    };
    let reopened_for = RULES.iter().filter_map(again).collect();
    steps.push(Step { before, after: after.clone(), changed_by, reopened_for, reports });
}

/// Whether two objects are the same to the byte.
fn identical(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a == b && a.keys().eq(b.keys())
}
