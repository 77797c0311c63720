//! The parameters of an operation, wherever they are declared.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;

use super::model::{Endpoint, In, Operation, Parameter, Serialization};
use super::{Document, follow};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Kind, Node, Place};
use crate::schema::hides;

/// Parameters that several operations may have, read once.
#[derive(Default)]
pub(crate) struct KnownParameters<'i>(RefCell<HashMap<Place, Rc<Parameter<'i>>>>);

impl<'i> KnownParameters<'i> {
    /// The parameter of an operation that is declared so; `read` reads it if it must be.
    ///
    /// # Errors
    /// What `read` says.
    pub(super) fn parameter(
        &self,
        operation: Node<'i>,
        declared: &Declared<'i>,
        read: impl FnOnce() -> Result<Parameter<'i>, Diagnostic>,
    ) -> Result<Rc<Parameter<'i>>, Diagnostic> {
        if operation.holds(declared.node) {
            return read().map(Rc::new);
        }
        let known = self.0.borrow().get(&declared.node.place()).map(Rc::clone);
        if let Some(known) = known {
            return Ok(known);
        }
        let parameter = Rc::new(read()?);
        self.0.borrow_mut().insert(declared.node.place(), Rc::clone(&parameter));
        Ok(parameter)
    }
}

/// A declared parameter, not yet read.
pub(super) struct Declared<'i> {
    /// Its name on the wire.
    pub(super) name: &'i str,
    /// Where it goes, as the document writes it.
    pub(super) place: &'i str,
    /// The Parameter Object.
    pub(super) node: Node<'i>,
}

/// The parameters of path item and operation: an operation's takes the place of the path item's
/// with the same name and place (3.1.2, section 4.8.10); header names are alike in any case.
///
/// # Errors
/// A parameter without name or place, or a reference to none.
pub(super) fn declared<'i>(endpoint: &Endpoint<'i>) -> Result<Vec<Declared<'i>>, Diagnostic> {
    let mut merged: Vec<Declared<'i>> = Vec::new();
    // The path item that `$ref` leads to comes first: the item's own fields win over it.
    for level in endpoint.items.iter().rev().copied().chain([endpoint.node]) {
        let Some(list) = level.get("parameters") else { continue };
        if !matches!(list.kind(), Kind::Array | Kind::Null) {
            let message = format!("`parameters` is {}; expected a list", list.describe());
            return Err(list.diagnostic(Code::InvalidParameter, message));
        }
        for node in list.items() {
            let new = identify(follow(node)?)?;
            match merged.iter_mut().find(|known| is_same(known, &new)) {
                Some(known) => *known = new,
                None => merged.push(new),
            }
        }
    }
    Ok(merged)
}

fn is_same(a: &Declared<'_>, b: &Declared<'_>) -> bool {
    let same = if a.place == "header" { a.name.eq_ignore_ascii_case(b.name) } else { a.name == b.name };
    a.place == b.place && same
}

fn identify(node: Node<'_>) -> Result<Declared<'_>, Diagnostic> {
    let fault = |message: String| node.diagnostic(Code::InvalidParameter, message);
    let name = match node.get("name").map(|name| (name.kind(), name.text())) {
        Some((Kind::String | Kind::Number | Kind::Bool(_), text)) if !text.is_empty() => text,
        Some(_) => return Err(fault("the `name` of a parameter is empty or no string".to_owned())),
        None if node.is_object() => return Err(fault("a parameter has no `name`".to_owned())),
        None => return Err(fault(format!("a parameter is {}; expected an object", node.describe()))),
    };
    Ok(Declared { name, place: node.get("in").map_or("", Node::text), node })
}

impl Declared<'_> {
    /// The diagnostic of a place that the version does not have.
    pub(super) fn misplaced(&self, expected: &str) -> Diagnostic {
        let found = if self.place.is_empty() { "missing".to_owned() } else { format!("{:?}", self.place) };
        let message = format!("`in` of parameter {:?} is {found}; expected {expected}", self.name);
        self.node.diagnostic(Code::InvalidParameter, message)
    }
}

/// Adds the variables of the path that no parameter declares: a call can't be made without them.
pub(super) fn add_undeclared<'i>(
    endpoint: &Endpoint<'i>,
    parameters: &mut Vec<Rc<Parameter<'i>>>,
    report: &dyn Fn(Diagnostic),
) {
    for name in template_variables(endpoint.path) {
        if !parameters.iter().any(|known| known.place == In::Path && known.name == name) {
            let message =
                format!("no parameter declares the variable {{{name}}} of the path; it is a required string");
            report(endpoint.node.diagnostic(Code::UndeclaredPathParameter, message));
            parameters.push(Rc::new(undeclared(name, endpoint.node)));
        }
    }
}

/// The names between braces in a path.
fn template_variables(path: &str) -> impl Iterator<Item = &str> {
    let begins = memchr::memchr_iter(b'{', path.as_bytes()).map(|at| at + 1);
    let names = begins.filter_map(|at| {
        let rest = path.get(at..)?;
        let end = memchr::memchr2(b'{', b'}', rest.as_bytes())?;
        rest.get(..end).filter(|_| rest.as_bytes().get(end) == Some(&b'}'))
    });
    names.filter(|name| !name.is_empty())
}

fn undeclared<'i>(name: &'i str, node: Node<'i>) -> Parameter<'i> {
    Parameter {
        name,
        place: In::Path,
        required: true,
        description: None,
        hides: hides(name),
        deprecated: false,
        schema: None,
        text: true,
        examples: Vec::new(),
        serialization: Serialization::Style { style: "simple", explode: false, allow_reserved: false },
        node,
    }
}

/// A text of a document that says something.
pub(super) fn text<'i>(node: Node<'i>, key: &str) -> Option<&'i str> {
    node.get_str(key).filter(|text| !text.trim().is_empty())
}

/// What an operation says of itself, before its parameters and body are read.
pub(super) fn described<'i>(document: Document<'i>, endpoint: &Endpoint<'i>) -> Operation<'i> {
    let node = endpoint.node;
    Operation {
        document,
        endpoint: endpoint.clone(),
        summary: text(node, "summary"),
        description: text(node, "description"),
        deprecated: node.is_true("deprecated"),
        parameters: Vec::new(),
        body: None,
    }
}
