//! (crate docs)

pub mod diagnostic;
mod input;
mod schema;

pub use input::{Input, Kind, Location, Node, ReadError};
