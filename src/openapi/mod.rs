//! The shape of OpenAPI documents, as one model for all versions. Never looks inside a schema.

mod media;
mod model;
mod security;
mod v3;

use thiserror::Error;

pub(crate) use model::{Body, Endpoint, In, Operation, Parameter, Payload, Serialization};
pub(crate) use security::ApiKey;

use crate::diagnostic::{Code, Diagnostic};
use crate::input::pointer::{self, Unresolved};
use crate::input::{Input, Kind, Node};
use crate::schema::{Dialect, unresolved};

/// A document of which no tool can be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is no OpenAPI document.
    #[error("{file}: {found}; expected an OpenAPI document, an object with `openapi: 3.0.x` or `3.1.x`")]
    NotOpenApi {
        /// The file as it was given.
        file: String,
        /// What it is instead.
        found: String,
    },
    /// It is of a version that is not read.
    #[error("{location}: {found} is not supported; convert the document to OpenAPI 3.0 or 3.1 first")]
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
    dialect: Dialect,
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
    let version =
        |found: String, node: Node<'_>| DocumentError::Version { location: location(input, node), found };
    if let Some(node) = root.get("swagger") {
        return Err(version(format!("Swagger {}", node.text()), node));
    }
    let Some(node) = root.get("openapi") else {
        return Err(not_openapi(stranger(root)));
    };
    let dialect = match node.text().trim() {
        "3.0" => Dialect::OpenApi30,
        "3.1" => Dialect::JsonSchema,
        text if text.starts_with("3.0.") => Dialect::OpenApi30,
        text if text.starts_with("3.1.") => Dialect::JsonSchema,
        text => return Err(version(format!("OpenAPI {text:?}"), node)),
    };
    if let Some(paths) = root.get("paths").filter(|paths| !paths.is_object() && paths.kind() != Kind::Null) {
        return Err(DocumentError::Paths {
            location: location(input, paths),
            found: paths.describe().to_owned(),
        });
    }
    Ok(Document { root, dialect })
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

impl<'i> Document<'i> {
    /// How its schemas are written.
    pub(crate) fn dialect(self) -> Dialect {
        self.dialect
    }

    /// The component schemas, in their order.
    pub(crate) fn components(self) -> Vec<(&'i str, Node<'i>)> {
        let schemas = self.root.get("components").and_then(|components| components.get("schemas"));
        schemas.into_iter().flat_map(Node::entries).collect()
    }

    /// Its operations, in their order. Webhooks and callbacks are requests to the caller, so they
    /// are none. What is no operation where one is expected is in the second list.
    pub(crate) fn operations(self) -> (Vec<Endpoint<'i>>, Vec<Diagnostic>) {
        let (mut operations, mut faults) = (Vec::new(), Vec::new());
        for (path, item) in self.root.get("paths").into_iter().flat_map(Node::entries) {
            if path.starts_with("x-") {
                continue;
            }
            match path_items(item) {
                Ok(items) => path_operations(path, &items, &mut operations, &mut faults),
                Err(fault) => faults.push(fault),
            }
        }
        (operations, faults)
    }

    /// Reads an operation.
    ///
    /// # Errors
    /// The first parameter or body that is not what OpenAPI says; `report` takes what is less.
    pub(crate) fn read(
        self,
        endpoint: &Endpoint<'i>,
        report: &dyn Fn(Diagnostic),
    ) -> Result<Operation<'i>, Diagnostic> {
        v3::operation(self, endpoint, report)
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

fn path_operations<'i>(
    path: &'i str,
    items: &[Node<'i>],
    operations: &mut Vec<Endpoint<'i>>,
    faults: &mut Vec<Diagnostic>,
) {
    let mut seen = Vec::new();
    for (key, node) in items.iter().flat_map(|item| item.entries()) {
        let Some((_, method)) = METHODS.iter().find(|(name, _)| *name == key) else { continue };
        if seen.contains(&method) {
            continue;
        }
        seen.push(method);
        match follow(node) {
            Ok(node) if node.is_object() => {
                let id = node.get("operationId").map(Node::text).filter(|id| !id.trim().is_empty());
                operations.push(Endpoint { method, path, id, node, items: items.to_vec() });
            }
            Ok(other) => {
                let message =
                    format!("{method} {path} is {}; expected an Operation Object", other.describe());
                faults.push(other.diagnostic(Code::InvalidOperation, message));
            }
            Err(fault) => faults.push(fault),
        }
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
