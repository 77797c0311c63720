//! Hostile input: whatever is read, the program ends soon, with an exit code of its own and a message.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};

use crate::run::{ALL, NONE, Outcome, SOME, convert, gen_tools, scratch};

/// A document whose one operation has a body of this schema.
pub(crate) fn with_body(schema: &Value, components: &Value) -> String {
    let body = json!({"content": {"application/json": {"schema": schema}}});
    json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"post": {"operationId": "a", "requestBody": body}}},
        "components": {"schemas": components},
    })
    .to_string()
}

/// A body with one property `q` of this schema.
pub(crate) fn with_property(schema: &Value, components: &Value) -> String {
    with_body(&json!({"type": "object", "properties": {"q": schema}}), components)
}

/// A reference to a component.
fn component(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// The components `C0` to `C<count - 1>`, each made from the reference to the next; the last refers
/// to the first.
fn ring(count: usize, make: impl Fn(Value) -> Value) -> Value {
    let entry = |at: usize| (format!("C{at}"), make(component(&format!("C{}", (at + 1) % count))));
    Value::Object((0..count).map(entry).collect())
}

/// Asserts the exit code, and that the messages say this; shows only the beginning of what they say.
#[track_caller]
pub(crate) fn assert_ends(what: &str, outcome: &Outcome, code: i32, part: &str) {
    let shown: String = outcome.stderr.chars().take(400).collect();
    assert_eq!(outcome.code, Some(code), "{what}: {shown}");
    assert!(outcome.stderr.contains(part), "{what} doesn't say {part:?}: {shown}");
    if code == NONE {
        assert!(outcome.stdout.is_empty(), "{what} writes to standard output");
    } else if let Err(fault) = outcome.list() {
        panic!("{what}: {fault}");
    }
}

#[test]
fn endless_nesting_is_refused() {
    let folder = scratch("hostile-nesting");
    let deep = 100_000;
    let arrays = "[".repeat(deep) + &"]".repeat(deep);
    let objects = "{\"a\":".repeat(deep) + "1" + &"}".repeat(deep);
    let flow = format!("openapi: 3.1.0\nx: {}{}\n", "{a: ".repeat(deep), "}".repeat(deep));
    let mut block = String::from("openapi: 3.1.0\n");
    for level in 0..300 {
        writeln!(block, "{}a:", " ".repeat(level)).unwrap();
    }
    for (file, text) in [
        ("arrays.json", arrays.clone()),
        ("objects.json", objects),
        ("open.json", "[".repeat(1 << 20)),
        ("open.yaml", "[".repeat(1 << 20)),
        ("maps.yaml", "{".repeat(1 << 20)),
        ("dashes.yaml", "- ".repeat(1 << 19)),
        ("arrays.yaml", format!("openapi: 3.1.0\nx: {arrays}\n")),
        ("flow.yaml", flow),
        ("block.yaml", block),
    ] {
        let outcome = convert(&folder, file, &text, &[]);
        assert_ends(file, &outcome, NONE, "nested more than 256 levels deep");
    }
}

#[test]
fn what_nests_almost_too_deep_is_converted() {
    let folder = scratch("hostile-deep");
    for (keyword, levels) in
        [("items", 230), ("not", 230), ("additionalProperties", 230), ("allOf", 115), ("properties", 115)]
    {
        let mut schema = json!({"type": "string"});
        for _ in 0..levels {
            schema = match keyword {
                "allOf" => json!({"allOf": [schema]}),
                "properties" => json!({"properties": {"p": schema}}),
                _ => json!({keyword: schema}),
            };
        }
        let text = with_body(&component("X"), &json!({"X": schema}));
        for file in ["deep.json", "deep.yaml"] {
            let outcome = convert(&folder, file, &text, &[]);
            assert_eq!(outcome.code, Some(ALL), "{keyword} in {file}: {}", outcome.stderr);
        }
    }
}

#[test]
fn bombs_of_aliases_are_refused() {
    let folder = scratch("hostile-bombs");
    let head = "openapi: 3.1.0\npaths: {}\n";
    let mut aliases = format!("{head}a0: &a0 [x, x]\n");
    let mut merges = format!("{head}a0: &a0 {{k: x}}\n");
    for at in 1..40 {
        let before = format!("*a{}", at - 1);
        let nine = [before.as_str(); 9].join(", ");
        writeln!(aliases, "a{at}: &a{at} [{nine}]").unwrap();
        writeln!(merges, "a{at}: &a{at} {{<<: [{nine}], z{at}: 1}}").unwrap();
    }
    let many: Vec<String> = (0..5000).map(|at| format!("k{at}: 1")).collect();
    let wide = format!("{head}a: &a {{{}}}\n{}", many.join(", "), "b: {<<: *a}\n".repeat(300));
    for (file, text, part) in [
        ("aliases.yaml", aliases, "once aliases are followed"),
        ("merges.yaml", merges, "once aliases are followed"),
        ("wide.yaml", wide, "merge keys (`<<`) bring in more than"),
        ("itself.yaml", format!("{head}a: &a [*a]\n"), "an alias stands inside its own anchor"),
        ("merged.yaml", format!("{head}a: &a\n  <<: *a\n"), "an alias stands inside its own anchor"),
    ] {
        assert_ends(file, &convert(&folder, file, &text, &[]), NONE, part);
    }
}

#[test]
fn long_cycles_end() {
    let folder = scratch("hostile-cycles");
    let outcome = convert(
        &folder,
        "far.json",
        &with_body(&component("C0"), &ring(2000, |next| json!({"properties": {"n": next}}))),
        &[],
    );
    assert_ends("a ring of properties", &outcome, ALL, "");
    for (what, components) in [
        ("a ring of references", ring(100, |next| next)),
        ("a ring of allOf", ring(2000, |next| json!({"allOf": [next]}))),
        ("a ring of not", ring(2000, |next| json!({"not": next}))),
    ] {
        let outcome = convert(&folder, "ring.json", &with_body(&component("C0"), &components), &[]);
        assert_ends(what, &outcome, SOME, "error[reference-cycle]");
    }
}

#[test]
fn discriminators_that_lead_in_circles_end() {
    let mapping = |targets: &[&str]| {
        let entries = targets
            .iter()
            .map(|name| (name.to_lowercase(), Value::from(format!("#/components/schemas/{name}"))));
        json!({"propertyName": "t", "mapping": Value::Object(entries.collect())})
    };
    let tag = json!({"t": {"type": "string"}});
    let base = json!({"type": "object", "properties": tag, "discriminator": mapping(&["B", "C"])});
    let child = json!({
        "allOf": [component("B"), {"properties": {"x": component("B")}}],
        "discriminator": mapping(&["B"]),
    });
    let text = with_body(&component("B"), &json!({"B": base, "C": child}));
    let folder = scratch("hostile-discriminators");
    assert_ends("a base", &convert(&folder, "base.json", &text, &[]), ALL, "");

    let union = json!({"oneOf": [component("U"), component("V")], "discriminator": mapping(&["U", "V"])});
    let text = with_body(&component("U"), &json!({"U": union, "V": union}));
    assert_ends("a union", &convert(&folder, "union.json", &text, &[]), SOME, "error[reference-cycle]");
}

#[test]
fn patterns_are_compiled_and_never_run() {
    let folder = scratch("hostile-patterns");
    for (pattern, part) in [
        ("^(a+)+$".to_owned(), ""),
        ("((((a{1,1000}){1,1000}){1,1000}){1,1000}){1,1000}".to_owned(), ""),
        ("a{99999999999999999999999}".to_owned(), ""),
        ("a".repeat(100_000), ""),
        ("(".repeat(100_000), "warning[moved-pattern]"),
        ("(?:".repeat(100_000) + "a" + &")".repeat(100_000), "warning[moved-pattern]"),
        ("(?<=".repeat(10_000) + "a" + &")".repeat(10_000), "warning[moved-pattern]"),
        ("[".repeat(100_000), "warning[moved-pattern]"),
        ("\\u{110000}".to_owned(), "warning[moved-pattern]"),
    ] {
        let schema = json!({"type": "string", "pattern": pattern});
        let outcome = convert(&folder, "pattern.json", &with_property(&schema, &json!({})), &[]);
        let start: String = pattern.chars().take(20).collect();
        assert_ends(&start, &outcome, ALL, part);
    }
}

#[test]
fn names_and_texts_may_be_long() {
    let folder = scratch("hostile-long");
    let long = "x".repeat(1 << 20);
    let property = json!({"type": "object", "properties": {(&long): {"enum": [&long, 1]}}});
    let operations = json!({"openapi": "3.1.0", "paths": {
        (format!("/{long}")): {"get": {}},
        ("/{}".repeat(100_000)): {"get": {}},
        "/id": {"get": {"operationId": &long, "description": &long}},
    }});
    let digits = "9".repeat(1_000_000);
    let number = with_property(&json!({"maximum": 12_345}), &json!({})).replace("12345", &digits);
    for (what, text) in [
        ("a property", with_body(&property, &json!({}))),
        ("a component", with_property(&component(&long), &json!({(&long): {"type": "string"}}))),
        ("operations", operations.to_string()),
        ("a number", number),
    ] {
        assert_ends(what, &convert(&folder, "long.json", &text, &[]), ALL, "");
    }
    let text = with_property(&component(&long), &json!({}));
    let outcome = convert(&folder, "nowhere.json", &text, &[]);
    assert_ends("a reference", &outcome, SOME, "error[unresolved-reference]");
    assert!(outcome.stderr.len() < 10_000, "{} bytes of messages", outcome.stderr.len());
}

#[test]
fn texts_that_are_no_utf_8_are_refused() {
    let folder = scratch("hostile-encoding");
    let text = "openapi: 3.1.0\npaths: {}\n";
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let marked = [b"\xff\xfe".to_vec(), wide(u16::to_le_bytes)].concat();
    for (file, bytes, part) in [
        ("marked.yaml", marked, "UTF-16"),
        ("little.yaml", wide(u16::to_le_bytes), "UTF-16"),
        ("big.yaml", wide(u16::to_be_bytes), "UTF-16"),
        ("invalid.yaml", [text.as_bytes(), b"# \xff\n"].concat(), "not UTF-8 (byte 27)"),
        ("surrogate.yaml", [text.as_bytes(), b"# \xed\xa0\x80\n"].concat(), "not UTF-8"),
        ("nul.yaml", b"openapi: 3.1.0\nx: \"a\0b\"\n".to_vec(), "error: "),
        ("nul.json", b"{\"openapi\": \"3.1.0\", \"a\0\": 1}".to_vec(), "control character"),
        ("half.json", b"{\"openapi\": \"3.1.0\", \"a\": \"\\ud800\"}".to_vec(), "lone surrogate"),
        ("half.yaml", b"openapi: 3.1.0\na: \"\\ud800\"\n".to_vec(), "surrogate"),
        ("mark.yaml", b"\xef\xbb\xbf".to_vec(), "empty"),
    ] {
        let path = folder.join(file);
        fs::write(&path, bytes).unwrap();
        assert_ends(file, &gen_tools([&path]), NONE, part);
    }
    let marked = format!("\u{feff}{text}");
    assert_ends("a mark", &convert(&folder, "good.yaml", &marked, &[]), ALL, "");
}

/// Asserts that a reference from a document in `folder` gives this code, and nothing of the file
/// `secret.yaml` above it.
#[cfg(unix)]
#[cfg(unix)]
/// A program that was given a pipe to write to, or a file that nobody may read, would wait or fail.
#[cfg(target_os = "linux")]
/// Another thread writes on and on.
/// Neither output is touched unless both can be written.
#[cfg(unix)]
#[cfg(target_os = "linux")]
#[test]
fn messages_hold_nothing_that_a_terminal_obeys_or_hides() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\r\n::error::forged\u{9b}31m\u{202e}\u{200b}\u{e0041}";
    let text = json!({"openapi": "3.1.0", "paths": {(format!("/{evil}")): {"get": {
        "operationId": evil,
        "parameters": [{"$ref": format!("#/{evil}")}],
    }}}});
    // serde_json writes some of them raw, so the excerpts have them, too.
    let folder = scratch("hostile-escapes");
    for format in ["human", "short", "json", "github"] {
        let outcome = convert(&folder, "escapes.json", &text.to_string(), &["--messages", format]);
        assert_ends(format, &outcome, SOME, "unresolved-reference");
        let bad = outcome.stderr.chars().find(|c| gen_tools::is_hidden(*c));
        assert_eq!(bad, None, "{format}: {:?}", outcome.stderr);
        let forged = outcome.stderr.lines().any(|line| line.starts_with("::error::"));
        assert!(!forged, "{format}: {}", outcome.stderr);
        if format == "json" {
            for line in outcome.stderr.lines() {
                serde_json::from_str::<Value>(line).unwrap();
            }
        }
    }
}

/// An operation `/p{n}` for each of `count`, made of `make`.
fn operations(count: usize, make: impl Fn(usize) -> Value, components: &Value) -> String {
    let entry = |at: usize| (format!("/p{at}"), json!({"post": make(at)}));
    let paths: Value = Value::Object((0..count).map(entry).collect());
    json!({"openapi": "3.1.0", "paths": paths, "components": {"schemas": components}}).to_string()
}

/// So many paths that are all `item`, which may refer to `#/x-item` with as many extensions, or to its
/// operation with as many.
fn referring(count: usize, item: &Value) -> String {
    let extensions = || (0..count).map(|at| (format!("x-{at}"), json!(at))).collect::<Map<_, _>>();
    let mut referred = extensions();
    referred.insert("get".to_owned(), Value::Object(extensions()));
    let paths: Map<_, _> = (0..count).map(|at| (format!("/p{at}"), item.clone())).collect();
    json!({"openapi": "3.1.0", "paths": paths, "x-item": referred}).to_string()
}

/// A chain of components, each made from the reference to the next.
fn chain(count: usize, make: impl Fn(Value) -> Value, last: Value) -> Value {
    let entry = |at: usize| (format!("C{at}"), make(component(&format!("C{}", at + 1))));
    let all = (0..count).map(entry).chain([(format!("C{count}"), last)]);
    Value::Object(all.collect())
}

/// Each would take minutes if its cost grew with the square of its size.
#[test]
fn large_documents_end() {
    let folder = scratch("hostile-large");
    let many =
        |count: usize, make: &dyn Fn(usize) -> (String, Value)| Value::Object((0..count).map(make).collect());
    let first = &component("C0");
    let properties = many(100_000, &|at| (format!("p{at}"), json!({"type": "string"})));
    let odd = many(100_000, &|at| (format!("p {at}"), json!({})));
    let hub = |at: usize| {
        let refers = if at == 0 {
            many(3000, &|at| (format!("p{at}"), component(&format!("C{at}"))))
        } else {
            json!({"hub": component("C0")})
        };
        (format!("C{at}"), json!({"properties": refers}))
    };
    let branches: Vec<Value> = (0..5000).map(|at| component(&format!("C{at}"))).collect();
    let tagged =
        many(5000, &|at| (format!("C{at}"), json!({"properties": {"tag": {"const": at.to_string()}}})));
    let named = many(10_000, &|at| {
        let next = json!({"$ref": format!("http://x/{}", (at + 1) % 10_000)});
        (format!("C{at}"), json!({"$id": format!("http://x/{at}"), "properties": {"next": next}}))
    });
    let anchored = many(10_000, &|at| {
        let next = json!({"$ref": format!("#a{}", (at + 1) % 10_000)});
        (format!("C{at}"), json!({"$anchor": format!("a{at}"), "properties": {"next": next}}))
    });
    let none = json!({});
    let body = json!({"requestBody": {"content": {"application/json": {"schema": first}}}});
    let lost = json!({"parameters": [{"$ref": "#/nowhere"}]});
    let refers = many(50_000, &|at| (format!("p{at}"), component(&format!("C{at}"))));
    for (what, code, part, text) in [
        ("a cycle", ALL, "", with_body(first, &ring(10_000, |next| json!({"properties": {"n": next}})))),
        (
            "references",
            SOME,
            "more than 100 that say nothing else",
            with_body(first, &chain(10_000, |next| next, json!({}))),
        ),
        (
            "a chain of allOf",
            SOME,
            "through more than 2500 schemas",
            with_body(first, &chain(10_000, |next| json!({"allOf": [next]}), json!({}))),
        ),
        ("properties", ALL, "", with_body(&json!({"properties": properties}), &none)),
        ("odd names", ALL, "", with_body(&json!({"properties": odd}), &none)),
        ("paths", ALL, "", operations(50_000, |_| body.clone(), &json!({"C0": {"type": "object"}}))),
        ("one name", ALL, "stands twice", operations(50_000, |_| json!({"operationId": "a"}), &none)),
        ("lost operations", SOME, "error[unresolved-reference]", operations(20_000, |_| lost.clone(), &none)),
        ("a hub", ALL, "", with_body(&component("C1"), &many(3000, &hub))),
        ("a union", ALL, "", with_body(&json!({"oneOf": branches}), &tagged)),
        ("identifiers", ALL, "", with_body(first, &named)),
        ("anchors", ALL, "", with_body(first, &anchored)),
        ("paths to one item", ALL, "", referring(20_000, &json!({"$ref": "#/x-item"}))),
        ("paths to one operation", ALL, "", referring(20_000, &json!({"get": {"$ref": "#/x-item/get"}}))),
        (
            "references into one map",
            ALL,
            "",
            with_body(&json!({"properties": refers}), &many(50_000, &|at| (format!("C{at}"), json!({})))),
        ),
    ] {
        let outcome = convert(&folder, "large.json", &text, &[]);
        assert_ends(what, &outcome, code, part);
    }
}
