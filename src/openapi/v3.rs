//! OpenAPI 3.0, 3.1 and 3.2 to the model.

use openapiv3::{CookieStyle, HeaderStyle, PathStyle, QueryStyle};
use serde::de::{Deserialize, value::StrDeserializer};
use serde_json::Value;

use super::model::{Body, Endpoint, In, Operation, Parameter, Payload, Serialization};
use super::parameters::{self, Declared, KnownParameters, text};
use super::{Document, Version, follow, media};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node};
use crate::schema::{Schema, hides};

type Report<'r> = &'r dyn Fn(Diagnostic);

/// Reads an operation; see [`Document::read`].
pub(super) fn operation<'i>(
    document: Document<'i>,
    endpoint: &Endpoint<'i>,
    known: &KnownParameters<'i>,
    report: Report<'_>,
) -> Result<Operation<'i>, Diagnostic> {
    let node = endpoint.node;
    let declared = parameters::declared(endpoint)?;
    let read = declared
        .iter()
        .map(|declared| known.parameter(node, declared, || parameter(document, declared, report)));
    let mut parameters = read.collect::<Result<Vec<_>, _>>()?;
    parameters::add_undeclared(endpoint, &mut parameters, report);
    Ok(Operation {
        parameters,
        body: node.get("requestBody").map(|body| request_body(document, body, report)).transpose()?.flatten(),
        ..parameters::described(document, endpoint)
    })
}

/// Operation, path items and document: the inner ones win.
fn levels<'i>(document: Document<'i>, endpoint: &Endpoint<'i>) -> impl Iterator<Item = Node<'i>> {
    std::iter::once(endpoint.node).chain(endpoint.items.iter().copied()).chain([document.root])
}

/// See [`Operation::servers`].
pub(super) fn servers<'i>(document: Document<'i>, endpoint: &Endpoint<'i>) -> Vec<(Value, Node<'i>)> {
    let lists = levels(document, endpoint).filter_map(|level| level.get("servers"));
    let listed = lists.into_iter().find(|list| list.items().next().is_some());
    listed.into_iter().flat_map(Node::items).map(|server| (server.to_value(), server)).collect()
}

/// See [`Operation::security`].
pub(super) fn security<'i>(document: Document<'i>, endpoint: &Endpoint<'i>) -> Vec<Node<'i>> {
    let security = levels(document, endpoint).find_map(|level| level.get("security"));
    security.into_iter().flat_map(Node::items).collect()
}

fn parameter<'i>(
    document: Document<'i>,
    declared: &Declared<'i>,
    report: Report<'_>,
) -> Result<Parameter<'i>, Diagnostic> {
    let Declared { name, node, .. } = *declared;
    let place = In::from_name(declared.place)
        .filter(|place| *place != In::QueryString || document.version == Version::V32)
        .ok_or_else(|| declared.misplaced("path, query, header or cookie"))?;
    let mut contents = node.get("content").into_iter().flat_map(Node::entries);
    let content =
        contents.find(|(key, _)| media::is_media_type(key)).map(|(key, entry)| Ok((key, follow(entry)?)));
    let content = content.transpose()?;
    let schema = match content {
        Some((_, media_type)) => media_type.get("schema"),
        None => node.get("schema"),
    };
    if schema.is_none() && content.is_none() {
        report(node.diagnostic(
            Code::ParameterWithoutSchema,
            format!("parameter {name:?} has neither `schema` nor `content`; it accepts anything"),
        ));
    }
    let serialization = match content {
        Some((media_type, _)) => Serialization::Content(media_type),
        None => style(node, place, report),
    };
    let description = text(node, "description");
    Ok(Parameter {
        name,
        place,
        required: place == In::Path || node.is_true("required"),
        hides: hides(name) || description.is_some_and(hides),
        description,
        deprecated: node.is_true("deprecated"),
        schema: schema.map(|node| Schema { node, dialect: document.dialect() }),
        text: false,
        examples: examples(node),
        serialization,
        node,
    })
}

/// `example`, or the values of `examples`: a map of Example Objects (3.1.2, section 4.8.19).
fn examples(node: Node<'_>) -> Vec<Node<'_>> {
    if let Some(example) = node.get("example") {
        return vec![example];
    }
    let map = node.get("examples").into_iter().flat_map(Node::entries);
    map.filter_map(|(_, example)| follow(example).ok()?.get("value")).collect()
}

/// Style and explode with their defaults (3.1.2, section 4.8.12.2.1); a style that its place does
/// not have is reported and taken as the default.
fn style<'i>(node: Node<'i>, place: In, report: Report<'_>) -> Serialization<'i> {
    let given = node.get("style");
    let known = given.map(|style| match place {
        In::Path => known_style::<PathStyle>(style),
        In::Query | In::QueryString => known_style::<QueryStyle>(style),
        In::Header => known_style::<HeaderStyle>(style),
        // OpenAPI 3.2 has one style more (3.2.0, section 4.12.3).
        In::Cookie if style.text() == "cookie" => Some("cookie"),
        In::Cookie => known_style::<CookieStyle>(style),
    });
    if let (Some(style), Some(None)) = (given, &known) {
        let message =
            format!("{:?} is no style of a {} parameter; the default is used", style.text(), place.name());
        report(style.diagnostic(Code::UnknownStyle, message));
    }
    let default = if matches!(place, In::Query | In::Cookie) { "form" } else { "simple" };
    let style = known.flatten().unwrap_or(default);
    let explode = node.get("explode").and_then(Node::as_bool).unwrap_or(style == "form" || style == "cookie");
    Serialization::Style { style, explode, allow_reserved: node.is_true("allowReserved") }
}

fn known_style<'i, S: Deserialize<'i>>(style: Node<'i>) -> Option<&'i str> {
    let known = S::deserialize(StrDeserializer::<serde::de::value::Error>::new(style.text()));
    known.is_ok().then(|| style.text())
}

fn request_body<'i>(
    document: Document<'i>,
    node: Node<'i>,
    report: Report<'_>,
) -> Result<Option<Body<'i>>, Diagnostic> {
    let node = follow(node)?;
    if node.kind() == Kind::Null {
        return Ok(None);
    }
    if !node.is_object() {
        let message = format!("`requestBody` is {}; expected an object", node.describe());
        return Err(node.diagnostic(Code::InvalidOperation, message));
    }
    let (content, stray): (Vec<_>, Vec<_>) = node
        .get("content")
        .into_iter()
        .flat_map(Node::entries)
        .partition(|(key, _)| media::is_media_type(key));
    for (key, value) in stray.into_iter().filter(|(key, _)| !key.starts_with("x-")) {
        report(value.diagnostic(Code::StrayMediaType, format!("{key:?} is no media type; ignored")));
    }
    let (media_type, entry) =
        media::choose(&content).map_or(("application/json", None), |(name, node)| (name, Some(node)));
    let entry = entry.map(follow).transpose()?;
    let schema_at = |key| Some(Schema { node: entry?.get(key)?, dialect: document.dialect() });
    let item = schema_at("itemSchema");
    let sequence = item.is_some() || (document.version == Version::V32 && media::is_sequential(media_type));
    Ok(Some(Body {
        required: node.get("required").and_then(Node::as_bool),
        description: text(node, "description"),
        media_type: media::concrete(media_type),
        payload: if sequence { Payload::Sequence } else { media::payload(media_type) },
        schema: schema_at("schema"),
        item,
        fields: Vec::new(),
        encoding: entry
            .and_then(|entry| entry.get("encoding"))
            .filter(|node| node.is_object())
            .map(Node::to_value),
        node,
    }))
}

/// The media types of the successful responses, or of the default one. What is wrong there keeps
/// no tool from being made.
pub(super) fn accept(operation: Node<'_>) -> Vec<&str> {
    let responses: Vec<_> = operation.get("responses").into_iter().flat_map(Node::entries).collect();
    let success = responses.iter().filter(|(status, _)| status.starts_with('2'));
    let chosen: Vec<_> = match success.clone().next() {
        Some(_) => success.collect(),
        None => responses.iter().filter(|(status, _)| *status == "default").collect(),
    };
    let mut found = Vec::new();
    for (_, response) in chosen {
        let content = follow(*response).ok().and_then(|response| response.get("content"));
        for (media_type, _) in content.into_iter().flat_map(Node::entries) {
            if media::is_media_type(media_type) && !found.contains(&media_type) {
                found.push(media_type);
            }
        }
    }
    found
}
