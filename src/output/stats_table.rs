//! Statistics as tables for readers.

use std::io::{self, Write};

use serde_json::Value;

/// Writes what [`Stats::finish`](super::Stats::finish) gives as text; with a row for each tool if
/// `all`.
///
/// # Errors
/// What the underlying writer says.
pub fn write_stats(mut out: impl Write, stats: &Value, all: bool) -> io::Result<()> {
    let every = &stats["everyComponent"];
    writeln!(out, "{:>13} tools", number(&stats["tools"]))?;
    writeln!(out, "{:>13} bytes, compact", number(&stats["bytes"]))?;
    writeln!(
        out,
        "{:>13} bytes with each of the {} components in every tool; {} % of that is saved",
        number(&every["bytes"]),
        number(&every["components"]),
        every["share"]
    )?;
    if all {
        writeln!(out, "\n{:>11} {:>11} {:>9} {:>5}  tool", "bytes", "definitions", "arguments", "depth")?;
        for tool in items(&stats["perTool"]) {
            let column = |name: &str| number(&tool[name]);
            writeln!(
                out,
                "{:>11} {:>11} {:>9} {:>5}  {}",
                column("bytes"),
                column("definitions"),
                column("arguments"),
                column("depth"),
                text(&tool["name"])
            )?;
        }
    }
    writeln!(out, "\nThe largest, and the definitions without which they would be smallest:")?;
    for tool in items(&stats["largest"]) {
        writeln!(out, "{:>13} {}", number(&tool["bytes"]), text(&tool["name"]))?;
        if items(&tool["because"]).next().is_none() {
            writeln!(out, "{:>13}   all of it in its own arguments and texts", "")?;
        }
        for cause in items(&tool["because"]) {
            let (own, brings) = (number(&cause["bytes"]), number(&cause["brings"]));
            let of = if cause["direction"] == "output" { " (output)" } else { "" };
            let name = text(&cause["definition"]);
            let alone = if own == brings { String::new() } else { format!(", {own} itself") };
            writeln!(out, "{:>13}   -{brings} without {name}{of}{alone}", "")?;
        }
    }
    if items(&stats["limits"]).next().is_some() {
        writeln!(out, "\nLimits of hosts:")?;
    }
    for limit in items(&stats["limits"]) {
        let of: Vec<&str> = items(&limit["of"]).filter_map(Value::as_str).collect();
        let more = if limit["count"].as_u64() > Some(of.len() as u64) { ", ..." } else { "" };
        let of = if of.is_empty() { String::new() } else { format!(": {}{more}", of.join(", ")) };
        writeln!(
            out,
            "{:>13} {} - {}{of}",
            number(&limit["count"]),
            text(&limit["limit"]),
            text(&limit["who"])
        )?;
    }
    writeln!(out)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A number with its thousands apart.
fn number(value: &Value) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
