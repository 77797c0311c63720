//! The command line's words. Nothing is decided here.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Parser, ValueEnum};

use gen_tools::options::select::Pattern;
use gen_tools::options::{BodyStyle, Headers, NameCase, Options};
use gen_tools::{Access, Layout, Limits, Shape};

/// Turns an OpenAPI document into MCP tools, each with only the schema that it needs.
///
/// Reads Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2, JSON or YAML, and writes {"tools": [...]} to standard output, one
/// tool for each operation. Messages go to standard error.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(version, max_term_width = 100, after_long_help = HELP)]
pub(crate) struct Cli {
    /// The OpenAPI document, JSON or YAML; `-` for standard input
    #[arg(required_unless_present_any = ["explain", "compare"])]
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
    compact: bool,

    /// What stands around the list of tools
    #[arg(long, value_enum, default_value_t = FileShape::Tools, help_heading = "Output")]
    shape: FileShape,

    /// Give each tool a title, from the operation's summary
    #[arg(long, help_heading = "Output")]
    title: bool,

    /// Take only operations whose KEY (tag, id, tool, path or method) is as GLOB says
    #[arg(long, value_name = "KEY=GLOB", value_parser = Pattern::from_str, help_heading = "Selection")]
    only: Vec<Pattern>,

    /// Leave out operations whose KEY is as GLOB says
    #[arg(long, value_name = "KEY=GLOB", value_parser = Pattern::from_str, help_heading = "Selection")]
    skip: Vec<Pattern>,

    /// Take only GET, HEAD and QUERY
    #[arg(long, help_heading = "Selection")]
    read_only: bool,

    /// Leave out deprecated operations
    #[arg(long, help_heading = "Selection")]
    no_deprecated: bool,

    /// Print what is selected and why other operations are not, and write no tools
    #[arg(long, conflicts_with_all = ["output", "calls", "check"], help_heading = "Selection")]
    pub(crate) list: bool,

    /// Compare the tools with those in GOLDEN instead of writing them, and report what differs
    #[arg(long, value_name = "GOLDEN", conflicts_with = "output", help_heading = "Comparison")]
    pub(crate) check: Option<PathBuf>,

    /// Report what differs between the tools of two files
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["spec", "check", "output", "calls", "list"], help_heading = "Comparison")]
    pub(crate) compare: Option<Vec<PathBuf>>,
    /// Say on standard error what the tools weigh and why, and which limits of hosts they pass
    #[arg(long, value_name = "FORM", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "largest", help_heading = "Output")]
    pub(crate) stats: Option<StatsForm>,

    /// Give each tool an outputSchema, from its successful response
    #[arg(long, help_heading = "Output")]
    output_schemas: bool,

    /// How names are written
    #[arg(long, value_name = "CASE", value_enum, default_value_t = Case::Snake, help_heading = "Names")]
    name_case: Case,

    /// Put TEXT before every name
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, value_parser = prefix, help_heading = "Names")]
    prefix: String,

    /// Cut longer names of tools, with a hash
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(20..=64), help_heading = "Hosts")]
    max_name: usize,

    /// Cut the descriptions of tools that have more than N characters
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(20..), help_heading = "Hosts")]
    max_description: Option<usize>,

    /// Replace each reference by a copy of its definition; circles are cut
    #[arg(long, help_heading = "Hosts")]
    inline_refs: bool,

    /// Leave out a tool that --inline-refs makes larger than N bytes
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Hosts")]
    inline_limit: usize,

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
  gen-tools openapi.yaml --check tools.json            # in CI
  gen-tools openapi.yaml --only tag=pets --read-only --list
  gen-tools --compare old.json new.json

Exit codes:
  0  every operation became a tool; or, compared, there is no difference
  1  some operations were left out; the list of the others is whole; or there is a difference
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

/// How statistics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsForm {
    /// The totals, the largest tools, limits of hosts
    Largest,
    /// The same, with a row for each tool
    All,
    /// One JSON object with all of it
    Json,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Deny {
    /// Any warning
    Warnings,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileShape {
    /// `{"tools": [...]}`
    Tools,
    /// A whole answer to `tools/list` of MCP 2026-07-28
    List,
    /// The array alone
    Array,
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

    /// How the list is written.
    pub(crate) fn form(&self) -> (Layout, Shape) {
        let shape = match self.shape {
            FileShape::Tools => Shape::Tools,
            FileShape::List => Shape::List,
            FileShape::Array => Shape::Array,
        };
        (if self.compact { Layout::Compact } else { Layout::Pretty }, shape)
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
        options.select.only.clone_from(&self.only);
        options.select.skip.clone_from(&self.skip);
        options.select.read_only = self.read_only;
        options.select.no_deprecated = self.no_deprecated;
        options.output_schemas = self.output_schemas;
        options.max_name = self.max_name;
        options.max_description = self.max_description;
        options.inline_refs = self.inline_refs;
        options.inline_limit = self.inline_limit;
        options
    }
}
