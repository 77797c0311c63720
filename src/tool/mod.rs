//! MCP tools, made of operations. Follows no reference and knows no OpenAPI version.

mod annotations;
mod arguments;
mod body;
mod calls;
mod describe;
mod extensions;
mod name;
mod output;
mod select;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

pub(crate) use arguments::Arguments;
pub(crate) use calls::security_schemes;
pub(crate) use name::names;
pub(crate) use output::Output;
pub use select::{NotSelected, SelectionError};
pub(crate) use select::{fault_refused_by, select, tags};

use crate::diagnostic::Diagnostic;
use crate::openapi::{ApiKey, Operation};
use crate::options::Options;
use crate::schema::{Argument, Closed, Definition, Definitions, clean};

/// An MCP tool (2025-11-25, `Tool`). Its input schema holds the definitions that its arguments
/// reach, no more and no less.
pub struct Tool<'d, 'i> {
    name: String,
    description: String,
    closed: Closed<'d, 'i>,
    annotations: Map<String, Value>,
    operation: Operation<'i>,
    arguments: Arguments<'i>,
    output: Option<Output<'d, 'i>>,
    definitions: &'d Definitions<'i>,
}

/// What is the same for all tools of a run.
pub(crate) struct Context<'c, 'i> {
    /// The definitions.
    pub(crate) definitions: &'c Definitions<'i>,
    /// The definitions of responses, if tools have output schemas.
    pub(crate) outputs: Option<&'c Definitions<'i>>,
    /// What the user wants.
    pub(crate) options: &'c Options,
    /// The keys that the transport supplies.
    pub(crate) api_keys: &'c [ApiKey],
}

/// Makes the tool called `name` of an operation.
///
/// # Errors
/// What keeps one of its arguments from being converted.
pub(crate) fn tool<'d, 'i>(
    cx: &Context<'d, 'i>,
    name: &str,
    operation: Operation<'i>,
) -> Result<Tool<'d, 'i>, Diagnostic> {
    let arguments = Arguments::of(cx, &operation);
    describe::note_hidden(cx, &operation);
    for fault in extensions::faults(&operation.endpoint) {
        cx.definitions.report(fault);
    }
    let title = operation.summary.filter(|_| cx.options.title).map(clean).filter(|title| !title.is_empty());
    Ok(Tool {
        name: name.to_owned(),
        annotations: annotations::annotations(&operation, title.as_deref()),
        description: describe::limited(
            cx,
            &operation,
            describe::description(&operation, arguments.body_description),
        ),
        closed: cx.definitions.close(&arguments.fields)?,
        output: output::output(cx, &operation),
        operation,
        arguments,
        definitions: cx.definitions,
    })
}

impl<'d, 'i> Tool<'d, 'i> {
    /// Its name, `^[A-Za-z0-9_-]{1,64}$`, unique in its run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does. Never empty.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// How a program makes the HTTP request of it: an entry of the call map.
    pub fn call(&self) -> Value {
        let mut call = calls::call(self.definitions, &self.operation, &self.arguments);
        if let (Some(output), Value::Object(call)) = (&self.output, &mut call) {
            call.insert("output".to_owned(), output.call());
        }
        call
    }

    /// Its input schema, a copy: `type`, `properties`, `required`, `additionalProperties`, `$defs`.
    pub fn input_schema(&self) -> Value {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert(
            "properties".to_owned(),
            self.properties()
                .iter()
                .map(|(name, argument)| (name.clone(), argument.value().clone()))
                .collect(),
        );
        if !self.required().is_empty() {
            schema.insert("required".to_owned(), json!(self.required()));
        }
        if self.refuses_others() {
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
        schema.insert("$defs".to_owned(), definitions(self.definitions()));
        Value::Object(schema)
    }

    /// Its output schema, a copy; `None` unless [`Options::output_schemas`] is set and the document
    /// gives one.
    pub fn output_schema(&self) -> Option<Value> {
        self.output.as_ref().map(Output::schema)
    }

    /// What it gives.
    pub(crate) fn output(&self) -> Option<&Output<'d, 'i>> {
        self.output.as_ref()
    }

    /// The arguments' names and schemas, in order.
    pub(crate) fn properties(&self) -> &[(String, Argument<'d>)] {
        &self.closed.fields
    }

    /// The names of the arguments that a call must have.
    pub(crate) fn required(&self) -> &[String] {
        &self.arguments.required
    }

    /// Whether further arguments are refused.
    pub(crate) fn refuses_others(&self) -> bool {
        self.arguments.refuses_others
    }

    /// The definitions that the arguments reach, in the order of the document.
    pub(crate) fn definitions(&self) -> &[&'d Definition<'i>] {
        &self.closed.definitions
    }

    /// The numbers of those that the arguments themselves refer to.
    pub(crate) fn uses(&self) -> &[usize] {
        &self.closed.uses
    }

    /// The annotations that differ from MCP's defaults.
    pub(crate) fn annotations(&self) -> &Map<String, Value> {
        &self.annotations
    }
}

/// The value of `$defs`.
fn definitions(definitions: &[&Definition<'_>]) -> Value {
    let entries = definitions.iter();
    entries.map(|definition| (definition.name().to_owned(), definition.value().clone())).collect()
}

impl Serialize for Tool<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("description", &self.description)?;
        map.serialize_entry("inputSchema", &self.input_schema())?;
        if let Some(output) = self.output_schema() {
            map.serialize_entry("outputSchema", &output)?;
        }
        if !self.annotations.is_empty() {
            map.serialize_entry("annotations", &self.annotations)?;
        }
        map.end()
    }
}
