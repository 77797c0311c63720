//! gen-tools turns an OpenAPI document into MCP tools: one for each operation, each with only the
//! schema that it needs.
//!
//! In a `build.rs`:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (spec, out) = ("specs/notion.yaml", std::io::sink());
//! let input = gen_tools::Input::read(spec)?;
//! let generation = gen_tools::generate(&input, &gen_tools::Options::default())?;
//! let left_out = generation.write(out, gen_tools::Layout::Pretty)?;
//! assert!(left_out.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Code map
//!
//! Each stage consumes the previous stage's type and gives the next:
//!
//! | module | from | to |
//! |---|---|---|
//! | `input` | text | a tree of nodes with spans; knows no OpenAPI |
//! | `openapi` | nodes | operations, parameters, bodies, for all versions; never looks inside a schema |
//! | `schema` | a place that holds a schema | finished JSON Schema and the definitions that it reaches; knows no operation and no tool |
//! | `tool` | an operation | a tool; follows no reference |
//! | `output` | tools | bytes; what differs between two lists |
//! | `options`, `diagnostic` | | what the user wants; what was lost, repaired or worth knowing |
//!
//! # Invariants
//!
//! - Imports go one way: `main → difference → check, list, outputs, report, cli → lib → output → tool →
//!   openapi → schema → input → diagnostic`. A test reads the sources.
//! - Only `input` reads documents. Nothing in the library prints or exits.
//! - `schema/keywords.rs` has the only list of keywords. What recurses through schemas recurses by
//!   it, so a name is never mistaken for a keyword; a rule sees one schema object and cannot recurse.
//! - A definition is converted and rendered at most once. What it uses is read from its finished
//!   form, so what was dropped reaches nothing.
//! - A tool holds a closed schema, which only `Definitions::close` makes.
//! - The input is never modified. The same input gives the same bytes: nothing is ordered by a hash,
//!   and no name depends on the order of operations.
//! - A tool is right or it is absent, with the reason.

#![forbid(unsafe_code)]

pub mod diagnostic;
mod input;
mod openapi;
pub mod options;
pub mod output;
mod schema;
mod tool;

use std::cell::RefCell;
use std::io::{self, Write};

use serde_json::{Map, Value};
use thiserror::Error;

pub use input::{Access, Excerpt, Input, Kind, Limits, Location, Node, ReadError};
pub use openapi::DocumentError;
pub use options::Options;
pub use output::{CallMap, Comparison, GoldenError, Layout, Shape, Stats, ToolsWriter, compare, write_stats};
pub use schema::{is_hidden, normalise};
pub use tool::{NotSelected, SelectionError, Tool};

use diagnostic::{Code, Diagnostic};
use openapi::{ApiKey, Document, Endpoint, Fault, KnownParameters};
use output::Comparer;
use schema::{Definitions, Direction};

/// Why nothing could be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no document that tools can be made of.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// What is asked for is not there.
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

/// An operation without a tool, and why.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// `METHOD /path`, or the path alone where nothing in it can be read.
    pub operation: String,
    /// The reason.
    pub diagnostic: Diagnostic,
}

/// An operation of the document, or what should be one, in the list of all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed<'g> {
    /// The name of its tool; `None` where there can't be one.
    pub tool: Option<&'g str>,
    /// The HTTP method; `None` where nothing in the path item can be read.
    pub method: Option<&'g str>,
    /// The path as the document writes it.
    pub path: &'g str,
    /// Its tags.
    pub tags: Vec<&'g str>,
    /// Why it is not selected, if it is not.
    pub not_selected: Option<&'g NotSelected>,
    /// Why it can't be read, as far as that is known before it is asked for.
    pub fault: Option<&'g Diagnostic>,
}

impl Listed<'_> {
    /// As [`LeftOut::operation`] says it.
    pub fn operation(&self) -> String {
        self.method.map_or(self.path.to_owned(), |method| format!("{method} {}", self.path))
    }
}

/// The tools of a document, made one by one as they are asked for.
pub struct Generation<'i> {
    input: &'i Input,
    document: Document<'i>,
    options: Options,
    endpoints: Vec<Endpoint<'i>>,
    names: Vec<String>,
    /// For each endpoint, why it is no tool by choice, if it is not.
    not_selected: Vec<Option<NotSelected>>,
    /// With why they are not asked for, if they are not.
    faults: Vec<(Fault<'i>, Option<NotSelected>)>,
    api_keys: Vec<ApiKey>,
    parameters: KnownParameters<'i>,
    definitions: Definitions<'i>,
    outputs: Option<Definitions<'i>>,
    reports: RefCell<Vec<Diagnostic>>,
}

/// Prepares the tools of a document: its operations are found, named, and selected.
///
/// # Errors
/// [`Error::Document`]: no OpenAPI document, or not of a version that is read. [`Error::Selection`]:
/// a pattern of [`Options::select`] matches no operation.
pub fn generate<'i>(input: &'i Input, options: &Options) -> Result<Generation<'i>, Error> {
    let document = openapi::open(input)?;
    let openapi::Listed { operations: endpoints, faults, notes } = document.operations();
    let names = tool::names(&endpoints, options);
    let not_selected = tool::select(&endpoints, &names, &faults, document.root(), &options.select)?;
    let with_reason = |fault| (tool::fault_refused_by(&fault, &options.select), fault);
    let faults = faults.into_iter().map(with_reason).map(|(reason, fault)| (fault, reason)).collect();
    let mut reports = notes;
    reports.extend(duplicate_ids(&endpoints, &not_selected));
    reports.extend(document.without_paths().map(|root| {
        root.diagnostic(Code::NoPaths, "the document has no `paths`; there is nothing to make tools of")
    }));
    let definitions = |direction| {
        Definitions::new(&document.components(), document.dialect(), direction, options.max_subtypes)
            .inlining(options.inline_refs.then_some(options.inline_limit))
    };
    Ok(Generation {
        input,
        names,
        not_selected,
        api_keys: document.api_keys(),
        parameters: KnownParameters::default(),
        definitions: definitions(Direction::Input),
        outputs: options.output_schemas.then(|| definitions(Direction::Output)),
        options: options.clone(),
        reports: RefCell::new(reports),
        document,
        endpoints,
        faults,
    })
}

fn duplicate_ids(endpoints: &[Endpoint<'_>], not_selected: &[Option<NotSelected>]) -> Vec<Diagnostic> {
    let mut seen = foldhash::HashSet::default();
    let selected = endpoints.iter().zip(not_selected).filter(|(_, reason)| reason.is_none());
    let wanted: foldhash::HashSet<&str> = selected.filter_map(|(endpoint, _)| endpoint.id).collect();
    let repeated = endpoints.iter().filter_map(|endpoint| Some((endpoint, endpoint.id?)));
    repeated
        .filter(|(_, id)| !seen.insert(*id) && wanted.contains(id))
        .map(|(endpoint, id)| {
            let message =
                format!("the `operationId` {id:?} stands twice; both tools get a hash of method and path");
            endpoint.node.diagnostic(Code::DuplicateOperationId, message)
        })
        .collect()
}

impl<'i> Generation<'i> {
    /// The tools of the selected operations in the order of the document; in place of each that can't
    /// be made, the reason.
    pub fn tools(&self) -> impl Iterator<Item = Result<Tool<'_, 'i>, LeftOut>> {
        let faults = self.faults.iter().filter(|(_, reason)| reason.is_none()).map(|(fault, _)| {
            Err(LeftOut { operation: fault.operation(), diagnostic: fault.diagnostic.clone() })
        });
        let all = self.endpoints.iter().zip(&self.names).zip(&self.not_selected);
        let selected = all.filter(|(_, reason)| reason.is_none()).map(|(operation, _)| operation);
        faults.chain(selected.map(|(endpoint, name)| {
            self.tool(endpoint, name).map_err(|diagnostic| LeftOut {
                operation: format!("{} {}", endpoint.method, endpoint.path),
                diagnostic,
            })
        }))
    }

    /// All operations in the order of the document, selected or not.
    pub fn operations(&self) -> impl Iterator<Item = Listed<'_>> {
        let mut faults = self.faults.iter().peekable();
        let mut endpoints =
            self.endpoints.iter().zip(&self.names).zip(&self.not_selected).enumerate().peekable();
        std::iter::from_fn(move || {
            let next = endpoints.peek().map_or(usize::MAX, |(at, _)| *at);
            if let Some((fault, not_selected)) = faults.next_if(|(fault, _)| fault.after <= next) {
                return Some(Listed {
                    tool: None,
                    method: fault.method,
                    path: fault.path,
                    tags: Vec::new(),
                    not_selected: not_selected.as_ref(),
                    fault: Some(&fault.diagnostic),
                });
            }
            endpoints.next().map(|(_, ((endpoint, name), not_selected))| Listed {
                tool: Some(name),
                method: Some(endpoint.method),
                path: endpoint.path,
                tags: tool::tags(endpoint),
                not_selected: not_selected.as_ref(),
                fault: None,
            })
        })
    }

    /// How many operations were left out by choice.
    pub fn not_selected(&self) -> usize {
        let faults = self.faults.iter().map(|(_, reason)| reason);
        self.not_selected.iter().chain(faults).flatten().count()
    }

    fn tool(&self, endpoint: &Endpoint<'i>, name: &str) -> Result<Tool<'_, 'i>, Diagnostic> {
        let operation =
            self.document.read(endpoint, &self.parameters, &|found| self.definitions.report(found))?;
        let cx = tool::Context {
            definitions: &self.definitions,
            outputs: self.outputs.as_ref(),
            options: &self.options,
            api_keys: &self.api_keys,
        };
        tool::tool(&cx, name, operation)
    }

    /// What was repaired, left or worth knowing in all that was made so far, each place once.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut reports = self.reports.borrow_mut();
        reports.extend(self.definitions.take_reports());
        reports.extend(self.outputs.iter().flat_map(Definitions::take_reports));
        // Files may have been read since.
        reports.extend(self.input.duplicate_keys());
        let mut seen = foldhash::HashSet::default();
        reports.retain(|report| seen.insert((report.code, report.pointer.clone(), report.message.clone())));
        reports.clone()
    }

    /// Statistics of this run, that measure tools as they are given to them.
    pub fn stats(&self) -> Stats<'_, 'i> {
        Stats::new(&self.definitions, self.outputs.as_ref())
    }

    /// The document's security schemes by name, as OpenAPI 3 writes them.
    pub fn security_schemes(&self) -> Map<String, Value> {
        self.document.security_schemes()
    }

    /// Compares the tools, one by one, with a file of tools that is written in the same way.
    ///
    /// # Errors
    /// The text is no list of tools.
    pub fn compare(&self, golden: &str, layout: Layout, shape: Shape) -> Result<Comparison, GoldenError> {
        let mut comparer = Comparer::new(golden)?;
        let mut writer = ToolsWriter::new(io::sink(), layout).shaped(shape);
        for tool in self.tools().filter_map(Result::ok) {
            comparer.tool(tool.name(), writer.text(&tool));
        }
        Ok(comparer.finish())
    }

    /// Writes the list of all tools; gives what was left out.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: impl Write, layout: Layout) -> io::Result<Vec<LeftOut>> {
        let mut writer = ToolsWriter::new(out, layout);
        let mut left_out = Vec::new();
        for tool in self.tools() {
            match tool {
                Ok(tool) => writer.tool(&tool)?,
                Err(reason) => left_out.push(reason),
            }
        }
        writer.finish()?;
        Ok(left_out)
    }
}

/// The README's Rust, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
