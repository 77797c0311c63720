//! What the README says is so: its example, its links, its commands, its lists of codes and options.

use std::collections::BTreeSet;
use std::fs;

use gen_tools::diagnostic::Code;
use serde_json::Value;

use crate::run::{ALL, gen_tools, root, scratch};

/// The README's text.
fn readme() -> String {
    read("README.md")
}

/// The text of a file of the package.
fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("the file can be read")
}

/// The fenced blocks of a language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}");
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == opening {
            found.push(lines.by_ref().take_while(|line| *line != "```").collect::<Vec<_>>().join("\n"));
        } else if line.starts_with("```") {
            lines.by_ref().find(|line| *line == "```");
        }
    }
    found
}

/// The text below a heading of the second level, up to the next one.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let below = text.split_once(&format!("\n## {heading}\n")).expect("the section is there").1;
    below.split_once("\n## ").map_or(below, |(section, _)| section)
}

/// The cells of the rows of all tables, without their headings.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        inside = line.starts_with("|--") || inside && line.starts_with('|');
        if inside && !line.starts_with("|--") {
            rows.push(line.trim_matches('|').split(" | ").map(str::trim).collect());
        }
    }
    rows
}

/// The targets of the links, without those to other sites and places in the same file.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://") && !target.starts_with('#')).collect()
}

/// The stem of a link into a folder.
fn stem<'t>(link: &'t str, folder: &str, extension: &str) -> Option<&'t str> {
    link.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(extension)
}

#[test]
fn the_codes_are_those_of_the_program() {
    let text = readme();
    let found: Vec<(String, String)> = rows(section(&text, "Messages"))
        .iter()
        .map(|row| (row[0].trim_matches('`').to_owned(), row[1].to_owned()))
        .collect();
    let expected: Vec<_> =
        Code::ALL.iter().map(|code| (code.name().to_owned(), code.severity().to_string())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_options_are_those_of_the_program() {
    let help = String::from_utf8(gen_tools(["--help"]).stdout).expect("the help is UTF-8");
    let word = |word: &str| word.trim_matches(|c: char| c != '-' && !c.is_ascii_alphanumeric()).to_owned();
    let first_words = help.lines().filter(|line| line.trim_start().starts_with('-'));
    let expected: BTreeSet<String> =
        first_words.flat_map(str::split_whitespace).map(word).filter(|word| word.starts_with("--")).collect();
    let text = readme();
    let rows = rows(section(&text, "Install and run"));
    let options = rows.iter().map(|row| row[0]).filter(|cell| cell.starts_with("`-"));
    let found: BTreeSet<String> =
        options.flat_map(str::split_whitespace).map(word).filter(|word| word.starts_with("--")).collect();
    assert!(expected.contains("--output"), "{help}");
    assert_eq!(found, expected);
}

#[test]
fn every_link_leads_to_a_file() {
    let text = readme();
    let missing: Vec<_> = links(&text).into_iter().filter(|link| !root().join(link).is_file()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_construct_has_a_document_and_what_it_gives() {
    let text = readme();
    let rows = rows(section(&text, "What becomes of each construct"));
    let constructs: Vec<_> = rows.iter().filter(|row| !row[0].starts_with("**")).collect();
    assert!(constructs.len() > 40, "{} rows", constructs.len());
    for row in constructs {
        let cell = row.last().expect("a row has cells");
        let [spec, golden] = links(cell)[..] else { panic!("{cell} has not two links") };
        let stem_of_spec = stem(spec, "specs", ".yaml").expect("the first link leads to a document");
        let stem_of_golden = stem(golden, "golden", ".json").expect("the second leads to what it gives");
        assert_eq!(stem_of_spec, stem_of_golden);
    }
}

#[test]
fn the_example_is_a_document_and_what_it_gives() {
    let text = readme();
    let spec = read("specs/readme.yaml");
    let spec: Vec<_> = spec.lines().skip_while(|line| line.starts_with('#')).collect();
    assert_eq!(blocks(&text, "yaml").first(), Some(&spec.join("\n")));
    let shown = blocks(&text, "json");
    for (block, golden) in shown.iter().zip(["golden/readme.json", "golden/readme.calls.json"]) {
        let [shown, given] =
            [block, &read(golden)].map(|text| serde_json::from_str::<Value>(text).expect("it is JSON"));
        assert_eq!(shown.to_string(), given.to_string(), "{golden}");
    }
    assert_eq!(shown.len(), 2);
    assert_eq!(blocks(&text, "text"), [read("golden/remote-reference.txt").trim_end()]);
}

#[test]
fn every_command_on_a_document_succeeds() {
    let folder = scratch("readme");
    let text = readme();
    let mut count = 0;
    for line in blocks(&text, "sh").iter().flat_map(|block| block.lines()) {
        let arguments =
            line.strip_prefix("gen-tools ").or_else(|| line.strip_prefix("cargo run --release -- "));
        let Some(arguments) = arguments.filter(|arguments| arguments.contains("specs/")) else { continue };
        let words = arguments.split_whitespace().take_while(|word| *word != ">" && *word != "|");
        let arguments: Vec<String> = words
            .map(|word| match word {
                "tools.json" | "calls.json" => folder.join(word).display().to_string(),
                _ => word.to_owned(),
            })
            .collect();
        let outcome = gen_tools(&arguments);
        assert_eq!(outcome.code, Some(ALL), "{line}: {}", outcome.stderr);
        count += 1;
    }
    assert!(count >= 3, "only {count} commands were run");
}
