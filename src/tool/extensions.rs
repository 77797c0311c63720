//! What vendor extensions say of a tool: whether there is one, and what it is called.
//!
//! `x-internal` < `x-speakeasy-mcp` < `x-mcp`: the later wins, and an operation's wins over its path
//! item's. At the document's root `x-mcp` is the default if it is a boolean; an object there
//! describes a server, and says nothing of operations.

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Node;
use crate::openapi::Endpoint;
use crate::schema::hides;

const SPEAKEASY: &str = "x-speakeasy-mcp";
const MCP: &str = "x-mcp";
const INTERNAL: &str = "x-internal";

/// The objects with fields of a tool; the later wins.
const OBJECTS: [&str; 2] = [SPEAKEASY, MCP];

/// The name that an extension gives.
pub(super) fn name<'i>(endpoint: &Endpoint<'i>) -> Option<&'i str> {
    text(endpoint, "name")
}

/// A text of an extension that is not blank, of the operation or of its path item.
pub(super) fn text<'i>(endpoint: &Endpoint<'i>, field: &str) -> Option<&'i str> {
    let texts = |extension| named(endpoint, extension).filter_map(|node| node.get_str(field));
    OBJECTS.into_iter().rev().find_map(|extension| texts(extension).find(|text| !text.trim().is_empty()))
}

/// The objects that may hold hints for the annotations, those first that the later ones override.
pub(super) fn hints<'i>(endpoint: &Endpoint<'i>) -> Vec<Node<'i>> {
    let objects = OBJECTS.into_iter().flat_map(|extension| named(endpoint, extension).rev());
    objects.flat_map(|object| [Some(object), object.get("annotations")]).flatten().collect()
}

/// The extension that keeps an operation from being a tool, if one does. `default` is the root's.
pub(super) fn hidden_by(endpoint: &Endpoint<'_>, default: Option<bool>) -> Option<&'static str> {
    let says = |node: Node<'_>, field| node.get(field)?.as_bool();
    let mcp = named(endpoint, MCP).find_map(|node| node.as_bool().or_else(|| says(node, "enabled")));
    let speakeasy = named(endpoint, SPEAKEASY).find_map(|node| says(node, "disabled")).map(|said| !said);
    let internal = named(endpoint, INTERNAL).find_map(Node::as_bool);
    match (mcp, speakeasy, internal) {
        (Some(wanted), ..) => (!wanted).then_some(MCP),
        (None, Some(wanted), _) => (!wanted).then_some(SPEAKEASY),
        (None, None, Some(true)) => Some(INTERNAL),
        _ => (default == Some(false)).then_some(MCP),
    }
}

/// Whether operations are tools where nothing else is said.
pub(super) fn default(root: Node<'_>) -> Option<bool> {
    root.get(MCP)?.as_bool()
}

/// What has not the shape that it should have, and so says nothing; what hides something.
pub(super) fn faults(endpoint: &Endpoint<'_>) -> Vec<Diagnostic> {
    let shapes = [INTERNAL, MCP, SPEAKEASY].into_iter().flat_map(|extension| {
        named(endpoint, extension).filter_map(move |node| shape_fault(extension, node))
    });
    let objects = OBJECTS.into_iter().flat_map(|extension| named(endpoint, extension));
    let fields = objects.flat_map(Node::entries).filter_map(|(name, value)| field_fault(name, value));
    shapes.chain(fields).collect()
}

fn shape_fault(extension: &str, node: Node<'_>) -> Option<Diagnostic> {
    let (is_right, expected) = match extension {
        INTERNAL => (node.as_bool().is_some(), "a boolean"),
        MCP => (node.as_bool().is_some() || node.is_object(), "a boolean or an object"),
        _ => (node.is_object(), "an object"),
    };
    (!is_right).then(|| fault(node, extension, expected))
}

fn field_fault(name: &str, value: Node<'_>) -> Option<Diagnostic> {
    match name {
        "name" | "description" | "title" => match value.as_str() {
            None => Some(fault(value, name, "a string")),
            Some(text) if hides(text) => {
                let message = format!("`{name}` has characters that show nothing; removed");
                Some(value.diagnostic(Code::HiddenText, message))
            }
            Some(_) => None,
        },
        "enabled" | "disabled" if value.as_bool().is_none() => Some(fault(value, name, "a boolean")),
        _ => None,
    }
}

fn fault(node: Node<'_>, name: &str, expected: &str) -> Diagnostic {
    let message = format!("`{name}` is {}; expected {expected}, so it says nothing", node.describe());
    node.diagnostic(Code::InvalidExtension, message)
}

/// The values of an extension: the operation's first.
fn named<'e, 'i>(
    endpoint: &'e Endpoint<'i>,
    extension: &'static str,
) -> impl DoubleEndedIterator<Item = Node<'i>> + 'e {
    let all = endpoint.extensions.iter().chain(endpoint.item_extensions.iter());
    all.filter(move |(name, _)| *name == extension).map(|(_, node)| *node)
}
