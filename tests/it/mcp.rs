//! A generated list as an MCP client sees it: the official Rust SDK's, over an in-memory transport;
//! and as the protocol's own schemas see it, where `GEN_TOOLS_MCP_SCHEMA` names their folder.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::check::check_list;
use crate::mcp_stub::list_tools;
use crate::run::{ALL, gen_tools, root, shared};
use crate::walk::reachable;

/// The protocol's revisions, where each keeps its definitions, and whether a plain `{"tools": …}`
/// is a `ListToolsResult` (the newest wants an envelope that a server writes).
const REVISIONS: &[(&str, &str, bool)] = &[
    ("2024-11-05", "definitions", true),
    ("2025-03-26", "definitions", true),
    ("2025-06-18", "definitions", true),
    ("2025-11-25", "$defs", true),
    ("2026-07-28", "$defs", false),
];

/// What a real server of Notion's tools answers once each tool has only what it can reach took
/// 23,749 bytes; ours has to stay below, and its input schemas below 17,500.
const NOTION: Limits = Limits { tools: 24, inputs: 17_500, answer: 21_000 };

/// How large a list may be.
struct Limits {
    /// The exact number of tools.
    tools: usize,
    /// The compact input schemas together, in bytes.
    inputs: usize,
    /// The answer to `tools/list`, in bytes.
    answer: usize,
}

/// The faults of a list in the eyes of a client, and its answer's length.
fn client_faults(list: &Value) -> (Vec<String>, usize) {
    let listing = match list_tools(list) {
        Ok(listing) => listing,
        Err(error) => return (vec![format!("the client cannot list the tools: {error}")], 0),
    };
    let mut faults = Vec::new();
    if list["tools"].as_array() != Some(&listing.tools) {
        faults.push("the client sees other tools than the file holds".to_owned());
    }
    for tool in &listing.tools {
        let input = &tool["inputSchema"];
        let present = input["$defs"].as_object().into_iter().flatten();
        let present: BTreeSet<String> = present.map(|(name, _)| name.clone()).collect();
        let needed = reachable(input);
        if present != needed {
            faults.push(format!("{}: carries {present:?} and needs {needed:?}", tool["name"]));
        }
    }
    (faults, listing.answer)
}

/// The faults of a list against its limits.
fn limit_faults(list: &Value, answer: usize, limits: &Limits) -> Vec<String> {
    let tools = list["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let inputs: usize = tools.iter().map(|tool| tool["inputSchema"].to_string().len()).sum();
    let mut faults = Vec::new();
    if tools.len() != limits.tools {
        faults.push(format!("{} tools, not {}", tools.len(), limits.tools));
    }
    if inputs > limits.inputs {
        faults.push(format!("input schemas of {inputs} bytes, more than {}", limits.inputs));
    }
    if answer > limits.answer {
        faults.push(format!("an answer of {answer} bytes, more than {}", limits.answer));
    }
    faults
}

/// The faults of a list against the schemas of every revision in `folder`.
fn protocol_faults(list: &Value, folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for (revision, definitions, is_list) in REVISIONS {
        let path = folder.join(format!("mcp-schema-{revision}.json"));
        let text = std::fs::read(&path).expect("the schema can be read");
        let schema: Value = serde_json::from_slice(&text).expect("the schema is JSON");
        let tool = definition_of(&schema, definitions, "Tool");
        for value in list["tools"].as_array().into_iter().flatten() {
            let found = tool.validate(value).err();
            faults.extend(found.map(|error| format!("{revision}: {}: {error}", value["name"])));
        }
        let whole = definition_of(&schema, definitions, "ListToolsResult");
        let mut value = list.clone();
        if !is_list {
            value["resultType"] = json!("complete");
            value["ttlMs"] = json!(0);
            value["cacheScope"] = json!("public");
        }
        let found = whole.validate(&value).err();
        faults.extend(found.map(|error| format!("{revision}: ListToolsResult: {}", error.instance_path())));
    }
    faults
}

/// A validator for one definition of a protocol schema.
fn definition_of(schema: &Value, definitions: &str, name: &str) -> jsonschema::Validator {
    let mut schema = schema.clone();
    schema["$ref"] = json!(format!("#/{definitions}/{name}"));
    jsonschema::validator_for(&schema).expect("the protocol's schema compiles")
}

/// The list that the binary makes of a document, whole.
fn whole_list(path: &Path) -> Value {
    let outcome = gen_tools([path]);
    assert_eq!(outcome.code, Some(ALL), "{}: {}", path.display(), outcome.stderr);
    outcome.list().unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

/// Everything that a client and the protocol say about the list of a document.
fn assert_served(path: &Path, limits: Option<&Limits>) {
    let list = whole_list(path);
    let (mut faults, answer) = client_faults(&list);
    faults.extend(check_list(&list));
    if let Some(limits) = limits {
        faults.extend(limit_faults(&list, answer, limits));
    }
    if let Some(folder) = shared("GEN_TOOLS_MCP_SCHEMA") {
        faults.extend(protocol_faults(&list, &folder));
    }
    eprintln!("{}: {answer} bytes of answer", path.display());
    assert!(faults.is_empty(), "{}:\n{}", path.display(), faults.join("\n"));
}

#[test]
fn a_client_lists_the_tools_of_the_notion_like_document() {
    assert_served(&root().join("specs/notion.yaml"), None);
}

#[test]
fn a_client_lists_the_tools_of_the_real_notion_document() {
    match shared("GEN_TOOLS_CORPUS") {
        Some(corpus) => assert_served(&corpus.join("notion.json"), Some(&NOTION)),
        None => eprintln!("ran 0 documents: GEN_TOOLS_CORPUS is not set"),
    }
}

#[test]
fn every_shape_is_what_the_protocol_says() {
    let path = root().join("specs/notion.yaml");
    let plain = whole_list(&path);
    let given = |shape: &str| {
        let outcome = gen_tools([path.as_os_str(), "--shape".as_ref(), shape.as_ref()]);
        assert_eq!(outcome.code, Some(ALL), "{}", outcome.stderr);
        outcome.list().unwrap()
    };
    assert_eq!(given("tools"), plain);
    assert_eq!(given("array"), plain["tools"]);
    let list = given("list");
    assert_eq!(list["tools"], plain["tools"]);
    let Some(folder) = shared("GEN_TOOLS_MCP_SCHEMA") else { return };
    for (revision, definitions, is_plain) in REVISIONS {
        let text = std::fs::read(folder.join(format!("mcp-schema-{revision}.json"))).unwrap();
        let whole = definition_of(&serde_json::from_slice(&text).unwrap(), definitions, "ListToolsResult");
        assert!(whole.is_valid(&list), "{revision}");
        assert_eq!(whole.is_valid(&plain), *is_plain, "{revision}");
        assert!(!whole.is_valid(&plain["tools"]), "{revision}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tool with a definition that it needs.
    fn list() -> Value {
        json!({"tools": [{
            "name": "add",
            "description": "Adds.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"$ref": "#/$defs/N"}, "m": {"minimum": 18_446_744_073_709_551_615_u64}},
                "required": ["n"],
                "$defs": {"N": {"type": "integer", "minimum": -1.5}},
            },
            "annotations": {"readOnlyHint": true},
        }]})
    }

    #[test]
    fn a_good_list_is_listed_and_measured() {
        let (faults, answer) = client_faults(&list());
        assert_eq!(faults, Vec::<String>::new());
        let compact = list()["tools"].to_string().len();
        assert!((compact..compact + 100).contains(&answer), "{answer} for {compact}");
    }

    #[test]
    fn a_bad_list_is_not() {
        let spoilt = |pointer: &str, value: Value| {
            let mut list = list();
            *list.pointer_mut(pointer).unwrap() = value;
            client_faults(&list).0
        };
        assert!(!spoilt("/tools", json!({})).is_empty());
        assert!(!spoilt("/tools/0/inputSchema", json!(null)).is_empty());
        assert!(!spoilt("/tools/0/annotations/readOnlyHint", json!("true")).is_empty());
        assert!(!spoilt("/tools/0/description", json!(null)).is_empty());
        let carried = spoilt("/tools/0/inputSchema/properties", json!({}));
        assert!(carried[0].contains("carries"), "{carried:?}");
    }

    #[test]
    fn every_limit_is_a_limit() {
        let inputs = list()["tools"][0]["inputSchema"].to_string().len();
        let limits = |tools, inputs, answer| limit_faults(&list(), 300, &Limits { tools, inputs, answer });
        assert_eq!(limits(1, inputs, 300), Vec::<String>::new());
        assert_eq!(limits(2, inputs, 300).len(), 1);
        assert_eq!(limits(1, inputs - 1, 300).len(), 1);
        assert_eq!(limits(1, inputs, 299).len(), 1);
    }

    #[test]
    fn the_protocol_takes_a_good_list_and_refuses_a_bad_one() {
        let Some(folder) = shared("GEN_TOOLS_MCP_SCHEMA") else { return };
        assert_eq!(protocol_faults(&list(), &folder), Vec::<String>::new());
        let mut bad = list();
        bad["tools"][0]["inputSchema"]["type"] = json!(["object"]);
        assert_eq!(protocol_faults(&bad, &folder).len(), 2 * REVISIONS.len());
        let mut bad = list();
        bad["tools"][0]["description"] = Value::Null;
        assert_eq!(protocol_faults(&bad, &folder).len(), 2 * REVISIONS.len());
    }
}
