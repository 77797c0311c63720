//! The normaliser: named rules, each on one schema object whose subschemas are finished.
//!
//! A rule never recurses, so it cannot mistake a name for a keyword; [`normalise`] and conversion
//! bring it to every schema by the table of keywords. Rules only narrow what an input accepts, but
//! for those of patterns that no reader understands, and only widen what an output may be; a second
//! run changes nothing.

use foldhash::HashSet;
use foldhash::fast::RandomState;
use serde_json::{Map, Value, json};

use super::keywords::{self, Holds, Keywords, Role, takes_null};
use super::number;
use super::output::one_of_any;
use super::pattern::{self, Verdict, pattern_properties_valid, pattern_valid};
use super::{Direction, text};
use crate::diagnostic::Code;

/// Where a schema stands, for rules that ask.
pub(crate) struct Site<'a> {
    /// What it describes.
    pub(crate) role: Role,
    /// The name of the property, argument or definition that it is the schema of.
    pub(crate) key: Option<&'a str>,
    /// Whether its answer may be negated somewhere above, so that nothing may be narrowed.
    pub(crate) exact: bool,
    /// Which way its values travel.
    pub(crate) direction: Direction,
    /// Whether it is a tool's argument.
    pub(crate) argument: bool,
    /// Takes diagnostics about it, each with the keyword that it is about.
    pub(crate) report: &'a dyn Fn(Code, &str, String),
    /// Whether a pattern compiles.
    pub(crate) pattern: &'a dyn Fn(&str) -> Verdict,
    /// The one type of what a `#/$defs/...` reference leads to.
    pub(crate) type_of: &'a dyn Fn(&str) -> Option<&'static str>,
}

type Rule = fn(&mut Map<String, Value>, &Site<'_>);

/// The rules by name, in the order in which they run: what drops a keyword comes before what asks
/// whether there is one, so that a second run changes nothing. Each has the keywords without one of
/// which it does nothing, and those that it may add.
pub(crate) const RULES: &[(&str, Keywords, Keywords, Rule)] = &[
    ("schema-shape", Keywords::ALWAYS, Keywords::NONE, schema_shape),
    ("required-unique", Keywords::of(&["required"]), Keywords::NONE, required_unique),
    ("enum-unique", Keywords::of(&["enum", "examples"]), Keywords::NONE, enum_unique),
    ("empty-keyword", Keywords::ALWAYS, Keywords::of(&["not"]), empty_keyword),
    ("pattern", Keywords::of(&["pattern"]), DESCRIPTION, pattern_valid),
    ("pattern-properties", Keywords::of(&["patternProperties"]), DESCRIPTION, pattern_properties_valid),
    ("object-type", Keywords::of(&["properties", "required"]), TYPE, object_type),
    ("required-known", Keywords::of(&["required"]), Keywords::of(&["properties"]), required_known),
    ("any-of", Keywords::of(&["oneOf"]), Keywords::of(&["allOf", "anyOf"]), one_of_any),
    ("type-visible", Keywords::of(&["$ref", "allOf", "anyOf", "oneOf", "enum", "const"]), TYPE, type_visible),
    ("array-items", TYPE, Keywords::of(&["items"]), array_items),
    ("hidden-text", Keywords::ALWAYS, Keywords::NONE, hidden_text),
    ("title", Keywords::of(&["title"]), Keywords::NONE, title),
];

const DESCRIPTION: Keywords = Keywords::of(&["description"]);
const TYPE: Keywords = Keywords::of(&["type"]);

/// Runs every rule on one schema object.
pub(super) fn apply(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let mut present = Keywords::in_schema(schema);
    for (_, needed, added, rule) in RULES {
        if present.meet(*needed) {
            rule(schema, site);
            present = present.with(*added);
        }
    }
}

/// Normalises a finished JSON Schema in place: the schema that is an argument called `key`, and
/// every schema in it, children first.
///
/// What generated tools hold has been through the same rules. `schema` is 2020-12; an object that
/// is data (in `default`, `enum`, an unknown keyword) or a map of names is not entered.
pub fn normalise(schema: &mut Value, key: &str) {
    let site = Site {
        role: Role::Value,
        key: Some(key),
        exact: false,
        direction: Direction::Input,
        argument: true,
        report: &|_, _, _| {},
        pattern: &pattern::check,
        type_of: &|_| None,
    };
    normalise_below(schema, &site);
    *schema = boolean_argument(schema.take());
}

fn normalise_below(schema: &mut Value, site: &Site<'_>) {
    if let Value::String(name) = schema {
        *schema = json!({"type": name});
    }
    let Value::Object(map) = schema else { return };
    keywords::for_each_child_mut(map, &mut |child, row, key| {
        let exact = site.exact || row.role == Role::Test;
        normalise_below(child, &Site { role: row.role, key, exact, argument: false, ..*site });
    });
    apply(map, site);
}

/// `boolean-argument`: older TypeScript clients refuse a whole list over a boolean schema there.
pub(super) fn boolean_argument(schema: Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        other => other,
    }
}

/// `schema-shape`: null in place of an absent keyword is dropped. (A type's name in place of a
/// schema is repaired where the schema is entered.)
fn schema_shape(schema: &mut Map<String, Value>, _: &Site<'_>) {
    if schema.values().any(Value::is_null) {
        schema.retain(|name, value| !value.is_null() || takes_null(name));
    }
}

const COMBINATORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

fn has_any(schema: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| keywords::has(schema, name))
}

/// `object-type`: hosts want a `type`, and a schema with `properties` that describes a value of its
/// own means an object. Never in a branch or a test, where it would change the meaning, nor where
/// nothing may be narrowed.
fn object_type(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let own_value = site.role == Role::Value && !site.exact && site.direction.narrows();
    if own_value && means_object(&|name| keywords::has(schema, name)) {
        schema.shift_insert(0, "type".to_owned(), json!("object"));
    }
}

/// Whether a schema with these keywords describes an object without saying so.
pub(super) fn means_object(has: &dyn Fn(&str) -> bool) -> bool {
    let says = ["type", "$ref", "enum", "const"].into_iter().chain(COMBINATORS).any(has);
    !says && (has("properties") || has("required"))
}

/// `array-items`: OpenAI and VS Code refuse an array without `items`. Where nothing else can evaluate
/// items, `unevaluatedItems` says the same as `items`; elsewhere `items` would silence it.
fn array_items(schema: &mut Map<String, Value>, _: &Site<'_>) {
    let array = match keywords::value(schema, "type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.contains(&json!("array")),
        _ => false,
    };
    if !array || keywords::has(schema, "items") {
        return;
    }
    let elsewhere = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "contains", "not"];
    match keywords::value(schema, "unevaluatedItems") {
        Some(_) if has_any(schema, &elsewhere) => {}
        Some(_) => {
            let rest = schema.shift_remove("unevaluatedItems").unwrap_or_default();
            schema.insert("items".to_owned(), rest);
        }
        None => drop(schema.insert("items".to_owned(), json!({}))),
    }
}

/// `required-unique`: the meta-schema asks for distinct names.
fn required_unique(schema: &mut Map<String, Value>, _: &Site<'_>) {
    if let Some(Value::Array(names)) = schema.get_mut("required") {
        if are_distinct_texts(names) {
            return;
        }
        let mut seen = HashSet::default();
        names.retain(|name| name.as_str().is_none_or(|name| seen.insert(name.to_owned())));
    }
}

/// `enum-unique`: VS Code refuses repeated values; the first of equals stays. Equal `examples` say
/// nothing more.
fn enum_unique(schema: &mut Map<String, Value>, _: &Site<'_>) {
    for name in ["enum", "examples"] {
        if let Some(Value::Array(values)) = schema.get_mut(name) {
            retain_distinct(values);
        }
    }
}

fn retain_distinct(values: &mut Vec<Value>) {
    if are_distinct_texts(values) {
        return;
    }
    let mut seen = HashSet::default();
    values.retain(|value| seen.insert(number::canonical(value)));
}

/// Whether values are strings, each another: nearly all lists of values are.
fn are_distinct_texts(values: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity_and_hasher(values.len(), RandomState::default());
    values.iter().all(|value| value.as_str().is_some_and(|text| seen.insert(text)))
}

/// `empty-keyword`: an empty list says nothing, or forbids everything by accident. In a test it is
/// what it says, in words that every reader takes.
fn empty_keyword(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.trim_start().is_empty(),
        _ => false,
    };
    if !schema.values().any(empty) {
        return;
    }
    for name in ["enum", "anyOf", "oneOf"] {
        if site.exact && is_empty_list(keywords::value(schema, name)) {
            schema.shift_remove(name);
            schema.insert("not".to_owned(), json!({}));
        }
    }
    for name in ["enum", "allOf", "anyOf", "oneOf"] {
        if is_empty_list(keywords::value(schema, name)) {
            schema.shift_remove(name);
            (site.report)(Code::EmptyKeyword, name, format!("`{name}` is empty; dropped"));
        }
    }
    for name in ["title", "description"] {
        if keywords::value(schema, name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
            schema.shift_remove(name);
        }
    }
    for name in ["required", "type", "prefixItems"] {
        if is_empty_list(keywords::value(schema, name)) {
            schema.shift_remove(name);
        }
    }
}

fn is_empty_list(value: Option<&Value>) -> bool {
    value.and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// `required-known`: hosts want required names declared. Declared as `additionalProperties` says,
/// the meaning stays; where that is `false` no object would do, and the name is dropped.
fn required_known(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let elsewhere = ["allOf", "$ref", "patternProperties", "unevaluatedProperties"];
    let object = match keywords::value(schema, "type") {
        None => true,
        Some(Value::String(name)) => name == "object",
        Some(names) => names.as_array().is_some_and(|names| names.contains(&json!("object"))),
    };
    if site.role != Role::Value || site.exact || !object || has_any(schema, &elsewhere) {
        return;
    }
    let Some(Value::Array(required)) = keywords::value(schema, "required") else { return };
    let declared = keywords::value(schema, "properties").and_then(Value::as_object);
    let unknown: Vec<String> = required
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| declared.is_none_or(|declared| !declared.contains_key(*name)))
        .map(str::to_owned)
        .collect();
    if unknown.is_empty() {
        return;
    }
    let names = unknown.join(", ");
    let rest = keywords::value(schema, "additionalProperties").cloned().unwrap_or(Value::Bool(true));
    if rest == Value::Bool(false) {
        (site.report)(
            Code::DroppedRequired,
            "required",
            format!("`required` names {names}, which `additionalProperties: false` forbids; dropped"),
        );
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required
                .retain(|name| name.as_str().is_none_or(|name| !unknown.iter().any(|known| known == name)));
        }
        empty_keyword(schema, site);
        return;
    }
    (site.report)(
        Code::DeclaredRequired,
        "required",
        format!("`required` names {names}, which `properties` doesn't declare; declared"),
    );
    if !keywords::has(schema, "properties") {
        let at = schema.keys().position(|name| name == "required").unwrap_or(0);
        schema.shift_insert(at, "properties".to_owned(), json!({}));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(unknown.into_iter().map(|name| (name, boolean_argument(rest.clone()))));
    }
}

/// `type-visible`: the one type that a union, or an argument, allows is said beside it: models send
/// an object as a string where they don't see `type: object`. It changes nothing that is accepted.
fn type_visible(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let union = has_any(schema, &["anyOf", "oneOf"]);
    if keywords::has(schema, "type") || site.exact || !(union || site.argument) {
        return;
    }
    if let Some(found) = allowed_type(schema, site) {
        schema.shift_insert(0, "type".to_owned(), json!(found));
    }
}

/// The one type that every value of a finished schema has.
fn allowed_type(schema: &Map<String, Value>, site: &Site<'_>) -> Option<String> {
    match keywords::value(schema, "type") {
        Some(Value::String(name)) => return Some(name.clone()),
        Some(_) => return None,
        None => {}
    }
    let of = |branch: &Value| allowed_type(branch.as_object()?, site);
    if let Some(found) = keywords::value(schema, "$ref").and_then(Value::as_str).and_then(site.type_of) {
        return Some(found.to_owned());
    }
    let list = |name: &str| keywords::value(schema, name).and_then(Value::as_array);
    if let Some(found) = list("allOf").and_then(|members| members.iter().find_map(of)) {
        return Some(found);
    }
    for branches in ["anyOf", "oneOf"].into_iter().filter_map(list) {
        if let Some(found) = common(branches.iter().map(of)) {
            return Some(found);
        }
    }
    common(list("enum").into_iter().flatten().chain(keywords::value(schema, "const")).map(type_of_value))
}

fn common(mut types: impl Iterator<Item = Option<String>>) -> Option<String> {
    let first = types.next()??;
    types.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

fn type_of_value(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        // `1.0` is an integer, too: a number's type says more than the number.
        Value::Number(_) | Value::Null => return None,
    };
    Some(name.to_owned())
}

/// `hidden-text`: characters that show nothing hide text from reviewers. They are removed from texts;
/// names and data that have them stay, and are reported.
fn hidden_text(schema: &mut Map<String, Value>, site: &Site<'_>) {
    for (name, value) in schema.iter_mut() {
        let place = match (value, keywords::keyword(name).map(|row| row.holds)) {
            (Value::String(text), _) if matches!(name.as_str(), "title" | "description" | "$comment") => {
                if text::hides(text) {
                    *text = text::clean(text).into_owned();
                    let message = format!("`{name}` has characters that show nothing; removed");
                    (site.report)(Code::HiddenText, name, message);
                }
                continue;
            }
            (Value::Object(entries), Some(Holds::Map | Holds::MapOrNames)) => {
                entries.keys().find(|key| text::hides(key)).map(|key| ("a name", key.as_str()))
            }
            (data, Some(Holds::Data | Holds::Mapping) | None) => {
                hidden_in(data).map(|text| ("a value", text))
            }
            _ => None,
        };
        if let Some((what, text)) = place {
            let message = format!("{what} in `{name}` has characters that show nothing: {text:?}; kept");
            (site.report)(Code::HiddenText, name, message);
        }
    }
}

/// The first name or string in data that hides something.
fn hidden_in(data: &Value) -> Option<&str> {
    match data {
        Value::String(text) => Some(text.as_str()).filter(|text| text::hides(text)),
        Value::Array(items) => items.iter().find_map(hidden_in),
        Value::Object(entries) => entries.iter().find_map(|(key, value)| {
            Some(key.as_str()).filter(|key| text::hides(key)).or_else(|| hidden_in(value))
        }),
        _ => None,
    }
}

/// `title`: dropped where it only repeats the key (18 % of Airflow's bytes).
fn title(schema: &mut Map<String, Value>, site: &Site<'_>) {
    let letters = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let repeats = match (keywords::value(schema, "title").and_then(Value::as_str), site.key) {
        (Some(title), Some(key)) => letters(title) == letters(key),
        (Some(title), None) => title.trim().is_empty(),
        (None, _) => false,
    };
    if repeats {
        schema.shift_remove("title");
    }
}

#[cfg(test)]
mod tests;
