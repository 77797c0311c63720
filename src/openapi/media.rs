//! Which media type of a body a tool sends, and what that means for its schema.

use super::model::Payload;
use crate::input::Node;

/// The media type without parameters, in small letters: `application/json` for
/// `Application/JSON; charset=utf-8`.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a key of `content` is a media type at all: some documents have `examples` there.
pub(super) fn is_media_type(key: &str) -> bool {
    key.contains('/')
}

/// The one of several media types that a tool sends: JSON first, then forms, then what is one text.
pub(super) fn choose<'i>(content: &[(&'i str, Node<'i>)]) -> Option<(&'i str, Node<'i>)> {
    content.iter().copied().min_by_key(|(name, node)| rank(&essence(name), *node))
}

fn rank(essence: &str, media_type: Node<'_>) -> u8 {
    match essence {
        "application/json" => 0,
        "application/merge-patch+json" => 1,
        // An object cannot be a patch: documents list both types for one schema.
        "application/json-patch+json" if !is_array(media_type) => 8,
        _ if essence.ends_with("+json") => 2,
        "application/x-www-form-urlencoded" => 3,
        "multipart/form-data" => 4,
        _ if essence.contains('*') => 7,
        _ if essence.starts_with("text/") => 5,
        "application/octet-stream" => 6,
        _ => 8,
    }
}

fn is_array(media_type: Node<'_>) -> bool {
    let Some(schema) = media_type.get("schema") else { return true };
    let resolved =
        schema.get_str("$ref").and_then(|reference| crate::input::pointer::resolve(schema, reference).ok());
    resolved.unwrap_or(schema).get_str("type") == Some("array")
}

/// A media type that a caller can send: a range stands for the type that its payload is read as.
pub(super) fn concrete(media_type: &str) -> &str {
    if !media_type.contains('*') {
        return media_type;
    }
    match payload(media_type) {
        Payload::Json | Payload::Form | Payload::Sequence => "application/json",
        Payload::Text => "text/plain",
        Payload::Bytes => "application/octet-stream",
    }
}

/// Whether a media type is a sequence of values (3.2.0, section 4.14.1.1).
pub(super) fn is_sequential(media_type: &str) -> bool {
    let essence = essence(media_type);
    [
        "application/jsonl",
        "application/x-ndjson",
        "application/json-seq",
        "text/event-stream",
        "multipart/mixed",
    ]
    .contains(&essence.as_str())
        || essence.ends_with("+json-seq")
}

/// What a body of this media type is made of.
pub(super) fn payload(media_type: &str) -> Payload {
    let essence = essence(media_type);
    let (kind, subtype) = essence.split_once('/').unwrap_or((&essence, ""));
    match (kind, subtype) {
        ("*", _) | ("application", "*" | "json") => Payload::Json,
        _ if subtype.ends_with("+json") => Payload::Json,
        ("application", "x-www-form-urlencoded") | ("multipart", "form-data") => Payload::Form,
        ("application", "octet-stream" | "pdf" | "zip" | "gzip" | "x-tar")
        | ("image" | "audio" | "video" | "font", _) => Payload::Bytes,
        _ => Payload::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_told_apart_by_their_essence() {
        for (media_type, expected) in [
            ("application/json; charset=utf-8", Payload::Json),
            ("application/vnd.api+json", Payload::Json),
            ("*/*", Payload::Json),
            ("Multipart/Form-Data", Payload::Form),
            ("text/csv", Payload::Text),
            ("application/xml", Payload::Text),
            ("application/octet-stream", Payload::Bytes),
            ("image/*", Payload::Bytes),
        ] {
            assert_eq!(payload(media_type), expected, "{media_type}");
        }
    }
}
