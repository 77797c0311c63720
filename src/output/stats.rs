//! What the tools of a run weigh, and why: a sink beside the writer.

use std::cmp::Reverse;
use std::io;

use serde_json::{Value, json};

use super::{Layout, ToolsWriter};
use crate::schema::{Definition, Definitions, Root, depth, large_bounds};
use crate::tool::Tool;

/// Measures tools as they come. Bytes are those of the compact layout.
pub struct Stats<'d, 'i> {
    writer: ToolsWriter<io::Sink>,
    inputs: &'d Definitions<'i>,
    outputs: Option<&'d Definitions<'i>>,
    depths: [Vec<Option<usize>>; 2],
    tools: Vec<ToolSize>,
    largest: Vec<Large>,
    own_definitions: usize,
    large_bounds: Vec<String>,
}

/// What one tool weighs.
struct ToolSize {
    name: String,
    bytes: usize,
    definitions: usize,
    arguments: usize,
    depth: usize,
    description: usize,
}

/// A tool that may be among the largest, with what it refers to in each direction.
struct Large {
    name: String,
    bytes: usize,
    roots: [Vec<usize>; 2],
}

/// How many tools are told of one by one.
const LARGEST: usize = 10;

/// How many definitions are told of each of them.
const CAUSES: usize = 3;

/// Beyond so many definitions of one tool, only the largest are asked what else they bring.
const ASKED: usize = 300;

impl<'d, 'i> Stats<'d, 'i> {
    pub(crate) fn new(inputs: &'d Definitions<'i>, outputs: Option<&'d Definitions<'i>>) -> Self {
        Stats {
            writer: ToolsWriter::new(io::sink(), Layout::Compact),
            inputs,
            outputs,
            depths: Default::default(),
            tools: Vec::new(),
            largest: Vec::new(),
            own_definitions: 0,
            large_bounds: Vec::new(),
        }
    }

    /// Measures a tool. All tools must be of the [`Generation`](crate::Generation) that these statistics
    /// are of.
    pub fn tool(&mut self, tool: &Tool<'d, 'i>) {
        // A sink takes everything.
        let _ = self.writer.tool(tool);
        let bytes = self.writer.last;
        // `inputSchema`, its `properties`, and the schema in them.
        let mut deepest = 2;
        for (name, argument) in tool.properties() {
            deepest = deepest.max(2 + depth(argument.value()));
            if argument.index().is_none() {
                self.note_bounds(&format!("{} {name}", tool.name()), argument.value());
            }
        }
        deepest = deepest.max(2 + self.definitions(0, tool.definitions()));
        if let Some(output) = tool.output() {
            deepest = deepest.max(match output.root() {
                Root::Object(root) => depth(root.value()),
                Root::Inlined(root) => depth(root),
                Root::Wrapped(argument) => 2 + depth(argument.value()),
            });
            deepest = deepest.max(2 + self.definitions(1, output.definitions()));
        }
        self.tools.push(ToolSize {
            name: tool.name().to_owned(),
            bytes,
            definitions: tool.definitions().len()
                + tool.output().map_or(0, |output| output.definitions().len()),
            arguments: tool.properties().len(),
            depth: deepest,
            description: tool.description().chars().count(),
        });
        if self.largest.len() < LARGEST || self.largest.iter().any(|known| known.bytes < bytes) {
            let outputs = tool.output().map(|output| output.uses().to_vec()).unwrap_or_default();
            let roots = [tool.uses().to_vec(), outputs];
            self.largest.push(Large { name: tool.name().to_owned(), bytes, roots });
            self.largest.sort_by_key(|known| Reverse(known.bytes));
            self.largest.truncate(LARGEST);
        }
    }

    /// Counts a tool's definitions of one direction; gives how deep they are.
    fn definitions(&mut self, direction: usize, definitions: &[&Definition<'_>]) -> usize {
        let mut deepest = 0;
        for definition in definitions {
            self.own_definitions += self.entry(direction, definition);
            let Some(depths) = self.depths.get_mut(direction) else { continue };
            if depths.len() <= definition.index() {
                depths.resize(definition.index() + 1, None);
            }
            let Some(slot) = depths.get_mut(definition.index()) else { continue };
            let known = slot.is_some();
            deepest = deepest.max(*slot.get_or_insert_with(|| depth(definition.value())));
            if !known {
                self.note_bounds(&format!("definition {}", definition.name()), definition.value());
            }
        }
        deepest
    }

    fn note_bounds(&mut self, place: &str, schema: &Value) {
        self.large_bounds.extend(large_bounds(schema).into_iter().map(|bound| format!("{place} ({bound})")));
    }

    /// The bytes of a definition among others: `"NAME":VALUE,`.
    fn entry(&mut self, direction: usize, definition: &Definition<'_>) -> usize {
        let once = if direction == 0 { &mut self.writer.inputs } else { &mut self.writer.outputs };
        definition.name().len() + 4 + once.compact_bytes(definition)
    }

    fn of(&self, direction: usize) -> Option<&'d Definitions<'i>> {
        if direction == 0 { Some(self.inputs) } else { self.outputs }
    }

    /// What was found, as data:
    ///
    /// - `tools`, `bytes`: how many tools, and what they come to
    /// - `everyComponent`: `components`, what these come to once (`componentBytes`), what `tools` would
    ///   come to with all of them attached to each (`bytes`), and the `share` that is `saved`
    /// - `largest`: the largest tools, each with `name`, `bytes` and `because`: the definitions without
    ///   which it would be smallest (`definition`, `direction`, its own `bytes`, and what it `brings`
    ///   with all that nothing else in the tool reaches)
    /// - `perTool`: of each tool `name`, `bytes`, `definitions`, `arguments` and `depth`, the number of
    ///   objects and lists that are in each other in its schemas as they are written
    /// - `limits`: limits of hosts that are passed, each with `limit`, `count`, `of` (the first few) and
    ///   `who`
    pub fn finish(mut self) -> Value {
        let bytes: usize = self.tools.iter().map(|tool| tool.bytes).sum();
        let (mut components, mut component_bytes) = (0, 0);
        for direction in [0, 1] {
            for definition in self.of(direction).map(Definitions::all_components).unwrap_or_default() {
                components += 1;
                component_bytes += self.entry(direction, definition);
            }
        }
        let every = (bytes - self.own_definitions.min(bytes)) + component_bytes * self.tools.len();
        let saved = every.saturating_sub(bytes);
        let largest: Vec<Value> = std::mem::take(&mut self.largest)
            .iter()
            .map(|tool| json!({"name": tool.name, "bytes": tool.bytes, "because": self.causes(tool)}))
            .collect();
        let per_tool: Vec<Value> = self.tools.iter().map(ToolSize::to_json).collect();
        json!({
            "tools": self.tools.len(),
            "bytes": bytes,
            "everyComponent": {
                "components": components,
                "componentBytes": component_bytes,
                "bytes": every,
                "saved": saved,
                "share": share(saved, every),
            },
            "largest": largest,
            "limits": self.limits(),
            "perTool": per_tool,
        })
    }

    /// The definitions that make a tool large.
    fn causes(&mut self, tool: &Large) -> Vec<Value> {
        let mut causes = Vec::new();
        for (direction, roots) in tool.roots.iter().enumerate() {
            let Some(definitions) = self.of(direction) else { continue };
            let mut sized: Vec<(usize, usize)> = Vec::new();
            for index in definitions.reached_without(roots, None) {
                if let Some(definition) = definitions.get(index) {
                    sized.push((index, self.entry(direction, definition)));
                }
            }
            let all: usize = sized.iter().map(|(_, bytes)| bytes).sum();
            let bytes_of: foldhash::HashMap<usize, usize> = sized.iter().copied().collect();
            sized.sort_by_key(|(index, bytes)| (Reverse(*bytes), *index));
            sized.truncate(ASKED);
            for (index, own) in sized {
                let kept = definitions.reached_without(roots, Some(index));
                let kept: usize = kept.iter().filter_map(|index| bytes_of.get(index)).sum();
                if let Some(definition) = definitions.get(index) {
                    causes.push((all - kept.min(all), own, definition.name(), direction));
                }
            }
        }
        causes.sort_by_key(|(brings, own, name, _)| (Reverse(*brings), Reverse(*own), *name));
        causes.truncate(CAUSES);
        let cause = |(brings, own, name, direction)| {
            let direction = if direction == 0 { "input" } else { "output" };
            json!({"definition": name, "direction": direction, "bytes": own, "brings": brings})
        };
        causes.into_iter().map(cause).collect()
    }

    /// The limits of hosts that the tools pass.
    fn limits(&self) -> Vec<Value> {
        let count = self.tools.len();
        let mut limits = Vec::new();
        let mut limit = |limit: &str, of: Vec<&str>, who: &str| {
            if !of.is_empty() {
                let first: Vec<_> = of.iter().take(5).collect();
                limits.push(json!({"limit": limit, "count": of.len(), "of": first, "who": who}));
            }
        };
        let names = |is: &dyn Fn(&ToolSize) -> bool| -> Vec<&str> {
            self.tools.iter().filter(|tool| is(tool)).map(|tool| tool.name.as_str()).collect()
        };
        limit("a name over 46 characters", names(&|tool| tool.name.len() > 46), "VS Code may cut it");
        let who = "some OpenAI models and Azure OpenAI refuse it";
        limit("a description over 1,024 characters", names(&|tool| tool.description > 1024), who);
        limit(
            "a description over 2,048 characters",
            names(&|tool| tool.description > 2048),
            "Claude Code cuts it",
        );
        let bounds = self.large_bounds.iter().map(String::as_str).collect();
        limit("an integer bound beyond 2^53", bounds, "JavaScript readers round it");
        for (most, who) in [
            (40, "Cursor, older versions, drops the others"),
            (80, "Cursor drops the others"),
            (100, "Windsurf sends no more"),
            (128, "OpenAI's Chat Completions and Copilot Chat refuse more"),
        ] {
            if count > most {
                limits.push(
                    json!({"limit": format!("more than {most} tools"), "count": count, "of": [], "who": who}),
                );
            }
        }
        limits
    }
}

impl ToolSize {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "bytes": self.bytes,
            "definitions": self.definitions,
            "arguments": self.arguments,
            "depth": self.depth,
        })
    }
}

/// A part of a whole in hundredths, rounded down to a thousandth.
fn share(part: usize, whole: usize) -> Value {
    let thousandths = (part * 1000).checked_div(whole).unwrap_or(0);
    let digits = format!("{}.{}", thousandths / 10, thousandths % 10);
    Value::Number(serde_json::Number::from_string_unchecked(digits))
}
