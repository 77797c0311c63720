//! Bytes: the list of tools and the call map, written as they come.

mod changes;
mod compare;
mod golden;
mod render;
mod stats;
mod stats_table;

use std::io::{self, Write};
use std::ops::Range;

use serde_json::{Map, Value};

pub use changes::{Change, Verdict};
pub(crate) use compare::Comparer;
pub use compare::{Comparison, DefinitionChange, ToolChange, compare};
pub use golden::GoldenError;

use crate::schema::{Argument, Definition, Root, WRAPPER};
use crate::tool::{Output, Tool, security_schemes};
use render::{begin_entry, end};

pub use stats::Stats;
pub use stats_table::write_stats;

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Two spaces of indentation for each level.
    Pretty,
    /// One line.
    Compact,
}

/// What stands around the list of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// `{"tools": [...]}`, a `ListToolsResult` of MCP up to 2025-11-25.
    #[default]
    Tools,
    /// With the fields that MCP 2026-07-28 requires of a `ListToolsResult`: `resultType`, `ttlMs` and
    /// `cacheScope`. It is a valid one of every revision. A file can't know how long it stays true, so
    /// `ttlMs` is 0; it is the same for everybody, so `cacheScope` is `public`.
    List,
    /// The bare array.
    Array,
}

/// Writes a list of tools, tool by tool, as [`Shape::Tools`] unless another shape is asked for.
///
/// A definition is rendered when the first tool needs it; later tools copy its bytes.
pub struct ToolsWriter<W> {
    out: W,
    layout: Layout,
    shape: Shape,
    count: usize,
    buffer: Vec<u8>,
    /// The bytes of the last tool.
    last: usize,
    inputs: Once,
    outputs: Once,
}

/// What was rendered in one direction.
#[derive(Default)]
struct Once {
    definitions: Rendered,
    arguments: Rendered,
    roots: Rendered,
}

/// Values that were rendered, by their numbers in the run: their ranges in one text.
#[derive(Default)]
struct Rendered {
    text: Vec<u8>,
    ranges: Vec<Option<Range<usize>>>,
}

impl Rendered {
    /// Adds the text of the value `index` to `out`; it is rendered if that was not yet done.
    fn copy(&mut self, out: &mut Vec<u8>, layout: Layout, level: usize, index: usize, value: &Value) {
        self.copy_as(out, index, |text| render::value(text, layout, level, value));
    }

    /// As [`Rendered::copy`], of what `render` writes.
    fn copy_as(&mut self, out: &mut Vec<u8>, index: usize, render: impl FnOnce(&mut Vec<u8>)) {
        let range = self.range(index, render);
        out.extend_from_slice(self.text.get(range).unwrap_or_default());
    }

    /// Where the value `index` stands in the text.
    fn range(&mut self, index: usize, render: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        if self.ranges.len() <= index {
            self.ranges.resize(index + 1, None);
        }
        let Some(slot) = self.ranges.get_mut(index) else { return 0..0 };
        let range = slot.get_or_insert_with(|| {
            let start = self.text.len();
            render(&mut self.text);
            start..self.text.len()
        });
        range.clone()
    }
}

/// The entries of an object that stands at a level, without its brackets.
fn entries(out: &mut Vec<u8>, layout: Layout, level: usize, object: &Value) {
    let mut first = true;
    for (name, value) in object.as_object().into_iter().flatten() {
        begin_entry(out, layout, level, name, &mut first);
        render::value(out, layout, level + 1, value);
    }
}

impl Once {
    /// The schema of an argument, which stands at `level`.
    fn argument(&mut self, out: &mut Vec<u8>, layout: Layout, level: usize, argument: &Argument<'_>) {
        match argument.index() {
            Some(index) => self.arguments.copy(out, layout, level, index, argument.value()),
            None => render::value(out, layout, level, argument.value()),
        }
    }

    /// The bytes of a definition's value in one line. All that is asked of it must be in one line then.
    fn compact_bytes(&mut self, definition: &Definition<'_>) -> usize {
        let render = |text: &mut Vec<u8>| render::value(text, Layout::Compact, 0, definition.value());
        self.definitions.range(definition.index(), render).len()
    }

    /// The value of `$defs`, which stands at `level`.
    fn definitions(
        &mut self,
        out: &mut Vec<u8>,
        layout: Layout,
        level: usize,
        definitions: &[&Definition<'_>],
    ) {
        out.push(b'{');
        let mut empty = true;
        for definition in definitions {
            begin_entry(out, layout, level, definition.name(), &mut empty);
            self.definitions.copy(out, layout, level + 1, definition.index(), definition.value());
        }
        end(out, layout, level, b'}', empty);
    }
}

/// The size at which the buffer is written: what a pipe holds.
const FULL: usize = 1 << 16;

impl<W: Write> ToolsWriter<W> {
    /// Begins a list.
    pub fn new(out: W, layout: Layout) -> Self {
        ToolsWriter {
            out,
            layout,
            shape: Shape::Tools,
            count: 0,
            buffer: Vec::new(),
            last: 0,
            inputs: Once::default(),
            outputs: Once::default(),
        }
    }

    /// Puts the list in a shape. To be called before the first tool.
    #[must_use]
    pub fn shaped(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// The level at which a tool stands.
    fn tool_level(&self) -> usize {
        if self.shape == Shape::Array { 1 } else { 2 }
    }

    /// Adds a tool. All tools of a list must be of one [`Generation`](crate::Generation).
    ///
    /// # Errors
    /// What the underlying writer says.
    pub fn tool(&mut self, tool: &Tool<'_, '_>) -> io::Result<()> {
        if self.count == 0 {
            self.opening();
        } else {
            self.buffer.push(b',');
        }
        self.count += 1;
        let level = self.tool_level();
        render::indent(&mut self.buffer, self.layout, level);
        let start = self.buffer.len();
        self.object(tool);
        self.last = self.buffer.len() - start;
        if self.buffer.len() >= FULL {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// The text of a tool as it stands in the list, alone.
    pub(crate) fn text(&mut self, tool: &Tool<'_, '_>) -> &[u8] {
        self.buffer.clear();
        self.object(tool);
        &self.buffer
    }

    fn object(&mut self, tool: &Tool<'_, '_>) {
        let (layout, level) = (self.layout, self.tool_level());
        self.buffer.push(b'{');
        let mut first = true;
        begin_entry(&mut self.buffer, layout, level, "name", &mut first);
        render::string(&mut self.buffer, tool.name());
        begin_entry(&mut self.buffer, layout, level, "description", &mut first);
        render::string(&mut self.buffer, tool.description());
        begin_entry(&mut self.buffer, layout, level, "inputSchema", &mut first);
        self.input_schema(tool);
        if let Some(output) = tool.output() {
            begin_entry(&mut self.buffer, layout, level, "outputSchema", &mut first);
            self.output_schema(output);
        }
        if !tool.annotations().is_empty() {
            begin_entry(&mut self.buffer, layout, level, "annotations", &mut first);
            render::object(&mut self.buffer, layout, level + 1, tool.annotations());
        }
        end(&mut self.buffer, layout, level, b'}', first);
    }

    fn opening(&mut self) {
        let (out, layout, mut first) = (&mut self.buffer, self.layout, true);
        if self.shape != Shape::Array {
            out.push(b'{');
        }
        if self.shape == Shape::List {
            for (key, value) in [("resultType", "\"complete\""), ("ttlMs", "0"), ("cacheScope", "\"public\"")]
            {
                begin_entry(out, layout, 0, key, &mut first);
                out.extend_from_slice(value.as_bytes());
            }
        }
        if self.shape != Shape::Array {
            begin_entry(out, layout, 0, "tools", &mut first);
        }
        out.push(b'[');
    }

    fn input_schema(&mut self, tool: &Tool<'_, '_>) {
        let (layout, level) = (self.layout, self.tool_level() + 1);
        self.buffer.push(b'{');
        let (out, mut first) = (&mut self.buffer, true);
        begin_entry(out, layout, level, "type", &mut first);
        render::string(out, "object");
        begin_entry(out, layout, level, "properties", &mut first);
        out.push(b'{');
        let mut empty = true;
        for (name, argument) in tool.properties() {
            begin_entry(out, layout, level + 1, name, &mut empty);
            self.inputs.argument(out, layout, level + 2, argument);
        }
        end(out, layout, level + 1, b'}', empty);
        if !tool.required().is_empty() {
            begin_entry(out, layout, level, "required", &mut first);
            render::strings(out, layout, level + 1, tool.required());
        }
        if tool.refuses_others() {
            begin_entry(out, layout, level, "additionalProperties", &mut first);
            out.extend_from_slice(b"false");
        }
        begin_entry(out, layout, level, "$defs", &mut first);
        self.inputs.definitions(out, layout, level + 1, tool.definitions());
        end(out, layout, level, b'}', first);
    }

    fn output_schema(&mut self, output: &Output<'_, '_>) {
        let (layout, level) = (self.layout, self.tool_level() + 1);
        let (out, mut first) = (&mut self.buffer, false);
        out.push(b'{');
        match output.root() {
            Root::Object(root) => {
                self.outputs
                    .roots
                    .copy_as(out, root.index(), |text| entries(text, layout, level, root.value()));
            }
            Root::Inlined(root) => entries(out, layout, level, root),
            Root::Wrapped(argument) => {
                first = true;
                begin_entry(out, layout, level, "type", &mut first);
                render::string(out, "object");
                begin_entry(out, layout, level, "properties", &mut first);
                out.push(b'{');
                begin_entry(out, layout, level + 1, WRAPPER, &mut true);
                self.outputs.argument(out, layout, level + 2, argument);
                end(out, layout, level + 1, b'}', false);
                begin_entry(out, layout, level, "required", &mut first);
                render::strings(out, layout, level + 1, &[WRAPPER.to_owned()]);
            }
        }
        begin_entry(out, layout, level, "$defs", &mut first);
        self.outputs.definitions(out, layout, level + 1, output.definitions());
        end(out, layout, level, b'}', first);
    }

    /// Ends the list, with a final newline.
    ///
    /// # Errors
    /// What the underlying writer says.
    pub fn finish(mut self) -> io::Result<W> {
        if self.count == 0 {
            self.opening();
        }
        let level = self.tool_level() - 1;
        end(&mut self.buffer, self.layout, level, b']', self.count == 0);
        if self.shape != Shape::Array {
            end(&mut self.buffer, self.layout, 0, b'}', false);
        }
        self.buffer.push(b'\n');
        self.out.write_all(&self.buffer)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Collects the call map: how a program makes the HTTP request of each tool's call.
#[derive(Debug, Default)]
pub struct CallMap {
    calls: Map<String, Value>,
}

impl CallMap {
    /// Adds a tool's entry.
    pub fn tool(&mut self, tool: &Tool<'_, '_>) {
        self.calls.insert(tool.name().to_owned(), tool.call());
    }

    /// Writes `{"tools": {NAME: CALL}, "securitySchemes": {...}}`, pretty, with a final newline.
    /// `schemes` are the document's; those that no call uses are left out.
    ///
    /// # Errors
    /// What the underlying writer says.
    pub fn write(self, mut out: impl Write, schemes: Map<String, Value>) -> io::Result<()> {
        let used: foldhash::HashSet<&str> = self.calls.values().flat_map(security_schemes).collect();
        let mut root = Map::new();
        let schemes: Map<_, _> =
            schemes.into_iter().filter(|(name, _)| used.contains(name.as_str())).collect();
        root.insert("tools".to_owned(), Value::Object(self.calls));
        if !schemes.is_empty() {
            root.insert("securitySchemes".to_owned(), Value::Object(schemes));
        }
        let mut buffer = Vec::new();
        render::object(&mut buffer, Layout::Pretty, 0, &root);
        buffer.push(b'\n');
        out.write_all(&buffer)?;
        out.flush()
    }
}
