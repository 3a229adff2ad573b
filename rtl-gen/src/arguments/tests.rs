use super::*;
use clap::CommandFactory;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

/// Walks the definition and collects every command and option.
fn collect(command: &clap::Command, prefix: &str, names: &mut Vec<String>) {
    let name = format!("{prefix}{}", command.get_name());
    names.extend(command.get_arguments().filter_map(|option| Some(format!("--{}", option.get_long()?))));
    for inner in command.get_subcommands() {
        collect(inner, &format!("{name} "), names);
    }
    names.push(name);
}

#[test]
fn the_documentation_names_every_command_and_option() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/manual/command-line.md");
    let text = std::fs::read_to_string(path).expect("docs/manual/command-line.md");
    let mut names = Vec::new();
    collect(&Cli::command(), "", &mut names);
    assert!(names.len() > 15);
    for name in names {
        assert!(text.contains(&name), "docs/manual/command-line.md does not mention `{name}`");
    }
}
