//! The response that a successful call gets, in the one media type whose schema a tool can promise.

use super::media;
use super::model::{Payload, Response};
use super::{Document, Version, follow, v2};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node};
use crate::schema::Schema;

/// The JSON response of the lowest status of success, if it has a schema. `default` is none: it is what
/// errors are.
///
/// # Errors
/// A response that is not what OpenAPI says.
pub(super) fn success<'i>(
    document: Document<'i>,
    operation: Node<'i>,
) -> Result<Option<Response<'i>>, Diagnostic> {
    let responses = operation.get("responses").into_iter().flat_map(Node::entries);
    // A range comes behind the statuses in it (3.1.2, section 4.8.16.2).
    let lowest = responses.filter(|(status, _)| is_success(status)).min_by_key(|(status, _)| *status);
    let Some((status, node)) = lowest else { return Ok(None) };
    let node = follow(node)?;
    if !node.is_object() && node.kind() != Kind::Null {
        let message = format!("the response {status} is {}; expected an object", node.describe());
        return Err(node.diagnostic(Code::InvalidOperation, message));
    }
    let found = match document.version {
        Version::V2 => json_of_2(document, operation, node),
        Version::V30 | Version::V31 | Version::V32 => json_of_3(node)?,
    };
    Ok(found.map(|(media_type, schema)| Response {
        status,
        media_type: media::concrete(media_type),
        schema: Schema { node: schema, dialect: document.dialect() },
    }))
}

fn is_success(status: &str) -> bool {
    matches!(status.as_bytes(), [b'2', b'0'..=b'9', b'0'..=b'9'] | [b'2', b'X' | b'x', b'X' | b'x'])
}

fn is_json(media_type: &str) -> bool {
    media::is_media_type(media_type)
        && media::payload(media_type) == Payload::Json
        && !media::is_sequential(media_type)
}

fn json_of_3(response: Node<'_>) -> Result<Option<(&str, Node<'_>)>, Diagnostic> {
    let content = response.get("content").into_iter().flat_map(Node::entries);
    let json: Vec<_> = content.filter(|(name, _)| is_json(name)).collect();
    let Some((media_type, entry)) = media::choose(&json) else { return Ok(None) };
    let entry = follow(entry)?;
    Ok(entry.get("schema").filter(|_| entry.get("itemSchema").is_none()).map(|schema| (media_type, schema)))
}

/// Swagger 2.0 has one schema, and the media types apart; none is taken for JSON.
fn json_of_2<'i>(
    document: Document<'i>,
    operation: Node<'i>,
    response: Node<'i>,
) -> Option<(&'i str, Node<'i>)> {
    let schema = response.get("schema")?;
    let produces = v2::accept(document, operation);
    let json: Vec<_> = produces.iter().filter(|name| is_json(name)).map(|name| (*name, response)).collect();
    let media_type = match media::choose(&json) {
        Some((media_type, _)) => media_type,
        None if produces.is_empty() => "application/json",
        None => return None,
    };
    Some((media_type, schema))
}
