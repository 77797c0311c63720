//! THE TABLE: what each keyword's value holds, and the walks over it.
//!
//! Conversion, reachability, rules and checks recurse by this table and by nothing else, so a name
//! is never mistaken for a keyword. To teach gen-tools a keyword, add a row; the test below holds
//! the rows to the published meta-schemas.

use std::sync::LazyLock;

use foldhash::HashMap;
use serde_json::{Map, Value};

/// What the value of a keyword holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// A schema, or a list of them (`items` before 2020-12).
    SchemaOrSchemas,
    /// A map from names to schemas.
    Map,
    /// A map from names to schemas or to lists of names (`dependencies` before 2019-09).
    MapOrNames,
    /// The address of a schema.
    Reference,
    /// OpenAPI's `discriminator`, which names schemas in its `mapping`.
    Mapping,
    /// Plain data, which may look like anything.
    Data,
}

/// What a schema below a keyword describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// A value of its own: a property, an item, a map's value, a definition.
    #[default]
    Value,
    /// The same value as the schema above, further constrained: a combinator's branch.
    Branch,
    /// A question about a value, whose answer may be no: `not`, `if`, `contains`.
    Test,
}

/// What a keyword does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Says which values are valid.
    Assertion,
    /// Says something about a value; JSON Schema 2020-12 knows it.
    Annotation,
    /// Names or holds schemas for references. References are resolved, so it is not emitted, and
    /// what it holds is reached through references only.
    Identity,
    /// Known to OpenAPI alone: converted, or dropped.
    OpenApi,
}

/// The form of a value, for keywords that hold data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Anything, or what `holds` says.
    Any,
    /// A number.
    Number,
    /// A whole number, zero or more.
    Count,
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A list of distinct strings.
    Names,
    /// A list.
    List,
    /// A map from names to lists of names.
    NamesByName,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyword {
    /// As it is written.
    pub(crate) name: &'static str,
    /// What its value holds.
    pub(crate) holds: Holds,
    /// What a schema in its value describes.
    pub(crate) role: Role,
    /// What it does.
    pub(crate) class: Class,
    /// The form of its value.
    pub(crate) form: Form,
}

const fn schema(name: &'static str, holds: Holds, role: Role, class: Class) -> Keyword {
    Keyword { name, holds, role, class, form: Form::Any }
}

const fn data(name: &'static str, class: Class, form: Form) -> Keyword {
    Keyword { name, holds: Holds::Data, role: Role::Value, class, form }
}

use Class::{Annotation, Assertion, Identity, OpenApi};
use Form::{Any, Count, Flag, List, Names, NamesByName, Number, Text};
use Holds::{Map as MapOf, MapOrNames, Mapping, Reference, Schema, SchemaOrSchemas, Schemas};
use Role::{Branch, Test, Value as Own};

/// Every keyword of JSON Schema (drafts 4, 6, 7, 2019-09, 2020-12) and of OpenAPI's Schema Object
/// (2.0 to 3.2), sorted by name.
pub(crate) const KEYWORDS: &[Keyword] = &[
    data("$anchor", Identity, Any),
    data("$comment", Annotation, Text),
    schema("$defs", MapOf, Own, Identity),
    data("$dynamicAnchor", Identity, Any),
    schema("$dynamicRef", Reference, Branch, Assertion),
    data("$id", Identity, Any),
    data("$recursiveAnchor", Identity, Any),
    schema("$recursiveRef", Reference, Branch, Assertion),
    schema("$ref", Reference, Branch, Assertion),
    data("$schema", Identity, Any),
    data("$vocabulary", Identity, Any),
    schema("additionalItems", Schema, Own, Assertion),
    schema("additionalProperties", Schema, Own, Assertion),
    schema("allOf", Schemas, Branch, Assertion),
    schema("anyOf", Schemas, Branch, Assertion),
    data("const", Assertion, Any),
    schema("contains", Schema, Test, Assertion),
    data("contentEncoding", Annotation, Text),
    data("contentMediaType", Annotation, Text),
    schema("contentSchema", Schema, Own, Annotation),
    data("default", Annotation, Any),
    schema("definitions", MapOf, Own, Identity),
    schema("dependencies", MapOrNames, Branch, Assertion),
    data("dependentRequired", Assertion, NamesByName),
    schema("dependentSchemas", MapOf, Branch, Assertion),
    data("deprecated", Annotation, Flag),
    data("description", Annotation, Text),
    schema("discriminator", Mapping, Own, OpenApi),
    schema("else", Schema, Branch, Assertion),
    data("enum", Assertion, List),
    data("example", OpenApi, Any),
    data("examples", Annotation, List),
    data("exclusiveMaximum", Assertion, Number),
    data("exclusiveMinimum", Assertion, Number),
    data("externalDocs", OpenApi, Any),
    data("format", Annotation, Text),
    data("id", Identity, Any),
    schema("if", Schema, Test, Assertion),
    schema("items", SchemaOrSchemas, Own, Assertion),
    data("maxContains", Assertion, Count),
    data("maxItems", Assertion, Count),
    data("maxLength", Assertion, Count),
    data("maxProperties", Assertion, Count),
    data("maximum", Assertion, Number),
    data("minContains", Assertion, Count),
    data("minItems", Assertion, Count),
    data("minLength", Assertion, Count),
    data("minProperties", Assertion, Count),
    data("minimum", Assertion, Number),
    data("multipleOf", Assertion, Number),
    schema("not", Schema, Test, Assertion),
    data("nullable", OpenApi, Any),
    schema("oneOf", Schemas, Branch, Assertion),
    data("pattern", Assertion, Text),
    schema("patternProperties", MapOf, Own, Assertion),
    schema("prefixItems", Schemas, Own, Assertion),
    schema("properties", MapOf, Own, Assertion),
    schema("propertyNames", Schema, Test, Assertion),
    data("readOnly", Annotation, Flag),
    data("required", Assertion, Names),
    schema("then", Schema, Branch, Assertion),
    data("title", Annotation, Text),
    data("type", Assertion, Any),
    schema("unevaluatedItems", Schema, Own, Assertion),
    schema("unevaluatedProperties", Schema, Own, Assertion),
    data("uniqueItems", Assertion, Flag),
    data("writeOnly", Annotation, Flag),
    data("x-nullable", OpenApi, Flag),
    data("xml", OpenApi, Any),
];

/// The row of a keyword; `None` for a name that no dialect knows.
pub(crate) fn keyword(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.get(row(name)?)
}

/// The index of a keyword's row.
fn row(name: &str) -> Option<usize> {
    static ROWS: LazyLock<HashMap<&str, usize>> =
        LazyLock::new(|| KEYWORDS.iter().map(|row| row.name).zip(0..).collect());
    ROWS.get(name).copied()
}

/// A set of keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keywords(u128);

impl Keywords {
    /// None.
    pub(crate) const NONE: Keywords = Keywords(0);

    /// What every schema has in common with this set, even one without keywords.
    pub(crate) const ALWAYS: Keywords = Keywords(1 << 127);

    /// The names of a constant that are keywords, by comparing bytes, since no more is constant.
    pub(crate) const fn of(names: &[&str]) -> Keywords {
        let (mut set, mut row) = (0, 0);
        while row < KEYWORDS.len() {
            let mut at = 0;
            while at < names.len() {
                if is_same(names[at].as_bytes(), KEYWORDS[row].name.as_bytes()) {
                    set |= 1 << row;
                }
                at += 1;
            }
            row += 1;
        }
        Keywords(set)
    }

    /// The keywords whose values must have some form.
    pub(crate) const fn with_form() -> Keywords {
        let (mut set, mut row) = (0, 0);
        while row < KEYWORDS.len() {
            if !matches!(KEYWORDS[row].form, Form::Any) {
                set |= 1 << row;
            }
            row += 1;
        }
        Keywords(set)
    }

    /// The keywords that a schema object has.
    pub(crate) fn in_schema(schema: &Map<String, Value>) -> Keywords {
        Keywords(schema.keys().filter_map(|name| row(name)).fold(Self::ALWAYS.0, |set, row| set | 1 << row))
    }

    /// The keywords of this set and another.
    pub(crate) fn with(self, other: Keywords) -> Keywords {
        Keywords(self.0 | other.0)
    }

    /// Whether each keyword of another set is in this one.
    #[cfg(test)]
    pub(crate) fn has(self, other: Keywords) -> bool {
        self.with(other).0 == self.0
    }

    /// Whether two sets have a keyword in common.
    pub(crate) fn meet(self, other: Keywords) -> bool {
        self.0 & other.0 != 0
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The value of a keyword. Most schemas have few, which are sooner looked through than hashed.
pub(crate) fn value<'v>(schema: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if schema.len() > 8 {
        return schema.get(name);
    }
    schema.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Whether a schema has a keyword; as [`value`].
pub(crate) fn has(schema: &Map<String, Value>, name: &str) -> bool {
    value(schema, name).is_some()
}

/// What a name does in a schema: an unknown one is an annotation (JSON Schema 2020-12, section
/// 6.5), an extension (`x-`) belongs to OpenAPI.
pub(crate) fn class(name: &str) -> Class {
    match keyword(name) {
        Some(row) => row.class,
        None if name.starts_with("x-") => OpenApi,
        None => Annotation,
    }
}

/// Whether null as the value of the keyword means null, rather than that a serialiser printed an
/// absent field.
pub(crate) fn takes_null(name: &str) -> bool {
    matches!(name, "const" | "default" | "example") || keyword(name).is_none()
}

/// Calls `visit` with each schema directly below a schema object, and the row of its keyword.
pub(crate) fn for_each_child<'v>(
    schema: &'v Map<String, Value>,
    visit: &mut dyn FnMut(&'v Value, &'static Keyword),
) {
    for (name, value) in schema {
        let Some(row) = keyword(name) else { continue };
        match (row.holds, value) {
            (Schemas | SchemaOrSchemas, Value::Array(children)) => {
                for child in children {
                    visit(child, row);
                }
            }
            (Schema | SchemaOrSchemas, child) => visit(child, row),
            (MapOf, Value::Object(children)) => {
                for child in children.values() {
                    visit(child, row);
                }
            }
            (MapOrNames, Value::Object(children)) => {
                for child in children.values().filter(|child| !child.is_array()) {
                    visit(child, row);
                }
            }
            _ => {}
        }
    }
}

/// As [`for_each_child`], with leave to change the children, and the name under which a child
/// stands in a map.
pub(crate) fn for_each_child_mut(
    schema: &mut Map<String, Value>,
    visit: &mut dyn FnMut(&mut Value, &'static Keyword, Option<&str>),
) {
    for (name, value) in schema {
        let Some(row) = keyword(name) else { continue };
        match (row.holds, value) {
            (Schemas | SchemaOrSchemas, Value::Array(children)) => {
                for child in children {
                    visit(child, row, None);
                }
            }
            (Schema | SchemaOrSchemas, child) => visit(child, row, None),
            (MapOf, Value::Object(children)) => {
                for (key, child) in children {
                    visit(child, row, Some(key));
                }
            }
            (MapOrNames, Value::Object(children)) => {
                for (key, child) in children.iter_mut().filter(|(_, child)| !child.is_array()) {
                    visit(child, row, Some(key));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
