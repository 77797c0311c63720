//! Comparing with a golden file, and two files with each other: exit codes, the report, what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;

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

#[test]
fn a_difference_is_told_by_what_it_means() {
    let folder = scratch("compare-different");
    let path = golden(&folder, &[]);
    for (from, to, summary, lines) in [
        (
            "    post: {operationId: order, summary: Orders., tags: [orders]}\n",
            "    {}\n",
            "1 breaking change, 0 compatible: 1 tool removed",
            &["breaking    removed  order"][..],
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
    ] {
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
