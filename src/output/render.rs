//! JSON text of values at a level of indentation, so that a part can be rendered once and copied
//! into many lists.

use serde_json::{Map, Value};

use super::Layout;
use crate::input::json::plain_end;

/// A line break and the indentation of a level; nothing in a compact layout.
pub(super) fn indent(out: &mut Vec<u8>, layout: Layout, level: usize) {
    if layout == Layout::Pretty {
        out.push(b'\n');
        out.resize(out.len() + 2 * level, b' ');
    }
}

/// Begins an entry of an object that stands at `level`: comma, indentation, key, colon.
pub(super) fn begin_entry(out: &mut Vec<u8>, layout: Layout, level: usize, key: &str, first: &mut bool) {
    if !std::mem::replace(first, false) {
        out.push(b',');
    }
    indent(out, layout, level + 1);
    string(out, key);
    out.push(b':');
    if layout == Layout::Pretty {
        out.push(b' ');
    }
}

/// Ends a container that stands at `level`; an empty one stays on its line.
pub(super) fn end(out: &mut Vec<u8>, layout: Layout, level: usize, bracket: u8, empty: bool) {
    if !empty {
        indent(out, layout, level);
    }
    out.push(bracket);
}

/// A value whose lines below the first are indented from `level`.
pub(super) fn value(out: &mut Vec<u8>, layout: Layout, level: usize, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => out.extend_from_slice(number.as_str().as_bytes()),
        Value::String(text) => string(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                indent(out, layout, level + 1);
                self::value(out, layout, level + 1, item);
            }
            end(out, layout, level, b']', items.is_empty());
        }
        Value::Object(map) => object(out, layout, level, map),
    }
}

/// An object, as [`value`].
pub(super) fn object(out: &mut Vec<u8>, layout: Layout, level: usize, map: &Map<String, Value>) {
    out.push(b'{');
    let mut first = true;
    for (key, value) in map {
        begin_entry(out, layout, level, key, &mut first);
        self::value(out, layout, level + 1, value);
    }
    end(out, layout, level, b'}', first);
}

/// A list of strings, as [`value`].
pub(super) fn strings(out: &mut Vec<u8>, layout: Layout, level: usize, texts: &[String]) {
    out.push(b'[');
    for (position, text) in texts.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        indent(out, layout, level + 1);
        string(out, text);
    }
    end(out, layout, level, b']', texts.is_empty());
}

/// A string: UTF-8 as it is, only what JSON demands is escaped (RFC 8259, section 7).
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = plain_end(bytes, from);
        out.extend_from_slice(bytes.get(from..at).unwrap_or_default());
        let Some(&byte) = bytes.get(at) else { break };
        from = at + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rendered(value: &Value, layout: Layout) -> String {
        let mut out = Vec::new();
        self::value(&mut out, layout, 0, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_layouts_are_what_serde_json_writes() {
        let value = json!({"a": [1, [], {}, {"b": null, "c\"\\\n\t\u{8}\u{1f}é": "日本 \u{7f}"}], "d": true, "e": -1.50});
        assert_eq!(
            rendered(&value, Layout::Compact),
            serde_json::to_string(&value).unwrap().replace("\\b", "\\u0008")
        );
        assert_eq!(
            rendered(&value, Layout::Pretty),
            serde_json::to_string_pretty(&value).unwrap().replace("\\b", "\\u0008")
        );
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in ["1.10", "1e3", "18446744073709551616", "-0.0"] {
            let number = Value::Number(serde_json::Number::from_string_unchecked(text.to_owned()));
            assert_eq!(rendered(&number, Layout::Compact), text);
        }
    }
}
