//! What a tool gives, where `--output-schemas` asks for it.

use serde_json::{Map, Value, json};

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::openapi::{Operation, Response};
use crate::schema::{self, Definition, Root, WRAPPER};

/// The output schema of a tool, and the response that it is of.
pub(crate) struct Output<'d, 'i> {
    closed: schema::Output<'d, 'i>,
    response: Response<'i>,
}

/// The output schema of an operation. What can't be promised is reported, and leaves the tool as it is.
pub(super) fn output<'d, 'i>(cx: &Context<'d, 'i>, operation: &Operation<'i>) -> Option<Output<'d, 'i>> {
    let definitions = cx.outputs?;
    let found = operation.response().and_then(|response| {
        let Some(response) = response else { return Ok(None) };
        let closed = definitions.close_output(response.schema)?;
        Ok(closed.map(|closed| Output { closed, response }))
    });
    found.unwrap_or_else(|reason| {
        let message = format!("{}; a tool has no `outputSchema` for it", reason.message);
        definitions.report(Diagnostic { code: Code::OutputLeftOut, message, ..reason });
        None
    })
}

impl<'d, 'i> Output<'d, 'i> {
    /// What stands at the root.
    pub(crate) fn root(&self) -> &Root<'d, 'i> {
        &self.closed.root
    }

    /// The definitions that the root reaches, in the order of the document.
    pub(crate) fn definitions(&self) -> &[&'d Definition<'i>] {
        &self.closed.definitions
    }

    /// The numbers of those that the root itself refers to.
    pub(crate) fn uses(&self) -> &[usize] {
        &self.closed.uses
    }

    /// The whole schema, a copy.
    pub(super) fn schema(&self) -> Value {
        let mut schema = match &self.closed.root {
            Root::Object(root) => root.value().as_object().cloned().unwrap_or_default(),
            Root::Inlined(root) => root.as_object().cloned().unwrap_or_default(),
            Root::Wrapped(argument) => Map::from_iter([
                ("type".to_owned(), json!("object")),
                ("properties".to_owned(), json!({WRAPPER: argument.value()})),
                ("required".to_owned(), json!([WRAPPER])),
            ]),
        };
        schema.insert("$defs".to_owned(), super::definitions(&self.closed.definitions));
        Value::Object(schema)
    }

    /// What the call map says of it.
    pub(super) fn call(&self) -> Value {
        let Response { status, media_type, .. } = self.response;
        let mut entry = json!({"status": status, "mediaType": media_type});
        if matches!(self.closed.root, Root::Wrapped(_)) {
            entry["wrapped"] = json!(WRAPPER);
        }
        entry
    }
}
