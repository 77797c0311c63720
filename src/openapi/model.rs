//! What an operation is, whatever the version of its document.

use std::rc::Rc;

use serde_json::Value;

use super::Document;
use crate::diagnostic::Diagnostic;
use crate::input::Node;
use crate::schema::Schema;

/// An operation as the list of paths names it, not yet read.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint<'i> {
    /// The HTTP method, in capitals.
    pub(crate) method: &'i str,
    /// The path as the document writes it.
    pub(crate) path: &'i str,
    /// The `operationId`.
    pub(crate) id: Option<&'i str>,
    /// The Operation Object.
    pub(crate) node: Node<'i>,
    /// The Path Item Objects that it stands in: its own, then the one that its `$ref` leads to.
    pub(crate) items: Rc<[Node<'i>]>,
    /// What extensions of the operation say of its tool.
    pub(crate) extensions: Extensions<'i>,
    /// The same of the path items, in their order.
    pub(crate) item_extensions: Rc<[Extensions<'i>]>,
}

/// The specification extensions (3.1.2, section 4.9) of an object that speak of tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extensions<'i> {
    /// [`Extensions::INTERNAL`]
    pub(crate) internal: Option<Node<'i>>,
    /// [`Extensions::SPEAKEASY`]
    pub(crate) speakeasy: Option<Node<'i>>,
    /// [`Extensions::MCP`]
    pub(crate) mcp: Option<Node<'i>>,
}

impl<'i> Extensions<'i> {
    /// Whether it is for its owner alone.
    pub(crate) const INTERNAL: &'static str = "x-internal";
    /// What Speakeasy's generators read.
    pub(crate) const SPEAKEASY: &'static str = "x-speakeasy-mcp";
    /// What others read.
    pub(crate) const MCP: &'static str = "x-mcp";

    /// Those of an object.
    pub(super) fn of(node: Node<'i>) -> Extensions<'i> {
        let mut found = Extensions::default();
        for (name, value) in node.entries().filter(|(name, _)| name.starts_with("x-")) {
            match name {
                Extensions::INTERNAL => found.internal = Some(value),
                Extensions::SPEAKEASY => found.speakeasy = Some(value),
                Extensions::MCP => found.mcp = Some(value),
                _ => {}
            }
        }
        found
    }
}

/// What is no operation where one is expected.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'i> {
    /// The HTTP method; `None` where nothing in the path item can be read.
    pub(crate) method: Option<&'i str>,
    /// The path as the document writes it.
    pub(crate) path: &'i str,
    /// How many operations stand before it.
    pub(crate) after: usize,
    /// What is wrong.
    pub(crate) diagnostic: Diagnostic,
}

impl Fault<'_> {
    /// `METHOD /path`, or the path alone.
    pub(crate) fn operation(&self) -> String {
        self.method.map_or(self.path.to_owned(), |method| format!("{method} {}", self.path))
    }
}

/// An operation with all that a tool is made of.
#[derive(Debug)]
pub(crate) struct Operation<'i> {
    /// Where it stands.
    pub(crate) endpoint: Endpoint<'i>,
    /// A short text.
    pub(crate) summary: Option<&'i str>,
    /// A longer text.
    pub(crate) description: Option<&'i str>,
    /// Whether callers should stop using it.
    pub(crate) deprecated: bool,
    /// Its parameters, the path item's first.
    pub(crate) parameters: Vec<Rc<Parameter<'i>>>,
    /// Its request body.
    pub(crate) body: Option<Body<'i>>,
    /// The document: what only the call map asks for is read when it does.
    pub(super) document: Document<'i>,
}

/// Where a parameter's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum In {
    /// A variable of the path.
    Path,
    /// The query string.
    Query,
    /// The query string as a whole (3.2.0, section 4.12.1).
    QueryString,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

impl In {
    /// As OpenAPI writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            In::Path => "path",
            In::Query => "query",
            In::QueryString => "querystring",
            In::Header => "header",
            In::Cookie => "cookie",
        }
    }

    /// From OpenAPI's word.
    pub(crate) fn from_name(name: &str) -> Option<In> {
        [In::Path, In::Query, In::QueryString, In::Header, In::Cookie]
            .into_iter()
            .find(|place| place.name() == name)
    }
}

/// A value outside the body.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a parameter")]
pub(crate) struct Parameter<'i> {
    /// Its name on the wire.
    pub(crate) name: &'i str,
    /// Where it goes.
    pub(crate) place: In,
    /// Whether a call must have it; always for `Path`.
    pub(crate) required: bool,
    /// What it is for.
    pub(crate) description: Option<&'i str>,
    /// Whether something hides in its name or description.
    pub(crate) hides: bool,
    /// Whether callers should stop using it.
    pub(crate) deprecated: bool,
    /// Its schema; `None` for anything.
    pub(crate) schema: Option<Schema<'i>>,
    /// Whether, without a schema, it is text.
    pub(crate) text: bool,
    /// Values that show what it may be.
    pub(crate) examples: Vec<Node<'i>>,
    /// How the value is written.
    pub(crate) serialization: Serialization<'i>,
    /// Where it stands, or the operation that should have it.
    pub(crate) node: Node<'i>,
}

/// How a parameter's value is written into the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Serialization<'i> {
    /// By a style (OpenAPI 3.1.2, section 4.8.12.4).
    Style {
        /// The style, the place's default filled in.
        style: &'i str,
        /// Whether arrays and objects become several pairs, the style's default filled in.
        explode: bool,
        /// Whether reserved characters stay as they are.
        allow_reserved: bool,
    },
    /// As a document of a media type.
    Content(&'i str),
}

/// How a body is made of its argument or arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// JSON text.
    Json,
    /// `application/x-www-form-urlencoded` or `multipart/form-data`: a field for each property.
    Form,
    /// Text as it is.
    Text,
    /// Bytes.
    Bytes,
    /// Values one after the other, as a list.
    Sequence,
}

/// A request body, in the one media type that a tool sends.
#[derive(Clone, Debug)]
pub(crate) struct Body<'i> {
    /// Whether the document says so, or says otherwise.
    pub(crate) required: Option<bool>,
    /// What it is for.
    pub(crate) description: Option<&'i str>,
    /// As the document writes it.
    pub(crate) media_type: &'i str,
    /// What it is made of.
    pub(crate) payload: Payload,
    /// Its schema; `None` for anything.
    pub(crate) schema: Option<Schema<'i>>,
    /// The schema of each item of a sequence (3.2.0, section 4.14.1).
    pub(crate) item: Option<Schema<'i>>,
    /// The fields of a form that the document describes one by one, as Swagger 2.0 does; empty where
    /// there is a schema.
    pub(crate) fields: Vec<FormField<'i>>,
    /// The Encoding Objects by property.
    pub(crate) encoding: Option<Value>,
    /// Where it stands.
    pub(crate) node: Node<'i>,
}

/// What a successful call gets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response<'i> {
    /// The status as the document writes it: `200`, `2XX`.
    pub(crate) status: &'i str,
    /// The media type, JSON.
    pub(crate) media_type: &'i str,
    /// Its schema.
    pub(crate) schema: Schema<'i>,
}

/// A field of a form.
#[derive(Clone, Debug)]
pub(crate) struct FormField<'i> {
    /// Its name.
    pub(crate) name: &'i str,
    /// Its schema.
    pub(crate) schema: Schema<'i>,
    /// Whether a form must have it.
    pub(crate) required: bool,
}
