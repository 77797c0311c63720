//! The documents that benchmarks use: every operation becomes a tool with the definitions that its shape
//! says.

#[path = "../../benches/documents.rs"]
mod documents;

use documents::Shape;
use gen_tools::{Input, Options, generate};

#[test]
fn generated_documents_have_their_shapes() {
    for shape in Shape::ALL {
        let name = shape.name();
        let input = Input::parse("generated.json", documents::json(shape, 200)).unwrap();
        let generation = generate(&input, &Options::default()).unwrap();
        let tools: Vec<_> = generation.tools().map(Result::unwrap).collect();
        assert_eq!(tools.len(), 200, "{name}");
        let reached =
            |at: usize| tools[at].input_schema()["$defs"].as_object().map_or(0, serde_json::Map::len);
        let expected = match shape {
            Shape::Chains => [10, 1],
            Shape::Diamonds => [4, 2],
            Shape::Cycle => [100, 100],
            Shape::Everything => [20, 20],
        };
        assert_eq!(
            [reached(100), reached(if shape == Shape::Chains { 109 } else { 102 })],
            expected,
            "{name}"
        );
        assert!(generation.diagnostics().is_empty(), "{name}");
    }
}
