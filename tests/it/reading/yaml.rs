//! YAML against `serde_yaml`, and against the same document as JSON.

use serde_json::{Number, Value, json};

use super::{plain_numbers, read};

/// What `serde_yaml` reads, its merge keys applied; `None` if it refuses the text.
pub(super) fn theirs(text: &str) -> Option<Value> {
    if !text.contains("<<") {
        return serde_yaml::from_str(text).ok();
    }
    let mut value: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    value.apply_merge().ok()?;
    serde_json::to_value(value).ok()
}

/// Texts that both readers read alike, or both refuse.
const ALIKE: &[&str] = &[
    // Plain scalars.
    "a: null\nb: Null\nc: NULL\nd: ~\ne:\nf: nUll",
    "[true, True, TRUE, false, False, FALSE, tRue]",
    "[no, No, on, off, y, n, yes, Yes]",
    "[1, -1, 0, -0.0, 1.5, 1.10, 1e3, 1E3, -1.5e-3, 18446744073709551615]",
    "[0x1F, 0o17, +1, .5, -.5, 1., +.5]",
    "[01, 007, -012, 00]",
    "[1_000, '1', \"1\", 1:30, 1.2.3, 1e, .e5, '.']",
    "[2020-01-01, 2020-01-01T00:00:00Z, 12:30:45]",
    "[0x, 0o, 0o8, 0xg, =, <, a<<b]",
    "version: 1.0\nother: 3.1.0",
    "- a: b: c",
    "a: b #c",
    "a: b#c",
    "a:b",
    "a: 'b' #c",
    "a::b: 1",
    "http://a.b/c",
    "- -1\n- - 2\n- -3",
    "a: -",
    "?",
    // Keys.
    "200: a\n'404': b\n\"500\": c\n5XX: d\ndefault: e",
    "true: a\n1.10: b\n0x1F: c\n01: d",
    "? a\n: b\n? c\n",
    "'': a",
    "\"a\\nb\": c",
    "a b c: d",
    "? |\n  a\n: b",
    // Quoted.
    "'it''s'",
    "\"a\\tb\\u00e9\\x41\\\\\\\"\\/\\0\\e\\N\\_\\L\\P\"",
    "'a\n  b\n\n  c'",
    "\"a\n  b\\\n  c\n\n  d\"",
    "\"a\\q\"",
    "\"a",
    "'a",
    "'a' b",
    "\"é\"",
    "''",
    "\"\"",
    "- 'a'\n- \"b\"",
    // Blocks.
    "|\n  a\n  b\n",
    "|-\n  a\n  b\n",
    "|+\n  a\n\n\n",
    ">\n  a\n  b\n\n  c\n",
    ">-\n  a\n    b\n  c\n",
    "a: |2\n   b\n",
    "a: |\n  b\n\nc: d\n",
    "a: |\n\n  b\n",
    "a: >-\n\n  b\n  c\n",
    "a: |-\n  b\nc: d",
    "- |\n a\n- b\n",
    "a: |\n  b\n # c\n",
    "a: |\r\n  b\r\n  c\r\nd: e\r\n",
    "a: |x\n  b",
    "a: |\n  # no comment\n",
    "a: |-\n  [x]\n",
    // Flow.
    "{a: 1, b: [c, d], e: {f: g}}",
    "{a: 1,}",
    "[a, ]",
    "[]",
    "{}",
    "{a, b: 1}",
    "[a: 1]",
    "{\"a\":1}",
    "{'a':1}",
    "[a, [b, {c: d}]]",
    "{a: }",
    "[a",
    "{a",
    "[a]]",
    "{a: 1]",
    "{\n  a: 1,\n  b: 2\n}\n",
    "[\n1,\n2\n]",
    "{\"a\": \"b\",\n\t\"c\": [1,\n\t2]}",
    // Structure.
    "a:\n- b\n- c\n",
    "a:\n  - b\n  - c\n",
    "- - a\n  - b\n- c\n",
    "- a: 1\n  b: 2\n- c: 3\n",
    "a:\n  b: 1\n c: 2\n",
    "a: 1\n- b\n",
    "- a\nb: 1\n",
    "a\nb: 1",
    "a: 1\n b: 2\n",
    "%YAML 1.2\n---\na: 1\n",
    "---\na: 1\n...\n",
    "a: @b",
    "a: `b`",
    "a: %b",
    "a: *b",
    "a: &b",
    "a: & b",
    "a:\n\tb: 1",
    "a:\tb",
    "a: \tb",
    "a: b\t",
    "a: b\t# c",
    "\u{feff}a: 1",
    "\u{feff}# c\na: 1",
    "a: 1\r\nb: 2\r\n",
    "a: 1\n\n\n",
    "# a\n\n# b\na: 1 # c\n# d\n",
    "a: é\nü: ö",
    // Anchors, aliases, merge keys.
    "a: &x 1\nb: *x\n",
    "a: &x {b: 1}\nc: *x\nd: [*x, *x]\n",
    "a: &x [1]\nb: &x [2]\nc: *x\n",
    "&r a: &v b\nc: *v\n*r : d\n",
    "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n",
    "a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y], r: 4}\n",
    "a: {<<: {p: 1}, q: 2}\n",
    "a: {<<: 1}\n",
    "a: {<<: [1]}\n",
    "a: &x {p: 1}\nb:\n  <<: *x\n  r: 1\n  p: 3\n",
    // Tags.
    "!!str 1",
    "!!str",
    "!!int 1",
    "!!int \"12\"",
    "!!bool true",
    "!!null ~",
    "!!float 1.5",
    "!!float .5",
    "!!int x",
    "!!bool x",
    "!!float x",
    "!!seq [a]",
    "!!map {a: 1}",
    "a: !!str null",
    "!!int 1.5",
    "!e!x 1",
];

#[test]
fn odd_texts_are_read_as_serde_yaml_reads_them() {
    let mut wrong = Vec::new();
    for &text in ALIKE {
        let (ours, other) = (read("odd.yaml", text).ok().map(plain_numbers), theirs(text).map(plain_numbers));
        if ours != other {
            wrong.push(format!("{text:?}\n  ours   {ours:?}\n  theirs {other:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every wanted difference: the text, what we read, what `serde_yaml` reads, and why.
#[test]
fn differences_from_serde_yaml_are_these() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let nested = (0..199).fold(json!([]), |inner, _| json!([inner]));
    let huge = "340282366920938463463374607431768211456";
    let digits = Number::from_string_unchecked(huge.to_owned());
    let table: &[(&str, Option<Value>, Option<Value>, &str)] = &[
        ("-0x1F", Some(json!("-0x1F")), Some(json!(-31)), "1.2 has no sign before a base"),
        ("0b11", Some(json!("0b11")), Some(json!(3)), "1.2 has no base 2"),
        (
            ".inf",
            Some(json!(".inf")),
            Some(json!(null)),
            "JSON has no infinity; null would say something else",
        ),
        (".nan", Some(json!(".nan")), Some(json!(null)), "nor NaN"),
        ("!!float 1", Some(json!(1)), Some(json!(1.0)), "digits are kept; they are one number"),
        ("!!int 007", Some(json!(7)), None, "the tag says that it is a number"),
        ("! 12", Some(json!("12")), None, "1.2, 6.9.1: `!` keeps a scalar from being resolved"),
        ("~: a", Some(json!({"~": "a"})), Some(json!({"~": "a"})), "keys are the text that is written"),
        ("!!null ''", Some(json!(null)), None, "the tag says so, and the empty text is one of null's"),
        ("a: |\n  b", Some(json!({"a": "b\n"})), Some(json!({"a": "b"})), "the test suite of YAML (L24T)"),
        ("\"\\ud83d\\ude00\"", Some(json!("😀")), None, "JSON's pairs are read in YAML too, as JSON is YAML"),
        ("\ta: 1", Some(json!({"a": 1})), None, "a tab before the first key harms nobody"),
        (
            "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n",
            Some(json!({"a": {"p": 1}, "b": {"p": 1, "q": 2}, "c": {"p": 1, "q": 2}})),
            Some(json!({"a": {"p": 1}, "b": {"p": 1, "q": 2}, "c": {"<<": {"p": 1}, "q": 2}})),
            "a merged mapping brings what it merged itself",
        ),
        ("\"<<\": {a: 1}", Some(json!({"<<": {"a": 1}})), Some(json!({"a": 1})), "a quoted `<<` is a name"),
        ("? [a]\n: b", None, None, "JSON has only text as keys"),
        ("a: 1\n---\nb: 2", None, None, "one file is one document"),
        (&deep, Some(nested), None, "256 levels are allowed, not 128"),
        (huge, Some(Value::Number(digits)), Some(json!(2_f64.powi(128))), "digits of any size are kept"),
    ];
    let mut wrong = Vec::new();
    for (text, ours, other, why) in table {
        let read = (read("odd.yaml", text).ok().map(plain_numbers), theirs(text).map(plain_numbers));
        if read.0 != *ours {
            wrong.push(format!("{text:?} ({why}): ours is {:?}", read.0));
        }
        if read.1 != *other {
            wrong.push(format!("{text:?} ({why}): theirs is {:?}", read.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_document_as_yaml_and_as_json_is_the_same() {
    let yaml = "\
openapi: 3.1.0
info: {title: 'Pets & more', version: 1.10}
paths:
  /pets/{id}:
    get: &get
      summary: >-
        One pet,
        by id
      responses:
        200: {description: OK}
        default: {$ref: '#/components/responses/Error'}
    head:
      <<: *get
      summary: |
        Only headers
x-numbers: [0x10, 0o10, +1, .5, 007, 1e3]
";
    let json = r##"{
  "openapi": "3.1.0",
  "info": {"title": "Pets & more", "version": 1.10},
  "paths": {
    "/pets/{id}": {
      "get": {
        "summary": "One pet, by id",
        "responses": {"200": {"description": "OK"}, "default": {"$ref": "#/components/responses/Error"}}
      },
      "head": {
        "summary": "Only headers\n",
        "responses": {"200": {"description": "OK"}, "default": {"$ref": "#/components/responses/Error"}}
      }
    }
  },
  "x-numbers": [16, 8, 1, 0.5, "007", 1e3]
}"##;
    assert_eq!(read("a.yaml", yaml), read("a.json", json));
}

#[test]
fn keys_are_the_text_that_is_written() {
    let text = "200: a\nnull: b\n~: c\nTrue: d\n0x1F: e\n1.10: f\n'q': g\n\"\\u0071\\u0071\": h\n? i j\n: i\n!!int 7: j\n";
    let Ok(Value::Object(entries)) = read("k.yaml", text) else { panic!("an object") };
    let keys: Vec<&str> = entries.keys().map(String::as_str).collect();
    assert_eq!(keys, ["200", "null", "~", "True", "0x1F", "1.10", "q", "qq", "i j", "7"]);
}

#[test]
fn a_text_without_a_value_is_null() {
    for text in ["", "\n", "# only a comment\n", "---\n", "\u{feff}"] {
        assert_eq!(read("e.yaml", text), Ok(Value::Null), "{text:?}");
    }
}
