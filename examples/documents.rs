//! Writes a generated document to standard output: `documents SHAPE OPERATIONS`.

#[path = "../benches/documents.rs"]
mod documents;

use std::io::Write;

use documents::Shape;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let operations = arguments.next().and_then(|count| count.parse().ok());
    let (Some(shape), Some(operations)) =
        (Shape::ALL.into_iter().find(|shape| shape.name() == name), operations)
    else {
        let names = Shape::ALL.map(Shape::name).join("|");
        return Err(std::io::Error::other(format!("expected {names} and a number of operations")));
    };
    std::io::stdout().write_all(documents::json(shape, operations).as_bytes())
}
