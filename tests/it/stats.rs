//! `--stats` says what the tools weigh as they are written.

use serde_json::Value;

use crate::run::gen_tools;

/// The statistics of a document, and the list of its tools.
fn stats(options: &[&str]) -> (Value, Value) {
    let outcome =
        gen_tools([&["specs/notion.yaml", "--compact", "--quiet", "--stats=json"], options].concat());
    assert_eq!(outcome.code, Some(0));
    (serde_json::from_str(&outcome.stderr).expect("one JSON object"), outcome.list().expect("a list"))
}

/// Counts levels of objects and lists.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn every_tool_is_measured_as_it_is_written() {
    for options in [&[][..], &["--output-schemas"], &["--inline-refs"]] {
        let (stats, list) = stats(options);
        let tools = list["tools"].as_array().unwrap();
        assert_eq!(stats["tools"], tools.len());
        for (measured, tool) in stats["perTool"].as_array().unwrap().iter().zip(tools) {
            assert_eq!(measured["name"], tool["name"]);
            assert_eq!(measured["bytes"], tool.to_string().len(), "{}", tool["name"]);
            let deepest = depth(&tool["inputSchema"]).max(depth(&tool["outputSchema"]));
            assert_eq!(measured["depth"], deepest, "{}", tool["name"]);
        }
        let sum: u64 =
            stats["perTool"].as_array().unwrap().iter().filter_map(|tool| tool["bytes"].as_u64()).sum();
        assert_eq!(stats["bytes"], sum);
        assert!(stats["everyComponent"]["bytes"].as_u64() > Some(sum));
    }
}

#[test]
fn the_table_names_the_largest_and_what_makes_them_so() {
    let outcome = gen_tools(["specs/notion.yaml", "--quiet", "--stats"]);
    let again = gen_tools(["specs/notion.yaml", "--quiet", "--stats"]);
    assert_eq!(outcome.stderr, again.stderr);
    assert_eq!(outcome.stdout, gen_tools(["specs/notion.yaml", "--quiet"]).stdout);
    for part in ["bytes, compact", "in every tool", " without "] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
}
