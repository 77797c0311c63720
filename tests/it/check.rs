//! An independent judgement of a whole `tools.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::check_schema::{is_definition_key, schema_faults};
use crate::walk::{closure, references, uses, without_definitions};

/// The keys of a tool, in their order.
const TOOL_KEYS: &[&str] = &["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
/// The keys of an input schema, in their order.
const INPUT_KEYS: &[&str] = &["type", "properties", "required", "additionalProperties", "$defs"];
/// The hints of MCP's `ToolAnnotations` and their defaults: only what differs is written.
const HINTS: &[(&str, bool)] =
    &[("readOnlyHint", false), ("destructiveHint", true), ("idempotentHint", false), ("openWorldHint", true)];

/// Every fault of a list of tools, one line each; empty for a good one.
///
/// A definition is judged once, however many tools carry it, so a list of a thousand tools takes
/// seconds.
pub(crate) fn check_list(list: &Value) -> Vec<String> {
    let Some(tools) = list["tools"].as_array().filter(|_| list.as_object().is_some_and(|o| o.len() == 1))
    else {
        return vec!["the list is not an object with the one key `tools`, an array".to_owned()];
    };
    let mut faults = Vec::new();
    let inputs = catalogue(tools, "inputSchema", &mut faults);
    let outputs = catalogue(tools, "outputSchema", &mut faults);
    let (input_facts, output_facts) = (facts(&inputs), facts(&outputs));

    for (name, entry) in inputs.iter().chain(&outputs) {
        faults.extend(definition_faults(name, entry.value));
    }
    let mut names = BTreeSet::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or("(no name)");
        if !names.insert(name) {
            faults.push(format!("tool {name}: the name stands twice"));
        }
        let mut found = tool_faults(tool, &input_facts);
        if let Some(output) = tool.get("outputSchema") {
            found.extend(output_faults(output, &output_facts));
        }
        faults.extend(found.into_iter().map(|fault| format!("tool {name}: {fault}")));
    }
    if faults.is_empty() {
        faults.extend(compile_fault(tools, "inputSchema", &inputs));
        faults.extend(compile_fault(tools, "outputSchema", &outputs));
    }
    faults
}

/// A definition as it first appeared.
struct Entry<'v> {
    value: &'v Value,
    /// As text, since equality of maps does not look at the order of keys.
    text: String,
    /// The tool that carried it.
    tool: &'v str,
}

/// All definitions of all tools by name, of the schemas under one key; a name that means two things
/// is a fault.
fn catalogue<'v>(tools: &'v [Value], key: &str, faults: &mut Vec<String>) -> BTreeMap<String, Entry<'v>> {
    let mut catalogue = BTreeMap::<String, Entry<'v>>::new();
    for tool in tools {
        let tool_name = tool["name"].as_str().unwrap_or_default();
        for (name, value) in tool[key]["$defs"].as_object().into_iter().flatten() {
            let text = value.to_string();
            match catalogue.get(name) {
                Some(entry) if entry.text == text => {}
                Some(entry) => faults.push(format!(
                    "tool {tool_name}: the definition `{name}` is another one than in {}",
                    entry.tool
                )),
                None => {
                    catalogue.insert(name.clone(), Entry { value, text, tool: tool_name });
                }
            }
        }
    }
    catalogue
}

/// What is worked out once for each definition.
struct Facts {
    /// The names of all definitions of the list.
    existing: BTreeSet<String>,
    /// By definition, the definitions that it uses.
    uses_of: BTreeMap<String, BTreeSet<String>>,
    /// By definition, the `$ref` of its schemas.
    targets_of: BTreeMap<String, BTreeSet<String>>,
}

/// What the definitions of `catalogue` use.
fn facts(catalogue: &BTreeMap<String, Entry<'_>>) -> Facts {
    let existing: BTreeSet<String> = catalogue.keys().cloned().collect();
    let mut facts = Facts { existing, uses_of: BTreeMap::new(), targets_of: BTreeMap::new() };
    for (name, entry) in catalogue {
        facts.uses_of.insert(name.clone(), uses(entry.value, &facts.existing));
        facts.targets_of.insert(name.clone(), references(entry.value).schema);
    }
    facts
}

/// The faults of one definition.
fn definition_faults(name: &str, definition: &Value) -> Vec<String> {
    let mut faults = schema_faults(definition);
    if !is_definition_key(name) {
        faults.push(": a key of `$defs` may have only `A-Z a-z 0-9 _ . -`".to_owned());
    }
    if definition["title"].as_str() == Some(name) {
        faults.push("/title: only repeats the definition's name".to_owned());
    }
    faults.into_iter().map(|fault| format!("definition {name}: {fault}")).collect()
}

/// The faults of one tool, without those inside its definitions.
fn tool_faults(tool: &Value, facts: &Facts) -> Vec<String> {
    let Some(object) = tool.as_object() else {
        return vec!["is no object".to_owned()];
    };
    let mut faults = key_faults("tool", object, TOOL_KEYS, &["name", "description", "inputSchema"]);
    if !tool["name"].as_str().is_some_and(is_tool_name) {
        faults.push(format!("the name {} is not `^[A-Za-z_-][A-Za-z0-9_-]{{0,63}}$`", tool["name"]));
    }
    faults.extend(text_faults("description", &tool["description"]));
    if let Some(title) = object.get("title") {
        faults.extend(text_faults("title", title));
    }
    if let Some(annotations) = object.get("annotations") {
        faults.extend(annotation_faults(annotations));
    }
    let input = &tool["inputSchema"];
    faults.extend(input_faults(input));
    faults.extend(schema_faults(&without_definitions(input)));
    faults.extend(reachability_faults(input, facts));
    faults
}

/// `^[A-Za-z_-][A-Za-z0-9_-]{0,63}$`: what MCP, its conformance suite and the model providers
/// all take.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// `^[a-zA-Z0-9_.-]{1,64}$`.
fn is_argument_name(name: &str) -> bool {
    name.len() <= 64 && is_definition_key(name)
}

/// Unknown, missing, null and misplaced keys.
fn key_faults(what: &str, object: &Map<String, Value>, order: &[&str], needed: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut last = 0;
    for (key, value) in object {
        match order.iter().position(|known| known == key) {
            None => faults.push(format!("{what} has the key `{key}`")),
            Some(position) if position < last => {
                faults.push(format!("{what} has `{key}` behind `{}`", order[last]));
            }
            Some(position) => last = position,
        }
        if value.is_null() {
            faults.push(format!("{what} has a null `{key}`"));
        }
    }
    for key in needed {
        if !object.contains_key(*key) {
            faults.push(format!("{what} has no `{key}`"));
        }
    }
    faults
}

/// A text says something, and hides nothing from a reviewer.
fn text_faults(what: &str, text: &Value) -> Option<String> {
    let Some(text) = text.as_str().filter(|text| !text.trim().is_empty()) else {
        return Some(format!("the {what} says nothing"));
    };
    let hidden = |c: &char| {
        matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let found = text.chars().find(hidden)?;
    Some(format!("the {what} hides the character {found:?}"))
}

/// Annotations say something that differs from MCP's defaults.
fn annotation_faults(annotations: &Value) -> Vec<String> {
    let Some(object) = annotations.as_object().filter(|object| !object.is_empty()) else {
        return vec!["`annotations` is empty or no object".to_owned()];
    };
    let mut faults = Vec::new();
    for (key, value) in object {
        let hint = HINTS.iter().find(|(hint, _)| hint == key);
        match (hint, value) {
            (None, Value::String(_)) if key == "title" => faults.extend(text_faults("title", value)),
            (None, _) => faults.push(format!("`annotations` has the key `{key}`")),
            (Some((_, default)), Value::Bool(value)) if value != default => {}
            (Some(_), _) => faults.push(format!("the hint `{key}` is {value}")),
        }
    }
    faults
}

/// The shape of an input schema: what every host and model provider takes.
fn input_faults(input: &Value) -> Vec<String> {
    let Some(object) = input.as_object() else {
        return vec!["`inputSchema` is no object".to_owned()];
    };
    let mut faults = key_faults("inputSchema", object, INPUT_KEYS, &["type", "properties", "$defs"]);
    if input["type"] != "object" {
        faults.push(format!("the type of `inputSchema` is {}", input["type"]));
    }
    if !input["$defs"].is_object() {
        faults.push("`$defs` is no object".to_owned());
    }
    if object.get("additionalProperties").is_some_and(|value| *value != Value::Bool(false)) {
        faults.push("`additionalProperties` of the root is written only as `false`".to_owned());
    }
    let Some(properties) = input["properties"].as_object() else {
        faults.push("`properties` is no object".to_owned());
        return faults;
    };
    for (name, schema) in properties {
        if !is_argument_name(name) {
            faults.push(format!("the argument `{name}` is not `^[a-zA-Z0-9_.-]{{1,64}}$`"));
        }
        if !schema.is_object() {
            faults.push(format!("the schema of the argument `{name}` is {schema}"));
        }
    }
    for name in input["required"].as_array().into_iter().flatten() {
        if !name.as_str().is_some_and(|name| properties.contains_key(name)) {
            faults.push(format!("{name} is required and no argument"));
        }
    }
    faults
}

/// The shape of an output schema: what clients of every revision of MCP take.
fn output_faults(output: &Value, facts: &Facts) -> Vec<String> {
    let Some(object) = output.as_object() else {
        return vec!["`outputSchema` is no object".to_owned()];
    };
    let mut faults = schema_faults(&without_definitions(output));
    if output["type"] != "object" {
        faults.push(format!("the type of `outputSchema` is {}", output["type"]));
    }
    for keyword in ["$ref", "allOf", "anyOf", "oneOf", "not", "if"] {
        if object.contains_key(keyword) {
            faults.push(format!("`{keyword}` at the root of `outputSchema`"));
        }
    }
    for (name, schema) in output["properties"].as_object().into_iter().flatten() {
        if !schema.is_object() {
            faults.push(format!("the schema of the output `{name}` is {schema}"));
        }
    }
    if !output["$defs"].is_object() {
        faults.push("`$defs` of `outputSchema` is no object".to_owned());
    }
    faults.extend(reachability_faults(output, facts));
    faults.into_iter().map(|fault| format!("outputSchema: {fault}")).collect()
}

/// The tool has exactly the definitions that it can reach, and each `$ref` finds its own.
fn reachability_faults(input: &Value, facts: &Facts) -> Vec<String> {
    let empty = Map::new();
    let present = input["$defs"].as_object().unwrap_or(&empty);
    let root = without_definitions(input);
    let reached = closure(uses(&root, &facts.existing), &facts.uses_of);
    let own = references(&root).schema;
    let inner = present.keys().filter_map(|name| facts.targets_of.get(name)).flatten();
    let mut faults = Vec::new();
    for target in own.iter().chain(inner) {
        if !target.strip_prefix("#/$defs/").is_some_and(|name| present.contains_key(name)) {
            faults.push(format!("`$ref` to {target:?} finds nothing"));
        }
    }
    for name in present.keys().filter(|name| !reached.contains(*name)) {
        faults.push(format!("the definition `{name}` cannot be reached"));
    }
    for name in reached.iter().filter(|name| !present.contains_key(*name)) {
        faults.push(format!("the definition `{name}` is reachable and not there"));
    }
    faults
}

/// Compiles all tools as one 2020-12 schema: by now each name means one definition and each `$ref`
/// resolves inside its tool, so together they compile exactly when each does.
fn compile_fault(tools: &[Value], key: &str, catalogue: &BTreeMap<String, Entry<'_>>) -> Option<String> {
    let definitions: Map<String, Value> =
        catalogue.iter().map(|(name, entry)| (name.clone(), entry.value.clone())).collect();
    let of_definitions =
        definitions.keys().map(|name| (format!("$defs {name}"), json!({"$ref": format!("#/$defs/{name}")})));
    let of_tools = tools
        .iter()
        .filter(|tool| tool.get(key).is_some())
        .map(|tool| (format!("tool {}", tool["name"]), without_definitions(&tool[key])));
    let places: Map<String, Value> = of_definitions.chain(of_tools).collect();
    let whole = json!({"properties": places, "$defs": definitions});
    let error = compile(&whole).err()?;
    Some(format!("does not compile as 2020-12: {error}"))
}

/// A validator for 2020-12 that, as most hosts, takes `format` as an annotation.
///
/// # Errors
///
/// What keeps the schema from compiling.
pub(crate) fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::draft202012::options()
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| error.to_string())
}

/// A validator for what a reader of draft-07 understands of the schema.
///
/// # Errors
///
/// What keeps the schema from compiling.
pub(crate) fn compile_draft7(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::draft7::options()
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| error.to_string())
}
