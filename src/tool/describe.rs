//! A tool's description.

use super::{Context, extensions};
use crate::diagnostic::Code;
use crate::input::Node;
use crate::openapi::Operation;
use crate::schema::{clean, hides};

/// Summary and description, and what the body's description says that they don't; `METHOD /path`
/// where there is neither. What an extension says takes the place of all.
pub(super) fn description(operation: &Operation<'_>, body: Option<&str>) -> String {
    let mut text = String::new();
    let written = extensions::text(&operation.endpoint, "description");
    let parts = match written {
        Some(_) => [written, None, None],
        None => [operation.summary, operation.description, body],
    };
    for part in parts.into_iter().flatten() {
        join(&mut text, &clean(part));
    }
    if text.is_empty() {
        text = clean(&format!("{} {}", operation.endpoint.method, operation.endpoint.path)).into_owned();
    }
    if operation.deprecated && !text.to_lowercase().starts_with("deprecated") {
        text.insert_str(0, "Deprecated. ");
    }
    text
}

/// Reports texts and names outside of schemas that hide something; what is made of them does not.
pub(super) fn note_hidden(cx: &Context<'_, '_>, operation: &Operation<'_>) {
    let note = |node: Node<'_>, field: &str, text: Option<&str>| {
        if text.is_some_and(hides) {
            let message = format!("`{field}` has characters that show nothing; removed");
            cx.definitions.report(node.get(field).unwrap_or(node).diagnostic(Code::HiddenText, message));
        }
    };
    let endpoint = &operation.endpoint;
    note(endpoint.node, "summary", operation.summary);
    note(endpoint.node, "description", operation.description);
    note(endpoint.node, "operationId", endpoint.id);
    note(endpoint.node, "path", Some(endpoint.path));
    for parameter in &operation.parameters {
        note(parameter.node, "name", Some(parameter.name));
        note(parameter.node, "description", parameter.description);
    }
    if let Some(body) = &operation.body {
        note(body.node, "description", body.description);
    }
}

/// Adds a part in a paragraph of its own, unless the text says it already or the part says the text.
fn join(text: &mut String, part: &str) {
    if text.is_empty() || begins_with(part, text) {
        part.clone_into(text);
    } else if !part.is_empty() && !says(text, part) {
        text.push_str("\n\n");
        text.push_str(part);
    }
}

/// What counts of a text where it is compared with another.
fn core(text: &str) -> &str {
    text.trim_end_matches('.')
}

/// Whether `text` begins with `start`, whatever the case.
fn begins_with(text: &str, start: &str) -> bool {
    let (text, start) = (core(text), core(start));
    if text.is_ascii() && start.is_ascii() {
        return text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    }
    text.to_lowercase().starts_with(&start.to_lowercase())
}

/// Whether `text` has `part` in it, whatever the case.
fn says(text: &str, part: &str) -> bool {
    let (text, part) = (core(text), core(part));
    if part.len() > text.len() && text.is_ascii() && part.is_ascii() {
        return false;
    }
    text.to_lowercase().contains(&part.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(parts: &[&str]) -> String {
        let mut text = String::new();
        for part in parts {
            join(&mut text, part);
        }
        text
    }

    #[test]
    fn what_is_the_same_is_said_once() {
        assert_eq!(joined(&["List pets", "List pets."]), "List pets.");
        assert_eq!(joined(&["List pets", "List pets of a shop."]), "List pets of a shop.");
        assert_eq!(joined(&["List pets", "Ordered by name."]), "List pets\n\nOrdered by name.");
        assert_eq!(joined(&["List all pets", "Ordered.", "ordered"]), "List all pets\n\nOrdered.");
    }
}
