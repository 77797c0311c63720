//! Errors: where they point, and whether they say what to do.

use gen_tools::{Input, ReadError};

/// The line, the column and the words of the error that `text` gives.
fn error(name: &str, text: &str) -> (usize, usize, String) {
    match Input::parse(name, text).err() {
        Some(ReadError::Syntax { line, column, message, .. }) => (line, column, message),
        other => panic!("{text:?}: {other:?}"),
    }
}

fn check(name: &str, table: &[(&str, usize, usize, &str)]) {
    let mut wrong = Vec::new();
    for &(text, line, column, words) in table {
        let found = error(name, text);
        if (found.0, found.1) != (line, column) || !found.2.contains(words) {
            wrong.push(format!("{text:?}: {found:?}, not ({line}, {column}, {words:?})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn json_errors_point_at_their_place_and_say_what_to_do() {
    check(
        "e.json",
        &[
            ("", 1, 1, "the file is empty"),
            (" \n", 2, 1, "the file is empty"),
            ("{\n  \"a\": 1,\n}", 2, 9, "a comma before `}`; remove it"),
            ("[1, ]", 1, 3, "a comma before `]`; remove it"),
            ("{\n  'a': 1}", 2, 3, "double quotes"),
            ("{\"é\": 'a'}", 1, 7, "a single quote"),
            ("{“a”: 1}", 1, 2, "typographic quote"),
            ("{\"a\": 1, // b\n}", 1, 10, "a comment"),
            ("[1] # b", 1, 5, "a comment"),
            ("{\"a\": \"b", 1, 7, "never ends"),
            ("{\"a\": \"b\n}", 1, 9, "the line ends inside the string that begins at 1:7"),
            ("\"a\tb\"", 1, 3, "write it `\\t`"),
            ("\"a\u{1}b\"", 1, 3, "write it `\\u0001`"),
            ("\"\\q\"", 1, 2, "`\\q` is no escape"),
            ("\"\\u12\"", 1, 2, "four hexadecimal digits"),
            ("\"é\\ud800\"", 1, 3, "lone surrogate"),
            ("{a: 1}", 1, 2, "the key `a` needs double quotes: \"a\""),
            ("{\"a\": True}", 1, 7, "JSON writes it `true`"),
            ("[None]", 1, 2, "JSON writes it `null`"),
            ("[NaN]", 1, 2, "no JSON number"),
            ("[01]", 1, 2, "may not begin with 0"),
            ("[+1]", 1, 2, "may not begin with `+`"),
            ("[.5]", 1, 2, "`0.5`, not `.5`"),
            ("[1.]", 1, 4, "found `]` in a number"),
            ("1e", 1, 3, "the file ends inside a number"),
            ("{\"a\": 1 \"b\": 2}", 1, 9, "expected `,` or `}`; is a comma missing?"),
            ("[1 2]", 1, 4, "found `2`, expected `,` or `]`; is a comma missing?"),
            ("{\"a\" 1}", 1, 6, "expected `:` after the key"),
            ("{\n  \"a\": {\n", 3, 1, "the file ends inside the object that begins at 2:8; `}` is missing"),
            ("[[1]", 1, 5, "the array that begins at 1:1; `]` is missing"),
            ("{}\n{}", 2, 1, "a file holds one JSON value"),
            ("[1\u{a0}]", 1, 3, "U+00A0"),
            ("openapi: 3.0.0", 1, 1, "extension .yaml"),
            ("\u{feff}[x]", 1, 2, "found `x`, expected a value"),
            ("[}", 1, 2, "found `}`, expected a value"),
        ],
    );
}

#[test]
fn yaml_errors_point_at_their_place_and_say_what_to_do() {
    check(
        "e.yaml",
        &[
            ("é: b: c\n", 1, 5, "quote the text if it holds `: `"),
            ("é: 1\nb:\n  c: 1\n d: 2\n", 4, 2, "check the indentation"),
            ("- a\nb: 1\n", 2, 1, "expected `- `"),
            ("a:\n\tb: 1\n", 2, 2, "by spaces only"),
            ("é: \"x\nb: 1\n", 1, 4, "never ends"),
            ("a: 'it's'\n", 1, 8, "double a `'`"),
            ("é: \"\\q\"\n", 1, 4, "unknown escape"),
            ("a: @b\n", 1, 4, "cannot begin with `@`"),
            ("é: *b\n", 1, 4, "no anchor"),
            ("é: {b: 1\n", 1, 4, "`{` is never closed"),
            ("a: [b]]\n", 1, 7, "without an opening one"),
            ("a: - b\n", 1, 4, "on a line of its own"),
            ("é: {{ b }}\n", 1, 5, "a template such as `{{ name }}`"),
            ("? [a]\n: b\n", 1, 3, "JSON has only text as keys"),
            ("a: &x {b: 1}\n*x : 1\n", 2, 1, "JSON has only text as keys"),
            ("é: 1\n---\nb: 2\n", 2, 1, "a second document"),
            ("é: !!int b\n", 1, 10, "no value of its tag `!!int`"),
            ("a: {<<: 1}\n", 1, 9, "needs a mapping"),
            ("a: &x [*x]\n", 1, 8, "cannot contain itself"),
        ],
    );
}

#[test]
fn the_extension_decides_and_else_the_first_character() {
    assert!(Input::parse("a.json", "a: 1").is_err());
    assert!(Input::parse("a.yaml", "{a: 1}").is_ok());
    assert!(Input::parse("-", "a: 1").is_ok());
    assert!(error("-", " {\"a\": 1,}").2.contains("a comma before"));
}
