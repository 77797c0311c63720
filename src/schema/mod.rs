//! JSON Schema: from places in documents to finished schemas. Knows no operation and no tool.

mod anchor;
mod closure;
mod convert;
mod cycle;
mod definitions;
mod dialect;
mod discriminator;
mod disjoint;
mod forms;
mod group;
mod inline;
pub(crate) mod keywords;
mod look;
mod measure;
mod names;
pub(crate) mod number;
mod object;
mod output;
mod pattern;
mod reference;
mod rules;
mod text;
mod types;

pub(crate) use closure::{Argument, Closed, Field, Overlay};
pub(crate) use definitions::{Definition, Definitions};
pub(crate) use dialect::Dialect;
pub(crate) use look::{holds_bytes, is_text, only_value, text_schema, unresolved};
pub(crate) use measure::{depth, large_bounds};
pub(crate) use names::short_hash;
pub(crate) use object::{PlainObject, Property, plain_object, requires_any};
pub(crate) use output::{Output, Root, WRAPPER};
pub use rules::normalise;
pub use text::is_hidden;
pub(crate) use text::{clean, hides};

use crate::input::Node;

/// Which way the values of a schema travel: what is `readOnly` is no input, what is `writeOnly` no
/// output (OpenAPI 3.0.4, Schema Object, Fixed Fields).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// In requests: a tool may accept less than the schema, never more.
    Input,
    /// In responses: a tool may promise less than the schema, never more. What it describes may only be
    /// widened.
    Output,
}

impl Direction {
    /// The keyword that takes a property out.
    pub(crate) fn excluded_by(self) -> &'static str {
        match self {
            Direction::Input => "readOnly",
            Direction::Output => "writeOnly",
        }
    }

    /// Whether a repair may make a schema accept less.
    pub(crate) fn narrows(self) -> bool {
        self == Direction::Input
    }
}

/// A schema: a place in the input, and the dialect in which it is written there. Not a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schema<'i> {
    /// The place.
    pub(crate) node: Node<'i>,
    /// How to read it.
    pub(crate) dialect: Dialect,
}

impl<'i> Schema<'i> {
    /// Another place of the same dialect.
    pub(crate) fn at(self, node: Node<'i>) -> Schema<'i> {
        Schema { node, dialect: self.dialect }
    }
}

/// What describes an argument before it is converted.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'i> {
    /// Anything.
    Any,
    /// Text.
    Text,
    /// Bytes, base64-encoded.
    Bytes,
    /// A schema.
    At(Schema<'i>),
    /// All of several schemas.
    All(Vec<Schema<'i>>),
    /// A list of what the first schema describes, and what the second says of the whole.
    ArrayOf(Schema<'i>, Option<Schema<'i>>),
    /// An object of these properties, each with whether it must be there; others are refused.
    Object(Vec<(Field<'i>, bool)>),
}
