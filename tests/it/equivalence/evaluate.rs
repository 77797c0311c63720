//! What a schema in a document accepts, in the document's own dialect: written from the
//! specifications, and shares nothing with the product.
//!
//! It reads a schema by the letter, or as the tool is meant to read it: then the rules of
//! [`super::rules`] bend single keywords, and each that had an effect is named.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::document::Version;
use super::rules::{Bent, Spot};

/// The properties and items that a schema has looked at, for `unevaluatedProperties` and
/// `unevaluatedItems` (2020-12 core, section 11).
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    names: BTreeSet<String>,
    items: BTreeSet<usize>,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.names.extend(other.names);
        self.items.extend(other.items);
    }
}

/// What judges a value: the schema accepts it and has looked at so much, or refuses it.
type Judged = Option<Seen>;

/// A document whose schemas are asked.
pub(crate) struct Source<'d> {
    document: &'d Value,
    pub(super) version: Version,
    /// Whether the rules apply.
    pub(super) bent: bool,
    fired: RefCell<BTreeSet<(&'static str, bool)>>,
    outside: Cell<Option<&'static str>>,
    depth: Cell<u32>,
}

/// A schema object.
type Object = Map<String, Value>;

impl<'d> Source<'d> {
    /// By the letter, or `bent` by the rules.
    pub(crate) fn new(document: &'d Value, bent: bool) -> Self {
        Source {
            document,
            version: Version::of(document),
            bent,
            fired: RefCell::default(),
            outside: Cell::default(),
            depth: Cell::default(),
        }
    }

    /// Whether the schema at a place accepts a value.
    ///
    /// # Errors
    /// What of the document is outside of what is understood here.
    pub(crate) fn accepts(&self, pointer: &str, value: &Value) -> Result<bool, &'static str> {
        let schema = self.document.pointer(pointer).ok_or("no schema there")?;
        let verdict = self.judge(schema, value, &Spot::argument()).is_some();
        self.outside.take().map_or(Ok(verdict), Err)
    }

    /// The rules that had an effect since this was last asked, each with whether that was where more
    /// may have become less and less more: in a branch of `oneOf`, or in a test.
    pub(crate) fn take_fired(&self) -> BTreeSet<(&'static str, bool)> {
        self.fired.take()
    }

    /// Says that a rule had an effect.
    pub(super) fn fire(&self, rule: &'static str, spot: &Spot<'_>) {
        self.fired.borrow_mut().insert((rule, spot.one_of || spot.exact));
    }

    /// Says that the document is none that is understood here.
    pub(super) fn leave(&self, why: &'static str) {
        self.outside.set(Some(why));
    }

    /// Whether what stands beside this schema's `$ref` says nothing.
    pub(super) fn is_void(&self, schema: &Object) -> bool {
        self.version != Version::V31 && schema.get("$ref").is_some_and(Value::is_string)
    }

    /// Where a schema's `$ref` leads.
    pub(super) fn target(&self, schema: &Object) -> Option<&'d Value> {
        let text = schema.get("$ref")?.as_str()?;
        let found = text.strip_prefix('#').map(decoded).and_then(|pointer| self.document.pointer(&pointer));
        if found.is_none() {
            self.leave("a reference that leads nowhere");
        }
        found
    }

    fn judge(&self, schema: &'d Value, value: &Value, spot: &Spot<'d>) -> Judged {
        if self.depth.get() > 150 {
            self.leave("a circle");
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let judged = match schema {
            Value::Bool(true) => Some(Seen::default()),
            Value::Bool(false) => None,
            Value::Object(object) => self.object(object, value, spot),
            _ => {
                self.leave("a schema that is none");
                None
            }
        };
        self.depth.set(self.depth.get() - 1);
        judged
    }

    fn object(&self, schema: &'d Object, value: &Value, spot: &Spot<'d>) -> Judged {
        let bent = Bent::of(self, schema, spot);
        if value.is_null() && bent.takes_null {
            self.fire("nullable-combinator", spot);
            return Some(Seen::default());
        }
        let mut seen = Seen::default();
        if let Some(target) = self.target(schema) {
            seen.add(self.judge(target, value, &bent.through_reference(self, target, spot))?);
            if self.is_void(schema) {
                return Some(seen);
            }
        }
        if !(self.type_holds(schema, value, &bent, spot) && self.values_hold(schema, value, &bent, spot)) {
            return None;
        }
        match value {
            Value::Number(number) if !Self::number_holds(schema, number) => return None,
            Value::String(text) if !self.text_holds(schema, text, &bent, spot) => return None,
            _ => {}
        }
        if let Value::Object(map) = value {
            seen.add(self.properties(schema, map, &bent, spot)?);
        }
        if let Value::Array(items) = value {
            seen.add(self.items(schema, items, &bent, spot)?);
        }
        seen.add(self.combinators(schema, value, &bent, spot)?);
        seen.add(self.conditionals(schema, value, spot)?);
        self.rest(schema, value, &bent, spot, seen)
    }

    fn type_holds(&self, schema: &'d Object, value: &Value, bent: &Bent<'d>, spot: &Spot<'d>) -> bool {
        if bent.is_object && !value.is_object() {
            self.fire("object-type", spot);
            return false;
        }
        if bent.is_text && !value.is_string() {
            self.fire("binary", spot);
            return false;
        }
        let names: Vec<&str> = match schema.get("type") {
            None => return true,
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) if !names.is_empty() => {
                names.iter().filter_map(Value::as_str).collect()
            }
            Some(_) => {
                self.leave("`type`");
                return false;
            }
        };
        // 3.0.4, Schema Object: `nullable` beside `type` adds null to it.
        let nullable = self.version == Version::V30 && schema.get("nullable") == Some(&Value::Bool(true));
        if value.is_null() && nullable {
            return true;
        }
        if value.is_null() && bent.adds_null {
            self.fire("nullable", spot);
            return true;
        }
        names.iter().any(|name| has_type(value, name))
    }

    fn values_hold(&self, schema: &Object, value: &Value, bent: &Bent<'d>, spot: &Spot<'d>) -> bool {
        if let Some(only) = schema.get("const").filter(|_| self.version == Version::V31)
            && !equal(only, value)
        {
            if value.is_null() && bent.adds_null {
                self.fire("nullable", spot);
                return true;
            }
            return false;
        }
        let Some(allowed) = schema.get("enum") else { return true };
        let Some(allowed) = allowed.as_array() else {
            self.leave("`enum`");
            return false;
        };
        if allowed.iter().any(|allowed| equal(allowed, value)) {
            return true;
        }
        if allowed.is_empty() && bent.drops_empty {
            self.fire("empty-keyword", spot);
            return true;
        }
        if value.is_null() && bent.adds_null {
            self.fire("nullable", spot);
            return true;
        }
        false
    }

    fn number_holds(schema: &Object, number: &Number) -> bool {
        let value = scaled(number);
        let limit = |name: &str| match schema.get(name) {
            Some(Value::Number(limit)) => Some(scaled(limit)),
            _ => None,
        };
        let flag = |name: &str| schema.get(name) == Some(&Value::Bool(true));
        let mut holds = limit("minimum")
            .is_none_or(|least| if flag("exclusiveMinimum") { value > least } else { value >= least });
        holds &= limit("maximum")
            .is_none_or(|most| if flag("exclusiveMaximum") { value < most } else { value <= most });
        holds &= limit("exclusiveMinimum").is_none_or(|least| value > least);
        holds &= limit("exclusiveMaximum").is_none_or(|most| value < most);
        holds && limit("multipleOf").is_none_or(|part| value % part == 0)
    }

    fn text_holds(&self, schema: &Object, text: &str, bent: &Bent<'d>, spot: &Spot<'d>) -> bool {
        let length = text.chars().count();
        let mut holds = count(schema, "minLength").is_none_or(|least| length >= least);
        holds &= count(schema, "maxLength").is_none_or(|most| length <= most);
        if let Some(Value::String(pattern)) = schema.get("pattern") {
            match matches(pattern, text) {
                Some(found) => holds &= found,
                None if spot.exact => self.leave("a pattern that can't be read, in a test"),
                None => self.fire("pattern", spot),
            }
        }
        if !holds && bent.is_bytes {
            self.fire("binary", spot);
            return true;
        }
        holds
    }

    fn properties(&self, schema: &'d Object, map: &Object, bent: &Bent<'d>, spot: &Spot<'d>) -> Judged {
        let mut seen = Seen::default();
        let size = map.len();
        if count(schema, "minProperties").is_some_and(|least| size < least)
            || count(schema, "maxProperties").is_some_and(|most| size > most)
            || !bent.required.iter().all(|name| map.contains_key(*name))
        {
            return None;
        }
        let value = Bent::own(spot);
        for (name, entry) in map {
            let mut known = false;
            if let Some(property) = member(schema, "properties", name) {
                if bent.absent.contains(&name.as_str()) {
                    self.fire("read-only", spot);
                } else {
                    self.judge(property, entry, &value)?;
                    known = true;
                }
            }
            for (pattern, property) in entries(schema, "patternProperties") {
                if matches(pattern, name).unwrap_or_else(|| {
                    self.leave("a key of `patternProperties`");
                    false
                }) {
                    self.judge(property, entry, &value)?;
                    known = true;
                }
            }
            if let Some(rest) = schema.get("additionalProperties").filter(|_| !known) {
                if *rest == Value::Bool(false) && bent.opened {
                    self.fire("closed-allof", spot);
                } else {
                    self.judge(rest, entry, &value)?;
                    known = true;
                }
            }
            if bent.declared.contains(&name.as_str()) && !known {
                self.fire("required-known", spot);
                known = true;
            }
            if known {
                seen.names.insert(name.clone());
            }
            if let Some(names) = schema.get("propertyNames") {
                self.judge(names, &Value::String(name.clone()), &Bent::test(spot))?;
            }
            if let Some(names) = member(schema, "dependentRequired", name)
                && !names
                    .as_array()
                    .into_iter()
                    .flatten()
                    .all(|name| map.contains_key(name.as_str().unwrap_or("")))
            {
                return None;
            }
        }
        Some(seen)
    }

    fn items(&self, schema: &'d Object, items: &[Value], bent: &Bent<'d>, spot: &Spot<'d>) -> Judged {
        let mut seen = Seen::default();
        let size = items.len();
        let repeats = || (0..size).any(|at| items[..at].iter().any(|other| equal(other, &items[at])));
        if count(schema, "minItems").is_some_and(|least| size < least)
            || count(schema, "maxItems").is_some_and(|most| size > most)
            || (schema.get("uniqueItems") == Some(&Value::Bool(true)) && repeats())
        {
            return None;
        }
        let value = Bent::own(spot);
        let prefix = list(schema, "prefixItems");
        for (at, (item, schema)) in items.iter().zip(prefix).enumerate() {
            self.judge(schema, item, &value)?;
            seen.items.insert(at);
        }
        if let Some(rest) = schema.get("items") {
            for (at, item) in items.iter().enumerate().skip(prefix.len()) {
                self.judge(rest, item, &value)?;
                seen.items.insert(at);
            }
        }
        if let Some(wanted) = schema.get("contains") {
            let found: Vec<usize> =
                (0..size).filter(|at| self.judge(wanted, &items[*at], &Bent::test(spot)).is_some()).collect();
            if found.len() < count(schema, "minContains").unwrap_or(1)
                || count(schema, "maxContains").is_some_and(|most| found.len() > most)
            {
                return None;
            }
            seen.items.extend(found);
        }
        if bent.sees_items && (0..size).any(|at| !seen.items.contains(&at)) {
            self.fire("array-items", spot);
            seen.items.extend(0..size);
        }
        Some(seen)
    }

    fn combinators(&self, schema: &'d Object, value: &Value, bent: &Bent<'d>, spot: &Spot<'d>) -> Judged {
        let mut seen = Seen::default();
        for member in list(schema, "allOf") {
            seen.add(self.judge(member, value, &bent.member(spot))?);
        }
        for name in ["anyOf", "oneOf"] {
            let Some(branches) = schema.get(name) else { continue };
            let branches = branches.as_array().map_or(&[][..], Vec::as_slice);
            if branches.is_empty() && bent.drops_empty {
                self.fire("empty-keyword", spot);
                continue;
            }
            let below = Bent::branch(spot, name == "oneOf");
            let found: Vec<Seen> =
                branches.iter().filter_map(|branch| self.judge(branch, value, &below)).collect();
            if found.is_empty() || (name == "oneOf" && found.len() > 1) {
                return None;
            }
            for found in found {
                seen.add(found);
            }
        }
        if let Some(refused) = schema.get("not")
            && self.judge(refused, value, &Bent::test(spot)).is_some()
        {
            return None;
        }
        Some(seen)
    }

    fn conditionals(&self, schema: &'d Object, value: &Value, spot: &Spot<'d>) -> Judged {
        let mut seen = Seen::default();
        if let Some(condition) = schema.get("if") {
            let answer = self.judge(condition, value, &Bent::test(spot));
            let branch = if answer.is_some() { "then" } else { "else" };
            seen.add(answer.unwrap_or_default());
            if let Some(branch) = schema.get(branch) {
                seen.add(self.judge(branch, value, &Bent::branch(spot, false))?);
            }
        }
        for (name, dependent) in entries(schema, "dependentSchemas") {
            if value.get(name).is_some() {
                seen.add(self.judge(dependent, value, &Bent::branch(spot, false))?);
            }
        }
        Some(seen)
    }

    /// What nothing has looked at.
    fn rest(
        &self,
        schema: &'d Object,
        value: &Value,
        bent: &Bent<'d>,
        spot: &Spot<'d>,
        mut seen: Seen,
    ) -> Judged {
        if let Value::Object(map) = value {
            let unseen: Vec<_> = map.iter().filter(|(name, _)| !seen.names.contains(*name)).collect();
            if bent.closes {
                self.fire("closed-allof", spot);
                if !unseen.is_empty() {
                    return None;
                }
            } else if let Some(rest) = schema.get("unevaluatedProperties") {
                for (_, entry) in &unseen {
                    self.judge(rest, entry, &Bent::own(spot))?;
                }
                seen.names = map.keys().cloned().collect();
            }
        }
        if let (Value::Array(items), Some(rest)) = (value, schema.get("unevaluatedItems")) {
            for (at, item) in items.iter().enumerate() {
                if !seen.items.contains(&at) {
                    self.judge(rest, item, &Bent::own(spot))?;
                }
            }
            seen.items = (0..items.len()).collect();
        }
        Some(seen)
    }
}

fn member<'d>(schema: &'d Object, keyword: &str, name: &str) -> Option<&'d Value> {
    schema.get(keyword)?.as_object()?.get(name)
}

fn entries<'d>(schema: &'d Object, keyword: &str) -> impl Iterator<Item = (&'d String, &'d Value)> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

fn list<'d>(schema: &'d Object, keyword: &str) -> &'d [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A count, as 2 or 2.0.
fn count(schema: &Object, keyword: &str) -> Option<usize> {
    let number = schema.get(keyword)?.as_number()?;
    usize::try_from(scaled(number) / SCALE).ok()
}

/// A fragment of a URI without its percent escapes.
pub(crate) fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        let escape = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).expect("references of the tests are UTF-8")
}

fn has_type(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        // 1.0 is one since draft 6; readers of draft 4 that see JSON numbers take it, too.
        ("integer", Value::Number(number)) => scaled(number) % SCALE == 0,
        _ => false,
    }
}

const SCALE: i128 = 1_000_000;

/// A number of the tests in millionths, exactly.
fn scaled(number: &Number) -> i128 {
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power: i32 = exponent.parse().expect("a small exponent");
    let power = power - i32::try_from(fraction.len()).expect("a short fraction") + 6;
    let digits: i128 = format!("{whole}{fraction}").parse().expect("digits");
    let ten = |power: i32| 10_i128.pow(u32::try_from(power).expect("a small power"));
    if power >= 0 { digits * ten(power) } else { digits / ten(-power) }
}

/// Equal as JSON Schema sees it: 1 is 1.0.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => scaled(a) == scaled(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Whether a pattern of the tests matches; `None` for one that ECMA-262 refuses.
fn matches(pattern: &str, text: &str) -> Option<bool> {
    Some(match pattern {
        "^a" => text.starts_with('a'),
        "b$" => text.ends_with('b'),
        "^[a-c]*$" => text.chars().all(|c| ('a'..='c').contains(&c)),
        "x|y" => text.contains(['x', 'y']),
        "^.{2}$" => text.chars().count() == 2,
        "\\-" => text.contains('-'),
        _ => return None,
    })
}
