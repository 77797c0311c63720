//! Random schemas, well formed and not, and random data that looks like them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use serde_json::{Value, json};

use super::super::keywords::{Class, Form, Holds, KEYWORDS, Keyword};

const TYPES: &[&str] = &["array", "object", "string", "integer", "number", "boolean", "null"];

const TEXTS: &[&str] = &["", "a", "A", "Title", "b\u{200b}", "\u{202e} key ", "array", " "];

const UNKNOWN: &[&str] = &["x-thing", "unknown", "Type", "requires", ""];

/// Definitions that references may lead to: their schemas have no reference.
const REFERENCES: &[&str] = &["#/$defs/a", "#/$defs/type"];

/// What random schemas may have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Anything, such as no validator takes.
    Wild,
    /// What JSON Schema 2020-12 knows, nearly always valid; with references or without. Few names,
    /// so that schemas and values meet.
    Valid { references: bool },
}

impl Kind {
    fn is_wild(self) -> bool {
        self == Kind::Wild
    }

    /// The least length of lists that may not be empty.
    fn least(self) -> usize {
        usize::from(!self.is_wild())
    }

    /// Names of properties and definitions, most of which look like keywords.
    fn name(self) -> impl Strategy<Value = &'static str> + Clone {
        let all = ["a", "type", "required", "properties", "items", "$ref", "$defs", "default", "x-thing"];
        select(if self.is_wild() { all.to_vec() } else { all[..3].to_vec() })
    }

    /// Valid patterns; where wild, others to be repaired and to be moved.
    fn pattern(self) -> impl Strategy<Value = &'static str> {
        let all = ["^a", "e", "\\-", "[\\w-.]", "(?i)a", "(?i)\u{200b}", "a++"];
        select(if self.is_wild() { all.to_vec() } else { all[..2].to_vec() })
    }
}

fn object(entries: Vec<(impl Into<String>, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn array(items: Vec<Value>) -> Value {
    Value::Array(items)
}

fn scalar() -> impl Strategy<Value = Value> {
    let numbers = vec![json!(0), json!(1), json!(1.0), json!(-2), json!(2.5), json!(10)];
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => select(numbers),
        1 => select(TEXTS).prop_map(Value::from),
        1 => select(TYPES).prop_map(Value::from),
    ]
}

/// Data: under `default` and the like, in place of what is expected, and to be validated.
pub(super) fn data(kind: Kind) -> BoxedStrategy<Value> {
    let wild = select(vec!["anyOf", "enum", "pattern", "title", "not"]);
    let key = if kind.is_wild() { prop_oneof![kind.name(), wild].boxed() } else { kind.name().boxed() };
    let nested = move |inner: BoxedStrategy<Value>| {
        let list = vec(inner.clone(), 0..3).prop_map(array);
        prop_oneof![list, vec((key.clone(), inner), 0..3).prop_map(object)]
    };
    scalar().prop_recursive(if kind.is_wild() { 3 } else { 2 }, 12, 3, nested).boxed()
}

/// A schema. Under [`Kind::Valid`] with references it has the definitions that they lead to.
pub(super) fn schema(kind: Kind) -> BoxedStrategy<Value> {
    if kind != (Kind::Valid { references: true }) {
        return recursive(kind);
    }
    let definition = || recursive(Kind::Valid { references: false });
    let with_definitions = |(mut schema, a, other): (Value, Value, Value)| {
        if let Value::Object(map) = &mut schema {
            map.insert("$defs".to_owned(), json!({"a": a, "type": other}));
        }
        schema
    };
    (recursive(kind), definition(), definition()).prop_map(with_definitions).boxed()
}

fn recursive(kind: Kind) -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        2 => any::<bool>().prop_map(Value::Bool),
        1 => Just(json!({})),
        4 => type_name().prop_map(|name| json!({"type": name})),
        2 => vec(scalar(), 1..3).prop_map(|values| json!({"enum": values})),
    ];
    let leaf = if kind.is_wild() { prop_oneof![6 => plain, 1 => scalar()].boxed() } else { plain.boxed() };
    leaf.prop_recursive(3, 30, 3, move |inner| vec(keyword(&inner, kind), 1..5).prop_map(object)).boxed()
}

/// The name of a type, most often of those that hold others.
fn type_name() -> impl Strategy<Value = Value> {
    prop_oneof![select(&TYPES[..2]), select(TYPES)].prop_map(Value::from)
}

/// A keyword or another name, and its value.
fn keyword(inner: &BoxedStrategy<Value>, kind: Kind) -> BoxedStrategy<(String, Value)> {
    let rows = KEYWORDS.iter().filter(|row| is_for(row, kind));
    let rows = rows.map(|row| {
        let named = value(row, inner.clone(), kind).prop_map(|value| (row.name.to_owned(), value));
        (weight(row, kind), named.boxed())
    });
    let known = Union::new_weighted(rows.collect());
    let owned = |(name, value): (&str, Value)| (name.to_owned(), value);
    let unknown = (select(UNKNOWN), data(kind)).prop_map(owned);
    let any_known = KEYWORDS.iter().map(|row| row.name).collect::<Vec<_>>();
    let ill_formed = (select(any_known), data(kind)).prop_map(owned);
    if kind.is_wild() {
        prop_oneof![12 => known, 1 => unknown, 2 => ill_formed].boxed()
    } else {
        prop_oneof![30 => known, 1 => unknown].boxed()
    }
}

fn is_for(row: &Keyword, kind: Kind) -> bool {
    match kind {
        Kind::Wild => true,
        // What names schemas only helps references, of which there are few here.
        Kind::Valid { references } => match (row.holds, row.class) {
            (Holds::Reference, _) => references && row.name == "$ref",
            (_, Class::Identity | Class::OpenApi) => false,
            _ => !matches!(row.name, "additionalItems" | "dependencies"),
        },
    }
}

/// How often a keyword comes up.
fn weight(row: &Keyword, kind: Kind) -> u32 {
    match row.name {
        "$ref" if !kind.is_wild() => 30,
        _ if is_ruled(row) => 6,
        _ => 1,
    }
}

/// Whether rules look at a keyword, or its meaning depends on others at a distance.
fn is_ruled(row: &Keyword) -> bool {
    let data = ["type", "enum", "const", "required", "pattern", "title", "description"];
    let schemas = [
        "properties",
        "patternProperties",
        "additionalProperties",
        "items",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
    ];
    let distant = ["not", "if", "unevaluatedItems", "unevaluatedProperties"];
    [&data[..], &schemas[..], &distant[..]].concat().contains(&row.name)
}

fn value(row: &'static Keyword, inner: BoxedStrategy<Value>, kind: Kind) -> BoxedStrategy<Value> {
    let list = vec(inner.clone(), kind.least()..4).prop_map(array);
    match row.holds {
        Holds::Schemas => list.boxed(),
        Holds::SchemaOrSchemas if kind.is_wild() => prop_oneof![inner, list].boxed(),
        Holds::Schema | Holds::SchemaOrSchemas => inner,
        Holds::Map if row.name == "patternProperties" => {
            vec((kind.pattern(), inner), 0..4).prop_map(object).boxed()
        }
        Holds::Map => vec((kind.name(), inner), 0..4).prop_map(object).boxed(),
        Holds::MapOrNames => {
            vec((kind.name(), prop_oneof![inner, names(kind)]), 0..3).prop_map(object).boxed()
        }
        Holds::Reference => select(REFERENCES).prop_map(Value::from).boxed(),
        Holds::Mapping => data(kind),
        Holds::Data => of_form(row, kind),
    }
}

fn of_form(row: &Keyword, kind: Kind) -> BoxedStrategy<Value> {
    match row.form {
        Form::Number if row.name == "multipleOf" => select(vec![json!(1), json!(0.5)]).boxed(),
        Form::Number => select(vec![json!(0), json!(1.0), json!(10)]).boxed(),
        Form::Count => (0..4).prop_map(Value::from).boxed(),
        Form::Text if row.name == "pattern" => kind.pattern().prop_map(Value::from).boxed(),
        Form::Text => select(TEXTS).prop_map(Value::from).boxed(),
        Form::Flag => any::<bool>().prop_map(Value::Bool).boxed(),
        Form::Names => names(kind),
        Form::List => vec(data(kind), kind.least()..4).prop_map(array).boxed(),
        Form::NamesByName => vec((kind.name(), names(kind)), 0..3).prop_map(object).boxed(),
        Form::Any if row.name == "type" => {
            let list = vec(select(TYPES), kind.least()..3).prop_map(Value::from);
            prop_oneof![3 => type_name(), 1 => list].boxed()
        }
        Form::Any => data(kind),
    }
}

/// Names; where wild, some stand twice.
fn names(kind: Kind) -> BoxedStrategy<Value> {
    let names = vec(kind.name(), 0..4).prop_map(move |mut names| {
        if !kind.is_wild() {
            names.sort_unstable();
            names.dedup();
        }
        Value::from(names)
    });
    names.boxed()
}
