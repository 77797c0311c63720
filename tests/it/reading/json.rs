//! JSON against `serde_json`: the same texts are accepted, with the same values.

use serde_json::{Value, json};

use super::{plain_numbers, read};

/// Texts at the edges of the grammar, right and wrong.
const ODD: &[&str] = &[
    // Whole texts.
    "",
    " ",
    "\n\t\r ",
    "1",
    " 1 ",
    "1 2",
    "{}{}",
    "[],",
    "\u{b}1",
    "\u{a0}1",
    "1\u{0}",
    "\u{0}",
    // Words.
    "null",
    "true",
    "false",
    "nul",
    "nulll",
    "True",
    "NULL",
    "truefalse",
    "[true,false,null]",
    "t",
    "n",
    "f",
    // Numbers.
    "0",
    "-0",
    "00",
    "01",
    "-01",
    "-",
    "+1",
    "--1",
    "1.",
    ".5",
    "-.5",
    "1.5",
    "1.50",
    "1.5.5",
    "1e3",
    "1E3",
    "1e+3",
    "1e-3",
    "1e",
    "1e+",
    "1e3.5",
    "0e0",
    "0x10",
    "1_000",
    "1,000",
    "Infinity",
    "NaN",
    "-Infinity",
    "1e400",
    "-1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890.10",
    "1a",
    "[1a]",
    "0.",
    "0.e1",
    "-a",
    "1e1e1",
    "٣",
    "1\u{660}",
    // Strings.
    r#""""#,
    r#""a""#,
    r#""\"""#,
    r#""\\""#,
    r#""\/""#,
    r#""\b\f\n\r\t""#,
    r#""\a""#,
    r#""\'""#,
    r#""\"#,
    r#"""#,
    r#""\u0041""#,
    r#""\u00e9é""#,
    r#""\U0041""#,
    r#""\u004""#,
    r#""\u004g""#,
    r#""\u+041""#,
    r#""\u"#,
    r#""\u0000""#,
    r#""\ud83d\ude00""#,
    r#""\uD83D\uDE00""#,
    r#""\ud83d""#,
    r#""\ude00""#,
    r#""\ud83dx""#,
    r#""\ud83d\n""#,
    r#""\ud83d\u0041""#,
    r#""\ud83d\ud83d""#,
    r#""\ude00\ud83d""#,
    r#""\ud83d\ude0""#,
    r#""\ufffe\uffff""#,
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\u{0}\"",
    "\"\u{1f}\"",
    "\"\u{7f}\u{80}\u{2028}\"",
    "'a'",
    "\"😀\"",
    "\"12345678\n\"",
    "\"1234567\u{1f}\"",
    "\"1234567\\u0041\"",
    "\"ééééé\\né\"",
    "\"\u{fffd}\"",
    "\"a\"b\"",
    // Arrays.
    "[]",
    "[ ]",
    "[1]",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[",
    "]",
    "[1",
    "[1,",
    "[}",
    "[1}",
    "[[]]",
    "[[]",
    "[1]]",
    "[\"a\":1]",
    "[1;2]",
    // Objects.
    "{}",
    "{ }",
    r#"{"a":1}"#,
    r#"{"a":1,}"#,
    r#"{,"a":1}"#,
    r#"{"a"}"#,
    r#"{"a":}"#,
    r#"{"a" 1}"#,
    r#"{"a"::1}"#,
    r#"{"a":1 "b":2}"#,
    r#"{"a":1,,"b":2}"#,
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{null:1}",
    "{",
    "}",
    r#"{"a":1"#,
    r#"{"a":"#,
    r#"{"a"#,
    "{]",
    r#"{"a":1]"#,
    r#"{"a":{"b":[{}]}}"#,
    r#"{"":1}"#,
    r#"{"a":1,"a":2}"#,
    r#"{"a":1,"\u0061":2}"#,
    r#"{"a":{"x":1},"b":2,"a":3}"#,
    r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"a":10,"e":11}"#,
    // Comments.
    "// a\n1",
    "/* a */ 1",
    "# a\n1",
    "1 // a",
    "[1 /* a */]",
];

fn theirs(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

#[test]
fn odd_texts_are_read_as_serde_json_reads_them() {
    for &text in ODD {
        assert_eq!(
            read("odd.json", text).ok().map(plain_numbers),
            theirs(text).map(plain_numbers),
            "{text:?}"
        );
    }
}

/// Every wanted difference: the text, what we read, what `serde_json` reads, and why.
#[test]
fn differences_from_serde_json_are_these() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let nested = (0..199).fold(json!([]), |inner, _| json!([inner]));
    let number = r#"{"$serde_json::private::Number":"1"}"#;
    let table = [
        (
            "\u{feff}[1]",
            Some(json!([1])),
            None,
            "RFC 8259, 8.1: a reader may skip a byte-order mark; Windows editors write it",
        ),
        (
            &*deep,
            Some(nested),
            None,
            "256 levels are allowed, not 128: schemas nest twice for each level of data",
        ),
        (
            number,
            Some(Value::Object(
                [("$serde_json::private::Number".to_owned(), json!("1"))].into_iter().collect(),
            )),
            Some(json!(1)),
            "serde_json keeps digits behind a key of its own; to us it is a key like any other",
        ),
    ];
    for (text, ours, other, why) in table {
        assert_eq!(read("odd.json", text).ok(), ours, "{why}");
        assert_eq!(theirs(text), other, "no longer a difference: {why}");
    }
}

#[test]
fn numbers_keep_their_digits() {
    for digits in ["1.10", "1e3", "1E+3", "-0", "-0.0", "0.10e-05", "18446744073709551616", "1e400"] {
        assert_eq!(read("n.json", digits).expect("a number").to_string(), digits);
        assert_eq!(read("n.yaml", digits).expect("a number").to_string(), digits);
    }
}
