//! What a change of a schema means for those who send values (or read them, of an output schema).
//!
//! The judgement is cautious: what is not known to be compatible is breaking, unless only
//! annotations differ. Schemas are walked by the keyword table.

mod branches;
mod keyword;

use foldhash::HashSet;
use serde_json::{Map, Value};

use crate::schema::keywords::{Class, Holds, Role, class, keyword as row};
use crate::schema::number::equal;

/// Whether callers have to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A call that was right may be refused now, or does something else.
    Breaking,
    /// Calls that were right still are.
    Compatible,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The argument, or the place in it: `argument filter.names[]`; of a definition `property a.b`, of an
    /// output schema `result a.b`. Empty for the whole.
    pub place: String,
    /// What changed there, in words.
    pub text: String,
    /// Whether callers have to be changed.
    pub verdict: Verdict,
}

/// What a change does to the set of values that are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Some are no more.
    Narrowed,
    /// More are.
    Widened,
    /// Something is known that was not; what was known stays.
    Grown,
    /// It can't be told.
    Unclear,
    /// None: an annotation.
    Noted,
}

/// Which way the values travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Travel {
    /// To the tool.
    Input,
    /// From the tool.
    Output,
    /// Into a question whose answer may be no, so that less is more.
    Test,
}

impl Travel {
    fn verdict(self, effect: Effect) -> Verdict {
        match (effect, self) {
            (Effect::Noted, _)
            | (Effect::Grown, Travel::Input | Travel::Output)
            | (Effect::Widened, Travel::Input)
            | (Effect::Narrowed, Travel::Output) => Verdict::Compatible,
            _ => Verdict::Breaking,
        }
    }
}

type Object = Map<String, Value>;

/// The schema that a keyword without a value stands for.
const ANYTHING: &Value = &Value::Bool(true);

/// The definitions of both sides.
#[derive(Clone, Copy)]
pub(super) struct Sides<'v> {
    /// Before.
    pub(super) old: &'v Object,
    /// Now.
    pub(super) new: &'v Object,
}

/// What changed from one schema to another. What both refer to by one name is not looked into: it
/// is compared on its own. `noun` is what its properties are called.
pub(super) fn changes(
    old: &Value,
    new: &Value,
    sides: Sides<'_>,
    travel: Travel,
    noun: &'static str,
) -> Vec<Change> {
    let mut walk = Walk { sides, travel, noun, seen: HashSet::default(), found: Vec::new() };
    walk.schema(old, new, "");
    walk.found
}

struct Walk<'v> {
    sides: Sides<'v>,
    travel: Travel,
    noun: &'static str,
    /// The pairs of references that were followed.
    seen: HashSet<(String, String)>,
    found: Vec<Change>,
}

impl Walk<'_> {
    fn add(&mut self, place: &str, effect: Effect, text: impl Into<String>) {
        let verdict = self.travel.verdict(effect);
        self.found.push(Change { place: place.to_owned(), text: text.into(), verdict });
    }

    fn schema(&mut self, old: &Value, new: &Value, place: &str) {
        if equal(old, new) {
            return;
        }
        let (Some(old), Some(new)) = (object(old), object(new)) else {
            return self.add(place, Effect::Unclear, "changed");
        };
        if let Some(others) = branches::alternatives(&old, &new) {
            return self.add(place, Effect::Widened, format!("accepts also {others}"));
        }
        if let Some(others) = branches::alternatives(&new, &old) {
            return self.add(place, Effect::Narrowed, format!("no more accepts {others}"));
        }
        match (reference(&old), reference(&new)) {
            (None, None) => self.objects(&old, &new, place),
            (Some(a), Some(b)) if a == b => {
                self.objects(&without_reference(&old), &without_reference(&new), place);
            }
            (a, b) => {
                let pair = (a.unwrap_or_default().to_owned(), b.unwrap_or_default().to_owned());
                if a.is_some() && b.is_some() && !self.seen.insert(pair) {
                    return;
                }
                let (Some(old), Some(new)) =
                    (looked_through(&old, self.sides.old), looked_through(&new, self.sides.new))
                else {
                    return self.add(place, Effect::Unclear, "refers to something else");
                };
                if equal(&Value::Object(old.clone()), &Value::Object(new.clone())) {
                    return self.add(
                        place,
                        Effect::Noted,
                        "means the same, written through another reference",
                    );
                }
                self.objects(&old, &new, place);
            }
        }
    }

    /// The place of a property.
    fn property(&self, place: &str, name: &str) -> String {
        if place.is_empty() { format!("{} {name}", self.noun) } else { format!("{place}.{name}") }
    }

    /// The place of what a keyword holds.
    fn below(&self, place: &str, name: &str) -> String {
        match name {
            "items" | "additionalItems" | "unevaluatedItems" => format!("{place}[]"),
            "additionalProperties" | "unevaluatedProperties" => self.property(place, "*"),
            _ => format!("{place} ({name})"),
        }
    }

    /// Schemas without a reference of their own.
    fn objects(&mut self, old: &Object, new: &Object, place: &str) {
        if self.types(old, new, place) == Some(Effect::Unclear) {
            // It is another thing: its parts can't be compared.
            return;
        }
        self.values(old, new, place);
        self.properties(old, new, place);
        let mut annotations: Vec<&str> = Vec::new();
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        for name in names.map(String::as_str) {
            let (before, now) = (old.get(name), new.get(name));
            if matches!((before, now), (Some(before), Some(now)) if equal(before, now)) {
                continue;
            }
            match name {
                "type" | "enum" | "const" | "properties" | "required" => {}
                "description" | "title" | "examples" | "$comment" => annotations.push(name),
                _ => self.keyword(name, before, now, place),
            }
        }
        if !annotations.is_empty() {
            self.add(place, Effect::Noted, format!("{} changed", annotations.join(", ")));
        }
    }

    /// A keyword with schemas in it, or one that stands for itself.
    fn keyword(&mut self, name: &str, old: Option<&Value>, new: Option<&Value>, place: &str) {
        let Some(row) = row(name) else {
            return self.add(place, Effect::Noted, format!("{name} changed"));
        };
        match (row.holds, row.role) {
            (Holds::Schema | Holds::SchemaOrSchemas, Role::Value | Role::Branch)
                if !is_list(old) && !is_list(new) =>
            {
                let (old, new) = (old.unwrap_or(ANYTHING), new.unwrap_or(ANYTHING));
                match (is_nothing(old), is_nothing(new)) {
                    (false, true) => self.add(place, Effect::Narrowed, closed(name)),
                    (true, false) => self.add(place, Effect::Widened, opened(name)),
                    _ => self.schema(old, new, &self.below(place, name)),
                }
            }
            (Holds::Schemas, _) => self.branches(name, old, new, place),
            (Holds::Map, Role::Value | Role::Branch) => {
                let empty = Object::new();
                let map = |value: Option<&Value>| value.and_then(Value::as_object).unwrap_or(&empty).clone();
                let (old, new) = (map(old), map(new));
                for (key, before) in &old {
                    let now = new.get(key).unwrap_or(ANYTHING);
                    self.schema(before, now, &format!("{place} ({name} {key:?})"));
                }
                for (key, now) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                    self.schema(ANYTHING, now, &format!("{place} ({name} {key:?})"));
                }
            }
            _ => self.data(name, old, new, place),
        }
    }
}

/// A schema as an object; `None` for what is no schema.
fn object(schema: &Value) -> Option<Object> {
    match schema {
        Value::Object(map) => Some(map.clone()),
        Value::Bool(true) => Some(Object::new()),
        Value::Bool(false) => Some(Object::from_iter([("not".to_owned(), Value::Object(Object::new()))])),
        _ => None,
    }
}

/// Whether a schema accepts nothing.
fn is_nothing(schema: &Value) -> bool {
    let empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    *schema == Value::Bool(false) || schema.get("not").is_some_and(empty)
}

/// The name of the definition that a schema refers to.
pub(super) fn reference(schema: &Object) -> Option<&str> {
    let text = schema.get("$ref")?.as_str()?;
    Some(text.strip_prefix("#/$defs/").unwrap_or(text))
}

fn without_reference(schema: &Object) -> Object {
    schema
        .iter()
        .filter(|(name, _)| *name != "$ref")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The schema with what its reference leads to in place of the reference; `None` where that can't be
/// said in one object.
fn looked_through(schema: &Object, definitions: &Object) -> Option<Object> {
    const MAX_STEPS: usize = 100;
    let mut at = schema.clone();
    for _ in 0..MAX_STEPS {
        let Some(name) = reference(&at) else { return Some(at) };
        let mut target = object(definitions.get(name)?)?;
        for (name, value) in without_reference(&at) {
            let known = target.get(&name);
            let agrees = known.is_none_or(|known| equal(known, &value));
            if !agrees && class(&name) == Class::Assertion {
                return None;
            }
            target.insert(name, value);
        }
        at = target;
    }
    None
}

fn is_list(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_array)
}

/// What a schema says but annotations.
fn assertions(schema: &Object) -> Object {
    let asserts = |name: &str| class(name) == Class::Assertion || name == "format";
    schema
        .iter()
        .filter(|(name, _)| asserts(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn closed(name: &str) -> String {
    match name {
        "additionalProperties" | "unevaluatedProperties" => "accepts no other properties any more".to_owned(),
        _ => format!("{name} accepts nothing any more"),
    }
}

fn opened(name: &str) -> String {
    match name {
        "additionalProperties" | "unevaluatedProperties" => "accepts other properties, too".to_owned(),
        _ => format!("{name} accepts something now"),
    }
}

#[cfg(test)]
mod tests;
