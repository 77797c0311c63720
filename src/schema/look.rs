//! Looks at schemas where they stand, through `$ref` and `allOf`, without converting them.

use foldhash::HashSet;

use super::keywords::{Class, class};
use super::{Dialect, Direction, Schema, anchor};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::pointer::{self, Unresolved};
use crate::input::{Kind, Node, Place};

/// The place that a reference names. `keyword` is `$ref`, `$dynamicRef` or `$recursiveRef`.
///
/// # Errors
/// [`Code::ExternalReference`], [`Code::UnresolvedReference`], [`Code::InvalidSchema`].
pub(super) fn target<'i>(
    schema: Schema<'i>,
    keyword: &str,
    value: Node<'i>,
) -> Result<Schema<'i>, Diagnostic> {
    let Some(reference) = value.as_str() else {
        let message = format!(
            "`{keyword}` is {}; expected a string such as \"#/components/schemas/Pet\"",
            value.describe()
        );
        return Err(value.diagnostic(Code::InvalidSchema, message));
    };
    if keyword == "$recursiveRef" && reference == "#" {
        return Ok(schema.at(recursive_root(schema.node)));
    }
    let found = if keyword == "$dynamicRef" {
        anchor::resolve_dynamic(value, reference)
    } else {
        anchor::resolve(value, reference).map_err(Some)
    };
    found.map(|node| in_dialect(schema, node)).map_err(|error| match error {
        Some(error) => unresolved(value, reference, &error),
        None => anchor::ambiguous(value, reference),
    })
}

/// A place as a schema: in its own document's dialect if that is another that says one. What a
/// parameter's fields refer to is a schema like others.
fn in_dialect<'i>(schema: Schema<'i>, node: Node<'i>) -> Schema<'i> {
    let other = node.place().file != schema.node.place().file;
    let stated = Some(node.root()).filter(|_| other).and_then(Dialect::stated);
    let dialect = match schema.dialect {
        Dialect::SwaggerParameter => Dialect::Swagger,
        other => other,
    };
    Schema { node, dialect: stated.unwrap_or(dialect) }
}

/// The diagnostic of a reference that leads nowhere.
pub(crate) fn unresolved(at: Node<'_>, reference: &str, error: &Unresolved) -> Diagnostic {
    match error {
        Unresolved::Remote => at.diagnostic(
            Code::ExternalReference,
            format!("{reference:?} leads to the network, which is never read; bundle the document into one file first"),
        ),
        Unresolved::Scheme => at.diagnostic(
            Code::ExternalReference,
            format!("{reference:?} is an address of the file system; write a path from this file"),
        ),
        Unresolved::NoFolder => at.diagnostic(
            Code::ExternalReference,
            format!("{reference:?} leads to a file, but the document has no folder; name it with `--base DIR`"),
        ),
        Unresolved::Outside(file) => at.diagnostic(
            Code::ExternalReference,
            format!("{file:?} is outside the folder of the document; allow a folder that holds both with `--root DIR`"),
        ),
        Unresolved::Unreadable(reason) => {
            at.diagnostic(Code::UnreadableFile, format!("{reference:?} cannot be followed: {reason}"))
        }
        Unresolved::Nowhere(file, reached) => {
            let known =
                if reached.is_empty() { String::new() } else { format!(" (found as far as \"#{reached}\")") };
            at.diagnostic(
                Code::UnresolvedReference,
                format!("{reference:?} names nothing in {file}{known}"),
            )
        }
    }
}

/// What `$recursiveRef: "#"` means at a place (JSON Schema 2019-09, section 8.2.4.2): the outermost
/// schema around it that says `$recursiveAnchor: true`, else the schema resource, which in an
/// OpenAPI document is the outermost schema.
fn recursive_root(node: Node<'_>) -> Node<'_> {
    let ancestors = node.ancestors();
    let anchored = ancestors.iter().find(|ancestor| ancestor.is_true("$recursiveAnchor"));
    let component = ancestors.iter().zip(1..).find_map(|(ancestor, below)| {
        (ancestor.get("schemas").is_some()
            && ancestors.get(below).is_some_and(|next| Some(*next) == ancestor.get("schemas")))
        .then(|| ancestors.get(below + 1))
        .flatten()
    });
    anchored.or(component).copied().unwrap_or(node)
}

/// The `$ref` of a schema, if it has one.
pub(super) fn reference(schema: Schema<'_>) -> Option<Node<'_>> {
    schema.node.get("$ref")
}

/// Whether a schema is a `$ref` and nothing else that is kept.
fn is_alias(schema: Schema<'_>) -> bool {
    let kept = |name: &str| match schema.dialect {
        Dialect::Swagger | Dialect::SwaggerParameter => matches!(name, "description" | "x-nullable"),
        Dialect::OpenApi30 => matches!(name, "description" | "nullable"),
        Dialect::JsonSchema => !matches!(class(name), Class::OpenApi | Class::Identity) || name == "nullable",
    };
    reference(schema).is_some() && schema.node.entries().all(|(name, _)| name == "$ref" || !kept(name))
}

/// The longest chain of references that say nothing else; nobody wrote a longer one.
const MAX_ALIASES: usize = 100;

/// The schema that a chain of aliases leads to.
///
/// # Errors
/// As [`target`]; [`Code::ReferenceCycle`] where the chain leads in a circle.
pub(super) fn follow(schema: Schema<'_>) -> Result<Schema<'_>, Diagnostic> {
    let mut at = schema;
    let mut seen: HashSet<Place> = HashSet::default();
    while is_alias(at) {
        let Some(value) = reference(at) else { break };
        if seen.len() >= MAX_ALIASES {
            let message = format!(
                "references lead through more than {MAX_ALIASES} that say nothing else; shorten the chain"
            );
            return Err(value.diagnostic(Code::ReferenceCycle, message));
        }
        if !seen.insert(at.node.place()) {
            return Err(value
                .diagnostic(Code::ReferenceCycle, "references lead in a circle and never reach a schema"));
        }
        at = target(at, "$ref", value)?;
    }
    Ok(at)
}

/// The most schemas of one `allOf` group that are looked at, through references; nobody wrote a
/// larger one.
pub(super) const MAX_GROUP: usize = 500;

/// The schema together with all that must hold with it: what its `$ref` leads to and the members of
/// its `allOf`, and theirs. Each place once, the schema itself first. Dangling references are left
/// out; conversion reports them.
pub(super) fn group(schema: Schema<'_>) -> Vec<Schema<'_>> {
    // Most schemas stand alone.
    if !schema.node.entries().any(|(name, _)| matches!(name, "$ref" | "allOf")) {
        return vec![schema];
    }
    let mut found = Vec::new();
    let mut seen = HashSet::default();
    let mut open = vec![schema];
    while let Some(next) = open.pop().filter(|_| found.len() < MAX_GROUP) {
        if !seen.insert(next.node.place()) {
            continue;
        }
        found.push(next);
        let target = reference(next).and_then(|value| target(next, "$ref", value).ok());
        let ignores_siblings = target.is_some() && next.dialect.ignores_siblings();
        let members: Vec<_> = match next.node.get("allOf") {
            Some(list) if !ignores_siblings => list.items().map(|member| next.at(member)).collect(),
            _ => Vec::new(),
        };
        open.extend(members.into_iter().rev());
        open.extend(target);
    }
    found
}

/// The properties that a schema itself declares: none where `$ref` makes its siblings void.
pub(super) fn properties(schema: Schema<'_>) -> impl Iterator<Item = (&str, Schema<'_>)> {
    let void = schema.dialect.ignores_siblings() && reference(schema).is_some();
    let map = schema.node.get("properties").filter(|_| !void);
    map.into_iter().flat_map(Node::entries).flat_map(move |(name, node)| {
        let (own, merged) = match merged(schema, name, node) {
            Some(entries) => (None, entries.unwrap_or_default()),
            None => (Some((name, schema.at(node))), Vec::new()),
        };
        own.into_iter().chain(merged)
    })
}

/// What an entry of a map of schemas stands for if it is a `$ref` with a string: the entries of the
/// map that it leads to. `None` for an entry like others.
pub(super) fn merged<'i>(
    schema: Schema<'i>,
    name: &str,
    node: Node<'i>,
) -> Option<Result<Vec<(&'i str, Schema<'i>)>, Diagnostic>> {
    (name == "$ref" && node.kind() == Kind::String).then(|| {
        let target = target(schema, "$ref", node)?.node;
        let is_schema = |node: Node<'_>| matches!(node.kind(), Kind::Object | Kind::Bool(_));
        if !target.is_object() || !target.entries().all(|(_, node)| is_schema(node)) {
            let (text, found) = (node.text(), target.describe());
            let message =
                format!("{text:?} stands among properties and leads to {found}; expected a map of schemas");
            return Err(node.diagnostic(Code::InvalidSchema, message));
        }
        Ok(target.entries().map(|(name, node)| (name, schema.at(node))).collect())
    })
}

/// The names that a schema itself requires.
pub(super) fn required(schema: Schema<'_>) -> impl Iterator<Item = &str> {
    let void = schema.dialect.ignores_siblings() && reference(schema).is_some();
    schema.node.get("required").filter(|_| !void).into_iter().flat_map(Node::items).filter_map(Node::as_str)
}

/// Whether a property travels the other way only: said in the property, beside or behind its
/// `$ref`, or in a member of its `allOf`.
pub(super) fn is_excluded(schema: Schema<'_>, direction: Direction) -> bool {
    // Most properties decide at once.
    let mut combined = false;
    for (name, value) in schema.node.entries() {
        if name == direction.excluded_by() && value.as_bool() == Some(true) {
            return true;
        }
        combined |= matches!(name, "$ref" | "allOf");
    }
    combined && group(schema).iter().any(|member| member.node.is_true(direction.excluded_by()))
}

/// The names of the properties that travel the other way only, in all of an `allOf` group, sorted.
pub(super) fn excluded<'i>(group: &[Schema<'i>], direction: Direction) -> Vec<&'i str> {
    let mut names = Vec::new();
    for member in group {
        names.extend(
            properties(*member)
                .filter(|(_, property)| is_excluded(*property, direction))
                .map(|(name, _)| name),
        );
    }
    names.sort_unstable();
    names
}

/// Whether a schema forbids properties that it does not declare.
pub(super) fn is_closed(schema: &Schema<'_>) -> bool {
    let void = schema.dialect.ignores_siblings() && reference(*schema).is_some();
    !void && schema.node.get("additionalProperties").and_then(Node::as_bool) == Some(false)
}

/// The one value that a schema allows: its `const`, or an `enum` of one.
pub(crate) fn only_value(schema: Schema<'_>) -> Option<Node<'_>> {
    group(schema).into_iter().find_map(|member| {
        let node = member.node;
        let mut values = node.get("enum").into_iter().flat_map(Node::items);
        node.get("const").or_else(|| values.next().filter(|_| values.next().is_none()))
    })
}

/// The first of a group that has `keyword`, and its value there.
pub(crate) fn text_schema<'i>(schema: Schema<'i>, keyword: &str) -> Option<Node<'i>> {
    group(schema).into_iter().find_map(|member| member.node.get(keyword))
}

/// The one JSON type that every value of the schema has; `None` if it allows several, or says none.
/// It says no more than the converted schema does.
pub(super) fn single_type(schema: Schema<'_>) -> Option<&'static str> {
    type_of(schema, &mut HashSet::default())
}

fn type_of(schema: Schema<'_>, seen: &mut HashSet<Place>) -> Option<&'static str> {
    let node = schema.node;
    // A longer chain of references is one that nobody wrote.
    let nullable = node.is_true("nullable") || node.is_true("x-nullable");
    if !node.is_object() || nullable || seen.len() > 64 || !seen.insert(node.place()) {
        return None;
    }
    let found = stated_type(schema, seen);
    seen.remove(&node.place());
    found
}

fn stated_type(schema: Schema<'_>, seen: &mut HashSet<Place>) -> Option<&'static str> {
    let node = schema.node;
    if let Some(value) = reference(schema) {
        let through = target(schema, "$ref", value).ok().and_then(|target| type_of(target, seen));
        if through.is_some() || schema.dialect.ignores_siblings() {
            return through;
        }
    }
    if let Some(stated) = node.get("type") {
        return match stated.kind() {
            Kind::String => super::types::json_type(stated.text()),
            _ => None,
        };
    }
    let mut members = node.get("allOf").into_iter().flat_map(Node::items);
    if let Some(found) = members.find_map(|member| type_of(schema.at(member), seen)) {
        return Some(found);
    }
    for union in ["oneOf", "anyOf"].into_iter().filter_map(|keyword| node.get(keyword)) {
        let mut types = union.items().map(|branch| type_of(schema.at(branch), seen));
        let first = types.next().flatten();
        if first.is_some() && types.all(|other| other == first) {
            return first;
        }
    }
    let mut values =
        node.get("enum").into_iter().flat_map(Node::items).chain(node.get("const")).map(json_type_of);
    let first = values.next().flatten();
    first.filter(|_| values.all(|other| other == first))
}

fn json_type_of(value: Node<'_>) -> Option<&'static str> {
    match value.kind() {
        Kind::String => Some("string"),
        Kind::Bool(_) => Some("boolean"),
        Kind::Array => Some("array"),
        Kind::Object => Some("object"),
        // A number's type is `integer` or `number`: neither says the same as the other.
        Kind::Number | Kind::Null => None,
    }
}

/// The values that a schema declares for its property `name`, by `const` or `enum`.
pub(super) fn declares_values(schema: Schema<'_>, name: &str) -> bool {
    let declared = |property: Schema<'_>| {
        group(property)
            .iter()
            .any(|member| member.node.get("const").is_some() || member.node.get("enum").is_some())
    };
    group(schema)
        .into_iter()
        .flat_map(properties)
        .any(|(found, property)| found == name && declared(property))
}

/// Whether a schema declares its property `name` at all, as something that a string can be.
pub(super) fn declares_text(schema: Schema<'_>, name: &str) -> Option<bool> {
    let found = group(schema).into_iter().flat_map(properties).find(|(found, _)| *found == name)?;
    Some(single_type(found.1).is_none_or(|name| name == "string"))
}

/// Whether a schema requires the property `name`.
pub(super) fn requires(schema: Schema<'_>, name: &str) -> bool {
    group(schema).into_iter().any(|member| required(member).any(|required| required == name))
}

/// Whether every value of the schema is a string.
pub(crate) fn is_text(schema: Schema<'_>) -> bool {
    single_type(schema) == Some("string") || group(schema).iter().any(|member| is_bytes(member.node))
}

/// JSON Pointers from a form's field to the bytes that it holds: itself (`""`), its items (`/*`),
/// its properties.
pub(crate) fn holds_bytes(schema: Schema<'_>) -> Vec<String> {
    let members = group(schema);
    if members.iter().any(|member| is_bytes(member.node)) {
        return vec![String::new()];
    }
    let items = members.iter().filter_map(|member| Some(member.at(member.node.get("items")?)));
    let mut found: Vec<String> = Vec::new();
    if items.flat_map(group).any(|item| is_bytes(item.node)) {
        found.push("/*".to_owned());
    }
    for (name, property) in members.iter().flat_map(|member| properties(*member)) {
        if group(property).iter().any(|member| is_bytes(member.node)) {
            found.push(format!("/{}", pointer::escape(name)));
        }
    }
    found
}

/// Whether a schema object says that its value is bytes: `format: binary`, `type: file`, or as
/// OpenAPI 3.1 does, a media type without a type or an encoding.
fn is_bytes(node: Node<'_>) -> bool {
    let untyped = || node.get("contentMediaType").is_some() && node.get("contentEncoding").is_none();
    let octets = node.get_str("contentMediaType") == Some("application/octet-stream");
    node.get_str("format") == Some("binary")
        || node.get_str("type") == Some("file")
        || (untyped() && (node.get("type").is_none() || octets))
}
