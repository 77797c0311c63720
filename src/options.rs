//! What the user wants of a run.

pub mod select;

pub use select::Selection;

/// How tools and arguments are made. `Options::default()` is what the command line does without
/// flags.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[non_exhaustive]
pub struct Options {
    /// How a tool's name is written.
    pub name_case: NameCase,
    /// Put before every tool's name, as it is.
    pub prefix: String,
    /// Whether a body's properties are arguments of their own.
    pub body: BodyStyle,
    /// Which header parameters are arguments.
    pub headers: Headers,
    /// Whether parameters that carry credentials are arguments.
    pub keep_credentials: bool,
    /// The most subtypes that a discriminator's mapping may have to be written out; 0 for none.
    pub max_subtypes: usize,
    /// Whether a tool gets a `title`, from the operation's summary.
    pub title: bool,
    /// Which operations become tools.
    pub select: Selection,
    /// The longest name of a tool, 20 to 64; longer ones are cut and get a hash.
    pub max_name: usize,
    /// The most characters of a tool's description; longer ones are cut. `None` for no limit.
    pub max_description: Option<usize>,
    /// Whether references are replaced by copies of their definitions, as far as they are no circles.
    pub inline_refs: bool,
    /// The most bytes of a tool's schema whose references are replaced.
    pub inline_limit: usize,
    /// Whether a tool gets an `outputSchema`, from its successful response.
    pub output_schemas: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            name_case: NameCase::Snake,
            prefix: String::new(),
            body: BodyStyle::Flat,
            headers: Headers::Auto,
            keep_credentials: false,
            max_subtypes: 16,
            title: false,
            select: Selection::default(),
            max_name: 64,
            max_description: None,
            inline_refs: false,
            inline_limit: 1_000_000,
            output_schemas: false,
        }
    }
}

/// How a tool's name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// As the `operationId` has it, as far as it is legal.
    Keep,
    /// `list_pets`
    Snake,
    /// `list-pets`
    Kebab,
    /// `listPets`
    Camel,
}

/// Whether a body's properties are arguments of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyStyle {
    /// Where a list of arguments can say all that the body's schema says.
    Flat,
    /// Never: a body is one argument.
    Nested,
}

/// Which header parameters are arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// Those that the transport does not supply, and that have more than one value.
    Auto,
    /// All.
    All,
    /// None.
    None,
}
