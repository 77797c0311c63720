//! The command line's words. Nothing is decided here.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use gen_tools::options::{BodyStyle, Headers, NameCase, Options};
use gen_tools::{Access, Limits};

/// Turns an OpenAPI document into MCP tools, each with only the schema that it needs.
///
/// Reads Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2, JSON or YAML, and writes {"tools": [...]} to standard output, one
/// tool for each operation. Messages go to standard error.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(version, max_term_width = 100, after_long_help = HELP)]
pub(crate) struct Cli {
    /// The OpenAPI document, JSON or YAML; `-` for standard input
    #[arg(required_unless_present = "explain")]
    spec: Option<PathBuf>,

    /// How messages are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Messages::Human, help_heading = "Messages")]
    pub(crate) messages: Messages,

    /// Say nothing unless nothing could be done
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) quiet: bool,

    /// Exit with 1 if there are warnings
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Messages")]
    pub(crate) deny: Option<Deny>,

    /// Exit with 0 even if operations are left out
    #[arg(long, help_heading = "Messages")]
    pub(crate) keep_going: bool,

    /// Explain the code of a message
    #[arg(long, value_name = "CODE", help_heading = "Messages")]
    pub(crate) explain: Option<String>,

    /// Follow references to files in DIR, in place of the document's own folder
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    root: Option<PathBuf>,

    /// Where the references of a document on standard input start from
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    base: Option<PathBuf>,

    /// Read at most N files
    #[arg(long, value_name = "N", default_value_t = Limits::default().files, help_heading = "Limits")]
    max_files: usize,

    /// Read no file larger than N bytes
    #[arg(long, value_name = "N", default_value_t = Limits::default().bytes, help_heading = "Limits")]
    max_bytes: u32,

    /// Take at most N values from one file once YAML's aliases are followed, and a fiftieth through merge keys
    #[arg(long, value_name = "N", default_value_t = Limits::default().values, help_heading = "Limits")]
    max_values: u64,

    /// Write the tools to FILE, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write how to make each tool's HTTP request to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) calls: Option<PathBuf>,

    /// Write the tools in one line
    #[arg(long, help_heading = "Output")]
    pub(crate) compact: bool,

    /// Give each tool a title, from the operation's summary
    #[arg(long, help_heading = "Output")]
    title: bool,

    /// How names are written
    #[arg(long, value_name = "CASE", value_enum, default_value_t = Case::Snake, help_heading = "Names")]
    name_case: Case,

    /// Put TEXT before every name
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, value_parser = prefix, help_heading = "Names")]
    prefix: String,

    /// Whether a body's properties are arguments of their own, or the body is one argument
    #[arg(long, value_enum, default_value_t = Body::Flat, help_heading = "Arguments")]
    body: Body,

    /// Which header parameters are arguments
    #[arg(long, value_enum, default_value_t = HeaderChoice::Auto, help_heading = "Arguments")]
    headers: HeaderChoice,

    /// What becomes of parameters that carry credentials
    #[arg(long, value_enum, default_value_t = Credentials::Drop, help_heading = "Arguments")]
    credentials: Credentials,

    /// List the subtypes of a discriminator's mapping of at most N entries; 0 for none
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Arguments")]
    subtypes: usize,
}

const HELP: &str = "\
Examples:
  gen-tools openapi.yaml > tools.json
  gen-tools openapi.yaml --output tools.json --calls calls.json
  gen-tools openapi.yaml | diff golden.json -          # in CI

Exit codes:
  0  every operation became a tool
  1  some operations were left out; the list of the others is whole
  2  nothing could be done";

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Messages {
    /// With the line that caused them
    Human,
    /// One a line: `file:line:column: severity[code]: message`
    Short,
    /// One JSON object a line
    Json,
    /// Annotations of GitHub Actions
    Github,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Deny {
    /// Any warning
    Warnings,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Case {
    /// As the operationId has it, as far as hosts take it
    Keep,
    /// `list_pets`
    Snake,
    /// `list-pets`
    Kebab,
    /// listPets
    Camel,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Body {
    /// Where a list of arguments says all that the body's schema says
    Flat,
    /// The body is always one argument
    Nested,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeaderChoice {
    /// Those that the transport doesn't supply and that have more than one value
    Auto,
    /// All of them
    All,
    /// None of them
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Credentials {
    /// They are no arguments
    Drop,
    /// They are arguments like others
    Keep,
}

fn prefix(text: &str) -> Result<String, String> {
    let legal = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if !legal || text.starts_with(|c: char| c.is_ascii_digit()) || text.len() > 32 {
        return Err("expected at most 32 letters, digits, `_` and `-`, no digit first".to_owned());
    }
    Ok(text.to_owned())
}

impl Cli {
    /// The document; there is none only if a code is to be explained.
    pub(crate) fn spec(&self) -> &Path {
        self.spec.as_deref().unwrap_or(Path::new("-"))
    }

    /// Where files may be read, and how much.
    pub(crate) fn access(&self) -> Access {
        let mut limits = Limits::default();
        limits.files = self.max_files;
        limits.bytes = self.max_bytes;
        limits.values = self.max_values;
        Access { root: self.root.clone(), base: self.base.clone(), limits }
    }

    /// What the flags ask of the library.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        options.name_case = match self.name_case {
            Case::Keep => NameCase::Keep,
            Case::Snake => NameCase::Snake,
            Case::Kebab => NameCase::Kebab,
            Case::Camel => NameCase::Camel,
        };
        options.prefix.clone_from(&self.prefix);
        options.body = match self.body {
            Body::Flat => BodyStyle::Flat,
            Body::Nested => BodyStyle::Nested,
        };
        options.headers = match self.headers {
            HeaderChoice::Auto => Headers::Auto,
            HeaderChoice::All => Headers::All,
            HeaderChoice::None => Headers::None,
        };
        options.keep_credentials = matches!(self.credentials, Credentials::Keep);
        options.max_subtypes = self.subtypes;
        options.title = self.title;
        options
    }
}
