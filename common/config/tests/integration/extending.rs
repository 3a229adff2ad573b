//! `docs/design/extending.md` lists the files for a new extension or unit: those that name an existing one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const SOURCES: [&str; 4] = ["common/config/src", "common/trace/src", "cores/src", "sim/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files of a table in a section of the document, for a name.
fn documented(heading: &str, name: &str) -> BTreeSet<String> {
    let document = fs::read_to_string(root().join("docs/design/extending.md")).unwrap();
    let (_, section) = document.split_once(&format!("# {heading}\n")).unwrap();
    let (_, table) = section.split_once("| file | what |\n|---|---|\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with("| `"));
    let file = |row: &str| row.split('`').nth(1).unwrap().replace("NAME", name);
    // A module that has grown is a folder.
    let there = |file: String| if root().join(&file).exists() { file } else { file.replace(".rs", "/mod.rs") };
    rows.map(|row| there(file(row))).collect()
}

/// Returns the files whose code contains one of these words, outside comments and unit tests.
fn files_with(words: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines();
                let mut code = code.filter(|line| !line.trim_start().starts_with("//"));
                if code.any(|line| words.iter().any(|word| line.contains(word))) {
                    found.insert(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
    }
    found
}

#[test]
fn an_extension_is_in_the_files_of_the_document() {
    let files = documented("How to add an instruction", "zicond");
    assert_eq!(files.len(), 3);
    assert_eq!(files_with(&["zicond", "ZICOND", "Zicond", "czero"]), files);
}

#[test]
fn a_unit_with_a_key_and_a_delay_is_in_the_files_of_the_document() {
    let files = documented("How to add a divergence unit", "arbiter");
    assert_eq!(files.len(), 5);
    assert_eq!(files_with(&["ARBITER", "Arbiter", "mod arbiter;", "pipeline_stages"]), files);
}
