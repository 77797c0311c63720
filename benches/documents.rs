//! Generated documents whose sizes and shapes are known: for benchmarks, instruction counts and tests.

use std::fmt::Write;

/// How the definitions of a document refer to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// In rows of ten.
    Chains,
    /// Two that lead to one, by fours.
    Diamonds,
    /// All in circles of a hundred, of which every operation reaches its whole.
    Cycle,
    /// Each of twenty to all twenty.
    Everything,
}

impl Shape {
    /// All shapes.
    pub(crate) const ALL: [Shape; 4] = [Shape::Chains, Shape::Diamonds, Shape::Cycle, Shape::Everything];

    /// Its name on a command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Chains => "chains",
            Shape::Diamonds => "diamonds",
            Shape::Cycle => "cycle",
            Shape::Everything => "everything",
        }
    }

    /// The definitions that the definition `at` of `count` refers to.
    fn references(self, at: usize, count: usize) -> Vec<usize> {
        let group = |size: usize| (at / size * size, size.min(count - at / size * size));
        match self {
            Shape::Chains if at % 10 == 9 => Vec::new(),
            Shape::Chains => vec![at + 1],
            Shape::Diamonds => match at % 4 {
                0 => vec![at + 1, at + 2],
                1 => vec![at + 2],
                2 => vec![at + 1],
                _ => Vec::new(),
            },
            Shape::Cycle => {
                let (start, size) = group(100);
                vec![start + (at - start + 1) % size]
            }
            Shape::Everything => {
                let (start, size) = group(20);
                (start..start + size).collect()
            }
        }
    }
}

/// A document in JSON with so many operations and definitions: each operation has parameters of its
/// own and of the components, and a body that refers to its definition.
pub(crate) fn json(shape: Shape, operations: usize) -> String {
    let mut out = String::from(
        r#"{"openapi":"3.0.3","info":{"title":"Generated","version":"1"},"servers":[{"url":"https://example.com"}],"paths":{"#,
    );
    for at in 0..operations {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            out,
            r##"{comma}"/things{at}/{{thing_id}}":{{"put":{{"operationId":"replaceThing{at}","summary":"Replace thing {at}","description":"Replaces the thing of kind {at}.\nWhat it does not name is lost.","parameters":[{{"name":"thing_id","in":"path","required":true,"description":"The thing's number","schema":{{"type":"integer","minimum":1}}}},{{"name":"order","in":"query","schema":{{"type":"string","enum":["ascending","descending","none"]}}}},{{"$ref":"#/components/parameters/page"}}],"requestBody":{{"required":true,"content":{{"application/json":{{"schema":{{"type":"object","properties":{{"thing":{{"$ref":"#/components/schemas/Thing{at}"}},"note":{{"type":"string","maxLength":200}}}},"required":["thing"]}}}}}}}},"responses":{{"200":{{"description":"The thing as it is now","content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/Thing{at}"}},"example":{{"name":"a","size":{at}}}}}}}}}}}}}}}"##
        );
    }
    out.push_str(
        r#"},"components":{"parameters":{"page":{"name":"page","in":"query","description":"The page to show","schema":{"type":"integer","default":1}}},"schemas":{"#,
    );
    for at in 0..operations {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            out,
            r#"{comma}"Thing{at}":{{"type":"object","description":"A thing of kind {at}","required":["name"],"properties":{{"name":{{"type":"string","pattern":"^[a-z]+$"}},"size":{{"type":"number","nullable":true}}"#
        );
        for (position, to) in shape.references(at, operations).into_iter().enumerate() {
            if to < operations {
                let _ = write!(out, r##","part{position}":{{"$ref":"#/components/schemas/Thing{to}"}}"##);
            }
        }
        out.push_str("}}");
    }
    out.push_str("}}}\n");
    out
}
