//! OpenAPI 3.0 and 3.1 to the model.

use openapiv3::{CookieStyle, HeaderStyle, PathStyle, QueryStyle};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use super::model::{Body, Endpoint, In, Operation, Parameter, Serialization};
use super::{Document, follow, media};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node};
use crate::schema::Schema;

type Report<'r> = &'r dyn Fn(Diagnostic);

/// Reads an operation; see [`Document::read`].
pub(super) fn operation<'i>(
    document: Document<'i>,
    endpoint: &Endpoint<'i>,
    report: Report<'_>,
) -> Result<Operation<'i>, Diagnostic> {
    let node = endpoint.node;
    let levels = || std::iter::once(node).chain(endpoint.items.iter().copied()).chain([document.root]);
    let listed = |key: &str| {
        levels().find_map(|level| level.get(key)).into_iter().flat_map(Node::items).collect::<Vec<_>>()
    };
    let nearest_servers =
        levels().filter_map(|level| level.get("servers")).find(|list| list.items().next().is_some());
    Ok(Operation {
        endpoint: endpoint.clone(),
        summary: text(endpoint, "summary"),
        description: text(endpoint, "description"),
        deprecated: node.is_true("deprecated"),
        parameters: parameters(document, endpoint, report)?,
        body: node.get("requestBody").map(|body| request_body(document, body, report)).transpose()?.flatten(),
        servers: nearest_servers.into_iter().flat_map(Node::items).collect(),
        security: listed("security"),
        accept: accepted(node),
    })
}

fn text<'i>(endpoint: &Endpoint<'i>, key: &str) -> Option<&'i str> {
    endpoint.node.get_str(key).filter(|text| !text.trim().is_empty())
}

/// The parameters of path item and operation: an operation's takes the place of the path item's
/// with the same name and place (3.1.2, section 4.8.10); header names are alike in any case.
fn parameters<'i>(
    document: Document<'i>,
    endpoint: &Endpoint<'i>,
    report: Report<'_>,
) -> Result<Vec<Parameter<'i>>, Diagnostic> {
    let mut merged: Vec<Parameter<'i>> = Vec::new();
    // The path item that `$ref` leads to comes first: the item's own fields win over it.
    for level in endpoint.items.iter().rev().copied().chain([endpoint.node]) {
        let Some(list) = level.get("parameters") else { continue };
        if !matches!(list.kind(), Kind::Array | Kind::Null) {
            let message = format!("`parameters` is {}; expected a list", list.describe());
            return Err(list.diagnostic(Code::InvalidParameter, message));
        }
        for node in list.items() {
            let new = parameter(document, follow(node)?, report)?;
            match merged.iter_mut().find(|known| is_same(known, &new)) {
                Some(known) => *known = new,
                None => merged.push(new),
            }
        }
    }
    for name in template_variables(endpoint.path) {
        if !merged.iter().any(|known| known.place == In::Path && known.name == name) {
            let message =
                format!("no parameter declares the variable {{{name}}} of the path; it is a required string");
            report(endpoint.node.diagnostic(Code::UndeclaredPathParameter, message));
            merged.push(undeclared(name, endpoint.node));
        }
    }
    Ok(merged)
}

fn is_same(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    a.place == b.place
        && if a.place == In::Header { a.name.eq_ignore_ascii_case(b.name) } else { a.name == b.name }
}

/// The names between braces in a path.
fn template_variables(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| !name.is_empty())
}

fn undeclared<'i>(name: &'i str, node: Node<'i>) -> Parameter<'i> {
    Parameter {
        name,
        place: In::Path,
        required: true,
        description: None,
        deprecated: false,
        schema: None,
        examples: Vec::new(),
        serialization: Serialization::Style {
            style: "simple".to_owned(),
            explode: false,
            allow_reserved: false,
        },
        node,
    }
}

fn parameter<'i>(
    document: Document<'i>,
    node: Node<'i>,
    report: Report<'_>,
) -> Result<Parameter<'i>, Diagnostic> {
    let fault = |message: String| node.diagnostic(Code::InvalidParameter, message);
    let name = match node.get("name").map(|name| (name.kind(), name.text())) {
        Some((Kind::String | Kind::Number | Kind::Bool(_), text)) if !text.is_empty() => text,
        Some(_) => return Err(fault("the `name` of a parameter is empty or no string".to_owned())),
        None if node.is_object() => return Err(fault("a parameter has no `name`".to_owned())),
        None => return Err(fault(format!("a parameter is {}; expected an object", node.describe()))),
    };
    let place = node.get_str("in").and_then(In::from_name).ok_or_else(|| {
        let found = node.get("in").map_or("missing".to_owned(), |place| format!("{:?}", place.text()));
        fault(format!("`in` of parameter {name:?} is {found}; expected path, query, header or cookie"))
    })?;
    let content =
        node.get("content").and_then(|content| content.entries().find(|(key, _)| media::is_media_type(key)));
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
    Ok(Parameter {
        name,
        place,
        required: place == In::Path || node.is_true("required"),
        description: node.get_str("description").filter(|text| !text.trim().is_empty()),
        deprecated: node.is_true("deprecated"),
        schema: schema.map(|node| Schema { node, dialect: document.dialect() }),
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
fn style(node: Node<'_>, place: In, report: Report<'_>) -> Serialization<'static> {
    let given = node.get("style");
    let known = given.map(|style| match place {
        In::Path => known_style::<PathStyle>(style),
        In::Query => known_style::<QueryStyle>(style),
        In::Header => known_style::<HeaderStyle>(style),
        In::Cookie => known_style::<CookieStyle>(style),
    });
    if let (Some(style), Some(None)) = (given, &known) {
        let message =
            format!("{:?} is no style of a {} parameter; the default is used", style.text(), place.name());
        report(style.diagnostic(Code::UnknownStyle, message));
    }
    let default = if matches!(place, In::Query | In::Cookie) { "form" } else { "simple" };
    let style = known.flatten().unwrap_or_else(|| default.to_owned());
    let explode = node.get("explode").and_then(Node::as_bool).unwrap_or(style == "form");
    Serialization::Style { style, explode, allow_reserved: node.is_true("allowReserved") }
}

fn known_style<S: DeserializeOwned + Serialize>(style: Node<'_>) -> Option<String> {
    let known: S = serde_json::from_value(json!(style.text())).ok()?;
    serde_json::to_value(known).ok()?.as_str().map(str::to_owned)
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
    let schema = entry.and_then(|entry| entry.get("schema"));
    Ok(Some(Body {
        required: node.get("required").and_then(Node::as_bool),
        description: node.get_str("description").filter(|text| !text.trim().is_empty()),
        media_type,
        payload: media::payload(media_type),
        schema: schema.map(|node| Schema { node, dialect: document.dialect() }),
        encoding: entry.and_then(|entry| entry.get("encoding")).filter(|encoding| encoding.is_object()),
        node,
    }))
}

/// The media types of the successful responses, or of the default one. What is wrong there keeps
/// no tool from being made.
fn accepted(operation: Node<'_>) -> Vec<&str> {
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
