//! What must hold for any input whatever: the judges of the fuzz targets in `fuzz/`, and of the short
//! runs in `fuzz.rs`.

use std::collections::BTreeSet;

use gen_tools::{Generation, Input, Kind, Layout, Node, Options};
use serde_json::{Value, json};

use crate::walk::{reachable, references, without_definitions};

/// Where our reader stops and `serde_json` doesn't, or the other way round: both limit the depth.
const MAX_DEPTH: usize = 120;

/// JSON is read as `serde_json` reads it: the same texts, the same values, every digit.
///
/// # Panics
/// Where it isn't.
pub(crate) fn json_is_read(text: &str) {
    if depth(text) > MAX_DEPTH {
        let _ = Input::parse("a.json", text);
        return;
    }
    // A byte-order mark is ours to skip (RFC 8259, section 8.1).
    let marked = text.strip_prefix('\u{feff}').unwrap_or(text);
    let theirs = serde_json::from_str::<Value>(marked).ok();
    match Input::parse("a.json", text) {
        Ok(input) => {
            let ours = input.root().map(|root| plain(root.to_value()));
            assert!(ours == theirs.map(plain), "another value of {text}");
            assert_spans(&input, text);
        }
        Err(error) => {
            assert_eq!(None, theirs, "refused: {error}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// The value with the exponents of its numbers as `serde_json` writes them.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let digits = number.to_string().to_lowercase().replace("e+", "e");
            Value::Number(serde_json::Number::from_string_unchecked(digits))
        }
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// A bound on how deep a JSON text nests.
fn depth(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count()
}

/// Every node's span holds its text, and its place can be told.
fn assert_spans(input: &Input, text: &str) {
    let Some(root) = input.root() else { return };
    each(root, 0, &mut |node| {
        let span = node.span();
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?} in {}", text.len());
        let location = input.locate(span);
        assert!(location.line > 0 && location.column > 0);
    });
}

/// Visits the first nodes of a tree, where aliases may make many of few.
fn each<'i>(node: Node<'i>, seen: usize, visit: &mut dyn FnMut(Node<'i>)) -> usize {
    const ENOUGH: usize = 5000;
    visit(node);
    let mut seen = seen + 1;
    let children: Vec<Node<'i>> = match node.kind() {
        Kind::Array => node.items().collect(),
        Kind::Object => node.entries().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    for child in children {
        if seen > ENOUGH {
            break;
        }
        seen = each(child, seen, visit);
    }
    seen
}

/// Any text is YAML with a tree whose spans lie in it, or is refused with a message; what is read is
/// read again from the JSON that says the same.
///
/// # Panics
/// Where it isn't.
pub(crate) fn yaml_is_read(text: &str) {
    let input = match Input::parse("a.yaml", text) {
        Ok(input) => input,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_spans(&input, text);
    let Some(root) = input.root() else { return };
    // Aliases multiply.
    if each(root, 0, &mut |_| {}) > 2000 {
        return;
    }
    let value = root.to_value();
    let json = value.to_string();
    let again = Input::parse("a.json", json.as_str()).expect("JSON");
    assert_eq!(again.root().map(Node::to_value), Some(value), "read again from {json}");
}

/// A reference is followed to the place that RFC 6901 gives it, or is reported.
///
/// `document` is any value; `reference` a string beside it. What a plain JSON Pointer names exists
/// exactly if `serde_json` finds it.
///
/// # Panics
/// Where it isn't.
pub(crate) fn reference_is_resolved(document: &Value, reference: &str) {
    let schema = json!({"$ref": reference});
    let parameters = json!([{"name": "q", "in": "query", "schema": schema}]);
    let whole = json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters}}},
        "components": {"schemas": {"X": document}},
    });
    let text = whole.to_string();
    let codes = document_is_converted("a.json", &text);
    // What other keywords name changes what is missing, and what an address means.
    let simple =
        !["Ref", "$ref", "$id", "$self", "mapping"].iter().any(|word| document.to_string().contains(word));
    let plain = reference.strip_prefix('#').filter(|pointer| {
        // `%` and a wrong `~` are read in more than one way.
        simple && pointer.starts_with('/') && !pointer.contains(['%', '~'])
    });
    let Some(pointer) = plain else { return };
    let exists = whole.pointer(pointer).is_some();
    assert_eq!(codes.contains("unresolved-reference"), !exists, "of {pointer:?}");
}

/// A document gives a list of tools or a message: the list is JSON, the same again, each tool has
/// exactly the definitions that it reaches; every message can be shown. Gives the codes of the
/// messages.
///
/// # Panics
/// Where it isn't.
pub(crate) fn document_is_converted(name: &str, text: &str) -> BTreeSet<&'static str> {
    let mut codes = BTreeSet::new();
    let input = match Input::parse(name, text) {
        Ok(input) => input,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            codes.insert("unread");
            return codes;
        }
    };
    let generation = match gen_tools::generate(&input, &Options::default()) {
        Ok(generation) => generation,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            codes.insert("no-document");
            return codes;
        }
    };
    let (list, left_out) = written(&generation);
    let reports = generation.diagnostics();
    for diagnostic in reports.iter().chain(&left_out) {
        codes.insert(diagnostic.code.name());
        assert!(!diagnostic.message.is_empty());
        let excerpt = input.excerpt(diagnostic.span);
        assert!(excerpt.text.get(excerpt.start..).is_some(), "the excerpt's start is no character's");
        assert!(input.locate(diagnostic.span).line > 0);
    }
    let again = gen_tools::generate(&input, &Options::default()).map(|generation| written(&generation).0);
    assert_eq!(again.ok().as_deref(), Some(list.as_slice()), "a second run gives other bytes");
    with_all_options(&input);
    for tool in tools(&list) {
        assert_tool(&tool);
    }
    codes
}

/// What else tools may have can be made, too: output schemas, copies in place of references, and what
/// they weigh.
fn with_all_options(input: &Input) {
    let mut options = Options::default();
    options.output_schemas = true;
    options.inline_refs = true;
    options.max_description = Some(100);
    options.max_name = 30;
    let generation = gen_tools::generate(input, &options).expect("it was read before");
    let (list, _) = written(&generation);
    for tool in tools(&list) {
        assert_eq!(tool["inputSchema"]["$defs"], json!({}), "of {}", tool["name"]);
        let description = tool["description"].as_str().expect("a description");
        assert!(description.chars().count() <= 100, "{description:?}");
    }
    options.inline_refs = false;
    let generation = gen_tools::generate(input, &options).expect("it was read before");
    let mut stats = generation.stats();
    let mut writer = gen_tools::ToolsWriter::new(Vec::new(), Layout::Compact);
    for tool in generation.tools().flatten() {
        writer.tool(&tool).expect("memory takes everything");
        stats.tool(&tool);
    }
    let list = writer.finish().expect("memory takes everything");
    for output in tools(&list).iter().filter_map(|tool| tool.get("outputSchema")) {
        assert!(reachable(output).is_subset(&defined(output)));
    }
    assert!(stats.finish().is_object());
}

/// The tools of a list; none of one that nests deeper than the judge reads.
fn tools(list: &[u8]) -> Vec<Value> {
    match serde_json::from_slice::<Value>(list) {
        Ok(list) => list["tools"].as_array().expect("tools").clone(),
        Err(error) if error.to_string().starts_with("recursion limit exceeded") => Vec::new(),
        Err(error) => panic!("the list is no JSON: {error}"),
    }
}

fn defined(schema: &Value) -> BTreeSet<String> {
    schema["$defs"].as_object().expect("$defs").keys().cloned().collect()
}

fn written(generation: &Generation<'_>) -> (Vec<u8>, Vec<gen_tools::diagnostic::Diagnostic>) {
    let mut list = Vec::new();
    let left_out = generation.write(&mut list, Layout::Compact).expect("memory takes everything");
    (list, left_out.into_iter().map(|left_out| left_out.diagnostic).collect())
}

fn assert_tool(tool: &Value) {
    let input = &tool["inputSchema"];
    let defined = defined(input);
    let reached = reachable(input);
    // What data mentions is kept as well, and may be an alias, a place or another file.
    let mentions = input["$defs"].as_object().into_iter().flat_map(|map| map.values());
    let root = without_definitions(input);
    let mentions = mentions.chain([&root]).any(|schema| !references(schema).data.is_empty());
    assert!(
        reached.is_subset(&defined) && (mentions || reached == defined),
        "{reached:?} of {defined:?}, {}",
        tool["name"]
    );
    for (argument, schema) in input["properties"].as_object().expect("properties") {
        let mut once = schema.clone();
        gen_tools::normalise(&mut once, argument);
        let mut twice = once.clone();
        gen_tools::normalise(&mut twice, argument);
        assert_eq!(once, twice, "normalising is not idempotent");
    }
}
