//! Lists of schemas: unions, and what must hold together.

use serde_json::Value;

use super::keyword::shown;
use super::{Effect, Object, Sides, Walk, assertions, looked_through};
use crate::schema::number::equal;

impl Walk<'_> {
    /// A list of schemas: what stands on both sides is left aside.
    pub(super) fn branches(&mut self, name: &str, old: Option<&Value>, new: Option<&Value>, place: &str) {
        let (Some(old), Some(new)) = (list(old), list(new)) else {
            let narrows = old.is_none();
            let effect = if narrows { Effect::Narrowed } else { Effect::Widened };
            return self.add(place, effect, format!("{name} {}", if narrows { "added" } else { "removed" }));
        };
        let Sides { old: before, new: now } = self.sides;
        let is_same = |a: &Value, b: &Value| same_assertions(a, b) || same_behind(a, before, b, now);
        let place_of = |at: usize| match name {
            "prefixItems" => format!("{place}[{at}]"),
            _ => format!("{place} ({name} {})", at + 1),
        };
        if name == "prefixItems" && old.len() == new.len() {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                self.schema(old, new, &place_of(at));
            }
            return;
        }
        let lost = |value: &Value| !new.iter().any(|other| is_same(value, other));
        let gained = |value: &Value| !old.iter().any(|other| is_same(other, value));
        let gone: Vec<(usize, &Value)> = old.iter().enumerate().filter(|(_, value)| lost(value)).collect();
        let come: Vec<(usize, &Value)> = new.iter().enumerate().filter(|(_, value)| gained(value)).collect();
        if gone.len() == come.len() && !gone.is_empty() {
            for ((_, old), (at, new)) in gone.into_iter().zip(come) {
                self.schema(old, new, &place_of(at));
            }
            return;
        }
        if gone.is_empty() && come.is_empty() {
            let same_length = old.len() == new.len();
            let effect = if same_length { Effect::Noted } else { Effect::Unclear };
            return self.add(place, effect, format!("{name} written otherwise"));
        }
        // A branch more narrows an `allOf` and widens a union.
        let (fewer, more) = match name {
            "allOf" => (Effect::Widened, Effect::Narrowed),
            "anyOf" | "oneOf" => (Effect::Narrowed, Effect::Widened),
            _ => (Effect::Unclear, Effect::Unclear),
        };
        for (_, value) in gone {
            self.add(place, fewer, format!("{name} has no more {}", shown(value)));
        }
        for (_, value) in come {
            self.add(place, more, format!("{name} has also {}", shown(value)));
        }
    }
}

fn list(value: Option<&Value>) -> Option<&Vec<Value>> {
    value?.as_array()
}

fn same_assertions(a: &Value, b: &Value) -> bool {
    match (a.as_object(), b.as_object()) {
        (Some(a), Some(b)) => equal(&Value::Object(assertions(a)), &Value::Object(assertions(b))),
        _ => equal(a, b),
    }
}

/// Whether two references of different names lead to the same.
fn same_behind(old: &Value, before: &Object, new: &Value, now: &Object) -> bool {
    let looked = |schema: &Value, definitions: &Object| {
        looked_through(schema.as_object()?, definitions).map(Value::Object)
    };
    old.get("$ref") != new.get("$ref")
        && looked(old, before).zip(looked(new, now)).is_some_and(|(old, new)| equal(&old, &new))
}

/// What a schema accepts beside `one`, if that is one alternative of several in it, as `nullable`
/// makes it.
pub(super) fn alternatives(one: &Object, many: &Object) -> Option<String> {
    let union = ["anyOf", "oneOf"].into_iter().find_map(|name| list(many.get(name)))?;
    // Beside a reference the type only repeats what is behind it.
    let core = |schema: &Object| {
        let mut core = assertions(schema);
        if core.contains_key("$ref") {
            core.shift_remove("type");
        }
        Value::Object(core)
    };
    let nothing_else = assertions(many).iter().all(|(name, value)| match name.as_str() {
        "anyOf" | "oneOf" => true,
        "type" => one.get("type") == Some(value),
        _ => false,
    });
    let is_same = |branch: &&Value| branch.as_object().is_some_and(|branch| equal(&core(branch), &core(one)));
    if !nothing_else || !union.iter().any(|branch| is_same(&branch)) {
        return None;
    }
    let others = union.iter().filter(|branch| !is_same(branch)).map(|branch| match branch.get("type") {
        Some(Value::String(name)) if branch.as_object().is_some_and(|branch| branch.len() == 1) => {
            name.clone()
        }
        _ => shown(branch),
    });
    Some(others.collect::<Vec<_>>().join(", "))
}
