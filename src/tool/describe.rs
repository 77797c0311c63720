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

/// The description, cut if the user wants shorter ones.
pub(super) fn limited(cx: &Context<'_, '_>, operation: &Operation<'_>, text: String) -> String {
    let Some(most) = cx.options.max_description else { return text };
    if text.chars().count() <= most {
        return text;
    }
    let node = operation.endpoint.node;
    let message = format!("the description has more than {most} characters; cut");
    let at = node.get("description").or_else(|| node.get("summary")).unwrap_or(node);
    cx.definitions.report(at.diagnostic(Code::CutDescription, message));
    cut(&text, most)
}

/// The text with at most so many characters, the mark of the cut among them: behind a sentence in its
/// last half if one ends there, else behind a word, else between two letters.
fn cut(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most.saturating_sub(2)).map_or(text.len(), |(at, _)| at);
    let kept = text.get(..end).unwrap_or(text);
    // What follows says whether the last word is whole.
    let whole = text.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let is_end = |(at, sign): &(usize, char)| {
        let next = text.get(at + sign.len_utf8()..).and_then(|rest| rest.chars().next());
        match sign {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        }
    };
    let half = kept.char_indices().nth(most / 2).map_or(0, |(at, _)| at);
    let sentence = kept.char_indices().rev().take_while(|(at, _)| *at >= half).find(is_end);
    if let Some((at, sign)) = sentence {
        return format!("{} …", kept.get(..at + sign.len_utf8()).unwrap_or(kept));
    }
    let word = kept.rfind(char::is_whitespace).filter(|at| !whole && *at >= half);
    let kept = word.and_then(|at| kept.get(..at)).unwrap_or_else(|| whole_letters(text, kept));
    format!("{}…", kept.trim_end())
}

/// The part without a last letter whose marks were cut off.
fn whole_letters<'t>(text: &str, kept: &'t str) -> &'t str {
    let joins = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    let mut end = kept.len();
    loop {
        let (before, after) = (text.get(..end).unwrap_or_default(), text.get(end..).unwrap_or_default());
        let split = after.starts_with(joins) || before.ends_with('\u{200d}');
        match before.char_indices().next_back() {
            Some((at, _)) if split => end = at,
            _ => return kept.get(..end).unwrap_or(kept),
        }
    }
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
    for parameter in operation.parameters.iter().filter(|parameter| parameter.hides) {
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
    fn descriptions_are_cut_where_a_reader_stops() {
        assert_eq!(cut("One thing. Another thing. And a third.", 30), "One thing. Another thing. …");
        assert_eq!(cut("a b. once upon a time there was a bear", 20), "a b. once upon a…");
        assert_eq!(cut("x".repeat(50).as_str(), 20).chars().count(), 19);
        assert_eq!(cut(&"e\u{301}".repeat(40), 21), format!("{}…", "e\u{301}".repeat(9)));
        for most in 20..60 {
            let text = "Some words, é and 日本語。 And more e\u{301}e\u{301}. 👩\u{200d}👩 ".repeat(4);
            let short = cut(&text, most);
            assert!(short.chars().count() <= most && short.ends_with('…'), "{short}");
        }
    }

    #[test]
    fn what_is_the_same_is_said_once() {
        assert_eq!(joined(&["List pets", "List pets."]), "List pets.");
        assert_eq!(joined(&["List pets", "List pets of a shop."]), "List pets of a shop.");
        assert_eq!(joined(&["List pets", "Ordered by name."]), "List pets\n\nOrdered by name.");
        assert_eq!(joined(&["List all pets", "Ordered.", "ordered"]), "List all pets\n\nOrdered.");
    }
}
