//! A node of a file's tree, with the file: what the rest of the crate reads documents through.

use serde_json::{Map, Number, Value};

use super::tree::{Kind, Lookup, fingerprint};
use super::{Anchors, File, HashMap, Input, pointer, resource};
use crate::diagnostic::{Code, Diagnostic, FileId, Span};

/// A value in a document. Cheap to copy; two nodes are equal if they are the same place.
#[derive(Clone, Copy)]
pub struct Node<'i> {
    input: &'i Input,
    file: FileId,
    /// Never an alias.
    index: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({}#{})", self.file().name, self.pointer())
    }
}

/// A node's identity: its file and its index there. Ordered as the files and their texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// The file.
    pub(crate) file: FileId,
    /// The index in the file's tree.
    pub(crate) index: u32,
}

impl<'i> Node<'i> {
    pub(super) fn new(input: &'i Input, file: FileId, index: u32) -> Self {
        Node { input, file, index: input.file(file).tree.resolve(index) }
    }

    /// Another node of the same file.
    pub(super) fn at(self, index: u32) -> Node<'i> {
        Node::new(self.input, self.file, index)
    }

    pub(super) fn input(self) -> &'i Input {
        self.input
    }

    pub(super) fn file(self) -> &'i File {
        self.input.file(self.file)
    }

    pub(super) fn index(self) -> u32 {
        self.index
    }

    /// The root of the file that the node stands in.
    pub(crate) fn root(self) -> Node<'i> {
        self.at(0)
    }

    /// The node's identity.
    pub(crate) fn place(self) -> Place {
        Place { file: self.file, index: self.index }
    }

    /// Whether another node stands in this one.
    pub(crate) fn holds(self, other: Node<'_>) -> bool {
        let end = self.file().tree.next(self.index);
        self.file == other.file && (self.index..end).contains(&other.index)
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.file().tree.kind(self.index)
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// A scalar's text: a string's characters, a number's digits, `true`, `null`. Empty for
    /// containers.
    pub fn text(self) -> &'i str {
        self.file().tree.text(&self.file().text, self.index)
    }

    /// A string's characters; `None` for anything else.
    pub fn as_str(self) -> Option<&'i str> {
        (self.kind() == Kind::String).then(|| self.text())
    }

    /// A boolean's value; `None` for anything else.
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The entries of an object, each key once; nothing for anything else.
    pub fn entries(self) -> impl Iterator<Item = (&'i str, Node<'i>)> {
        let file = self.file();
        file.tree
            .entries(self.index)
            .map(move |(key, value)| (file.tree.text(&file.text, key), self.at(value)))
    }

    /// The items of an array; nothing for anything else.
    pub fn items(self) -> impl Iterator<Item = Node<'i>> {
        let file = self.file();
        let array = self.kind() == Kind::Array;
        file.tree.children(self.index).filter(move |_| array).map(move |child| self.at(child))
    }

    /// The value of an object's key.
    #[inline]
    pub fn get(self, key: &str) -> Option<Node<'i>> {
        // Inlined, so that the compiler makes the fingerprint of a literal.
        self.get_by(key, fingerprint(key.as_bytes()))
    }

    fn get_by(self, key: &str, print: u32) -> Option<Node<'i>> {
        let file = self.file();
        match file.tree.get(&file.text, self.index, key, print) {
            Lookup::At(value) => Some(Node { index: file.tree.resolve(value), ..self }),
            Lookup::Nowhere => None,
            Lookup::Further => self.get_indexed(key),
        }
    }

    /// The value of a key that leads to a string.
    pub fn get_str(self, key: &str) -> Option<&'i str> {
        self.get(key)?.as_str()
    }

    /// Whether a key leads to `true`.
    pub fn is_true(self, key: &str) -> bool {
        self.get(key).and_then(Node::as_bool) == Some(true)
    }

    /// The value of a key, through an index that is made once for each object: for large ones, and those
    /// that references lead through again and again.
    pub(super) fn get_indexed(self, key: &str) -> Option<Node<'i>> {
        let mut entries = self.file().entries.borrow_mut();
        let index = entries.entry(self.index).or_insert_with(|| {
            let tree = &self.file().tree;
            tree.entries(self.index)
                .map(|(key, value)| (tree.text(&self.file().text, key).to_owned(), value))
                .collect()
        });
        index.get(key).map(|&value| self.at(value))
    }

    /// The objects of its file with a plain name, in order: of one resource, by its root, if it is said.
    /// `names` gives those of an object; it is asked once.
    pub(crate) fn anchors(
        self,
        resource: Option<Node<'i>>,
        name: &str,
        names: &dyn Fn(Node<'i>) -> Vec<&'i str>,
    ) -> impl Iterator<Item = Node<'i>> {
        let tree = &self.file().tree;
        let anchors = self.file().anchors.get_or_init(|| {
            let mut found: Anchors = HashMap::default();
            for index in 0..tree.len() {
                let node = self.at(index);
                // An alias is visited at its target.
                let names = if node.index == index && node.is_object() { names(node) } else { Vec::new() };
                for name in names {
                    let resource = resource::of(node).index;
                    found.entry((None, name.to_owned())).or_default().push(index);
                    found.entry((Some(resource), name.to_owned())).or_default().push(index);
                }
            }
            found
        });
        let found = anchors.get(&(resource.map(|root| root.index), name.to_owned()));
        found.into_iter().flatten().map(move |&index| self.at(index))
    }

    /// The root of the first document.
    pub(crate) fn document(self) -> Node<'i> {
        Node { input: self.input, file: FileId(0), index: 0 }
    }

    /// The name of its file, for messages.
    pub(crate) fn file_name(self) -> &'i str {
        &self.file().name
    }

    /// Where it stands in the text.
    pub fn span(self) -> Span {
        let (start, end) = self.file().tree.span(self.index);
        Span { file: self.file, start, end }
    }

    /// The nodes from the root to this one, the root first and this one last.
    pub(crate) fn ancestors(self) -> Vec<Node<'i>> {
        self.path().into_iter().map(|(_, node)| node).collect()
    }

    /// As a JSON Pointer (RFC 6901) into its file; `""` for the root.
    pub fn pointer(self) -> String {
        self.path().iter().skip(1).flat_map(|(token, _)| ["/".to_owned(), pointer::escape(token)]).collect()
    }

    /// Where it stands, for hashes that must be the same on every machine: its pointer, after its
    /// file's path from the first document's folder if it is in another.
    pub(crate) fn location(self) -> String {
        let file = self.file();
        if self.file == FileId(0) { self.pointer() } else { format!("{}#{}", file.relative, self.pointer()) }
    }

    /// Its file's name without folder and extension.
    pub(crate) fn file_stem(self) -> String {
        let stem = std::path::Path::new(&self.file().name).file_stem();
        stem.map_or_else(|| "schema".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The tokens and nodes from the root to this node, found by descending: nodes stand in the
    /// order of the document, so the child that holds it is the last that does not begin after it.
    pub(crate) fn path(self) -> Vec<(String, Node<'i>)> {
        let tree = &self.file().tree;
        let node = |index| Node { input: self.input, file: self.file, index };
        let text = |index| tree.text(&self.file().text, index).to_owned();
        let mut path = vec![(String::new(), node(0))];
        let mut at = 0;
        while at != self.index {
            let object = tree.kind(at) == Kind::Object;
            let Some((position, before, child)) = self.child_towards(at) else { break };
            if object && position % 2 == 0 {
                // The node is a key: its pointer is its value's.
                path.push((text(child), node(child)));
                break;
            }
            path.push((if object { text(before) } else { position.to_string() }, node(child)));
            at = child;
        }
        path
    }

    /// The child of the container `at` that this node is in: its position, the child before it, itself.
    fn child_towards(self, at: u32) -> Option<(usize, u32, u32)> {
        // Larger containers are searched through an index, since a document may have as many
        // diagnostics as they have children.
        const SMALL: usize = 64;
        let tree = &self.file().tree;
        let mut found = None;
        let mut before = at;
        for (position, child) in tree.children(at).enumerate() {
            if child > self.index {
                return found;
            }
            if position == SMALL {
                let mut known = self.file().children.borrow_mut();
                let children = known.entry(at).or_insert_with(|| tree.children(at).collect());
                let position = children.partition_point(|&child| child <= self.index).checked_sub(1)?;
                return Some((position, *children.get(position.checked_sub(1)?)?, *children.get(position)?));
            }
            found = Some((position, before, child));
            before = child;
        }
        found
    }

    /// The value as `serde_json` has it; numbers keep their digits.
    pub fn to_value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(value),
            Kind::Number => Value::Number(Number::from_string_unchecked(self.text().to_owned())),
            Kind::String => Value::String(self.text().to_owned()),
            Kind::Array => Value::Array(self.items().map(Node::to_value).collect()),
            Kind::Object => Value::Object(
                self.entries().map(|(key, value)| (key.to_owned(), value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// A diagnostic about this place.
    pub(crate) fn diagnostic(self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, span: self.span(), pointer: self.pointer(), message: message.into() }
    }

    /// What it is, in words, for messages: `a string`, `an object` ...
    pub(crate) fn describe(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}
