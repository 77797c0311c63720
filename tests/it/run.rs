//! Runs the binary, and gives tests a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// Every operation became a tool.
pub(crate) const ALL: i32 = 0;
/// Some operations were left out; the list is still whole.
pub(crate) const SOME: i32 = 1;
/// Nothing could be done.
pub(crate) const NONE: i32 = 2;

/// What a run of the binary gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output, byte for byte.
    pub(crate) stdout: Vec<u8>,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Outcome {
    /// Standard output as JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the messages of the run.
    pub(crate) fn list(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.stdout)
            .map_err(|error| format!("standard output is no JSON: {error}; messages: {}", self.stderr))
    }
}

/// The root of the package.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the binary at the root of the package, so that relative paths in messages are the same
/// everywhere.
pub(crate) fn gen_tools<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_gen-tools"))
        .current_dir(root())
        .env("NO_COLOR", "1")
        .args(arguments)
        .output()
        .expect("the binary runs");
    Outcome {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An empty folder for the test of that name, below the target folder.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder can be emptied");
    }
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Writes a document and runs the binary on it.
pub(crate) fn convert(folder: &Path, file: &str, text: &str, options: &[&str]) -> Outcome {
    let path = folder.join(file);
    fs::write(&path, text).expect("the document can be written");
    gen_tools([path.to_str().expect("the path is UTF-8")].iter().chain(options))
}

/// The folder that an environment variable names, if it is set.
///
/// A name that leads to no folder stops the test: it would run nothing and seem to pass.
pub(crate) fn shared(variable: &str) -> Option<PathBuf> {
    let folder = root().join(std::env::var_os(variable)?);
    assert!(folder.is_dir(), "{variable} names {}, which is no folder", folder.display());
    Some(folder)
}

/// All files below `folder`, in the order of their names.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// How many operations the messages report as left out: the number before the last `left out`, as
/// in `2 operations left out` or `2 of 7 operations left out`; 0 without such a line.
pub(crate) fn left_out(stderr: &str) -> usize {
    last_number(stderr, r"(\d+)(?: of \d+)?(?: operations?)?(?: (?:was|were|is|are))? left out")
}

/// How many warnings the messages report: the number before the last `warnings`.
pub(crate) fn warnings(stderr: &str) -> usize {
    last_number(stderr, r"(\d+) warnings?\b")
}

/// How many operations the messages report as left out by choice.
pub(crate) fn not_selected(stderr: &str) -> usize {
    last_number(stderr, r"(\d+) not selected")
}

/// The number in the first group of the last match.
fn last_number(text: &str, pattern: &str) -> usize {
    let pattern = regress::Regex::new(pattern).expect("the pattern is valid");
    let last = pattern.find_iter(text).last();
    last.and_then(|found| text.get(found.group(1)?)?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        assert_eq!(left_out(""), 0);
        assert_eq!(left_out("note: the header is left out\n"), 0);
        assert_eq!(left_out("1 operation left out\n"), 1);
        assert_eq!(left_out("error: x\n12 of 30 operations were left out"), 12);
        assert_eq!(left_out("gen-tools: 28 tools, 2 left out\n"), 2);
        assert_eq!(left_out("12 tools, 1 operation left out, 3 warnings\n"), 1);
        assert_eq!(warnings("a.yaml:1:1: warning[x]: y\n12 tools, 1 operation left out, 3 warnings\n"), 3);
        assert_eq!(warnings("a.yaml:1:1: note[x]: y\n"), 0);
        assert_eq!(not_selected("12 tools, 1 operation left out, 0 warnings, 18 not selected\n"), 18);
        assert_eq!(not_selected("12 tools, 1 operation left out, 0 warnings\n"), 0);
        assert_eq!(left_out("3 operations left out\n4 operations left out\n"), 4);
    }

    #[test]
    fn output_that_is_no_json_is_an_error() {
        let outcome = |stdout: &[u8]| Outcome { code: Some(0), stdout: stdout.into(), stderr: String::new() };
        assert!(outcome(b"{}\n").list().is_ok());
        assert!(outcome(b"").list().is_err());
        assert!(outcome(b"{}\nwarning").list().is_err());
    }

    #[test]
    fn files_are_found_in_subfolders_in_order() {
        let folder = scratch("files-below");
        fs::create_dir(folder.join("b")).unwrap();
        for name in ["c", "b/a", "a"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let found = files_below(&folder);
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(&folder).unwrap()).collect();
        assert_eq!(names, [Path::new("a"), Path::new("b/a"), Path::new("c")]);
    }
}
