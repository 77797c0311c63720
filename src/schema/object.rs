//! Plain objects, seen through `$ref` and `allOf`: bodies whose properties can be arguments.

use foldhash::{HashMap, HashSet};

use super::definitions::Definitions;
use super::keywords::{Class, class};
use super::{Schema, Shape, discriminator, group, look, types};
use crate::diagnostic::Code;
use crate::input::{Kind, Node};

/// An object that is no more than its properties.
#[derive(Debug)]
pub(crate) struct PlainObject<'i> {
    /// Its properties in the order of the document, without those that travel the other way.
    pub(crate) properties: Vec<Property<'i>>,
    /// Whether it forbids other properties.
    pub(crate) closed: bool,
}

/// A property of a plain object.
#[derive(Debug)]
pub(crate) struct Property<'i> {
    /// Its name.
    pub(crate) name: &'i str,
    /// Its schema.
    pub(crate) shape: Shape<'i>,
    /// Whether the object must have it.
    pub(crate) required: bool,
}

/// The properties of a schema that is a plain object: with `properties`, and no keyword than those,
/// `type`, `required`, annotations, and a boolean or empty `additionalProperties`; or an `allOf` of
/// such objects. `None` for anything else.
///
/// What is reported is said once, so it is asked once for each body.
pub(crate) fn plain_object<'i>(cx: &Definitions<'i>, schema: Schema<'i>) -> Option<PlainObject<'i>> {
    let schema = look::follow(schema).ok()?;
    if discriminator::is_expanded(cx, schema) {
        return None;
    }
    let members = look::group(schema);
    if members.len() >= look::MAX_GROUP || !members.iter().all(|member| is_plain(*member)) {
        return None;
    }
    let closed: Vec<_> = members.iter().filter(|member| look::is_closed(member)).collect();
    let declared = declarations(&in_order(schema, &members));
    let is_closed = !closed.is_empty();
    for (_, reference) in members.iter().flat_map(|member| merging_references(*member)) {
        let message =
            format!("a `$ref` stands among properties; what {:?} leads to is merged in", reference.text());
        cx.report(reference.diagnostic(Code::MergedProperties, message));
    }
    if declared.is_empty() {
        return is_closed.then(|| PlainObject { properties: Vec::new(), closed: true });
    }
    let opened = group::shuts_out(&members);
    if let [only] = closed[..]
        && !opened
    {
        // A closed member forbids what the others declare: no flat list of properties says that.
        let own: HashSet<&str> = look::properties(*only).map(|(name, _)| name).collect();
        if declared.iter().any(|(name, _)| !own.contains(name)) {
            return None;
        }
    }
    if opened {
        let message = "members of this body's `allOf` are closed by `additionalProperties: false` and would accept \
                       nothing together; the body is closed as a whole instead";
        cx.report(schema.node.diagnostic(Code::OpenedAllOf, message));
    }
    let excluded = look::excluded(&members, cx.direction);
    let mut seen = HashSet::default();
    let required: Vec<&str> = members
        .iter()
        .flat_map(|member| look::required(*member))
        .filter(|name| excluded.binary_search(name).is_err() && seen.insert(*name))
        .collect();
    let declared_count = declared.len();
    let mut properties: Vec<Property<'i>> = declared
        .into_iter()
        .filter(|(_, schemas)| !schemas.iter().any(|property| look::is_excluded(*property, cx.direction)))
        .map(|(name, schemas)| Property { name, shape: shape(schemas), required: seen.contains(name) })
        .collect();
    // A response that has what it should not is still what the schema says.
    let closed = is_closed && (cx.direction.narrows() || properties.len() == declared_count);
    let known: HashSet<&str> = properties.iter().map(|property| property.name).collect();
    for name in required {
        if !known.contains(name) {
            declare(cx, schema, name, is_closed, &mut properties);
        }
    }
    Some(PlainObject { properties, closed })
}

/// `required-known`, for the properties that become arguments.
fn declare<'i>(
    cx: &Definitions<'i>,
    schema: Schema<'i>,
    name: &'i str,
    closed: bool,
    properties: &mut Vec<Property<'i>>,
) {
    if closed {
        let message =
            format!("`required` names {name}, which `additionalProperties: false` forbids; dropped");
        cx.report(schema.node.diagnostic(Code::DroppedRequired, message));
        return;
    }
    let message = format!("`required` names {name}, which `properties` doesn't declare; declared");
    cx.report(schema.node.diagnostic(Code::DeclaredRequired, message));
    properties.push(Property { name, shape: Shape::Any, required: true });
}

/// The members as the document has them: what `allOf` brings stands first where `allOf` does.
fn in_order<'i>(schema: Schema<'i>, members: &[Schema<'i>]) -> Vec<Schema<'i>> {
    let mut ordered = members.to_vec();
    let first =
        schema.node.entries().map(|(name, _)| name).find(|name| matches!(*name, "allOf" | "properties"));
    if first == Some("allOf") {
        ordered.rotate_left(1);
    }
    ordered
}

/// Each property with all its declarations, by the first of them.
fn declarations<'i>(members: &[Schema<'i>]) -> Vec<(&'i str, Vec<Schema<'i>>)> {
    let mut declared: Vec<(&str, Vec<Schema<'i>>)> = Vec::new();
    let mut index = HashMap::default();
    for (name, property) in members.iter().flat_map(|member| look::properties(*member)) {
        let at = *index.entry(name).or_insert_with(|| {
            declared.push((name, Vec::new()));
            declared.len() - 1
        });
        if let Some((_, schemas)) = declared.get_mut(at) {
            schemas.push(property);
        }
    }
    declared
}

fn shape(mut schemas: Vec<Schema<'_>>) -> Shape<'_> {
    match (schemas.len(), schemas.pop()) {
        (1, Some(only)) => Shape::At(only),
        (_, last) => {
            schemas.extend(last);
            Shape::All(schemas)
        }
    }
}

/// Whether one member of the `allOf` has only what a flat list of arguments can say.
fn is_plain(schema: Schema<'_>) -> bool {
    let node = schema.node;
    if !node.is_object() {
        return false;
    }
    let reference = look::reference(schema);
    if let Some(value) = reference
        && look::target(schema, "$ref", value).is_err()
    {
        return false;
    }
    (reference.is_some() && schema.dialect.ignores_siblings())
        || (node.entries().all(|(name, value)| is_plain_keyword(name, value))
            && merging_references(schema)
                .all(|(name, node)| matches!(look::merged(schema, name, node), Some(Ok(_)))))
}

/// The `$ref`s among a schema's properties that bring others.
fn merging_references(schema: Schema<'_>) -> impl Iterator<Item = (&str, Node<'_>)> {
    let properties = schema.node.get("properties").into_iter().flat_map(Node::entries);
    properties.filter(|(name, node)| *name == "$ref" && node.kind() == Kind::String)
}

fn is_plain_keyword(name: &str, value: Node<'_>) -> bool {
    match name {
        _ if value.kind() == Kind::Null => !matches!(name, "const"),
        "$ref" | "allOf" => true,
        "properties" => value.is_object(),
        "required" => value.items().all(|item| item.kind() == Kind::String) && value.kind() == Kind::Array,
        "type" => is_object_type(value),
        "additionalProperties" => match value.kind() {
            Kind::Bool(_) => true,
            Kind::Object => value.entries().next().is_none(),
            _ => false,
        },
        _ => class(name) != Class::Assertion,
    }
}

/// Whether `type` says object, or object or null: a null body is an absent one.
fn is_object_type(value: Node<'_>) -> bool {
    let is = |node: Node<'_>, wanted| node.as_str().and_then(types::json_type) == Some(wanted);
    match value.kind() {
        Kind::Array => {
            value.items().any(|item| is(item, "object"))
                && value.items().all(|item| is(item, "object") || is(item, "null"))
        }
        _ => is(value, "object"),
    }
}

/// Whether a schema requires a property of the object that it describes: itself, or in each branch
/// of a union.
pub(crate) fn requires_any(cx: &Definitions<'_>, schema: Schema<'_>) -> bool {
    requires_below(cx, schema, 8)
}

fn requires_below(cx: &Definitions<'_>, schema: Schema<'_>, depth: u32) -> bool {
    let members = look::group(schema);
    let excluded = look::excluded(&members, cx.direction);
    let objects = || members.iter().all(|member| member.node.get("type").is_none_or(is_object_type));
    let mut required = members.iter().flat_map(|member| look::required(*member)).filter(|_| objects());
    let union = |member: &Schema<'_>| {
        let mut lists = ["oneOf", "anyOf"].into_iter().filter_map(|name| member.node.get(name));
        lists.any(|list| {
            list.items().next().is_some()
                && list.items().all(|item| requires_below(cx, schema.at(item), depth - 1))
        })
    };
    required.any(|name| excluded.binary_search(&name).is_err()) || (depth > 0 && members.iter().any(union))
}
