//! Hostile input is refused quickly, with its own message, and without running out of stack.

use std::fmt::Write;

use super::read;

/// Reading `text` must fail and say `words`.
fn refused(name: &str, text: &str, words: &str) {
    let message = read(name, text).expect_err(name);
    assert!(message.contains(words), "{message}");
}

#[test]
fn deep_nesting_is_refused() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(100_000)] {
        refused("a.json", &text, "nested more than 256 levels deep");
        refused("a.yaml", &text, "nested more than 256 levels deep");
    }
    let block: String = (0..2000).fold(String::new(), |mut text, level| {
        let _ = writeln!(text, "{}a:", " ".repeat(level));
        text
    });
    refused("a.yaml", &block, "nested more than 256 levels deep");
    refused("a.yaml", &"- ".repeat(100_000), "nested more than 256 levels deep");
    refused("a.yaml", &"? ".repeat(100_000), "");
}

#[test]
fn the_deepest_allowed_nesting_is_read() {
    let json = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for name in ["a.json", "a.yaml"] {
        assert!(read(name, &json(256)).is_ok(), "{name}");
        assert!(read(name, &json(257)).is_err(), "{name}");
    }
}

#[test]
fn nesting_through_aliases_counts() {
    let mut text = "a0: &a0 []\n".to_owned();
    for level in 1..300 {
        let _ = writeln!(text, "a{level}: &a{level} [*a{}]", level - 1);
    }
    refused("a.yaml", &text, "nested more than 256 levels deep");
}

#[test]
fn alias_bombs_are_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..40 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{aliases}]");
    }
    refused("a.yaml", &text, "once aliases are followed");
}

#[test]
fn merge_bombs_are_refused() {
    let keys: Vec<String> = (0..2_000).map(|key| format!("k{key}: 1")).collect();
    let mut wide = format!("base: &base {{{}}}\n", keys.join(", "));
    for copy in 0..20_000 {
        let _ = writeln!(wide, "c{copy}: {{<<: *base}}");
    }
    refused("a.yaml", &wide, "merge keys (`<<`) bring in more than");

    let mut chain = "a0: &a0 {k0: 1}\n".to_owned();
    for level in 1..20_000 {
        let _ = writeln!(chain, "a{level}: &a{level} {{<<: *a{}, k{level}: 1}}", level - 1);
    }
    refused("a.yaml", &chain, "nested more than 256 levels deep");
}

#[test]
fn an_object_with_very_many_equal_keys_is_read_quickly() {
    // Keys that share their length and their first and last eight bytes.
    let mut text = "{".to_owned();
    for key in 0..50_000 {
        let _ = write!(text, "\"aaaaaaaa{:06}bbbbbbbb\":1,", key % 25_000);
    }
    text.push_str("\"z\":1}");
    let entries = read("a.json", &text).expect("an object").as_object().map(serde_json::Map::len);
    assert_eq!(entries, Some(25_001));
}
