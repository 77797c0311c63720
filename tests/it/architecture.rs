//! The shape of the code: which module may use which, what no module does, how long a file may be.

use std::fs;

use crate::run::{files_below, root};

/// The modules, each allowed to use only what stands behind it.
const ORDER: &[&str] = &[
    "main",
    "difference",
    "check",
    "list",
    "outputs",
    "report",
    "cli",
    "lib",
    "output",
    "tool",
    "openapi",
    "schema",
    "input",
    "diagnostic",
];
/// The modules that may use `options`, which itself may use only `diagnostic`.
const USE_OPTIONS: &[&str] = &["main", "report", "cli", "lib", "tool", "openapi", "schema"];
/// The modules of the binary: they see the library from outside.
const BINARY: &[&str] = &["main", "difference", "check", "list", "outputs", "report", "cli"];
/// The most lines that a file may have.
const MAX_LINES: usize = 450;

/// The faults of one file; `path` is relative to `src`, with slashes.
///
/// A file `tests.rs` is a module of tests: it may be as long as others, and do what tests do.
fn file_faults(path: &str, text: &str) -> Vec<String> {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    let code = if is_test { String::new() } else { without_tests(&without_texts(text)) };
    let mut faults = import_faults(path, &code);
    faults.extend(word_faults(path, &code));
    let lines = text.lines().count();
    if lines > MAX_LINES {
        faults.push(format!("{lines} lines, more than {MAX_LINES}"));
    }
    faults.into_iter().map(|fault| format!("src/{path}: {fault}")).collect()
}

/// The top-level module of a file.
fn module(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// Uses of modules that this one may not use.
fn import_faults(path: &str, code: &str) -> Vec<String> {
    let from = module(path);
    let mut faults = Vec::new();
    for used in uses(path, code) {
        let to = used.as_str();
        if to != from && !may_use(from, to) {
            faults.push(format!("`{from}` may not use `{to}`"));
        }
    }
    faults
}

/// May a module use another?
fn may_use(from: &str, to: &str) -> bool {
    if to == "options" {
        return USE_OPTIONS.contains(&from);
    }
    if from == "options" {
        return to == "diagnostic";
    }
    // Beside each other, though one stands first.
    if ["check", "list", "outputs", "report"].contains(&from)
        && ["list", "outputs", "report", "cli"].contains(&to)
    {
        return false;
    }
    let place = |module: &str| ORDER.iter().position(|known| *known == module);
    matches!((place(from), place(to)), (Some(from), Some(to)) if from < to)
}

/// The top-level modules that a file names in paths; what is no module is the root's, `lib`.
fn uses(path: &str, code: &str) -> Vec<String> {
    let from = module(path);
    let depth = path.matches('/').count() + usize::from(!path.ends_with("mod.rs") && path.contains('/'));
    let root = if BINARY.contains(&from) { "main" } else { "lib" };
    let known = |name: &str| ORDER.contains(&name) || name == "options";
    let mut found = Vec::new();
    for (start, base) in [("crate::", root), ("gen_tools::", "lib")] {
        for names in paths_after(code, start) {
            found.extend(names.into_iter().map(|name| if known(&name) { name } else { base.to_owned() }));
        }
    }
    // `super::` as often as the file is deep leads to the root, once if it is not deep at all.
    let supers = "super::".repeat(depth.max(1));
    if path != "lib.rs" && path != "main.rs" {
        for names in paths_after(code, &supers) {
            found.extend(names.into_iter().map(|name| if known(&name) { name } else { root.to_owned() }));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The first names behind every `start`: one, or those of a group in braces.
fn paths_after(code: &str, start: &str) -> Vec<Vec<String>> {
    let starts = code.match_indices(start).filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    });
    starts.map(|(at, _)| first_names(&code[at + start.len()..])).collect()
}

/// The first name of a path, or of each path of a group.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let mut names = Vec::new();
    let mut depth = 0;
    let mut member = String::new();
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(std::mem::take(&mut member)),
            _ => {}
        }
        if !(c == ',' && depth == 0) {
            member.push(c);
        }
    }
    names.push(member);
    names.iter().map(|member| name(member.trim())).filter(|name| !name.is_empty()).collect()
}

/// What no code of the product does: it neither panics nor prints, and has no `unsafe`.
fn word_faults(path: &str, code: &str) -> Vec<String> {
    let mut words = vec![
        r"\.unwrap\(\)",
        r"\.unwrap_err\(\)",
        r"\.expect\(",
        r"\bpanic!",
        r"\btodo!",
        r"\bunimplemented!",
        r"\bunsafe\b",
        r"\bdbg!",
    ];
    if !["main.rs", "report.rs"].contains(&path) {
        words.extend([r"\be?print(ln)?!"]);
    }
    let found = |word: &&str| regress::Regex::new(word).is_ok_and(|regex| regex.find(code).is_some());
    words.into_iter().filter(found).map(|word| format!("has `{}`", word.replace('\\', ""))).collect()
}

/// The code without comments and without what stands in quotes; lines stay.
fn without_texts(text: &str) -> String {
    let token = regress::Regex::with_flags(
        r###"//[^\n]*|/\*[\s\S]*?\*/|b?r##"[\s\S]*?"##|b?r#"[\s\S]*?"#|b?r"[^"]*"|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[^\n]{1,8}?|[^'\\\n])'"###,
        "",
    )
    .expect("the pattern is valid");
    let blank = |found: &regress::Match| "\n".repeat(text[found.range()].matches('\n').count());
    token.replace_all_with(text, blank)
}

/// The code without items under `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    let mut rest = code;
    let mut kept = String::new();
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[item_length(rest)..];
    }
    kept + rest
}

/// The length of the item that `code` begins with: to its semicolon, or to the end of its braces.
fn item_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn the_code_has_its_shape() {
    let source = root().join("src");
    let mut faults = Vec::new();
    for file in files_below(&source) {
        let path = file.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        if file.extension().is_some_and(|extension| extension == "rs") {
            faults.extend(file_faults(&path, &fs::read_to_string(&file).unwrap()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_from_left_to_right_are_right() {
        for (path, code) in [
            (
                "main.rs",
                "use gen_tools::{Options, generate}; mod cli; use crate::report::show; fn f() { cli::g() }",
            ),
            ("cli.rs", "use gen_tools::options::Options;"),
            ("report.rs", "use gen_tools::diagnostic::Span; println!(); fn f() { eprintln!() }"),
            ("lib.rs", "pub use crate::output::write; use crate::{input::Input, options::Options};"),
            ("tool/mod.rs", "use crate::{openapi::{self, Operation}, schema::Schema, options::Options};"),
            ("tool/name.rs", "use super::Tool; use crate::tool::describe; use super::super::openapi;"),
            ("schema/rules/a.rs", "use super::super::Site; use super::super::super::input::Node;"),
            ("schema/mod.rs", "fn f() { crate::input::pointer() }"),
            ("input/tree.rs", "use crate::diagnostic::Span;"),
            ("options.rs", "use crate::diagnostic::Code;"),
            (
                "input/json.rs",
                "// crate::tool\nfn f() { \"crate::tool .unwrap() \\\"\"; r#\"panic!\"#; '\"'; b'\"' }",
            ),
            (
                "input/a.rs",
                "/// Use `x.unwrap()`, println!().\nfn f() { x.unwrap_or(1); #[expect(unused)] y.expecting(2); }",
            ),
            ("input/tests.rs", "use crate::tool; fn f() { x.unwrap() }"),
            ("input/yaml/tests/a.rs", "fn f() { x.expect(\"a\") }"),
            ("input/b.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use crate::tool; fn g() { x.unwrap() } }\n"),
            ("input/c.rs", "#[cfg(test)]\nuse crate::tool;\nfn f<'a>(x: &'a str) -> char { 'a' }"),
        ] {
            assert_eq!(file_faults(path, code), Vec::<String>::new(), "{path}: {code}");
        }
    }

    #[test]
    fn uses_from_right_to_left_are_faults() {
        for (path, code) in [
            ("schema/mod.rs", "use crate::openapi::Operation;"),
            ("schema/mod.rs", "use super::tool;"),
            ("schema/convert.rs", "use super::super::tool;"),
            ("schema/rules/a.rs", "use super::super::super::tool;"),
            ("schema/mod.rs", "use crate::{input::Node, tool::{self, Tool}};"),
            ("schema/mod.rs", "use crate::Input;"),
            ("schema/mod.rs", "fn f() { crate::generate() }"),
            ("diagnostic.rs", "use crate::input::Node;"),
            ("diagnostic.rs", "use super::input;"),
            ("input/mod.rs", "use crate::options::Options;"),
            ("output/mod.rs", "use crate::options::Options;"),
            ("output/mod.rs", "use crate::generate;"),
            ("options.rs", "use crate::input::Input;"),
            ("options.rs", "use crate::schema;"),
            ("lib.rs", "use crate::cli;"),
            ("cli.rs", "use crate::report;"),
            ("report.rs", "use crate::cli;"),
            ("outputs.rs", "use crate::report;"),
            ("cli.rs", "use crate::run;"),
            ("tool/mod.rs", "use crate::unknown::Thing;"),
            ("input/a.rs", "let a = '\"'; use crate::tool; let b = '\"';"),
        ] {
            let found = file_faults(path, code);
            assert!(found.len() == 1 && found[0].contains("may not use"), "{path}: {code}: {found:?}");
        }
    }

    #[test]
    fn forbidden_words_are_faults() {
        for code in [
            "x.unwrap()",
            "x\n.unwrap();",
            "x.unwrap_err()",
            "x.expect(\"why\")",
            "panic!(\"a\")",
            "todo!()",
            "unimplemented!()",
            "unsafe { x }",
            "dbg!(x)",
            "print!(\"a\")",
            "println!()",
            "eprint!(\"a\")",
            "eprintln!()",
            "#[cfg(test)] mod tests { fn f() { {} } } fn g() { x.unwrap() }",
        ] {
            assert_eq!(file_faults("schema/a.rs", code).len(), 1, "{code}");
        }
        assert_eq!(file_faults("main.rs", "println!(); x.unwrap()").len(), 1);
    }

    #[test]
    fn long_files_are_a_fault() {
        assert!(file_faults("lib.rs", &"\n".repeat(MAX_LINES)).is_empty());
        assert_eq!(file_faults("lib.rs", &"\n".repeat(MAX_LINES + 1)).len(), 1);
        assert_eq!(file_faults("input/tests.rs", &"\n".repeat(MAX_LINES + 1)).len(), 1);
    }
}
