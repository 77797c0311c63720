//! What only the inside of the module can see: duplicates, resolved references.

use super::pointer::{Unresolved, resolve};
use super::{Input, Node};

fn parse(name: &str, text: &str) -> Input {
    Input::parse(name, text).expect("a document")
}

/// The lines and columns of the duplicate keys of `text`.
fn duplicates(name: &str, text: &str) -> Vec<(usize, usize)> {
    let input = parse(name, text);
    let place = |found: crate::diagnostic::Diagnostic| {
        let location = input.locate(found.span);
        (location.line, location.column)
    };
    input.duplicate_keys().into_iter().map(place).collect()
}

#[test]
fn each_replaced_key_is_reported_at_its_place() {
    assert_eq!(duplicates("a.yaml", "a: 1\nb: {c: 1, c: 2, c: 3}\na: 2\n"), [(2, 5), (2, 11), (1, 1)]);
    assert_eq!(duplicates("a.json", r#"{"a":1,"\u0061":2}"#), [(1, 3)]);
    let many: String = (0..100).map(|key| format!("k{}: 1", key % 99)).collect::<Vec<_>>().join("\n");
    assert_eq!(duplicates("a.yaml", &many), [(1, 1)]);
}

#[test]
fn merge_keys_are_no_duplicates() {
    let text = "a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc:\n  <<: *a\n  <<: *b\n  y: 3\n";
    assert_eq!(duplicates("a.yaml", text), []);
    let input = parse("a.yaml", text);
    let merged = input.root().and_then(|root| root.get("c")).map(Node::to_value);
    assert_eq!(merged, Some(serde_json::json!({"y": 3, "x": 1})));
}

#[test]
fn keys_are_told_apart_by_their_texts() {
    // Alike in their length, their beginnings and their ends.
    let text =
        r#"{"beginning-1-and-the-end": 1, "beginning-2-and-the-end": 2, "": 3, "\u0061": 4, "a\u0000": 5}"#;
    let input = parse("a.json", text);
    let root = input.root().expect("a root");
    for (key, value) in [
        ("beginning-1-and-the-end", "1"),
        ("beginning-2-and-the-end", "2"),
        ("", "3"),
        ("a", "4"),
        ("a\0", "5"),
    ] {
        assert_eq!(root.get(key).map(Node::text), Some(value), "{key:?}");
    }
    assert_eq!(root.get("beginning-3-and-the-end"), None);
    assert_eq!(duplicates("a.json", text), []);
    let text = "a: &a key\nb: &b {\"esc\\x61ped\": 1, *a : 2, x: 3}\nc: {<<: *b, *a : 4, \"x\": 5}\n";
    let input = parse("a.yaml", text);
    let get = |map, key| input.root()?.get(map)?.get(key).map(Node::text);
    assert_eq!([get("b", "escaped"), get("b", "key"), get("b", "x")], [Some("1"), Some("2"), Some("3")]);
    assert_eq!([get("c", "escaped"), get("c", "key"), get("c", "x")], [Some("1"), Some("4"), Some("5")]);
}

#[test]
fn the_pointer_of_every_node_resolves_to_it() {
    let text = "a: [1, {b/c: {'d~e': x, f%67: y}}]\n'': {'': [[z]]}\nh: &h {i: 1}\nj: *h\n";
    let input = parse("a.yaml", text);
    let root = input.root().expect("a root");
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        assert_eq!(resolve(root, &format!("#{}", node.pointer().replace('%', "%25"))), Ok(node));
        open.extend(node.items());
        open.extend(node.entries().map(|(_, value)| value));
    }
    assert_eq!(resolve(root, "#/a/01"), Err(Unresolved::Nowhere("a.yaml".to_owned(), "/a".to_owned())));
    assert_eq!(resolve(root, "#/a/1/b~1c/f%67").map(Node::text), Ok("y"));
}
