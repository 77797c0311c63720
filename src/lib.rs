//! (crate docs)

pub mod diagnostic;
mod input;

pub use input::{Input, Kind, Location, Node, ReadError};
