//! The keywords whose values are data, and those of objects.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::{Effect, Object, Walk};
use crate::schema::number::{canonical, equal, order};

/// Keywords that ask for at least so much, and what they mean when they are absent.
const LOWER: [(&str, bool); 5] = [
    ("exclusiveMinimum", false),
    ("minItems", true),
    ("minLength", true),
    ("minProperties", true),
    ("minimum", false),
];

/// Keywords that ask for at most so much.
const UPPER: [&str; 5] = ["exclusiveMaximum", "maxItems", "maxLength", "maxProperties", "maximum"];

impl Walk<'_> {
    /// Compares `type`; gives what its change does.
    pub(super) fn types(&mut self, old: &Object, new: &Object, place: &str) -> Option<Effect> {
        let (before, now) = (types(old), types(new));
        let within = |some: &Option<Vec<&str>>, others: &Option<Vec<&str>>| match (some, others) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(some), Some(others)) => some
                .iter()
                .all(|name| others.contains(name) || (*name == "integer" && others.contains(&"number"))),
        };
        let (effect, word) = match (within(&before, &now), within(&now, &before)) {
            (true, true) => return None,
            (true, false) => (Effect::Widened, "widened"),
            (false, true) => (Effect::Narrowed, "narrowed"),
            (false, false) => (Effect::Unclear, "changed"),
        };
        self.add(place, effect, format!("type {word} from {} to {}", any_of(before), any_of(now)));
        Some(effect)
    }

    /// `enum` and `const`.
    pub(super) fn values(&mut self, old: &Object, new: &Object, place: &str) {
        match (allowed(old), allowed(new)) {
            (None, None) => {}
            (None, Some(now)) => {
                self.add(place, Effect::Narrowed, format!("accepts only {} now", several(&now)));
            }
            (Some(before), None) => {
                self.add(
                    place,
                    Effect::Widened,
                    format!("accepts other values than {}, too", several(&before)),
                );
            }
            (Some(before), Some(now)) => {
                let keys = |values: &[&Value]| -> foldhash::HashSet<String> {
                    values.iter().map(|value| canonical(value)).collect()
                };
                let (known, kept) = (keys(&before), keys(&now));
                let gone: Vec<&Value> =
                    before.into_iter().filter(|value| !kept.contains(&canonical(value))).collect();
                let come: Vec<&Value> =
                    now.into_iter().filter(|value| !known.contains(&canonical(value))).collect();
                if !gone.is_empty() {
                    self.add(place, Effect::Narrowed, format!("no more accepts {}", several(&gone)));
                }
                if !come.is_empty() {
                    self.add(place, Effect::Widened, format!("accepts also {}", several(&come)));
                }
            }
        }
    }

    /// `properties` and `required`.
    pub(super) fn properties(&mut self, old: &Object, new: &Object, place: &str) {
        let empty = Map::new();
        let declared =
            |schema: &Object| schema.get("properties").and_then(Value::as_object).unwrap_or(&empty).clone();
        let (before, now) = (declared(old), declared(new));
        let (needed, needs) = (required(old), required(new));
        for name in before.keys().filter(|name| !now.contains_key(*name)) {
            self.add(&self.property(place, name), Effect::Unclear, "removed");
        }
        for (name, schema) in &now {
            let place = self.property(place, name);
            let required = needs.contains(&name.as_str());
            let Some(known) = before.get(name) else {
                if required {
                    self.add(&place, Effect::Narrowed, "added, required");
                } else {
                    self.add(&place, Effect::Grown, "added, optional");
                }
                continue;
            };
            match (needed.contains(&name.as_str()), required) {
                (false, true) => self.add(&place, Effect::Narrowed, "became required"),
                (true, false) => self.add(&place, Effect::Widened, "became optional"),
                _ => {}
            }
            self.schema(known, schema, &place);
        }
        for name in needs.iter().filter(|name| !needed.contains(name) && !now.contains_key(**name)) {
            self.add(&self.property(place, name), Effect::Narrowed, "became required");
        }
        let undeclared = |name: &&&str| !needs.contains(name) && !now.contains_key(**name);
        for name in needed.iter().filter(undeclared).filter(|name| !before.contains_key(**name)) {
            self.add(&self.property(place, name), Effect::Widened, "became optional");
        }
    }

    /// A keyword whose value is data.
    pub(super) fn data(&mut self, name: &str, old: Option<&Value>, new: Option<&Value>, place: &str) {
        if let Some((_, from_zero)) = LOWER.iter().find(|(known, _)| *known == name) {
            return self.bound(name, old, new, place, Ordering::Greater, *from_zero);
        }
        if UPPER.contains(&name) {
            return self.bound(name, old, new, place, Ordering::Less, false);
        }
        let effect = match (name, old, new) {
            ("default" | "deprecated" | "readOnly" | "writeOnly" | "contentSchema", ..) => Effect::Noted,
            ("uniqueItems", _, Some(Value::Bool(false))) | ("format", _, None) => Effect::Widened,
            ("pattern" | "multipleOf" | "format" | "dependentRequired" | "uniqueItems", None, _) => {
                Effect::Narrowed
            }
            ("pattern" | "multipleOf" | "dependentRequired" | "uniqueItems" | "not", Some(_), None) => {
                Effect::Widened
            }
            ("not", None, _) => Effect::Narrowed,
            _ => Effect::Unclear,
        };
        let text = match (old, new) {
            (None, Some(new)) => format!("{name} {} added", shown(new)),
            (Some(old), None) => format!("{name} {} removed", shown(old)),
            (old, new) => format!("{name} changed from {} to {}", shown_or(old), shown_or(new)),
        };
        self.add(place, effect, text);
    }

    /// A bound; `narrows` is how the new one compares with the old one where it allows less.
    fn bound(
        &mut self,
        name: &str,
        old: Option<&Value>,
        new: Option<&Value>,
        place: &str,
        narrows: Ordering,
        from_zero: bool,
    ) {
        let zero = Value::from(0);
        let filled = |value: Option<&Value>| value.cloned().or_else(|| from_zero.then(|| zero.clone()));
        let (before, now) = (filled(old), filled(new));
        let effect = match (&before, &now) {
            (None, Some(_)) => Effect::Narrowed,
            (Some(_), None) => Effect::Widened,
            (Some(Value::Number(before)), Some(Value::Number(now))) => match order(now, before) {
                Ordering::Equal => return,
                found if found == narrows => Effect::Narrowed,
                _ => Effect::Widened,
            },
            _ => Effect::Unclear,
        };
        let text = match (old, new) {
            (None, Some(new)) => format!("{name} {} added", shown(new)),
            (Some(old), None) => format!("{name} {} removed", shown(old)),
            (old, new) => {
                let raised = if (effect == Effect::Narrowed) == (narrows == Ordering::Greater) {
                    "raised"
                } else {
                    "lowered"
                };
                format!("{name} {raised} from {} to {}", shown_or(old), shown_or(new))
            }
        };
        self.add(place, effect, text);
    }
}

/// The types that a schema allows; `None` for all.
fn types(schema: &Object) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn any_of(types: Option<Vec<&str>>) -> String {
    types.map_or("any".to_owned(), |names| names.join(" or "))
}

/// The only values that a schema allows, by `const`, by `enum`, or by both.
fn allowed(schema: &Object) -> Option<Vec<&Value>> {
    let listed = schema.get("enum").and_then(Value::as_array);
    match (schema.get("const"), listed) {
        (Some(value), None) => Some(vec![value]),
        (Some(value), Some(listed)) => {
            Some(listed.iter().filter(|other| equal(value, other)).take(1).collect())
        }
        (None, listed) => Some(listed?.iter().collect()),
    }
}

fn required(schema: &Object) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn several(values: &[&Value]) -> String {
    const SHOWN: usize = 5;
    if values.is_empty() {
        return "nothing".to_owned();
    }
    let mut texts: Vec<String> = values.iter().take(SHOWN).map(|value| shown(value)).collect();
    if values.len() > SHOWN {
        texts.push(format!("{} more", values.len() - SHOWN));
    }
    texts.join(", ")
}

/// A value in a sentence, cut if it is long; the difference of the lines has all of it.
pub(super) fn shown(value: &Value) -> String {
    const LONG: usize = 60;
    let text = match value.as_object().and_then(super::reference) {
        Some(name) => name.to_owned(),
        None => value.to_string(),
    };
    if text.chars().count() <= LONG {
        return text;
    }
    text.chars().take(LONG - 3).chain("...".chars()).collect()
}

fn shown_or(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), shown)
}
