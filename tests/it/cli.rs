//! The command line: options, exit codes, where output goes, what is refused and how.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::check::check_list;
use crate::run::{ALL, NONE, Outcome, SOME, convert, gen_tools, left_out, scratch};

const GOOD: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get: {operationId: listPets, summary: 'Lists pets: 日本 é.', responses: {}}
";

/// One operation needs a parameter that is nowhere.
const PARTLY: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /a~b/{id}:
    get:
      operationId: broken
      parameters:
        - $ref: '#/components/parameters/nowhere'
      responses: {}
  /pets:
    get: {operationId: listPets, summary: Lists pets., responses: {}}
";

/// The names of the tools of a run.
fn names(outcome: &Outcome) -> Vec<String> {
    let list = outcome.list().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(check_list(&list), Vec::<String>::new());
    let tools = list["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Asserts that a run refused its input: exit code 2, no output, one line that says each part.
#[track_caller]
fn assert_refused(outcome: &Outcome, parts: &[&str]) {
    assert_eq!(refusal_fault(outcome, parts), None, "{outcome:?}");
}

/// What is wrong with a refusal.
fn refusal_fault(outcome: &Outcome, parts: &[&str]) -> Option<String> {
    if outcome.code != Some(NONE) {
        return Some(format!("exit code {:?}", outcome.code));
    }
    if !outcome.stdout.is_empty() {
        return Some("something on standard output".to_owned());
    }
    if outcome.stderr.trim_end().lines().count() != 1 {
        return Some("not one line".to_owned());
    }
    let missing = parts.iter().find(|part| !outcome.stderr.contains(**part))?;
    Some(format!("doesn't say {missing:?}"))
}

#[test]
fn a_refusal_can_be_wrong() {
    let refusal = |code, stdout: &str, stderr: &str| {
        let outcome = Outcome { code: Some(code), stdout: stdout.into(), stderr: stderr.into() };
        refusal_fault(&outcome, &["a.yaml"])
    };
    assert_eq!(refusal(2, "", "error: a.yaml: no document\n"), None);
    assert!(refusal(1, "", "error: a.yaml\n").is_some());
    assert!(refusal(101, "", "error: a.yaml\n").is_some());
    assert!(refusal(2, "{}", "error: a.yaml\n").is_some());
    assert!(refusal(2, "", "").is_some());
    assert!(refusal(2, "", "error: a.yaml\nmore\n").is_some());
    assert!(refusal(2, "", "error\n").is_some());
}

#[test]
fn help_names_every_option() {
    let outcome = gen_tools(["--help"]);
    assert_eq!((outcome.code, &outcome.stderr[..]), (Some(ALL), ""));
    let help = String::from_utf8(outcome.stdout).unwrap();
    for option in [
        "-o",
        "--calls",
        "--compact",
        "--name-case",
        "--prefix",
        "--body",
        "--headers",
        "--credentials",
        "--subtypes",
        "--title",
        "--version",
        "--help",
    ] {
        assert!(help.contains(option), "{option} is missing in\n{help}");
    }
}

#[test]
fn version_is_that_of_the_package() {
    let outcome = gen_tools(["--version"]);
    assert_eq!(outcome.code, Some(ALL));
    assert_eq!(outcome.stdout, format!("gen-tools {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
}

#[test]
fn wrong_usage_is_refused() {
    for arguments in
        [&[][..], &["--no-such-option"], &["a.yaml", "--name-case", "shouting"], &["a", "--subtypes", "x"]]
    {
        let outcome = gen_tools(arguments);
        assert_eq!(outcome.code, Some(NONE), "{arguments:?}: {outcome:?}");
        assert!(outcome.stdout.is_empty() && !outcome.stderr.is_empty(), "{arguments:?}: {outcome:?}");
    }
}

#[test]
fn a_good_document_gives_json_and_nothing_else() {
    let folder = scratch("cli-good");
    let outcome = convert(&folder, "good.yaml", GOOD, &[]);
    assert_eq!(outcome.code, Some(ALL));
    assert!(outcome.stderr.ends_with(", 0 operations left out, 0 warnings\n"), "{outcome:?}");
    assert_eq!(names(&outcome), ["list_pets"]);
    let text = String::from_utf8(outcome.stdout.clone()).unwrap();
    assert!(
        text.starts_with("{\n  \"tools\": [\n    {\n      \"name\"") && text.ends_with("\n}\n"),
        "{text}"
    );
    assert!(text.contains("日本 é"), "{text}");

    let compact = convert(&folder, "good.yaml", GOOD, &["--compact"]);
    assert_eq!(compact.list(), outcome.list());
    let text = String::from_utf8(compact.stdout).unwrap();
    assert!(text.starts_with("{\"tools\":[{\"name\":\"list_pets\",") && text.lines().count() == 1, "{text}");
    assert!(text.ends_with('\n'), "{text}");
}

#[test]
fn a_document_may_come_from_standard_input() {
    let folder = scratch("cli-stdin");
    let expected = convert(&folder, "good.yaml", GOOD, &[]);
    assert_eq!(names(&expected), ["list_pets"]);
    let json: Value = serde_yaml::from_str(GOOD).unwrap();
    for text in [GOOD.to_owned(), json.to_string()] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_gen-tools")).arg("-").write_stdin(text).output().unwrap();
        assert_eq!(output.stdout, expected.stdout);
        assert_eq!(output.status.code(), Some(ALL));
    }
}

#[test]
fn a_document_without_operations_gives_an_empty_list() {
    let outcome = convert(&scratch("cli-empty-paths"), "none.yaml", "openapi: 3.1.0\npaths: {}\n", &[]);
    assert_eq!(outcome.code, Some(ALL), "{outcome:?}");
    assert_eq!(outcome.list(), Ok(json!({"tools": []})));
}

#[test]
fn a_bad_operation_is_left_out_with_its_place_and_spoils_no_other() {
    let folder = scratch("cli-partly");
    let outcome = convert(&folder, "partly.yaml", PARTLY, &[]);
    assert_eq!(outcome.code, Some(SOME), "{outcome:?}");
    assert_eq!(names(&outcome), ["list_pets"]);
    assert_eq!(left_out(&outcome.stderr), 1, "{}", outcome.stderr);
    for part in ["unresolved-reference", "partly.yaml:8:", "/paths/~1a~0b~1{id}/get/parameters/0"] {
        assert!(outcome.stderr.contains(part), "{part} is missing in {}", outcome.stderr);
    }
}

#[test]
fn what_is_no_document_is_refused_in_one_line() {
    let folder = scratch("cli-refused");
    let missing = folder.join("missing.yaml");
    assert_refused(&gen_tools([&missing]), &["missing.yaml"]);
    assert_refused(&gen_tools([&folder]), &["cli-refused"]);
    for (file, text, parts) in [
        ("empty.yaml", "", &["empty.yaml"][..]),
        ("empty.json", " \n", &["empty.json"]),
        (
            "swagger.yaml",
            "swagger: '1.2'\ninfo: {title: t, version: '1'}\npaths: {}\n",
            &["swagger.yaml", "1.2"],
        ),
        (
            "future.yaml",
            "openapi: 4.0.0\ninfo: {title: t, version: '1'}\npaths: {}\n",
            &["future.yaml", "4.0.0"],
        ),
        ("array.json", "[{\"openapi\": \"3.0.0\"}]", &["array.json"]),
        ("text.yaml", "just a text\n", &["text.yaml"]),
        ("other.yaml", "name: something else\n", &["other.yaml"]),
    ] {
        assert_refused(&convert(&folder, file, text, &[]), parts);
    }
}

#[test]
fn a_syntax_error_is_shown_with_its_line() {
    let folder = scratch("cli-syntax");
    for (file, text, place) in [
        ("typo.json", "{\n  \"openapi\": \"3.0.0\",\n  \"paths\": {,}\n}\n", "typo.json:3:"),
        ("typo.yaml", "openapi: 3.0.0\npaths:\n  a: ]\n", "typo.yaml:3:"),
    ] {
        let outcome = convert(&folder, file, text, &[]);
        assert_eq!(outcome.code, Some(NONE), "{outcome:?}");
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains(place), "{outcome:?}");
    }
}

/// The names in a folder, in order.
fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_whole() {
    let folder = scratch("cli-output");
    let target = folder.join("tools.json");
    let expected = convert(&folder, "good.yaml", GOOD, &[]);
    for text in ["", "an older and longer list\n".repeat(100).as_str()] {
        fs::write(&target, text).unwrap();
        let outcome = convert(&folder, "good.yaml", GOOD, &["-o", target.to_str().unwrap()]);
        assert_eq!((outcome.code, &outcome.stdout[..]), (Some(ALL), &b""[..]), "{outcome:?}");
        assert_eq!(fs::read(&target).unwrap(), expected.stdout);
    }
    let partly = convert(&folder, "partly.yaml", PARTLY, &[]);
    let outcome = convert(&folder, "partly.yaml", PARTLY, &["-o", target.to_str().unwrap()]);
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(SOME), &b""[..]), "{outcome:?}");
    assert_eq!(fs::read(&target).unwrap(), partly.stdout);
    assert_eq!(listing(&folder), ["good.yaml", "partly.yaml", "tools.json"]);
}

#[test]
fn a_file_is_not_touched_when_the_input_is_bad() {
    let folder = scratch("cli-untouched");
    let [tools, calls] = ["tools.json", "calls.json"].map(|name| folder.join(name));
    let options = ["-o", tools.to_str().unwrap(), "--calls", calls.to_str().unwrap()];
    for path in [&tools, &calls] {
        fs::write(path, "old").unwrap();
    }
    for (file, text) in
        [("bad.yaml", "swagger: '1.2'\n"), ("bad.json", "{\"openapi\": \"3.0.0\", \"paths\": {")]
    {
        let outcome = convert(&folder, file, text, &options);
        assert_eq!(outcome.code, Some(NONE), "{outcome:?}");
        assert!(!outcome.stderr.is_empty());
        for path in [&tools, &calls] {
            assert_eq!(fs::read_to_string(path).unwrap(), "old");
        }
    }
    assert_eq!(listing(&folder), ["bad.json", "bad.yaml", "calls.json", "tools.json"]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = scratch("cli-unwritable");
    let target = folder.join("no/such/folder/tools.json");
    let outcome = convert(&folder, "good.yaml", GOOD, &["-o", target.to_str().unwrap()]);
    assert_refused(&outcome, &["tools.json"]);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = scratch("cli-same");
    for options in [&[][..], &["--compact"], &["--body", "nested", "--title"]] {
        let first = convert(&folder, "partly.yaml", PARTLY, options);
        assert_eq!(first.code, Some(SOME), "{first:?}");
        assert_eq!(first, convert(&folder, "partly.yaml", PARTLY, options));
    }
}

#[test]
fn cases_of_names_and_the_prefix() {
    let folder = scratch("cli-names");
    for (options, name) in [
        (&["--name-case", "keep"][..], "listPets"),
        (&["--name-case", "snake"], "list_pets"),
        (&["--name-case", "kebab"], "list-pets"),
        (&["--name-case", "camel"], "listPets"),
        (&["--prefix", "zoo_"], "zoo_list_pets"),
    ] {
        let outcome = convert(&folder, "good.yaml", GOOD, options);
        assert_eq!(names(&outcome), [name], "{options:?}");
    }
}

/// Operations whose names meet, are equal, missing or too long, each with its own summary.
const OPERATIONS: &[(&str, &str)] = &[
    ("/meet/a", "operationId: list_pets"),
    ("/meet/b", "operationId: listPets"),
    ("/meet/c", "operationId: ListPets"),
    ("/same/a", "operationId: same"),
    ("/same/b", "operationId: same"),
    ("/unnamed/{id}", "tags: []"),
    ("/unnamed", "tags: []"),
    ("/long/a", "operationId: a_name_that_is_much_longer_than_the_sixty_four_characters_that_fit_a"),
    ("/long/b", "operationId: a_name_that_is_much_longer_than_the_sixty_four_characters_that_fit_b"),
    ("/digit", "operationId: 2fa"),
    ("/alone", "operationId: alone"),
];

/// The tools of a document with these operations, as text, by their descriptions.
fn tools_of<'o>(
    folder: &Path,
    operations: impl Iterator<Item = &'o (&'o str, &'o str)>,
) -> BTreeMap<String, String> {
    let item = |(path, id): &(&str, &str)| {
        format!("  {path}:\n    get: {{{id}, summary: 'Gets {path}', responses: {{}}}}\n")
    };
    let paths: String = operations.map(item).collect();
    let text = format!("openapi: 3.0.3\ninfo: {{title: t, version: '1'}}\npaths:\n{paths}");
    let outcome = convert(folder, "operations.yaml", &text, &[]);
    names(&outcome);
    let list = outcome.list().unwrap();
    let tools = list["tools"].as_array().unwrap();
    tools.iter().map(|tool| (tool["description"].to_string(), tool.to_string())).collect()
}

#[test]
fn names_do_not_depend_on_the_order_of_operations() {
    let folder = scratch("cli-order");
    let forwards = tools_of(&folder, OPERATIONS.iter());
    assert_eq!(forwards.len(), OPERATIONS.len());
    assert_eq!(forwards, tools_of(&folder, OPERATIONS.iter().rev()));
    for by in 1..OPERATIONS.len() {
        let (front, back) = OPERATIONS.split_at(by);
        assert_eq!(forwards, tools_of(&folder, back.iter().chain(front)));
    }
}

#[test]
fn an_operation_of_another_name_changes_nothing_else() {
    let folder = scratch("cli-unrelated");
    let before = tools_of(&folder, OPERATIONS.iter());
    for added in
        [("/added", "operationId: added"), ("/added", "tags: []"), ("/unnamed/{id}/more", "tags: []")]
    {
        for front in [true, false] {
            let added = [added];
            let after = if front {
                tools_of(&folder, added.iter().chain(OPERATIONS))
            } else {
                tools_of(&folder, OPERATIONS.iter().chain(&added))
            };
            assert_eq!(after.len(), before.len() + 1);
            for (description, tool) in &before {
                assert_eq!(after.get(description), Some(tool));
            }
        }
    }
}
