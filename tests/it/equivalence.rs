//! Random documents: a tool accepts what its schema in the document accepts, and nothing else, but
//! where a rule with a name says otherwise.
//!
//! Each schema is the parameter `x`, a whole body, the property `x` of a body, and a body whose
//! properties are arguments where it can be one. An evaluator of
//! our own judges values by the letter of the document's dialect, and as the rules bend it; the
//! `jsonschema` crate judges them by the tool. The tool has to agree with the bent schema always, and
//! with the letter unless a rule had an effect that may make that difference.
//!
//! The cases are the same in each run. `PROPTEST_CASES` asks for another number of them, and
//! `EQUIVALENCE_SEED` for others (`random`, or a number).
//! `cargo test --test it equivalence -- --nocapture` shows the counts.

pub(crate) mod document;
pub(crate) mod evaluate;
mod instances;
mod rules;
mod schemas;
pub(crate) mod shrink;
pub(crate) mod tape;

use std::cell::RefCell;
use std::collections::BTreeMap;

use gen_tools::diagnostic::Code;
use gen_tools::options::BodyStyle;
use gen_tools::{Input, Options, generate};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::check::compile;
use document::{BODY, PARAMETER, PROPERTY, Version};
use evaluate::Source;
use schemas::NAMES;

/// The values that each schema is asked about.
const INSTANCES: usize = 14;

/// A runner whose cases are the same each time, unless the environment asks for others.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    let cases = wanted.map_or(cases, |text| text.parse().expect("PROPTEST_CASES is a number"));
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    let mut seed = [0x5e; 32];
    match std::env::var("EQUIVALENCE_SEED").ok().as_deref() {
        None => {}
        Some("random") => return TestRunner::new(config),
        Some(text) => {
            let number: u64 = text.parse().expect("EQUIVALENCE_SEED is `random` or a number");
            seed[..8].copy_from_slice(&number.to_le_bytes());
        }
    }
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// A use of the schema under test.
struct Use {
    path: &'static str,
    /// Where the schema is.
    pointer: String,
    /// The argument that it describes; empty for all arguments together.
    argument: &'static str,
    /// How bodies become arguments.
    body: BodyStyle,
}

fn uses(version: Version) -> [Use; 4] {
    let escaped = |path: &str| document::escaped(path);
    let body = |path: &str| match version {
        Version::V2 => format!("/paths/{}/post/parameters/0/schema", escaped(path)),
        _ => format!("/paths/{}/post/requestBody/content/application~1json/schema", escaped(path)),
    };
    let fields = if version == Version::V2 { "" } else { "/schema" };
    [
        Use {
            path: PARAMETER,
            pointer: format!("/paths/{}/get/parameters/0{fields}", escaped(PARAMETER)),
            argument: "x",
            body: BodyStyle::Flat,
        },
        Use { path: BODY, pointer: body(BODY), argument: "body", body: BodyStyle::Nested },
        Use { path: BODY, pointer: body(BODY), argument: "", body: BodyStyle::Flat },
        Use {
            path: PROPERTY,
            pointer: format!("{}/properties/x", body(PROPERTY)),
            argument: "x",
            body: BodyStyle::Flat,
        },
    ]
}

/// The input schemas of a document's tools, by path, or why there is none; and whether a required name
/// was dropped.
fn input_schemas(document: &Value, body: BodyStyle) -> (BTreeMap<String, Result<Value, String>>, bool) {
    let input = Input::parse("document.json", document.to_string()).expect("the document can be read");
    let mut options = Options::default();
    options.body = body;
    let generation = generate(&input, &options).expect("it is an OpenAPI document");
    let tools = generation.tools().map(|tool| match tool {
        Ok(tool) => {
            let path = tool.call()["path"].as_str().expect("a call has a path").to_owned();
            (path, Ok(tool.input_schema()))
        }
        Err(reason) => {
            let path = reason.operation.split_once(' ').map_or("", |(_, path)| path).to_owned();
            (path, Err(format!("{}: {}", reason.diagnostic.code, reason.diagnostic.message)))
        }
    });
    let tools = tools.collect();
    let dropped = generation.diagnostics().iter().any(|found| found.code == Code::DroppedRequired);
    (tools, dropped)
}

/// What was counted.
#[derive(Default)]
struct Counts {
    /// By `schemas`, `values`, `accepted`; `skipped: ...` and the names of rules that had an effect.
    by_name: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, name: &str) {
        *self.by_name.entry(name.to_owned()).or_default() += 1;
    }

    fn get(&self, name: &str) -> usize {
        self.by_name.get(name).copied().unwrap_or(0)
    }

    fn skipped(&self) -> usize {
        self.by_name.iter().filter(|(name, _)| name.starts_with("skipped")).map(|(_, count)| count).sum()
    }
}

/// A disagreement: in which use, about which value (none where the tool is missing), and which.
#[derive(Debug)]
struct Difference {
    path: &'static str,
    value: Option<Value>,
    what: String,
}

/// Whether the document is none that the evaluator understands: one that became too small.
fn letter_fails(document: &Value, pointer: &str) -> bool {
    let values = [json!({}), json!([{}]), json!({"a": {"a": {}}})];
    values.iter().any(|value| Source::new(document, false).accepts(pointer, value).is_err())
}

/// Whether arguments are the properties of a body, each by its own name.
fn is_plain(input: &Value) -> bool {
    let properties = &input["properties"];
    has_plain_names(properties) && properties["body"].is_null() && *properties != json!({})
}

/// Whether a value is an object whose names would be those of arguments.
fn has_plain_names(value: &Value) -> bool {
    let plain = |name: &String| {
        NAMES.contains(&name.as_str())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    value.as_object().is_some_and(|object| object.keys().all(plain))
}

/// Compares all uses in a document. `values` are asked about in place of those that `choices` make.
fn compare(
    document: &Value,
    choices: &[u16],
    values: Option<&[Value]>,
    counts: &mut Counts,
) -> Result<(), Difference> {
    let excludes = document.to_string().contains("\"readOnly\":true");
    let (flat, dropped) = input_schemas(document, BodyStyle::Flat);
    let schemas = [flat, input_schemas(document, BodyStyle::Nested).0];
    for Use { path, pointer, argument, body } in uses(Version::of(document)) {
        let Some(schema) = document.pointer(&pointer) else { continue };
        let differ = |value: Option<&Value>, what: String| Difference { path, value: value.cloned(), what };
        let input = match schemas[usize::from(body == BodyStyle::Nested)].get(path).cloned() {
            Some(Ok(input)) => input,
            // What a pattern that can't be read does in a test is not for the evaluator to say.
            Some(Err(reason)) if reason.contains("in a test") => {
                counts.add("skipped: a pattern in a test");
                continue;
            }
            Some(Err(_)) if letter_fails(document, &pointer) => {
                counts.add("skipped: outside of the evaluator");
                continue;
            }
            Some(Err(reason)) => return Err(differ(None, format!("left out: {reason}"))),
            None => return Err(differ(None, "there is no tool".to_owned())),
        };
        let flat = argument.is_empty();
        if flat && !is_plain(&input) {
            continue;
        }
        if !flat && input["properties"].get(argument).is_none() {
            let closed = path == BODY || path == PROPERTY;
            assert!(closed, "a parameter is no argument: {document}");
            counts.add("skipped: nothing to say in the body");
            continue;
        }
        counts.add(if flat { "schemas that are flattened" } else { "schemas" });
        let validator =
            compile(&input).map_err(|error| differ(None, format!("does not compile: {error}")))?;
        let (letter, bent) = (Source::new(document, false), Source::new(document, true));
        let made = || instances::instances(document, schema, choices, INSTANCES);
        for value in values.map_or_else(made, <[Value]>::to_vec) {
            if flat && !has_plain_names(&value) {
                continue;
            }
            let tool = validator.is_valid(&if flat { value.clone() } else { json!({argument: value}) });
            let verdicts = (letter.accepts(&pointer, &value), bent.accepts(&pointer, &value));
            let fired = bent.take_fired();
            let (Ok(letter), Ok(bent)) = verdicts else {
                counts.add("skipped: outside of the evaluator");
                continue;
            };
            counts.add("values");
            if tool {
                counts.add("accepted");
            }
            for (rule, _) in &fired {
                counts.add(&format!("rule {rule}"));
            }
            // A flat list of properties is bent otherwise than the schema as a whole: what all members of
            // an `allOf` require, or say is `readOnly`, is one there.
            if flat && tool && (dropped || excludes) {
                continue;
            }
            if tool != bent && !flat {
                let what = format!(
                    "the tool accepts: {tool}, by the rules: {bent}, by the letter: {letter}; {fired:?}"
                );
                return Err(differ(Some(&value), what));
            }
            let allowed = if tool { rules::WIDENS } else { rules::NARROWS };
            if tool != letter && !fired.iter().any(|(rule, either)| *either || allowed.contains(rule)) {
                let what = format!(
                    "the tool accepts: {tool}, by the letter: {letter}; only {fired:?} had an effect"
                );
                return Err(differ(Some(&value), what));
            }
            if tool != letter {
                counts.add(if tool { "accepted by a rule" } else { "refused by a rule" });
            }
        }
    }
    Ok(())
}

/// The same kind of difference in less.
fn smallest(document: &Value, choices: &[u16], difference: &Difference) -> String {
    let kind = |what: &str| {
        what.split_once(';').map_or(what, |(kind, _)| kind).split('"').next().unwrap_or("").to_owned()
    };
    let value = difference.value.clone().map_or(json!([]), |value| json!([value]));
    let whole = json!({"document": document, "values": value});
    let fails = |case: &Value| {
        let (document, Some(values)) = (&case["document"], case["values"].as_array()) else { return false };
        let only = if difference.value.is_some() { values.as_slice() } else { &[] };
        if document["paths"].is_null() || document.get("swagger").or(document.get("openapi")).is_none() {
            return false;
        }
        let found =
            std::panic::catch_unwind(|| compare(document, choices, Some(only), &mut Counts::default()));
        matches!(found, Ok(Err(other)) if other.path == difference.path && kind(&other.what) == kind(&difference.what))
    };
    let small = shrink::shrink(&whole, &fails);
    format!("{small}\n{}: {}", difference.path, difference.what)
}

#[test]
fn tools_accept_what_the_document_accepts() {
    let counts = RefCell::new(Counts::default());
    let strategy = (tape::choices(260), tape::choices(300));
    let result = runner(1500).run(&strategy, |(choices, values)| {
        let document = document::with_one_schema(&choices);
        compare(&document, &values, None, &mut counts.borrow_mut())
            .map_err(|difference| TestCaseError::fail(smallest(&document, &values, &difference)))
    });
    let counts = counts.into_inner();
    for (name, count) in &counts.by_name {
        eprintln!("{count:>7} {name}");
    }
    if let Err(TestError::Fail(reason, _)) = result {
        panic!("{reason}");
    }
    result.expect("the cases run");
    let (schemas, values) = (counts.get("schemas"), counts.get("values"));
    assert!(counts.skipped() * 20 < schemas, "{} of {schemas} schemas are skipped", counts.skipped());
    let share = counts.get("accepted") * 100 / values;
    assert!((20..=80).contains(&share), "{share} of a hundred values are accepted");
    for rule in rules::NARROWS.iter().chain(rules::WIDENS) {
        assert!(counts.get(&format!("rule {rule}")) > 0, "`{rule}` never had an effect");
    }
}
