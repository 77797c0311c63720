//! The shape of OpenAPI documents, as one model for all versions. Never looks inside a schema.

mod media;
mod model;
mod parameters;
mod response;
mod security;
mod v2;
mod v3;

use std::rc::Rc;

use foldhash::HashMap;
use serde_json::Value;
use thiserror::Error;

pub(crate) use model::{
    Body, Endpoint, Extensions, Fault, FormField, In, Operation, Parameter, Payload, Response, Serialization,
};
pub(crate) use parameters::KnownParameters;
pub(crate) use security::ApiKey;

use crate::diagnostic::{Code, Diagnostic};
use crate::input::pointer::{self, Unresolved};
use crate::input::{Input, Kind, Node, Place};
use crate::schema::{Dialect, unresolved};

/// A document of which no tool can be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is no OpenAPI document.
    #[error(
        "{file}: {found}; expected an OpenAPI document, an object with `openapi: 3.x` or `swagger: '2.0'`"
    )]
    NotOpenApi {
        /// The file as it was given.
        file: String,
        /// What it is instead.
        found: String,
    },
    /// It is of a version that is not read.
    #[error("{location}: {found} is not supported; Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are")]
    Version {
        /// `file:line:column` of the version.
        location: String,
        /// `Swagger 2.0`, `OpenAPI 3.2.0` ...
        found: String,
    },
    /// `paths` is no object.
    #[error("{location}: `paths` is {found}; expected an object that maps paths to Path Items")]
    Paths {
        /// `file:line:column` of `paths`.
        location: String,
        /// What it is.
        found: String,
    },
}

/// An OpenAPI document whose version is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'i> {
    root: Node<'i>,
    version: Version,
}

/// The versions whose documents differ in shape; patch versions don't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V2,
    V30,
    V31,
    V32,
}

impl Version {
    fn of_swagger(text: &str) -> Option<Version> {
        (text == "2.0" || text == "2").then_some(Version::V2)
    }

    fn of_openapi(text: &str) -> Option<Version> {
        let is = |version: &str| {
            text == version || text.strip_prefix(version).is_some_and(|rest| rest.starts_with('.'))
        };
        match () {
            () if is("3.0") || text == "3" => Some(Version::V30),
            () if is("3.1") => Some(Version::V31),
            () if is("3.2") => Some(Version::V32),
            () => None,
        }
    }
}

/// Recognises a document.
///
/// # Errors
/// [`DocumentError`]
pub(crate) fn open(input: &Input) -> Result<Document<'_>, DocumentError> {
    let not_openapi = |found: String| DocumentError::NotOpenApi { file: input.name().to_owned(), found };
    let Some(root) = input.root() else { return Err(not_openapi("the file is empty".to_owned())) };
    if !root.is_object() {
        return Err(not_openapi(format!("the document is {}", root.describe())));
    }
    let unknown = |name: &str, node: Node<'_>| DocumentError::Version {
        location: location(input, node),
        found: format!("{name} {}", node.text()),
    };
    let version = match (root.get("swagger"), root.get("openapi")) {
        (Some(node), _) => Version::of_swagger(node.text().trim()).ok_or_else(|| unknown("Swagger", node))?,
        (None, Some(node)) => {
            Version::of_openapi(node.text().trim()).ok_or_else(|| unknown("OpenAPI", node))?
        }
        (None, None) => return Err(not_openapi(stranger(root))),
    };
    if let Some(paths) = root.get("paths").filter(|paths| !paths.is_object() && paths.kind() != Kind::Null) {
        return Err(DocumentError::Paths {
            location: location(input, paths),
            found: paths.describe().to_owned(),
        });
    }
    Ok(Document { root, version })
}

fn location(input: &Input, node: Node<'_>) -> String {
    let at = input.locate(node.span());
    format!("{}:{}:{}", at.file, at.line, at.column)
}

/// What a document without `openapi` probably is.
fn stranger(root: Node<'_>) -> String {
    for (key, kind) in [
        ("asyncapi", "an AsyncAPI document"),
        ("overlay", "an OpenAPI overlay"),
        ("arazzo", "an Arazzo description"),
        ("swaggerVersion", "a Swagger 1.x document"),
        ("$schema", "a JSON Schema"),
        ("tools", "a list of tools"),
    ] {
        if root.get(key).is_some() {
            return format!("this is {kind}");
        }
    }
    match root.get("info").and_then(|info| info.get("_postman_id")) {
        Some(_) => "this is a Postman collection".to_owned(),
        None => "the document has no `openapi`".to_owned(),
    }
}

/// The fixed methods of a Path Item (OpenAPI 3.1.2, section 4.8.9).
const METHODS: [(&str, &str); 8] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
];

/// What a document's paths list.
#[derive(Debug, Default)]
pub(crate) struct Listed<'i> {
    /// The operations, in the order of the document.
    pub(crate) operations: Vec<Endpoint<'i>>,
    /// What is no operation where one is expected.
    pub(crate) faults: Vec<Fault<'i>>,
    /// What is worth knowing of the rest.
    pub(crate) notes: Vec<Diagnostic>,
}

/// Whether `additionalOperations` may have a key: a method's name (RFC 9110, section 9.1) without a
/// key of its own in a Path Item (3.2.0, section 4.9.1).
fn is_additional(method: &str) -> bool {
    let fixed = METHODS.iter().any(|(_, fixed)| fixed.eq_ignore_ascii_case(method));
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !method.is_empty() && method.bytes().all(token) && !fixed && !method.eq_ignore_ascii_case("QUERY")
}

/// What was read of Path Items and operations, which may be referred to from many paths.
#[derive(Default)]
struct Known<'i> {
    items: HashMap<Place, Rc<PathItem<'i>>>,
    extensions: HashMap<Place, Extensions<'i>>,
}

/// A Path Item Object, as far as it is asked for operations.
struct PathItem<'i> {
    /// The fields that are operations, or hold some, in one version or another.
    fields: Vec<(&'i str, Node<'i>)>,
    extensions: Extensions<'i>,
}

impl<'i> Known<'i> {
    fn item(&mut self, node: Node<'i>) -> Rc<PathItem<'i>> {
        let read = || {
            let names = METHODS.into_iter().map(|(name, _)| name).chain(["query", "additionalOperations"]);
            let fields = node.entries().filter(|(key, _)| names.clone().any(|name| name == *key)).collect();
            Rc::new(PathItem { fields, extensions: Extensions::of(node) })
        };
        Rc::clone(self.items.entry(node.place()).or_insert_with(read))
    }

    fn extensions(&mut self, node: Node<'i>) -> Extensions<'i> {
        *self.extensions.entry(node.place()).or_insert_with(|| Extensions::of(node))
    }
}

impl<'i> Document<'i> {
    /// Its root.
    pub(crate) fn root(self) -> Node<'i> {
        self.root
    }

    /// How its schemas are written.
    pub(crate) fn dialect(self) -> Dialect {
        match self.version {
            Version::V2 => Dialect::Swagger,
            Version::V30 => Dialect::OpenApi30,
            Version::V31 | Version::V32 => Dialect::JsonSchema,
        }
    }

    /// The component schemas, in their order.
    pub(crate) fn components(self) -> Vec<(&'i str, Node<'i>)> {
        let schemas = match self.version {
            Version::V2 => self.root.get("definitions"),
            Version::V30 | Version::V31 | Version::V32 => {
                self.root.get("components").and_then(|components| components.get("schemas"))
            }
        };
        schemas.into_iter().flat_map(Node::entries).collect()
    }

    /// Its operations, in their order. Webhooks and callbacks are requests to the caller, so they
    /// are none.
    pub(crate) fn operations(self) -> Listed<'i> {
        let mut listed = Listed::default();
        let mut known = Known::default();
        for (path, item) in self.root.get("paths").into_iter().flat_map(Node::entries) {
            if path.starts_with("x-") {
                continue;
            }
            match path_items(item) {
                Ok(items) => self.path_operations(path, &items.into(), &mut known, &mut listed),
                Err(diagnostic) => {
                    let after = listed.operations.len();
                    listed.faults.push(Fault { method: None, path, after, diagnostic });
                }
            }
        }
        listed
    }

    /// Reads an operation. Parameters that are not its own are in `known` from then on, for all that have
    /// them.
    ///
    /// # Errors
    /// The first parameter or body that is not what OpenAPI says; `report` takes what is less.
    pub(crate) fn read(
        self,
        endpoint: &Endpoint<'i>,
        known: &KnownParameters<'i>,
        report: &dyn Fn(Diagnostic),
    ) -> Result<Operation<'i>, Diagnostic> {
        match self.version {
            Version::V2 => v2::operation(self, endpoint, known, report),
            Version::V30 | Version::V31 | Version::V32 => v3::operation(self, endpoint, known, report),
        }
    }

    /// Its root, if it says nothing of paths, as OpenAPI 3.1 allows.
    pub(crate) fn without_paths(self) -> Option<Node<'i>> {
        self.root.get("paths").is_none().then_some(self.root)
    }

    /// The method that a key of a Path Item names, if it names one.
    fn method(self, key: &str) -> Option<&'static str> {
        let known = METHODS.iter().find(|(name, _)| *name == key).map(|(_, method)| *method);
        known.or_else(|| (key == "query" && self.version == Version::V32).then_some("QUERY"))
    }

    fn path_operations(
        self,
        path: &'i str,
        items: &Rc<[Node<'i>]>,
        known: &mut Known<'i>,
        listed: &mut Listed<'i>,
    ) {
        let Listed { operations, faults, notes } = listed;
        let read: Vec<_> = items.iter().map(|item| known.item(*item)).collect();
        let mut found: Vec<(&'i str, Node<'i>)> = Vec::new();
        let mut add = |method: &'i str, node| match found.iter_mut().find(|(known, _)| *known == method) {
            // An item's own operation takes the place of that of the item that it refers to.
            Some(known) => known.1 = node,
            None => found.push((method, node)),
        };
        for &(key, node) in read.iter().rev().flat_map(|item| &item.fields) {
            match self.method(key) {
                Some(method) => add(method, node),
                None if key == "additionalOperations" && self.version == Version::V32 => {
                    for (method, node) in node.entries() {
                        if is_additional(method) {
                            add(method, node);
                        } else {
                            let message = format!(
                                "{method:?} among `additionalOperations`; expected a method that has no key of its own"
                            );
                            let diagnostic = node.diagnostic(Code::InvalidOperation, message);
                            let after = operations.len();
                            faults.push(Fault { method: Some(method), path, after, diagnostic });
                        }
                    }
                }
                None if matches!(key, "query" | "additionalOperations") && node.is_object() => {
                    let message = format!(
                        "`{key}` is of OpenAPI 3.2; the document says another version, so it is ignored"
                    );
                    notes.push(node.diagnostic(Code::LaterVersion, message));
                }
                None => {}
            }
        }
        let item_extensions: Rc<[_]> = read.iter().map(|item| item.extensions).collect();
        for (method, node) in found {
            let after = operations.len();
            let fault = |diagnostic| Fault { method: Some(method), path, after, diagnostic };
            match follow(node) {
                Ok(node) if node.is_object() => {
                    let id = node.get("operationId").map(Node::text).filter(|id| !id.trim().is_empty());
                    operations.push(Endpoint {
                        method,
                        path,
                        id,
                        node,
                        items: Rc::clone(items),
                        extensions: known.extensions(node),
                        item_extensions: Rc::clone(&item_extensions),
                    });
                }
                Ok(other) => {
                    let message =
                        format!("{method} {path} is {}; expected an Operation Object", other.describe());
                    faults.push(fault(other.diagnostic(Code::InvalidOperation, message)));
                }
                Err(diagnostic) => faults.push(fault(diagnostic)),
            }
        }
    }
}

impl<'i> Operation<'i> {
    /// The Server Objects that apply, and where each stands; empty for the document's own place.
    pub(crate) fn servers(&self) -> Vec<(Value, Node<'i>)> {
        match self.document.version {
            Version::V2 => v2::servers(self.document, self.endpoint.node),
            Version::V30 | Version::V31 | Version::V32 => v3::servers(self.document, &self.endpoint),
        }
    }

    /// The Security Requirement Objects that apply, any of which is enough.
    pub(crate) fn security(&self) -> Vec<Node<'i>> {
        match self.document.version {
            Version::V2 => v2::security(self.document, self.endpoint.node),
            Version::V30 | Version::V31 | Version::V32 => v3::security(self.document, &self.endpoint),
        }
    }

    /// What a successful call gets, if it is JSON with a schema.
    ///
    /// # Errors
    /// A response that is not what OpenAPI says.
    pub(crate) fn response(&self) -> Result<Option<Response<'i>>, Diagnostic> {
        response::success(self.document, self.endpoint.node)
    }

    /// The media types of its successful responses.
    pub(crate) fn accept(&self) -> Vec<&'i str> {
        match self.document.version {
            Version::V2 => v2::accept(self.document, self.endpoint.node),
            Version::V30 | Version::V31 | Version::V32 => v3::accept(self.endpoint.node),
        }
    }
}

/// A path item, and the one that its `$ref` leads to: its own fields win.
fn path_items(item: Node<'_>) -> Result<Vec<Node<'_>>, Diagnostic> {
    let mut items = vec![item];
    let mut at = item;
    while let Some(reference) = at.get("$ref") {
        at = step(reference)?;
        if items.contains(&at) {
            return Err(
                reference.diagnostic(Code::ReferenceCycle, "path items refer to each other in a circle")
            );
        }
        items.push(at);
    }
    match items.iter().find(|item| !item.is_object()) {
        Some(item) if item.kind() != Kind::Null => Err(item.diagnostic(
            Code::InvalidOperation,
            format!("a path item is {}; expected an object", item.describe()),
        )),
        _ => Ok(items),
    }
}

/// Where a Reference Object's `$ref` leads, one step.
fn step(reference: Node<'_>) -> Result<Node<'_>, Diagnostic> {
    let Some(text) = reference.as_str() else {
        let message = format!("`$ref` is {}; expected a string", reference.describe());
        return Err(reference.diagnostic(Code::InvalidOperation, message));
    };
    pointer::resolve(reference, text).map_err(|error: Unresolved| unresolved(reference, text, &error))
}

/// The object that a chain of Reference Objects leads to (OpenAPI 3.1.2, section 4.8.23).
///
/// # Errors
/// A reference that leads nowhere, or in a circle.
fn follow(node: Node<'_>) -> Result<Node<'_>, Diagnostic> {
    let mut at = node;
    let mut seen = Vec::new();
    while let Some(reference) = at.get("$ref") {
        seen.push(at);
        at = step(reference)?;
        if seen.contains(&at) {
            return Err(reference.diagnostic(Code::ReferenceCycle, "references lead in a circle"));
        }
    }
    Ok(at)
}
