//! What statistics ask of finished schemas.

use serde_json::{Number, Value};

use super::definitions::{Definition, Definitions, Variant};
use super::{Schema, keywords, look};
use crate::input::Node;

/// How many objects and lists are in each other at most; a value that is neither is 0.
pub(crate) fn depth(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or(0)
}

/// The bounds of numbers that a double can't hold, each as `keyword: number`.
pub(crate) fn large_bounds(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_large(schema, &mut found);
    found
}

fn collect_large(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(map) = schema else { return };
    for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(Value::Number(number)) = map.get(name)
            && is_large(number)
        {
            found.push(format!("{name}: {number}"));
        }
    }
    keywords::for_each_child(map, &mut |child, _| collect_large(child, found));
}

/// Whether a number is an integer beyond 2^53: doubles between such integers are lost.
fn is_large(number: &Number) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let text = number.as_str();
    let integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    integer && (number.as_f64().is_none_or(|float| float.abs() >= LARGEST) && text != "9007199254740992")
}

impl<'i> Definitions<'i> {
    /// The definitions of all component schemas that can be converted, without a report.
    pub(crate) fn all_components(&self) -> Vec<&Definition<'i>> {
        let reported = self.take_reports();
        let schemas = self.components.nodes().map(|node: Node<'i>| Schema { node, dialect: self.dialect() });
        let mut seen = foldhash::HashSet::default();
        let found = schemas
            .filter_map(|schema| look::follow(schema).ok())
            .filter(|schema| seen.insert(schema.node.place()))
            .map(|schema| self.definition(schema, Variant::Plain))
            .filter(|definition| self.converted(definition).is_ok())
            .collect();
        drop(self.take_reports());
        for report in reported {
            self.report(report);
        }
        found
    }

    /// What `roots` reach, by the numbers of the definitions, if `without` did not exist.
    pub(crate) fn reached_without(&self, roots: &[usize], without: Option<usize>) -> Vec<usize> {
        let mut seen: foldhash::HashSet<usize> = without.into_iter().collect();
        let (mut open, mut found) = (roots.to_vec(), Vec::new());
        while let Some(index) = open.pop() {
            if seen.insert(index)
                && let Some(definition) = self.list.get(index)
                && let Ok(converted) = self.converted(definition)
            {
                found.push(index);
                open.extend(converted.uses.iter().chain(&converted.mentions));
            }
        }
        found
    }
}
