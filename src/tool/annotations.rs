//! `annotations`: what the HTTP method promises (RFC 9110, section 9.2), where it differs from
//! MCP's defaults (2025-11-25, `ToolAnnotations`).

use serde_json::{Map, Value, json};

use super::extensions;
use crate::openapi::Operation;
use crate::schema::clean;

const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// The annotations of an operation's tool; empty where all is as MCP assumes.
pub(super) fn annotations(operation: &Operation<'_>, title: Option<&str>) -> Map<String, Value> {
    let endpoint = &operation.endpoint;
    let mut found = Map::new();
    if let Some(title) = title {
        found.insert("title".to_owned(), json!(title));
    }
    match endpoint.method {
        "GET" | "HEAD" | "OPTIONS" | "QUERY" | "TRACE" => {
            drop(found.insert("readOnlyHint".to_owned(), json!(true)));
        }
        "PUT" | "DELETE" => drop(found.insert("idempotentHint".to_owned(), json!(true))),
        _ => {}
    }
    for extension in extensions::hints(endpoint) {
        if let Some(title) = extension.get_str("title").map(clean).filter(|title| !title.is_empty()) {
            found.insert("title".to_owned(), json!(title));
        }
        for hint in HINTS {
            if let Some(value) = extension.get(hint).and_then(crate::input::Node::as_bool) {
                found.insert(hint.to_owned(), json!(value));
            }
        }
    }
    found
}
