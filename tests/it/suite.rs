//! What the schemas of the JSON-Schema-Test-Suite accept below `GEN_TOOLS_SCHEMA_SUITE`, the tools
//! made of them accept, and nothing else.
//!
//! Each group's schema is a file, and the schema of the argument `x` of an operation. What differs
//! is listed in `suite.tsv`, with the rule that explains it, and nothing else may differ.
//!
//! `cargo test --test it suite -- --nocapture` shows the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::check::compile;
use crate::run::{Outcome, files_below, gen_tools, scratch, shared};

/// What may differ, and why.
const EXCEPTIONS: &str = include_str!("suite.tsv");

/// The groups of one folder of the suite in documents of one version.
struct Family {
    name: &'static str,
    /// The document's version.
    version: &'static str,
    /// The folder of the suite.
    folder: &'static str,
    /// The keywords that the version's schemas have; empty for all.
    keywords: &'static [&'static str],
    /// Where the schema stands.
    place: Place,
}

/// Where a group's schema stands in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a file of its own, which `x` refers to.
    File,
    /// In a file of its own, below two `not`: nothing may be narrowed there.
    Test,
    /// It is the argument itself; only schemas without references and identifiers.
    Argument,
}

const FAMILIES: &[Family] = &[
    family("3.1", "3.1.1", "draft2020-12", &[], Place::File),
    family("3.1-test", "3.1.1", "draft2020-12", &[], Place::Test),
    family("3.1-argument", "3.1.1", "draft2020-12", &[], Place::Argument),
    family("3.1-draft7", "3.1.1", "draft7", &[], Place::File),
    family("3.0", "3.0.4", "draft4", OPENAPI_30, Place::File),
    family("3.0-test", "3.0.4", "draft4", OPENAPI_30, Place::Test),
    family("3.0-argument", "3.0.4", "draft4", OPENAPI_30, Place::Argument),
    family("3.0-any", "3.0.4", "draft4", &[], Place::File),
    family("2.0", "2.0", "draft4", SWAGGER, Place::File),
];

const fn family(
    name: &'static str,
    version: &'static str,
    folder: &'static str,
    keywords: &'static [&'static str],
    place: Place,
) -> Family {
    Family { name, version, folder, keywords, place }
}

/// The keywords of draft 4 that OpenAPI 3.0's Schema Object has (3.0.4, section 4.7.24.1), `$ref`,
/// and `definitions`, where the suite keeps what is referred to.
const OPENAPI_30: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Of those, the ones that Swagger 2.0's Schema Object has.
const SWAGGER: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "default",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// A schema and instances that it accepts or refuses.
struct Group {
    /// The suite's file and its own words: `ref.json: root pointer ref`.
    name: String,
    schema: Value,
    tests: Vec<Value>,
}

/// What was counted in a family.
#[derive(Default)]
struct Counts {
    groups: usize,
    instances: usize,
    agreeing: usize,
    /// Groups without a tool, since their schemas refer to the network, which is never read.
    remote: usize,
    /// Groups with keywords that the version does not have.
    inexpressible: usize,
}

/// The groups of a folder that the version can express, and how many it can't.
fn groups(family: &Family, folder: &Path) -> (Vec<Group>, usize) {
    let (mut groups, mut inexpressible) = (Vec::new(), 0);
    for path in files_below(folder) {
        let file = path.strip_prefix(folder).expect("the file is below").display().to_string();
        // What implementations may do or leave is no test of ours.
        if file.starts_with("optional") || path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("the suite can be read");
        let list: Vec<Value> = serde_json::from_str(&text).expect("the suite is JSON");
        for group in list {
            let schema = &group["schema"];
            let names = !family.keywords.is_empty() && !is_expressible(schema, family.keywords);
            if names || (family.place == Place::Argument && has_addresses(schema)) {
                inexpressible += 1;
                continue;
            }
            groups.push(Group {
                name: format!("{file}: {}", group["description"].as_str().expect("it has a name")),
                schema: group["schema"].clone(),
                tests: group["tests"].as_array().expect("it has tests").clone(),
            });
        }
    }
    (groups, inexpressible)
}

/// Whether a schema of draft 4 has only these keywords, one type and no list of item schemas.
fn is_expressible(schema: &Value, keywords: &[&str]) -> bool {
    let Some(schema) = schema.as_object() else { return schema.is_boolean() };
    let below = |schema: &Value| is_expressible(schema, keywords);
    schema.iter().all(|(name, value)| {
        let children = match (&name[..], value) {
            ("type", value) => value.as_str().is_some_and(|name| name != "null"),
            ("properties" | "definitions", Value::Object(map)) => map.values().all(below),
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => list.iter().all(below),
            ("additionalProperties" | "items" | "not", value) => below(value),
            ("$ref", value) => value.is_string(),
            _ => true,
        };
        keywords.contains(&&name[..]) && children
    })
}

/// Whether a schema names or refers to a place.
fn has_addresses(schema: &Value) -> bool {
    let text = schema.to_string();
    ["$ref", "$dynamicRef", "$id", "id", "$anchor"].iter().any(|key| text.contains(&format!("\"{key}\":")))
}

/// A document with an operation for each group, whose one argument `x` has the group's schema.
fn document(family: &Family, groups: &[Group]) -> Value {
    let operation = |(at, group): (usize, &Group)| {
        let file = json!({"$ref": format!("{at}.json")});
        let x = match family.place {
            Place::File => file,
            Place::Test => json!({"not": {"not": file}}),
            Place::Argument => group.schema.clone(),
        };
        let body = json!({"type": "object", "properties": {"x": x}, "required": ["x"]});
        let mut operation = if family.version == "2.0" {
            json!({"parameters": [{"name": "body", "in": "body", "required": true, "schema": body}]})
        } else {
            json!({"requestBody": {"required": true, "content": {"application/json": {"schema": body}}}})
        };
        operation["operationId"] = json!(format!("g{at}"));
        (format!("/{at}"), json!({"post": operation}))
    };
    let paths: Map<String, Value> = groups.iter().enumerate().map(operation).collect();
    let key = if family.version == "2.0" { "swagger" } else { "openapi" };
    json!({key: family.version, "info": {"title": "Suite", "version": "1"}, "paths": paths})
}

/// The codes of the operations that were left out, by operation.
fn left_out(outcome: &Outcome) -> BTreeMap<String, String> {
    let lines = outcome.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lost = lines.filter_map(|line| {
        let operation = line["leftOut"].as_str()?.to_owned();
        Some((operation, line["code"].as_str().unwrap_or_default().to_owned()))
    });
    lost.collect()
}

/// Whether a schema of that folder refers to something that is not in it: a validator without a
/// network can't compile it, or it refers to a meta-schema, which every validator knows.
fn is_remote(folder: &str, schema: &Value) -> bool {
    let compile = match folder {
        "draft4" => jsonschema::draft4::new,
        "draft7" => jsonschema::draft7::new,
        _ => jsonschema::draft202012::new,
    };
    let text = schema.to_string();
    let meta = ["http://json-schema.org/", "https://json-schema.org/"];
    meta.iter().any(|address| text.contains(&format!("\"$ref\":\"{address}")))
        || (text.contains("http://localhost:1234") && compile(schema).is_err())
}

/// How many instances the schema of a tool judges otherwise than the suite does.
fn differences(group: &Group, input: &Value) -> Result<usize, String> {
    let validator = compile(input)?;
    let differs = |test: &&Value| {
        let call = json!({"x": test["data"]});
        Some(validator.is_valid(&call)) != test["valid"].as_bool()
    };
    Ok(group.tests.iter().filter(differs).count())
}

/// Runs a family: its counts, and for each group that differs, its name and what differs.
fn run(family: &Family, suite: &Path) -> (Counts, Vec<(String, String)>) {
    let (groups, inexpressible) = groups(family, &suite.join(family.folder));
    let folder = scratch(&format!("suite-{}", family.name));
    for (at, group) in groups.iter().enumerate() {
        fs::write(folder.join(format!("{at}.json")), group.schema.to_string()).expect("it can be written");
    }
    let path = folder.join("openapi.json");
    fs::write(&path, document(family, &groups).to_string()).expect("it can be written");
    let outcome = gen_tools([path.as_os_str(), "--messages".as_ref(), "json".as_ref()]);
    let list = outcome.list().expect("there is a list");
    let tools: BTreeMap<&str, &Value> = list["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| (tool["name"].as_str().unwrap_or_default(), &tool["inputSchema"]))
        .collect();
    let codes = left_out(&outcome);
    let mut counts = Counts { groups: groups.len(), inexpressible, ..Counts::default() };
    let mut different = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        counts.instances += group.tests.len();
        let what = match tools.get(&format!("g{at}")[..]) {
            Some(input) => match differences(group, input) {
                Ok(differ) => {
                    counts.agreeing += group.tests.len() - differ;
                    (differ > 0).then(|| format!("{differ} of {} differ", group.tests.len()))
                }
                Err(error) => Some(format!("does not compile: {error}")),
            },
            None if is_remote(family.folder, &group.schema) => {
                counts.remote += 1;
                None
            }
            None => {
                let code = codes.iter().find(|(name, _)| name.ends_with(&format!(" /{at}")));
                Some(format!("left out: {}", code.map_or("in silence", |(_, code)| code)))
            }
        };
        different.extend(what.map(|what| (group.name.clone(), what)));
    }
    (counts, different)
}

/// The lines of the table: the line as [`run`] gives it, and the reason.
fn exceptions() -> BTreeMap<String, &'static str> {
    let lines = EXCEPTIONS.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.flat_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [families, group, what, reason] = columns[..] else { panic!("{line:?} is no row") };
        families.split(' ').map(move |family| (format!("{family}\t{group}\t{what}"), reason))
    });
    rows.collect()
}

#[test]
fn tools_accept_what_the_suite_accepts() {
    let Some(suite) = shared("GEN_TOOLS_SCHEMA_SUITE") else {
        eprintln!("ran 0 groups: GEN_TOOLS_SCHEMA_SUITE is not set");
        return;
    };
    let exceptions = exceptions();
    let mut found = BTreeSet::new();
    let mut reasons = BTreeMap::<&str, usize>::new();
    for family in FAMILIES {
        let (counts, different) = run(family, &suite);
        let Counts { groups, instances, agreeing, remote, inexpressible } = counts;
        eprintln!(
            "{:12} {groups:>3} groups, {remote:>2} of them remote ({inexpressible} can't be written there); \
             {agreeing:>4} of {instances:>4} instances agree; {:>2} groups differ",
            family.name,
            different.len()
        );
        assert!(groups > 0, "there is no group below {}", suite.display());
        *reasons.entry("remote").or_default() += remote;
        for (group, what) in different {
            let line = format!("{}\t{group}\t{what}", family.name);
            *reasons.entry(exceptions.get(&line).unwrap_or(&"not in the table")).or_default() += 1;
            found.insert(line);
        }
    }
    for (reason, count) in &reasons {
        eprintln!("{count:>3} groups: {reason}");
    }
    let new: Vec<&String> = found.iter().filter(|line| !exceptions.contains_key(*line)).collect();
    let gone: Vec<&String> = exceptions.keys().filter(|line| !found.contains(*line)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "not in suite.tsv: {new:#?}\nin suite.tsv and gone: {gone:#?}"
    );
}

#[test]
fn keywords_that_a_version_lacks_are_seen() {
    for (schema, expressible) in [
        (json!({"type": "object", "properties": {"const": {"enum": [{"const": 1}]}}}), true),
        (json!({"allOf": [{"not": {"items": {"$ref": "#"}}}]}), true),
        (json!({"properties": {"a": {"const": 1}}}), false),
        (json!({"type": ["string"]}), false),
        (json!({"type": "null"}), false),
        (json!({"items": [{}]}), false),
    ] {
        assert_eq!(is_expressible(&schema, OPENAPI_30), expressible, "{schema}");
    }
    assert!(!is_expressible(&json!({"not": {}}), SWAGGER));
}
