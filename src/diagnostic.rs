//! What was lost, repaired or worth knowing: data, never printed by the library.

use std::fmt;

/// A file of the input, in the order in which files were read; the first document is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A stretch of a file's text, in bytes; `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the tool means what the document means.
    Note,
    /// Something was repaired, or says less than the document does.
    Warning,
    /// A tool was left out.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Declares [`Code`] and what each code is called and means, in one place.
macro_rules! codes {
    ($($variant:ident $severity:ident $name:literal $explanation:literal;)*) => {
        /// The kind of a diagnostic. Its name is stable: scripts may match on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $explanation] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The stable name, in kebab-case.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// What it means and what to do, in a sentence or two.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    // The document.
    DuplicateKey Warning "duplicate-key" "A key stands twice in one object. The last one wins.";
    NoPaths Warning "no-paths" "The document has no `paths`, as OpenAPI 3.1 allows. There is nothing to make tools of; webhooks are requests to the caller.";
    AmbiguousReference Error "ambiguous-reference" "A `$dynamicRef` means another schema for each way that leads to it. The tools that need it are left out; write a `$ref` to the schema that is meant.";
    UnresolvedReference Error "unresolved-reference" "A reference names a place that does not exist. The tools that need it are left out.";
    ReferenceCycle Error "reference-cycle" "References lead in a circle without ever reaching a schema. The tools that need one of them are left out.";
    ExternalReference Error "external-reference" "A reference leads to the network, which is never read, or to a file outside the document's folder. Bundle the document, or allow a folder with `--root`.";
    UnreadableFile Error "unreadable-file" "A reference leads to a file that does not exist or cannot be read. The tools that need it are left out.";
    InvalidOperation Error "invalid-operation" "An operation, or something that it needs, has not the shape that OpenAPI gives it. The tool is left out.";
    InvalidParameter Error "invalid-parameter" "A parameter lacks a name or a place, or its place is unknown. The tool is left out.";
    InvalidSchema Error "invalid-schema" "A schema, or a keyword's value in it, has a shape that no version of JSON Schema gives it. The tools that need it are left out.";
    UnknownType Error "unknown-type" "`type` names no type of JSON Schema, nor a common slip for one. The tools that need it are left out.";
    UndeclaredPathParameter Warning "undeclared-path-parameter" "A path has a variable that no parameter declares. It becomes a required string argument.";
    UnknownStyle Warning "unknown-style" "A parameter's `style` is unknown, or not one of its place. The place's default is used.";
    InvalidServer Warning "invalid-server" "A Server Object cannot be read. The call map leaves it out.";
    LaterVersion Note "later-version" "Something of a later version of OpenAPI than the document says is ignored. Raise the version if it is meant.";
    BodyConflict Warning "body-conflict" "An operation of Swagger 2.0 has more than one body, or a body and a form. The last body is used.";
    StrayMediaType Warning "stray-media-type" "A key of `content` is no media type. It is ignored.";
    ParameterWithoutSchema Warning "parameter-without-schema" "A parameter has neither `schema` nor `content`. It accepts anything.";
    DuplicateOperationId Warning "duplicate-operation-id" "Two operations have one `operationId`. Both names get a hash of method and path.";
    BodyOnReadMethod Note "body-on-read-method" "A request body on GET, HEAD or DELETE is kept, though its meaning is not defined by HTTP.";
    BodyLost Warning "body-schema-lost" "The schema of a body that is neither JSON nor a form cannot be expressed: the argument is the body as text.";
    CredentialLeftOut Note "credential-left-out" "A parameter that carries a credential is no argument. `--credentials keep` makes it one.";
    InvalidExtension Warning "invalid-extension" "`x-mcp`, `x-speakeasy-mcp` or `x-internal`, or a field of it, has not the shape that it should have. It says nothing.";
    OutputLeftOut Warning "output-left-out" "The schema of a response cannot be converted. The tools that have it have no `outputSchema`.";
    CutDescription Note "cut-description" "A tool's description is longer than `--max-description` allows. It is cut.";
    InlineCut Warning "inline-cut" "A definition comes back to itself, and `--inline-refs` asks for copies. It ends where a value may be absent: calls that nest deeper are refused.";
    InlineEndless Error "inline-endless" "A definition comes back to itself through what is required, or in a `oneOf` whose branches do not exclude each other, so that `--inline-refs` finds no place where it may end. The tools that need it are left out.";
    InlineTooLarge Error "inline-too-large" "Copies in place of references come to more than `--inline-limit` allows. The tool is left out.";
    HeaderLeftOut Note "header-left-out" "A required header is no argument, as `--headers none` asks; the caller has to supply it.";

    // Schemas.
    NullableCombinator Note "nullable-combinator" "`nullable` beside `$ref` or a combinator has no effect by the letter of OpenAPI 3.0; it is taken as meant.";
    LegacyKeyword Note "legacy-keyword" "A keyword of OpenAPI 3.0 stands in a document of a later version; it is understood as in 3.0.";
    RepairedType Warning "repaired-type" "`type` is a common slip (`int`, `float`, `date`, `any` ...), taken as the type that is meant.";
    RepairedShape Warning "repaired-shape" "A keyword's value has the wrong shape and was repaired: a type's name in place of a schema, or null in place of nothing.";
    EmptyKeyword Warning "empty-keyword" "An empty `enum`, `allOf`, `anyOf` or `oneOf` says nothing, or forbids everything by accident; it is dropped.";
    DroppedRequired Warning "dropped-required" "`required` names a property that `additionalProperties: false` forbids; the name is dropped.";
    DeclaredRequired Note "declared-required" "`required` names a property that is not declared; it is declared, as what `additionalProperties` says.";
    OpenedAllOf Warning "opened-allof" "Members of an `allOf` are closed by `additionalProperties: false` and accept nothing together: several are, or one does not know a property that is required. The `allOf` is closed as a whole instead.";
    MovedPattern Warning "moved-pattern" "A `pattern` is not valid as ECMA-262 with `u`; it stands in the description instead.";
    RepairedPattern Note "repaired-pattern" "A `pattern` had a needless escape that ECMA-262 with `u` refuses; the escape is dropped.";
    HiddenText Warning "hidden-text" "A text has control, zero-width, bidirectional or other characters that show nothing, and so can hide words from who reviews it. They are removed from titles and descriptions, and names of tools and arguments have none; the names of properties and the values of `enum`, `default` and `examples` keep theirs, since they are sent as they are.";
    MergedProperties Warning "merged-properties" "A `$ref` stands among the properties of an object; the properties that it leads to are merged in.";
    DiscriminatorTooLarge Note "discriminator-too-large" "A `discriminator` maps more subtypes than `--subtypes` allows; they are not listed in the tool.";
    DiscriminatorTarget Warning "discriminator-target" "A `discriminator` maps a value to a schema that does not exist; the entry is ignored.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One loss, repair or note, with the place that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind.
    pub code: Code,
    /// The place in the text.
    pub span: Span,
    /// The same place as a JSON Pointer (RFC 6901) into its file.
    pub pointer: String,
    /// What was found, what was expected and what to do, in one line.
    pub message: String,
}

impl Diagnostic {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}
