//! The rules by which a tool may differ from what its document says: each bends a keyword, where it
//! says so and nowhere else.
//!
//! | rule | what the tool does | so it accepts |
//! |---|---|---|
//! | `object-type` | `properties` or `required` without a type, on a value of its own, mean an object | less |
//! | `read-only` | `readOnly` properties are no inputs, and not required in their `allOf` | less or more |
//! | `closed-allof` | members of an `allOf` that shut each other out are closed as a whole | more |
//! | `required-known` | a required name is dropped where it can't be declared; declared, it has been looked at, for `unevaluatedProperties` above it | more |
//! | `empty-keyword` | an empty `enum`, `anyOf` or `oneOf` is dropped | more |
//! | `nullable` | `x-nullable`, and `nullable` in 3.1, are heeded; null belongs to the `enum` beside it | more |
//! | `nullable-combinator` | `nullable` beside `$ref` or a combinator is meant | more |
//! | `binary` | `format: binary` and `byte` mean a string, and lengths those of the bytes | less or more |
//! | `pattern` | one that ECMA-262 refuses is dropped | more |
//! | `array-items` | an array without `items` has looked at them all, for `unevaluatedItems` above it | more |
//!
//! In a branch of `oneOf` less may be more: where a branch accepts less, the whole may accept more. So
//! there, and for what is read otherwise even in a test, a rule counts for both.

use serde_json::{Map, Value};

use super::document::Version;
use super::evaluate::Source;

/// The rules by which a tool may refuse what its document accepts.
pub(crate) const NARROWS: &[&str] = &["object-type", "read-only", "binary"];
/// The rules by which it may accept what its document refuses.
pub(crate) const WIDENS: &[&str] = &[
    "array-items",
    "binary",
    "closed-allof",
    "empty-keyword",
    "nullable",
    "nullable-combinator",
    "pattern",
    "read-only",
    "required-known",
];

type Object = Map<String, Value>;

/// Where a schema is used.
#[derive(Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a place")]
pub(super) struct Spot<'d> {
    /// Whether it describes a value of its own, not that of the schema above.
    own: bool,
    /// Whether it stands in a test, where no rule narrows.
    pub(super) exact: bool,
    /// Whether it stands in a branch of `oneOf`.
    pub(super) one_of: bool,
    /// Whether the `allOf` that it is a member of is closed as a whole.
    opened: bool,
    /// What members of that `allOf` say is `readOnly`.
    excluded: Vec<&'d str>,
    /// The definitions of which it is in a copy.
    copies: Vec<*const Value>,
}

impl Spot<'_> {
    /// An argument's.
    pub(super) fn argument() -> Self {
        Spot { own: true, ..Spot::default() }
    }
}

/// What the rules make of one schema object.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules")]
pub(super) struct Bent<'d> {
    /// `nullable-combinator`.
    pub(super) takes_null: bool,
    /// `nullable`.
    pub(super) adds_null: bool,
    /// `object-type`.
    pub(super) is_object: bool,
    /// `binary`: it has no type, and is a string.
    pub(super) is_text: bool,
    /// `binary`: lengths and pattern say nothing.
    pub(super) is_bytes: bool,
    /// `empty-keyword`.
    pub(super) drops_empty: bool,
    /// `array-items`: all items count as looked at.
    pub(super) sees_items: bool,
    /// What is required.
    pub(super) required: Vec<&'d str>,
    /// `required-known`: names that count as declared.
    pub(super) declared: Vec<&'d str>,
    /// `read-only`: properties that aren't there.
    pub(super) absent: Vec<&'d str>,
    /// `closed-allof`: `additionalProperties: false` says nothing.
    pub(super) opened: bool,
    /// `closed-allof`: the whole is closed here.
    pub(super) closes: bool,
    excluded: Vec<&'d str>,
}

impl<'d> Bent<'d> {
    /// What the rules make of a schema that is used at `spot`.
    pub(super) fn of(source: &Source<'d>, schema: &'d Object, spot: &Spot<'d>) -> Bent<'d> {
        let mut bent = Bent { required: names(schema, "required"), ..Bent::default() };
        if !source.bent {
            return bent;
        }
        bent.drops_empty = !spot.exact;
        bent.heed_null(source, schema);
        if !spot.exact {
            bent.heed_bytes(source, schema);
        }
        bent.heed_group(source, schema, spot);
        if !source.is_void(schema) && !spot.exact && spot.own && !bent.takes_null {
            bent.heed_object(schema);
            bent.heed_required(source, schema, spot);
        }
        let is_array = has_type(schema, "array");
        bent.sees_items =
            is_array && !schema.contains_key("items") && !schema.contains_key("unevaluatedItems");
        bent
    }

    /// `nullable`, `nullable-combinator`.
    fn heed_null(&mut self, source: &Source<'d>, schema: &Object) {
        let word = if source.version == Version::V2 { "x-nullable" } else { "nullable" };
        if schema.get(word) != Some(&Value::Bool(true)) {
            return;
        }
        let typed = schema.contains_key("type") && !source.is_void(schema);
        let combined = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|name| schema.contains_key(*name));
        self.adds_null = typed;
        self.takes_null = !typed && combined;
    }

    /// `binary`.
    fn heed_bytes(&mut self, source: &Source<'d>, schema: &Object) {
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        let typed = schema.contains_key("type");
        if source.is_void(schema)
            || !["binary", "byte"].contains(&format)
            || (typed && !has_type(schema, "string"))
        {
            return;
        }
        self.is_text = !typed;
        self.is_bytes = format == "binary";
    }

    /// `read-only`, `closed-allof`: what the members of an `allOf` say about each other.
    fn heed_group(&mut self, source: &Source<'d>, schema: &'d Object, spot: &Spot<'d>) {
        self.opened = spot.opened;
        self.excluded.clone_from(&spot.excluded);
        if spot.exact {
            return;
        }
        if !is_plain_reference(source, schema) {
            let members = group(source, schema);
            self.excluded.extend(members.iter().flat_map(|member| read_only(source, member)));
            self.closes = !spot.opened && shuts_out(source, &members);
            self.opened |= self.closes;
        }
        self.absent = read_only(source, schema);
        let excluded = &self.excluded;
        let missing = |name: &&str| excluded.contains(name);
        if self.required.iter().any(missing) {
            source.fire("read-only", spot);
        }
        self.required.retain(|name| !excluded.contains(name));
    }

    /// `object-type`.
    fn heed_object(&mut self, schema: &Object) {
        let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let says = |name: &str| schema.get(name).is_some_and(|value| !empty(value));
        let other = ["type", "$ref", "enum", "const", "allOf", "anyOf", "oneOf"].into_iter().any(says);
        let speaks = schema.contains_key("properties") || !self.required.is_empty();
        self.is_object = !other && !self.is_text && speaks;
    }

    /// `required-known`.
    fn heed_required(&mut self, source: &Source<'d>, schema: &'d Object, spot: &Spot<'d>) {
        let elsewhere = ["$ref", "patternProperties", "unevaluatedProperties"];
        let others = elsewhere.iter().any(|name| schema.contains_key(*name))
            || schema.get("allOf").and_then(Value::as_array).is_some_and(|members| !members.is_empty());
        let object = !schema.contains_key("type") || has_type(schema, "object");
        if others || !object || self.is_text || self.closes {
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let absent = &self.absent;
        let is_known = |name: &str| {
            !absent.contains(&name) && properties.is_some_and(|properties| properties.contains_key(name))
        };
        let unknown: Vec<&str> = self.required.iter().copied().filter(|name| !is_known(name)).collect();
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) && !self.opened {
            if !unknown.is_empty() {
                source.fire("required-known", spot);
            }
            self.required.retain(|name| !unknown.contains(name));
        } else {
            self.declared = unknown;
        }
    }

    /// How a value below is looked at: a property, an item.
    pub(super) fn own(spot: &Spot<'d>) -> Spot<'d> {
        Spot { own: true, opened: false, excluded: Vec::new(), ..spot.clone() }
    }

    /// How a test is.
    pub(super) fn test(spot: &Spot<'d>) -> Spot<'d> {
        Spot { own: false, exact: true, opened: false, excluded: Vec::new(), ..spot.clone() }
    }

    /// How a branch is.
    pub(super) fn branch(spot: &Spot<'d>, one_of: bool) -> Spot<'d> {
        let one_of = spot.one_of || one_of;
        Spot { own: false, one_of, opened: false, excluded: Vec::new(), ..spot.clone() }
    }

    /// How a member of `allOf` is.
    pub(super) fn member(&self, spot: &Spot<'d>) -> Spot<'d> {
        Spot { own: false, opened: self.opened, excluded: self.excluded.clone(), ..spot.clone() }
    }

    /// How what a `$ref` leads to is: a definition, or a copy of it that differs.
    pub(super) fn through_reference(
        &self,
        source: &Source<'d>,
        target: &'d Value,
        spot: &Spot<'d>,
    ) -> Spot<'d> {
        let place: *const Value = target;
        let members = target.as_object().map(|object| group(source, object)).unwrap_or_default();
        let own: Vec<&str> = members.iter().flat_map(|member| read_only(source, member)).collect();
        let unrequires = || {
            let required = members.iter().flat_map(|member| required(source, member));
            required.into_iter().any(|name| self.excluded.contains(&name) && !own.contains(&name))
        };
        let differs = (self.opened && members.iter().any(|member| is_closed(source, member))) || unrequires();
        if !spot.exact && differs && !spot.copies.contains(&place) {
            let mut copies = spot.copies.clone();
            copies.push(place);
            return Spot { copies, ..self.member(spot) };
        }
        Spot { own: true, exact: spot.exact, one_of: spot.one_of, ..Spot::default() }
    }
}

fn names<'d>(schema: &'d Object, keyword: &str) -> Vec<&'d str> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether `type` names this type.
fn has_type(schema: &Object, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|known| known == name),
        _ => false,
    }
}

fn properties<'d>(source: &Source<'d>, schema: &'d Object) -> impl Iterator<Item = (&'d String, &'d Value)> {
    let map = schema.get("properties").filter(|_| !source.is_void(schema)).and_then(Value::as_object);
    map.into_iter().flatten()
}

fn required<'d>(source: &Source<'d>, schema: &'d Object) -> Vec<&'d str> {
    if source.is_void(schema) { Vec::new() } else { names(schema, "required") }
}

fn is_closed(source: &Source<'_>, schema: &Object) -> bool {
    !source.is_void(schema) && schema.get("additionalProperties") == Some(&Value::Bool(false))
}

/// Whether a schema is a `$ref` beside which nothing says which values are valid.
fn is_plain_reference(source: &Source<'_>, schema: &Object) -> bool {
    const NOTES: &[&str] = &[
        "$ref",
        "$defs",
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "externalDocs",
        "format",
        "nullable",
        "readOnly",
        "title",
        "unknown",
        "writeOnly",
        "xml",
        "contentMediaType",
        "contentSchema",
    ];
    let notes = |name: &String| NOTES.contains(&name.as_str()) || name.starts_with("x-");
    schema.contains_key("$ref") && (source.is_void(schema) || schema.keys().all(notes))
}

/// The schema, and all that must hold with it: what its `$ref` leads to, the members of its `allOf`,
/// and theirs.
fn group<'d>(source: &Source<'d>, schema: &'d Object) -> Vec<&'d Object> {
    let mut found: Vec<&Object> = Vec::new();
    let mut open = vec![schema];
    while let Some(next) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, next)) {
            continue;
        }
        found.push(next);
        open.extend(source.target(next).and_then(Value::as_object));
        if !source.is_void(next) {
            let members = next.get("allOf").and_then(Value::as_array);
            open.extend(members.into_iter().flatten().filter_map(Value::as_object));
        }
    }
    found
}

/// The properties of a schema object that say, there or behind their `$ref` or in their `allOf`,
/// that they are `readOnly`.
fn read_only<'d>(source: &Source<'d>, schema: &'d Object) -> Vec<&'d str> {
    let says = |schema: &&Object| schema.get("readOnly") == Some(&Value::Bool(true));
    let excluded =
        |schema: &'d Value| schema.as_object().is_some_and(|schema| group(source, schema).iter().any(says));
    properties(source, schema).filter(|(_, schema)| excluded(schema)).map(|(name, _)| name.as_str()).collect()
}

/// Whether members of an `allOf` are closed in such a way that nothing is accepted: several are, or
/// one doesn't know a property that is required.
fn shuts_out(source: &Source<'_>, members: &[&Object]) -> bool {
    let closed: Vec<_> = members.iter().filter(|member| is_closed(source, member)).collect();
    let declares = |member: &Object, name: &str| {
        !source.is_void(member)
            && member.get("properties").and_then(Value::as_object).is_some_and(|map| map.contains_key(name))
    };
    let shuts = |only: &Object| {
        let mut required = members
            .iter()
            .flat_map(|member| if source.is_void(member) { Vec::new() } else { names(member, "required") });
        required.any(|name| !declares(only, name) && members.iter().any(|member| declares(member, name)))
    };
    match closed[..] {
        [] => false,
        [only] => shuts(only),
        _ => true,
    }
}
