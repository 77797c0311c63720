//! Places: spans, lines and columns, pointers.

use gen_tools::{Input, Kind, Node};
use serde_json::Value;

const YAML: &str = "\
é: [1, {b/c: x}]
d~e:
  - 'q'
  - |
    block
# comment
f: &f {g: .5}
h: *f
i: {<<: *f, j: ~}
";

fn parse(name: &str, text: &str) -> Input {
    Input::parse(name, text).expect("a document")
}

/// Every node below `node`, itself first, with the tokens that lead there.
fn walk<'i>(node: Node<'i>, path: &mut Vec<String>, visit: &mut dyn FnMut(Node<'i>, &[String])) {
    visit(node, path);
    let children: Vec<(String, Node<'i>)> = match node.kind() {
        Kind::Object => node.entries().map(|(key, value)| (key.to_owned(), value)).collect(),
        _ => node.items().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
    };
    for (token, child) in children {
        path.push(token);
        walk(child, path, visit);
        path.pop();
    }
}

#[test]
fn the_pointer_of_every_node_leads_back_to_it() {
    let json = r#"{"a":[1,{"b/c":"x","~":[]},[[2]]],"":{"":null},"c":{"d":1,"d":{"e":2}}}"#;
    for input in [parse("a.yaml", YAML), parse("a.json", json)] {
        let root = input.root().expect("a root");
        let value = root.to_value();
        let mut visited = 0;
        walk(root, &mut Vec::new(), &mut |node, _| {
            visited += 1;
            assert_eq!(value.pointer(&node.pointer()), Some(&node.to_value()), "{}", node.pointer());
        });
        assert!(visited > 10);
    }
}

#[test]
fn a_pointer_is_the_way_from_the_root_where_no_alias_is() {
    let input = parse("a.json", r#"{"a":[1,{"b/c":"x"}],"d~e":[[2]]}"#);
    walk(input.root().expect("a root"), &mut Vec::new(), &mut |node, path| {
        let tokens = path.iter().map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1")));
        assert_eq!(node.pointer(), tokens.collect::<String>());
    });
}

#[test]
fn an_alias_is_the_place_of_its_anchor() {
    let input = parse("a.yaml", YAML);
    let root = input.root().expect("a root");
    let (anchored, alias) = (root.get("f").expect("f"), root.get("h").expect("h"));
    assert!(anchored == alias);
    assert_eq!(alias.pointer(), "/f");
    assert_eq!(root.get("i").and_then(|node| node.get("g")).expect("g").pointer(), "/f/g");
}

/// The text of each node's span, in the order of the document.
fn spans(name: &str, text: &str) -> Vec<String> {
    let input = parse(name, text);
    let mut found = Vec::new();
    walk(input.root().expect("a root"), &mut Vec::new(), &mut |node, _| {
        let span = node.span();
        found.push(text[span.start as usize..span.end as usize].to_owned());
    });
    found
}

#[test]
fn a_span_is_the_text_of_its_value() {
    let json = "{\"a\" : [1, \"x\\n\", {}] , \"é\":\"ü\"}";
    assert_eq!(spans("a.json", json), [json, "[1, \"x\\n\", {}]", "1", "x\\n", "{}", "ü"]);
    let yaml = "a: &x\n  - 1 # c\n  - \"é\"\n\n# d\nb: {c: .5}\nd: |\n  t\n\ne: !!str 7\nf:\n";
    assert_eq!(
        spans("a.yaml", yaml),
        [yaml.trim_end(), "- 1 # c\n  - \"é\"", "1", "é", "{c: .5}", ".5", "t\n", "7", ""]
    );
}

#[test]
fn lines_and_columns_are_counted_as_people_do() {
    let text = "\u{feff}a: é\r\nü: [é, b]\r\nc: |\r\n  d\r\n";
    let input = parse("a.yaml", text);
    let root = input.root().expect("a root");
    let place = |node: Option<Node<'_>>| {
        let location = input.locate(node.expect("a node").span());
        (location.line, location.column)
    };
    assert_eq!(place(Some(root)), (1, 1));
    assert_eq!(place(root.get("a")), (1, 4));
    assert_eq!(place(root.get("ü")), (2, 4));
    assert_eq!(place(root.get("ü").and_then(|list| list.items().nth(1))), (2, 8));
    assert_eq!(place(root.get("c")), (4, 3));
}

#[test]
fn the_last_of_equal_keys_wins() {
    for (name, text) in [("a.json", r#"{"a":1,"b":2,"a":3}"#), ("a.yaml", "a: 1\nb: 2\na: 3\n")] {
        let input = parse(name, text);
        let root = input.root().expect("a root");
        let entries: Vec<(&str, &str)> = root.entries().map(|(key, value)| (key, value.text())).collect();
        assert_eq!(entries, [("b", "2"), ("a", "3")]);
        assert_eq!(root.get("a").map(Node::pointer).as_deref(), Some("/a"));
    }
}

#[test]
fn words_have_one_text_however_they_are_written() {
    let input = parse("a.yaml", "[True, FALSE, ~, Null, ]");
    let texts: Vec<&str> = input.root().expect("a root").items().map(Node::text).collect();
    assert_eq!(texts, ["true", "false", "null", "null"]);
    assert_eq!(input.root().expect("a root").items().nth(2).map(Node::to_value), Some(Value::Null));
}
