//! The sources of the crate: a function that elaborates hardware fits on two screens.

use std::fs;
use std::path::{Path, PathBuf};

/// Most lines of a function, with signature and closing brace.
const LONGEST: usize = 120;

/// The functions of a source that rustfmt has formatted, as name and number of lines. A function ends with the first
/// closing brace that is indented like its `fn`, or has no body.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let ends = |first: &str, line: &str| {
        let closes = indent(line) == indent(first) && (line.trim_start() == "}" || line.ends_with(';'));
        closes || (line == first && line.ends_with('}'))
    };
    let function = |(at, first): (usize, &&str)| {
        let words: Vec<&str> = first.split_whitespace().collect();
        let place = words.iter().position(|word| *word == "fn")?;
        let qualifiers = ["pub", "pub(crate)", "pub(super)", "const", "unsafe"];
        let is_item = words[..place].iter().all(|word| qualifiers.contains(word));
        let name: String = words.get(place + 1)?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let more = lines[at..].iter().position(|line| ends(first, line))?;
        is_item.then_some((name, more + 1))
    };
    lines.iter().enumerate().filter_map(function).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.flat_map(|at| if at.is_dir() { sources(&at) } else { vec![at] }).collect();
    files.sort();
    files
}

#[test]
fn functions_are_measured_from_their_signature_to_their_closing_brace() {
    let text = "\
trait T {
    fn without_body(&self);
    fn over_lines(
        &self,
    ) -> u32;
}
pub fn one_line() {}
impl T for U {
    pub(crate) fn four_lines(&self) {
        if x {
        }
    }
}
// fn in_a_comment() {
let call = |f: fn() -> u32| {
};
";
    let expected = [("without_body", 1), ("over_lines", 3), ("one_line", 1), ("four_lines", 4)];
    assert_eq!(functions(text), expected.map(|(name, lines)| (name.to_owned(), lines)));
}

#[test]
fn no_function_is_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let too_long = |file: PathBuf| {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let long = functions(&fs::read_to_string(&file).unwrap()).into_iter().filter(|(_, lines)| *lines > LONGEST);
        long.map(|(function, _)| format!("{name}: {function}")).collect::<Vec<_>>()
    };
    let mut found: Vec<String> = sources(&root).into_iter().flat_map(too_long).collect();
    found.sort();
    assert!(found.is_empty(), "functions of more than {LONGEST} lines: {found:#?}");
}
