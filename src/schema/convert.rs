//! One walk from a place to a finished schema, children first: references become names of
//! definitions, the dialect's conversions and the normaliser's rules run on every schema object.

use serde_json::{Map, Value, json};

use super::closure::Overlay;
use super::definitions::{Definitions, invalid};
use super::dialect::Refusal;
use super::group::Group;
use super::keywords::{self, Class, Holds, Keyword, Role, class, takes_null};
use super::reference::{self, Copied};
use super::rules::{self, Site};
use super::{Dialect, Schema, cycle, discriminator, look, output};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node, Place};

/// How a schema is used where it stands.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a place, most of them rare")]
pub(super) struct Spot<'a> {
    /// What it describes.
    pub(super) role: Role,
    /// The name of the property, argument or definition that it is the schema of.
    pub(super) key: Option<&'a str>,
    /// Whether nothing may be narrowed: it stands in a test.
    pub(super) exact: bool,
    /// Whether it is a tool's argument.
    pub(super) argument: bool,
    /// What is said beside it.
    pub(super) overlay: Option<&'a Overlay<'a>>,
    /// Whether it is a member of an `allOf`.
    pub(super) member: bool,
    /// Whether it is a branch of a `oneOf`, where a base that lists its subtypes would match with each
    /// of them.
    pub(super) alternative: bool,
    /// Whether `additionalProperties: false` is left out, since the `allOf` above is closed as one.
    pub(super) opened: bool,
    /// Properties that another member of the `allOf` above says travel the other way, sorted.
    pub(super) excluded: &'a [&'a str],
    /// Whether its union is left out: its subclasses refer to it.
    pub(super) without_union: bool,
    /// The definition that it is in, as long as it describes the same value.
    pub(super) origin: Option<Place>,
    /// The copies that this is in.
    pub(super) copied: Option<&'a Copied<'a>>,
    /// How many schemas it is in.
    pub(super) depth: u32,
}

/// The most schemas that one may be in, once what is copied counts.
const MAX_DEPTH: u32 = 256;

/// The most schemas that one definition or argument may copy from elsewhere.
const MAX_COPIES: u32 = 100_000;

/// Converts the schema at a place.
///
/// # Errors
/// What cannot be converted without changing what it accepts.
pub(super) fn schema<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    let node = schema.node;
    if spot.depth > MAX_DEPTH || (spot.copied.is_some() && cx.count_copy() > MAX_COPIES) {
        let message = format!(
            "what is copied to where it is used nests more than {MAX_DEPTH} levels deep, or comes to more than \
             {MAX_COPIES} schemas"
        );
        return Err(node.diagnostic(Code::InvalidSchema, message));
    }
    match node.kind() {
        Kind::Object => object(cx, schema, spot),
        Kind::Bool(accepts) => Ok(match spot.overlay {
            Some(overlay) if overlay.description.is_some() => {
                let map = if accepts { Map::new() } else { Map::from_iter([("not".to_owned(), json!({}))]) };
                literal(cx, map, spot)
            }
            _ => Value::Bool(accepts),
        }),
        Kind::String => {
            cx.report(node.diagnostic(
                Code::RepairedShape,
                format!("a schema is {:?}; taken as that type", node.text()),
            ));
            let map = Map::from_iter([("type".to_owned(), json!(node.text()))]);
            finish(cx, schema, map, spot)
        }
        // How PHP prints an empty object.
        Kind::Array if node.items().next().is_none() => {
            cx.report(
                node.diagnostic(Code::RepairedShape, "a schema is an empty list; taken as an empty object"),
            );
            finish(cx, schema, Map::new(), spot)
        }
        _ => Err(node
            .diagnostic(Code::InvalidSchema, format!("a schema is {}; expected an object", node.describe()))),
    }
}

/// A finished schema that stands in no document.
pub(super) fn literal(cx: &Definitions<'_>, mut map: Map<String, Value>, spot: Spot<'_>) -> Value {
    overlay(&mut map, spot);
    // A literal of ours is never refused, and has no place that could be reported.
    let _ = settle(cx, &mut map, spot, &|_, _, _| {}, |map, site| Dialect::OpenApi30.convert(map, site));
    Value::Object(map)
}

/// Runs `convert` and the rules on a schema object whose children are finished.
fn settle(
    cx: &Definitions<'_>,
    map: &mut Map<String, Value>,
    spot: Spot<'_>,
    report: &dyn Fn(Code, &str, String),
    convert: impl FnOnce(&mut Map<String, Value>, &Site<'_>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let site = Site {
        role: spot.role,
        key: spot.key,
        exact: spot.exact,
        direction: cx.direction,
        argument: spot.argument,
        report,
        pattern: &|text| cx.pattern(text),
        type_of: &|reference| cx.type_of(reference),
    };
    convert(map, &site)?;
    rules::apply(map, &site);
    Ok(())
}

/// All of several schemas, as a property is that several members of an `allOf` declare: the
/// distinct ones, with the annotations of the last.
///
/// # Errors
/// As [`schema`].
pub(super) fn all_of<'i>(
    cx: &Definitions<'i>,
    members: &[Schema<'i>],
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    let mut distinct: Vec<Value> = Vec::new();
    let mut annotations = Map::new();
    for member in members {
        let inner = Spot { role: Role::Branch, member: true, argument: false, overlay: None, ..spot };
        let converted = match self::schema(cx, *member, inner)? {
            Value::Object(converted) => converted,
            Value::Bool(true) => continue,
            _ => Map::from_iter([("not".to_owned(), json!({}))]),
        };
        let (assertions, said): (Map<_, _>, Map<_, _>) =
            converted.into_iter().partition(|(name, _)| class(name) == Class::Assertion);
        annotations.extend(said);
        if assertions.is_empty() {
            continue;
        }
        let assertions = Value::Object(assertions);
        if !distinct.iter().any(|known| super::number::equal(known, &assertions)) {
            distinct.push(assertions);
        }
    }
    let mut map = match (distinct.len(), distinct.pop()) {
        (_, None) => Map::new(),
        (1, Some(Value::Object(only))) => only,
        (_, last) => {
            distinct.extend(last);
            Map::from_iter([("allOf".to_owned(), Value::Array(distinct))])
        }
    };
    map.extend(annotations);
    overlay(&mut map, spot);
    // The members are converted already.
    let _ = settle(cx, &mut map, spot, &|_, _, _| {}, |_, _| Ok(()));
    Ok(Value::Object(map))
}

fn object<'i>(cx: &Definitions<'i>, schema: Schema<'i>, spot: Spot<'_>) -> Result<Value, Diagnostic> {
    let void = schema.dialect.ignores_siblings() && look::reference(schema).is_some();
    let group = Group::of(cx, schema, &spot);
    let mut excluded: Vec<&str> = spot.excluded.iter().chain(&group.excluded).copied().collect();
    excluded.sort_unstable();
    let mut out = Map::with_capacity(schema.node.entries().count());
    for (name, value) in schema.node.entries() {
        if schema.dialect.is_foreign(name) || (void && !schema.dialect.heeds_beside_reference(name)) {
            continue;
        }
        if value.kind() == Kind::Null && !takes_null(name) {
            null_keyword(cx, schema, name, value, &mut out, spot);
            continue;
        }
        let Some(row) = keywords::keyword(name) else {
            if !name.starts_with("x-") {
                out.insert(name.to_owned(), value.to_value());
            }
            continue;
        };
        if row.class == Class::Identity
            || (row.class == Class::OpenApi && !is_converted(schema.dialect, name))
        {
            continue;
        }
        if spot.without_union && matches!(name, "oneOf" | "anyOf") {
            continue;
        }
        if name == "additionalProperties" && group.opened && look::is_closed(&schema) {
            continue;
        }
        if !spot.exact && output::opens(cx, schema, &group, name) {
            continue;
        }
        let below = Spot { excluded: &excluded, opened: group.opened, ..spot };
        keyword_value(cx, schema, row, value, below, &mut out)?;
    }
    if group.closes {
        let message = "members of this `allOf` are closed by `additionalProperties: false` and would accept nothing \
                       together; it is closed as a whole instead";
        cx.report(schema.node.diagnostic(Code::OpenedAllOf, message));
        if !output::opens(cx, schema, &group, "unevaluatedProperties") {
            out.insert("unevaluatedProperties".to_owned(), json!({"not": {}}));
        }
    }
    finish(cx, schema, out, spot)
}

/// Whether a keyword of OpenAPI's own becomes one of JSON Schema.
fn is_converted(dialect: Dialect, name: &str) -> bool {
    let swagger = matches!(dialect, Dialect::Swagger | Dialect::SwaggerParameter);
    matches!(name, "nullable" | "example") || (swagger && name == "x-nullable")
}

/// Null in place of a keyword's value: a serialiser's absent field, except for the lone
/// `type: null` of a union, which YAML reads as null where its author meant the type.
fn null_keyword<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    name: &str,
    value: Node<'i>,
    out: &mut Map<String, Value>,
    spot: Spot<'_>,
) {
    if name == "type" && spot.role == Role::Branch && schema.node.entries().count() == 1 {
        cx.report(value.diagnostic(Code::RepairedType, "`type` is null; taken as the type \"null\""));
        out.insert(name.to_owned(), json!("null"));
    } else {
        cx.report(value.diagnostic(Code::RepairedShape, format!("`{name}` is null; dropped")));
    }
}

fn keyword_value<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    value: Node<'i>,
    spot: Spot<'_>,
    out: &mut Map<String, Value>,
) -> Result<(), Diagnostic> {
    let name = row.name;
    let converted = match row.holds {
        Holds::Data | Holds::Mapping if name == "required" => names_but(value, spot.excluded),
        Holds::Data | Holds::Mapping => value.to_value(),
        Holds::Reference => return reference::reference(cx, schema, row, value, spot, out),
        Holds::Schema => child(cx, schema.at(value), row, None, spot)?,
        Holds::SchemaOrSchemas if value.kind() != Kind::Array => {
            child(cx, schema.at(value), row, None, spot)?
        }
        Holds::Schemas | Holds::SchemaOrSchemas => Value::Array(list(cx, schema, row, value, spot)?),
        Holds::Map | Holds::MapOrNames => map(cx, schema, row, value, spot)?,
    };
    // A `$ref` that became a copy is a member already.
    match (out.get_mut(name), converted) {
        (Some(Value::Array(members)), Value::Array(more)) if name == "allOf" => members.extend(more),
        (_, converted) => drop(out.insert(name.to_owned(), converted)),
    }
    Ok(())
}

fn names_but(value: Node<'_>, excluded: &[&str]) -> Value {
    if value.kind() != Kind::Array {
        return value.to_value();
    }
    let kept = |name: &Node<'_>| name.as_str().is_none_or(|name| excluded.binary_search(&name).is_err());
    value.items().filter(kept).map(Node::to_value).collect()
}

/// Converts a schema below a keyword.
fn child<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    key: Option<&str>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    let member = row.name == "allOf";
    let below = Spot {
        role: row.role,
        key,
        exact: spot.exact || row.role == Role::Test,
        argument: false,
        overlay: None,
        member,
        alternative: row.name == "oneOf",
        opened: member && spot.opened,
        excluded: if member || output::is_branch(cx, row) { spot.excluded } else { &[] },
        copied: spot.copied,
        depth: spot.depth + 1,
        without_union: false,
        origin: spot.origin.filter(|_| cycle::is_of_same_value(row)),
    };
    self::schema(cx, schema, below)
}

fn list<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    value: Node<'i>,
    spot: Spot<'_>,
) -> Result<Vec<Value>, Diagnostic> {
    if value.kind() == Kind::Object {
        cx.report(
            value.diagnostic(
                Code::RepairedShape,
                format!("`{}` is an object; taken as a list of one", row.name),
            ),
        );
        return Ok(vec![child(cx, schema.at(value), row, None, spot)?]);
    }
    if value.kind() != Kind::Array {
        return Err(invalid(value, row.name, "a list of schemas"));
    }
    let branches = value.items().map(|item| child(cx, schema.at(item), row, None, spot));
    let branches = branches.collect::<Result<Vec<_>, _>>()?;
    let union = matches!(row.name, "oneOf" | "anyOf");
    let tagged = union && !spot.exact && cx.direction.narrows();
    Ok(if tagged { discriminator::tag_branches(cx, schema, value, branches) } else { branches })
}

fn map<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    value: Node<'i>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    // How PHP prints an empty object.
    if value.kind() == Kind::Array && value.items().next().is_none() {
        cx.report(value.diagnostic(
            Code::RepairedShape,
            format!("`{}` is an empty list; taken as an empty object", row.name),
        ));
    } else if !value.is_object() {
        return Err(invalid(value, row.name, "an object that maps names to schemas"));
    }
    let mut out = Map::with_capacity(value.entries().count());
    for (key, node) in value.entries() {
        match look::merged(schema, key, node).filter(|_| row.holds == Holds::Map) {
            Some(entries) => {
                let message =
                    format!("a `$ref` stands among properties; what {:?} leads to is merged in", node.text());
                cx.report(node.diagnostic(Code::MergedProperties, message));
                let place = node.place();
                if Copied::holds(spot.copied, place) {
                    let message = format!("{:?} merges a map of schemas into itself", node.text());
                    return Err(node.diagnostic(Code::ReferenceCycle, message));
                }
                let copied = Copied { place, outer: spot.copied };
                for (key, schema) in entries? {
                    insert(cx, schema, row, key, Spot { copied: Some(&copied), ..spot }, &mut out)?;
                }
            }
            None => insert(cx, schema.at(node), row, key, spot, &mut out)?,
        }
    }
    Ok(Value::Object(out))
}

fn insert<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    row: &'static Keyword,
    key: &str,
    spot: Spot<'_>,
    out: &mut Map<String, Value>,
) -> Result<(), Diagnostic> {
    if row.name == "properties" && !spot.exact && look::is_excluded(schema, cx.direction) {
        return Ok(());
    }
    let names = row.holds == Holds::MapOrNames && schema.node.kind() == Kind::Array;
    let value = if names { schema.node.to_value() } else { child(cx, schema, row, Some(key), spot)? };
    out.insert(key.to_owned(), value);
    Ok(())
}

fn overlay(map: &mut Map<String, Value>, spot: Spot<'_>) {
    let Some(overlay) = spot.overlay else { return };
    if let Some(description) = &overlay.description {
        map.insert("description".to_owned(), Value::String(description.clone().into_owned()));
    }
    if !overlay.examples.is_empty() {
        map.shift_remove("example");
        map.insert(
            "examples".to_owned(),
            overlay.examples.iter().map(|example| example.to_value()).collect(),
        );
    }
    if overlay.deprecated {
        map.insert("deprecated".to_owned(), Value::Bool(true));
    }
}

/// Runs the dialect's conversions and the rules on a schema object whose children are finished.
fn finish<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    mut map: Map<String, Value>,
    spot: Spot<'_>,
) -> Result<Value, Diagnostic> {
    overlay(&mut map, spot);
    let at = |keyword: &str| schema.node.get(keyword).unwrap_or(schema.node);
    let report = |code, keyword: &str, message: String| cx.report(at(keyword).diagnostic(code, message));
    settle(cx, &mut map, spot, &report, |map, site| schema.dialect.convert(map, site))
        .map_err(|refusal| at(&refusal.keyword).diagnostic(refusal.code, refusal.message))?;
    Ok(Value::Object(map))
}
