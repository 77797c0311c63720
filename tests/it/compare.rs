//! Comparing with a golden file, and two files with each other: exit codes, the report, what is refused.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::run::{ALL, NONE, Outcome, SOME, convert, gen_tools, root, scratch};

const SHOP: &str = "openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /items:
    get:
      operationId: listItems
      summary: Lists items.
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 100}}
        - {name: sort, in: query, schema: {type: string, enum: [name, price]}}
    post:
      operationId: addItem
      summary: Adds an item.
      requestBody: {content: {application/json: {schema: {type: object, properties: {item: {$ref: '#/components/schemas/Item'}}}}}}
  /items/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getItem, summary: Gets an item.}
    put:
      operationId: setItem
      summary: Replaces an item.
      requestBody: {content: {application/json: {schema: {type: object, properties: {item: {$ref: '#/components/schemas/Item'}}}}}}
  /orders:
    post: {operationId: order, summary: Orders., tags: [orders]}
components:
  schemas:
    Item: {type: object, properties: {name: {type: string}, price: {type: number}}}
";

/// The report on standard output.
fn text(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.stdout).unwrap()
}

/// Writes the golden file of a document; gives its path.
fn golden(folder: &Path, options: &[&str]) -> String {
    let path = folder.join("tools.json").display().to_string();
    let outcome = convert(folder, "shop.yaml", SHOP, &[options, &["--output", &path]].concat());
    assert_eq!(outcome.code, Some(ALL), "{outcome:?}");
    path
}

#[test]
fn equal_is_silent_in_every_form() {
    let folder = scratch("compare-equal");
    for options in
        [&[][..], &["--compact"], &["--shape", "list"], &["--shape", "array", "--compact"], &["--title"]]
    {
        let path = golden(&folder, options);
        let calls = folder.join("calls.json").display().to_string();
        let all = [options, &["--check", &path, "--calls", &calls]].concat();
        let outcome = convert(&folder, "shop.yaml", SHOP, &all);
        assert_eq!((outcome.code, text(&outcome), &outcome.stderr[..]), (Some(ALL), "", ""), "{options:?}");
        assert!(fs::metadata(&calls).is_ok());
        let again = gen_tools(["--compare", &path, &path]);
        assert_eq!((again.code, text(&again), &again.stderr[..]), (Some(ALL), "", ""), "{options:?}");
        // A byte more or less is a difference.
        let bytes = fs::read(&path).unwrap();
        for other in [&bytes[..bytes.len() - 1], &[&bytes[..], b"\n"].concat()] {
            fs::write(&path, other).unwrap();
            let outcome = convert(&folder, "shop.yaml", SHOP, &all);
            assert_eq!(outcome.code, Some(SOME), "{options:?}");
            assert!(text(&outcome).starts_with("The tools are the same; only"), "{outcome:?}");
        }
    }
}

/// What is replaced in the document by what, how the report begins, and lines of it.
const EDITS: &[(&str, &str, &str, &[&str])] = &[
    (
        "    post: {operationId: order, summary: Orders., tags: [orders]}\n",
        "    {}\n",
        "1 breaking change, 0 compatible: 1 tool removed",
        &["breaking    removed  order"],
    ),
    (
        "components:",
        "  /new: {get: {operationId: new}}\ncomponents:",
        "0 breaking changes, 1 compatible: 1 tool added",
        &["compatible  added    new"],
    ),
    (
        "operationId: getItem",
        "operationId: fetchItem",
        "1 breaking change, 0 compatible: 1 tool renamed",
        &["breaking    renamed  get_item -> fetch_item"],
    ),
    (
        "summary: Gets an item",
        "summary: Fetches one item",
        "0 breaking changes, 1 compatible: 1 tool changed",
        &["\nget_item\n  compatible  description changed\n"],
    ),
    (
        "summary: Orders.",
        "summary: Orders., deprecated: true",
        "0 breaking changes, 1 compatible",
        &["\norder\n  compatible  is deprecated now\n"],
    ),
    (
        "        - {name: sort",
        "        - {name: page, in: query, schema: {type: integer}}\n        - {name: sort",
        "0 breaking changes, 1 compatible",
        &["  compatible  argument page: added, optional"],
    ),
    (
        "        - {name: sort, in: query, ",
        "        - {name: sort, in: query, required: true, ",
        "1 breaking change, 0 compatible",
        &["  breaking    argument sort: became required"],
    ),
    (
        "        - {name: sort, in: query, schema: {type: string, enum: [name, price]}}\n",
        "",
        "1 breaking change, 0 compatible",
        &["  breaking    argument sort: removed"],
    ),
    (
        "enum: [name, price]",
        "enum: [name, age]",
        "1 breaking change, 1 compatible",
        &[
            "  breaking    argument sort: no more accepts \"price\"",
            "  compatible  argument sort: accepts also \"age\"",
        ],
    ),
    (
        "maximum: 100",
        "maximum: 50",
        "1 breaking change, 0 compatible",
        &["  breaking    argument limit: maximum lowered from 100 to 50"],
    ),
    (
        "type: integer, maximum",
        "type: [integer, 'null'], maximum",
        "0 breaking changes, 1 compatible",
        &["  compatible  argument limit: type widened from integer to integer or null"],
    ),
    (
        "price: {type: number}",
        "price: {type: integer}",
        "1 breaking change, 0 compatible: 1 definition changed",
        &[
            "\ndefinition Item, in 2 tools: add_item, set_item\n  breaking    property price: type narrowed from number to integer\n",
            "definition Item\n@@ ",
            "\n-      \"type\": \"number\"\n+      \"type\": \"integer\"\n",
        ],
    ),
    (
        "    get: {operationId: getItem",
        "    delete: {operationId: removeItem, summary: Removes an item.}\n    get: {operationId: fetchItem",
        "1 breaking change, 1 compatible: 1 tool renamed, 1 tool added",
        &["get_item -> fetch_item", "added    remove_item"],
    ),
];

#[test]
fn a_difference_is_told_by_what_it_means() {
    let folder = scratch("compare-different");
    let path = golden(&folder, &[]);
    for &(from, to, summary, lines) in EDITS {
        let edited = SHOP.replacen(from, to, 1);
        assert_ne!(edited, SHOP, "{from}");
        let outcome = convert(&folder, "shop.yaml", &edited, &["--check", &path]);
        assert_eq!((outcome.code, &outcome.stderr[..]), (Some(SOME), ""), "{to}");
        let report = text(&outcome);
        assert!(report.starts_with(summary), "{to}\n{report}");
        for line in lines {
            assert!(report.contains(line), "{to}: {line}\n{report}");
        }
        assert!(report.ends_with(&format!("--output {path}\n")) && !report.contains('\u{1b}'), "{report}");
        // The report on two files is the same but for the names of the files and the last line.
        let new = folder.join("new.json").display().to_string();
        convert(&folder, "shop.yaml", &edited, &["--output", &new, "--shape", "array", "--compact"]);
        let compared = gen_tools(["--compare", &path, &new]);
        assert_eq!(compared.code, Some(SOME), "{to}");
        let document = folder.join("shop.yaml").display().to_string();
        let same = report.replace(&document, &new);
        assert_eq!(same.split("\nTo accept this").next().unwrap(), text(&compared), "{to}");
    }
}

#[test]
fn order_is_a_difference_and_layout_is_none_between_two_files() {
    let folder = scratch("compare-order");
    let path = golden(&folder, &[]);
    let mut list: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let other = folder.join("other.json");
    fs::write(&other, list.to_string()).unwrap();
    let compare = || gen_tools(["--compare".as_ref(), path.as_ref(), other.as_os_str()]);
    assert_eq!(compare().code, Some(ALL));
    list["tools"].as_array_mut().unwrap().swap(0, 1);
    fs::write(&other, list.to_string()).unwrap();
    let outcome = compare();
    assert_eq!(outcome.code, Some(SOME));
    assert!(text(&outcome).contains("another order of the tools"), "{outcome:?}");
}

#[test]
fn what_is_left_out_is_told_and_decides_nothing() {
    let folder = scratch("compare-left-out");
    let broken = SHOP.replace("type: integer, maximum: 100", "type: nonsense");
    let path = folder.join("tools.json").display().to_string();
    assert_eq!(convert(&folder, "shop.yaml", &broken, &["-o", &path]).code, Some(SOME));
    let outcome = convert(&folder, "shop.yaml", &broken, &["--check", &path]);
    assert_eq!((outcome.code, text(&outcome)), (Some(ALL), ""));
    assert!(
        outcome.stderr.contains("unknown-type") && outcome.stderr.contains("1 operation left out"),
        "{outcome:?}"
    );
    let quiet = convert(&folder, "shop.yaml", &broken, &["--check", &path, "-q"]);
    assert_eq!((quiet.code, &quiet.stderr[..]), (Some(ALL), ""));
}

#[test]
fn what_is_no_golden_is_refused_with_the_command_that_writes_it() {
    let folder = scratch("compare-refused");
    let path = folder.join("tools.json").display().to_string();
    let document = folder.join("shop.yaml").display().to_string();
    let command =
        format!("this writes it: gen-tools {document} --compact --only 'path=/items*' --output {path}\n");
    let check =
        || convert(&folder, "shop.yaml", SHOP, &["--compact", "--check", &path, "--only", "path=/items*"]);
    let assert_refused = |outcome: &Outcome, why: &str| {
        assert_eq!((outcome.code, text(outcome)), (Some(NONE), ""), "{outcome:?}");
        for part in [why, "tools.json", &command] {
            assert!(outcome.stderr.contains(part), "{part} is missing in {}", outcome.stderr);
        }
        assert_eq!(outcome.stderr.lines().count(), 1);
    };
    assert_refused(&check(), "there is no such file");
    for (text, why) in [
        (&b"tools"[..], "this is no JSON"),
        (b"", "this is no JSON"),
        (b"{\"tools\": [", "this is no JSON"),
        (b"\xff", "this is no JSON"),
        (b"{}", "this is no list of tools"),
        (b"[1]", "this is no list of tools"),
    ] {
        fs::write(&path, text).unwrap();
        assert_refused(&check(), why);
        let outcome = gen_tools(["--compare", &path, &path]);
        assert_eq!(outcome.code, Some(NONE), "{outcome:?}");
        assert!(outcome.stderr.contains(why), "{outcome:?}");
    }
    let missing = gen_tools(["--compare", "golden/readme.json", "no-such.json"]);
    assert_eq!(missing.code, Some(NONE));
    assert!(missing.stderr.contains("no-such.json: cannot be read: there is no such file"), "{missing:?}");
    for options in [&["--output", "x"][..], &["--list"], &["--compare", "a", "b"]] {
        assert_eq!(
            gen_tools([&["a.yaml", "--check", "b"], options].concat()).code,
            Some(NONE),
            "{options:?}"
        );
    }
}

#[test]
fn names_of_a_golden_do_not_reach_the_terminal_raw() {
    let folder = scratch("compare-raw");
    let [old, new] = ["old.json", "new.json"].map(|name| folder.join(name));
    fs::write(&old, "[{\"name\": \"a\\u001b[31m\\u202e\\n\", \"inputSchema\": {\"type\": \"object\"}}]")
        .unwrap();
    fs::write(&new, "[{\"name\": \"b\", \"inputSchema\": {\"type\": \"object\", \"title\": \"\u{202e}\"}}]")
        .unwrap();
    let outcome = gen_tools(["--compare".as_ref(), old.as_os_str(), new.as_os_str()]);
    assert_eq!(outcome.code, Some(SOME));
    assert!(text(&outcome).contains(r"removed  a\u{1b}[31m\u{202e}\u{a}"), "{outcome:?}");
    assert!(!text(&outcome).contains(['\u{1b}', '\u{202e}']), "{outcome:?}");
}

#[test]
fn every_golden_is_equal_to_itself_and_to_no_other() {
    let folder = root().join("golden");
    let lists: Vec<_> =
        ["readme", "notion", "formats"].map(|name| folder.join(format!("{name}.json"))).into();
    for old in &lists {
        for new in &lists {
            let outcome = gen_tools(["--compare".as_ref(), old.as_os_str(), new.as_os_str()]);
            let expected = if old == new { ALL } else { SOME };
            assert_eq!(outcome.code, Some(expected), "{old:?} {new:?}");
        }
    }
}

/// Numbers that look random, the same ones each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.roll(of.len() as u64)).unwrap()].clone()
    }

    /// A schema of a few keywords. Optional properties stand only where they constrain nothing new.
    fn schema(&mut self, depth: u32) -> Value {
        let mut schema = serde_json::Map::new();
        for _ in 0..=self.roll(2) {
            let last = if depth == 0 { 9 } else { 17 };
            let deeper = depth.saturating_sub(1);
            let (name, value) = match self.roll(last) {
                0 => (
                    "type",
                    self.one(&[
                        json!("string"),
                        json!("integer"),
                        json!("number"),
                        json!(["integer", "null"]),
                        json!("object"),
                    ]),
                ),
                1 => {
                    ("enum", self.one(&[json!([1, 2]), json!([1]), json!(["a", 1, null]), json!([{}, "ab"])]))
                }
                2 => ("const", self.one(&[json!(1), json!("a")])),
                3 => ("minimum", self.one(&[json!(0), json!(1.5), json!(2)])),
                4 => ("exclusiveMaximum", self.one(&[json!(2), json!(3)])),
                5 => ("minLength", self.one(&[json!(0), json!(1), json!(2)])),
                6 => ("maxItems", self.one(&[json!(0), json!(1)])),
                7 => ("pattern", self.one(&[json!("a"), json!("^b")])),
                8 => ("$ref", self.one(&[json!("#/$defs/A"), json!("#/$defs/B")])),
                9 => ("items", self.schema(deeper)),
                10 => ("not", self.schema(deeper)),
                11 => ("anyOf", json!([self.schema(deeper), self.schema(deeper)])),
                12 => ("allOf", json!([self.schema(deeper), self.schema(deeper)])),
                13 => ("required", self.one(&[json!(["x"]), json!(["x", "y"]), json!(["y"])])),
                14 => (
                    "additionalProperties",
                    self.one(&[json!(false), json!(true), json!({"type": "integer"})]),
                ),
                15 => ("properties", json!({"x": self.schema(deeper), "y": self.schema(deeper)})),
                _ => ("anyOf", json!([self.schema(deeper), {"type": "null"}])),
            };
            schema.insert(name.to_owned(), value);
        }
        Value::Object(schema)
    }

    /// The same schema with another one somewhere in it.
    fn edited(&mut self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        let other = self.schema(1);
        let Some(map) = schema.as_object_mut().filter(|map| !map.is_empty()) else { return other };
        let key = self.one(&map.keys().cloned().collect::<Vec<_>>());
        match (self.roll(4), &mut map[&key]) {
            (0, _) => drop(map.shift_remove(&key)),
            (1, _) => map.extend(other.as_object().cloned().unwrap_or_default()),
            (_, Value::Array(items)) if items.first().is_some_and(Value::is_object) => {
                let edited = self.edited(&items[0]);
                items[0] = edited;
                if self.roll(3) == 0 {
                    items.push(other);
                }
            }
            (_, inner @ Value::Object(_)) if key != "properties" => *inner = self.edited(inner),
            _ => return json!({"anyOf": [schema, other]}),
        }
        schema
    }
}

/// The values that schemas are tried with.
fn values() -> Vec<Value> {
    let plain = [
        json!(null),
        json!(0),
        json!(1),
        json!(1.5),
        json!(2),
        json!(5),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("b"),
        json!([]),
        json!({}),
    ];
    let lists = plain.iter().flat_map(|value| [json!([value]), json!([value, 1])]);
    let objects = plain.iter().flat_map(|value| {
        [
            json!({"x": value}),
            json!({"y": value}),
            json!({"x": value, "y": 1}),
            json!({"x": "a", "y": value}),
            json!({"z": value}),
        ]
    });
    plain.iter().cloned().chain(lists).chain(objects).collect()
}

#[test]
fn what_is_called_compatible_is() {
    let (mut dice, values) = (Dice(1), values());
    let (mut compatible, mut breaking, mut faults) = (0, 0, Vec::new());
    for _ in 0..5_000 {
        let [a, b] = [dice.schema(0), dice.schema(1)];
        let a = if a.to_string().contains("$ref") { json!({"minimum": 1}) } else { a };
        let old = dice.schema(2);
        let new = dice.edited(&old);
        let definitions = json!({"A": a, "B": b.as_object().filter(|_| !b.to_string().contains("$ref")).cloned().unwrap_or_default()});
        let input =
            |schema: &Value| json!({"type": "object", "properties": {"a": schema}, "$defs": definitions});
        let [before, now] = [input(&old), input(&new)];
        let text = |input: &Value| json!([{"name": "t", "inputSchema": input}]).to_string();
        let comparison = gen_tools::compare(&text(&before), &text(&now)).unwrap();
        // A new property of an open object had any value before, but nobody sends what nobody knows.
        let texts = || comparison.changed.iter().flat_map(|tool| &tool.changes);
        if texts().any(|change| change.text == "added, optional") {
            continue;
        }
        if comparison.count(gen_tools::output::Verdict::Breaking) > 0 {
            breaking += 1;
            continue;
        }
        compatible += 1;
        let [before, now] = [before, now].map(|schema| jsonschema::draft202012::new(&schema).unwrap());
        let mut arguments = values.iter().map(|value| json!({"a": value}));
        let refused = arguments.find(|value| before.is_valid(value) && !now.is_valid(value));
        faults.extend(refused.map(|value| format!("{value}: {old} to {new} in {definitions}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compatible > 300 && breaking > 300, "{compatible} compatible, {breaking} breaking");
}
