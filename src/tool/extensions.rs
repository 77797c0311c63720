//! What vendor extensions say of a tool: whether there is one, and what it is called.
//!
//! `x-internal` < `x-speakeasy-mcp` < `x-mcp`: the later wins, and an operation's wins over its path
//! item's. At the document's root `x-mcp` is the default if it is a boolean; an object there
//! describes a server, and says nothing of operations.

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Node;
use crate::openapi::{Endpoint, Extensions};
use crate::schema::hides;

/// The objects with fields of a tool; the later wins.
const OBJECTS: [for<'i> fn(&Extensions<'i>) -> Option<Node<'i>>; 2] =
    [|place| place.speakeasy, |place| place.mcp];

/// The name that an extension gives.
pub(super) fn name<'i>(endpoint: &Endpoint<'i>) -> Option<&'i str> {
    text(endpoint, "name")
}

/// A text of an extension that is not blank, of the operation or of its path item.
pub(super) fn text<'i>(endpoint: &Endpoint<'i>, field: &str) -> Option<&'i str> {
    OBJECTS.into_iter().rev().find_map(|object| {
        let mut texts = places(endpoint).filter_map(|place| object(&place)?.get_str(field));
        texts.find(|text| !text.trim().is_empty())
    })
}

/// The objects that may hold hints for the annotations, those first that the later ones override.
pub(super) fn hints<'i>(endpoint: &Endpoint<'i>) -> Vec<Node<'i>> {
    let of_places = |object: for<'a> fn(&Extensions<'a>) -> Option<Node<'a>>| {
        places(endpoint).rev().filter_map(move |place| object(&place))
    };
    let objects = OBJECTS.into_iter().flat_map(of_places);
    objects.flat_map(|object| [Some(object), object.get("annotations")]).flatten().collect()
}

/// The extension that keeps an operation from being a tool, if one does. `default` is the root's.
pub(super) fn hidden_by(endpoint: &Endpoint<'_>, default: Option<bool>) -> Option<&'static str> {
    let says = |node: Node<'_>, field| node.get(field)?.as_bool();
    let mcp = |place: Extensions<'_>| place.mcp?.as_bool().or_else(|| says(place.mcp?, "enabled"));
    let disabled = |place: Extensions<'_>| says(place.speakeasy?, "disabled");
    let internal = places(endpoint).find_map(|place| place.internal?.as_bool());
    match (places(endpoint).find_map(mcp), places(endpoint).find_map(disabled), internal) {
        (Some(wanted), ..) => (!wanted).then_some(Extensions::MCP),
        (None, Some(disabled), _) => disabled.then_some(Extensions::SPEAKEASY),
        (None, None, Some(true)) => Some(Extensions::INTERNAL),
        _ => (default == Some(false)).then_some(Extensions::MCP),
    }
}

/// Whether operations are tools where nothing else is said.
pub(super) fn default(root: Node<'_>) -> Option<bool> {
    root.get(Extensions::MCP)?.as_bool()
}

/// What has not the shape that it should have, and so says nothing; what hides something.
pub(super) fn faults(endpoint: &Endpoint<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for place in places(endpoint) {
        let Extensions { internal, speakeasy, mcp } = place;
        if let Some(node) = internal.filter(|node| node.as_bool().is_none()) {
            found.push(fault(node, Extensions::INTERNAL, "a boolean"));
        }
        if let Some(node) = mcp.filter(|node| node.as_bool().is_none() && !node.is_object()) {
            found.push(fault(node, Extensions::MCP, "a boolean or an object"));
        }
        if let Some(node) = speakeasy.filter(|node| !node.is_object()) {
            found.push(fault(node, Extensions::SPEAKEASY, "an object"));
        }
        let fields = OBJECTS.into_iter().filter_map(|object| object(&place)).flat_map(Node::entries);
        found.extend(fields.filter_map(|(name, value)| field_fault(name, value)));
    }
    found
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

/// What the operation says, then the path items that it stands in.
fn places<'e, 'i>(endpoint: &'e Endpoint<'i>) -> impl DoubleEndedIterator<Item = Extensions<'i>> + 'e {
    std::iter::once(endpoint.extensions).chain(endpoint.item_extensions.iter().copied())
}
