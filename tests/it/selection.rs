//! Which operations become tools: patterns, the document's own extensions, the table of all.

use std::fs;
use std::path::Path;

use crate::run::{ALL, NONE, SOME, convert, scratch};

/// Operations of several kinds, one of which can't be converted.
const ZOO: &str = "openapi: 3.1.0
info: {title: Zoo, version: '1'}
paths:
  /animals:
    get: {operationId: listAnimals, tags: [animals, public]}
    post: {operationId: addAnimal, tags: [animals]}
  /animals/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getAnimal, tags: [animals, public]}
    delete: {operationId: removeAnimal, tags: [animals, admin], deprecated: true}
  /keepers:
    x-internal: true
    get: {operationId: listKeepers, tags: [keepers]}
    post: {operationId: addKeeper, tags: [keepers], x-internal: false}
  /broken:
    get: {operationId: broken, tags: [odd], parameters: [{$ref: '#/nowhere'}]}
  /unread:
    get: 1
  /unnamed:
    head: {}
";

/// The marks and tools of the table, and the table.
fn listed(folder: &Path, text: &str, options: &[&str]) -> (Vec<String>, String) {
    let outcome = convert(folder, "zoo.yaml", text, &[options, &["--list"]].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(ALL), ""), "{options:?}");
    let table = String::from_utf8(outcome.stdout).unwrap();
    let tools = table.lines().filter(|line| line.starts_with('+'));
    let tools = tools.map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect();
    (tools, table)
}

#[test]
fn patterns_select() {
    let folder = scratch("selection-patterns");
    for (options, expected) in [
        (&[][..], "list_animals add_animal get_animal remove_animal add_keeper head_unnamed"),
        (&["--only", "tag=animals"], "list_animals add_animal get_animal remove_animal"),
        (&["--only", "tag=public", "--only", "tag=admin"], "list_animals get_animal remove_animal"),
        (&["--only", "tag=animals", "--only", "method=get"], "list_animals get_animal"),
        (&["--only", "tag=animals", "--skip", "tag=admin"], "list_animals add_animal get_animal"),
        (&["--only", "tag=admin", "--skip", "tag=admin"], ""),
        (&["--only", "id=*Animal"], "add_animal get_animal remove_animal"),
        (&["--only", "tool=*_animal?"], "list_animals"),
        (&["--only", "path=/animals*"], "list_animals add_animal get_animal remove_animal"),
        (&["--skip", "path=/animals/*"], "list_animals add_animal add_keeper head_unnamed"),
        (&["--only", "method=P*"], "add_animal add_keeper"),
        (&["--read-only"], "list_animals get_animal head_unnamed"),
        (&["--no-deprecated", "--only", "path=/animals/*"], "get_animal"),
        // What is named without a wildcard is no more hidden.
        (&["--only", "id=listKeepers"], "list_keepers"),
        (&["--only", "tool=list_keepers"], "list_keepers"),
        (&["--only", "id=listKeeper*"], ""),
        (&["--only", "tag=keepers"], "add_keeper"),
        (&["--only", "id=listKeepers", "--skip", "tag=keepers"], ""),
        (&["--prefix", "zoo_", "--only", "tool=zoo_get*"], "zoo_get_animal"),
    ] {
        let (tools, table) = listed(&folder, ZOO, options);
        assert_eq!(tools.join(" "), expected, "{options:?}\n{table}");
    }
}

#[test]
fn the_table_has_every_operation_and_why_it_is_out() {
    let folder = scratch("selection-table");
    let (_, table) = listed(&folder, ZOO, &["--skip", "tag=admin", "--skip", "method=head"]);
    let expected = "   TOOL           METHOD  PATH           TAGS             LEFT OUT
+  list_animals   GET     /animals       animals, public
+  add_animal     POST    /animals       animals
+  get_animal     GET     /animals/{id}  animals, public
-  remove_animal  DELETE  /animals/{id}  animals, admin   --skip tag=admin
-  list_keepers   GET     /keepers       keepers          x-internal
+  add_keeper     POST    /keepers       keepers
-  broken         GET     /broken        odd              unresolved-reference
-  ?              GET     /unread                         invalid-operation
-  head_unnamed   HEAD    /unnamed                        --skip method=head
";
    assert_eq!(table, expected);
    let (_, table) = listed(&folder, ZOO, &["--only", "tag=admin", "--read-only"]);
    for line in ["animals          no --only tag=... matches", "animals, admin   --read-only"] {
        assert!(table.contains(line), "{table}");
    }
    let text = "openapi: 3.1.0\npaths:\n  \"/a\\e[31m\\n\\u202e\": {get: {tags: [\"\\e]\"]}}\n";
    let (_, table) = listed(&folder, text, &[]);
    assert_eq!(table.lines().count(), 2, "{table}");
    assert!(table.contains(r"/a\u{1b}[31m\u{a}\u{202e}") && table.contains(r"\u{1b}]"), "{table}");
}

#[test]
fn what_is_left_out_by_choice_is_no_error() {
    let folder = scratch("selection-choice");
    let outcome = convert(&folder, "zoo.yaml", ZOO, &[]);
    assert_eq!(outcome.code, Some(SOME));
    assert!(
        outcome.stderr.ends_with("6 tools, 2 operations left out, 0 warnings, 1 not selected\n"),
        "{outcome:?}"
    );
    let outcome = convert(&folder, "zoo.yaml", ZOO, &["--only", "tag=animals"]);
    assert_eq!(outcome.code, Some(ALL));
    assert_eq!(outcome.stderr, "4 tools, 0 operations left out, 0 warnings, 5 not selected\n");
    let outcome = convert(&folder, "zoo.yaml", ZOO, &["--only", "path=/unread"]);
    assert!(outcome.stderr.contains("invalid-operation"), "{outcome:?}");
}

#[test]
fn a_pattern_that_matches_nothing_is_refused() {
    let folder = scratch("selection-nothing");
    for (option, pattern, parts) in [
        ("--only", "tag=animal", &["a tag that matches \"animal\"", "\"animals\""][..]),
        ("--skip", "id=listanimals", &["\"listAnimals\""]),
        ("--only", "tool=get_anmal", &["\"get_animal\""]),
        ("--only", "path=/animals/{name}", &["\"/animals/{id}\""]),
        ("--only", "tag=entirely different", &["\"entirely different\"\n"]),
    ] {
        let outcome = convert(&folder, "zoo.yaml", ZOO, &[option, pattern]);
        assert_eq!((outcome.code, outcome.stdout.len()), (Some(NONE), 0), "{outcome:?}");
        for part in parts {
            assert!(outcome.stderr.contains(part), "{part} is missing in {}", outcome.stderr);
        }
    }
    for pattern in ["tags=a", "tag", "tag="] {
        let outcome = convert(&folder, "zoo.yaml", ZOO, &["--only", pattern]);
        assert_eq!(outcome.code, Some(NONE));
        assert!(outcome.stderr.contains("KEY=GLOB"), "{outcome:?}");
    }
}

#[test]
fn a_tool_keeps_its_name_under_any_selection() {
    let folder = scratch("selection-names");
    let text = "openapi: 3.1.0
paths:
  /a: {get: {operationId: list_pets, tags: [a]}}
  /b: {get: {operationId: listPets, tags: [b]}}
";
    let (all, _) = listed(&folder, text, &[]);
    let (one, _) = listed(&folder, text, &["--only", "tag=b"]);
    assert_eq!(all[1..], one);
}

#[test]
fn files_that_no_selected_operation_needs_are_not_read() {
    let folder = scratch("selection-files");
    fs::write(folder.join("good.yaml"), "type: string\n").unwrap();
    let text = "openapi: 3.1.0
paths:
  /a: {get: {parameters: [{name: a, in: query, schema: {$ref: good.yaml}}]}}
  /b: {get: {parameters: [{name: a, in: query, schema: {$ref: missing.yaml}}]}}
";
    let outcome = convert(&folder, "zoo.yaml", text, &["--skip", "path=/b", "--max-files", "2"]);
    assert_eq!(outcome.code, Some(ALL), "{outcome:?}");
    assert_eq!(convert(&folder, "zoo.yaml", text, &[]).code, Some(SOME));
}
