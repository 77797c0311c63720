//! (binary)
fn main() {}
