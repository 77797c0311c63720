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
    let texts = |extension| places(endpoint).filter_map(move |place| place.get(extension)?.get_str(field));
    OBJECTS.into_iter().rev().find_map(|extension| texts(extension).find(|text| !text.trim().is_empty()))
}

/// The objects that may hold hints for the annotations, those first that the later ones override.
pub(super) fn hints<'i>(endpoint: &Endpoint<'i>) -> Vec<Node<'i>> {
    let mut nearest_last: Vec<Node<'i>> = places(endpoint).collect();
    nearest_last.reverse();
    let objects =
        OBJECTS.into_iter().flat_map(|name| nearest_last.iter().filter_map(move |node| node.get(name)));
    objects.flat_map(|object| [Some(object), object.get("annotations")]).flatten().collect()
}

/// The extension that keeps an operation from being a tool, if one does. `default` is the root's.
pub(super) fn hidden_by(endpoint: &Endpoint<'_>, default: Option<bool>) -> Option<&'static str> {
    let nearest = |decide: &dyn Fn(Node<'_>) -> Option<bool>| places(endpoint).find_map(decide);
    let mcp = nearest(&|place| {
        let value = place.get(MCP)?;
        value.as_bool().or_else(|| value.get("enabled")?.as_bool())
    });
    let speakeasy = nearest(&|place| Some(!place.get(SPEAKEASY)?.get("disabled")?.as_bool()?));
    let internal = nearest(&|place| place.get(INTERNAL)?.as_bool());
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
    let mut found = Vec::new();
    for place in places(endpoint) {
        if let Some(node) = place.get(INTERNAL).filter(|node| node.as_bool().is_none()) {
            found.push(fault(node, INTERNAL, "a boolean"));
        }
        if let Some(node) = place.get(MCP).filter(|node| node.as_bool().is_none() && !node.is_object()) {
            found.push(fault(node, MCP, "a boolean or an object"));
        }
        if let Some(node) = place.get(SPEAKEASY).filter(|node| !node.is_object()) {
            found.push(fault(node, SPEAKEASY, "an object"));
        }
        for object in OBJECTS.into_iter().filter_map(|name| place.get(name)) {
            for (name, value) in object.entries() {
                match name {
                    "name" | "description" | "title" if value.as_str().is_none() => {
                        found.push(fault(value, name, "a string"));
                    }
                    "enabled" | "disabled" if value.as_bool().is_none() => {
                        found.push(fault(value, name, "a boolean"));
                    }
                    "name" | "description" | "title" if value.as_str().is_some_and(hides) => {
                        let message = format!("`{name}` has characters that show nothing; removed");
                        found.push(value.diagnostic(Code::HiddenText, message));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

fn fault(node: Node<'_>, name: &str, expected: &str) -> Diagnostic {
    let message = format!("`{name}` is {}; expected {expected}, so it says nothing", node.describe());
    node.diagnostic(Code::InvalidExtension, message)
}

/// The operation, then the path items that it stands in.
fn places<'e, 'i>(endpoint: &'e Endpoint<'i>) -> impl Iterator<Item = Node<'i>> + 'e {
    std::iter::once(endpoint.node).chain(endpoint.items.iter().copied())
}
