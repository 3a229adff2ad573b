//! The style of the emitted Verilog, for every module of ten configurations.

use std::collections::{HashMap, HashSet};

use weft_config::extension::{A, M};
use weft_config::{Config, MemoryKind, Window};

/// Most columns of a line.
const COLUMNS: usize = 110;
/// Most lines of the default core without trace port.
const LINES: usize = 5000;
/// Most assignments of one name to another in a core.
const ALIASES: usize = 60;
/// Fewest characters of an expression that must not be printed twice in a module.
const LONG: usize = 100;

/// Words whose bits are selected by number: instructions, with their immediates, and the counter of the start.
const BY_NUMBER: [&str; 3] = ["instruction_s4", "word_s2", "row"];

fn configured(unit: &str, threads: u32, kind: MemoryKind, trace: bool) -> Config {
    let mut config = Config { threads, ..Config::default() };
    config.divergence.unit = unit.into();
    config.memory.kind = kind;
    config.trace.port = trace;
    config
}

/// Thirteen cores: every unit and memory kind, narrow and wide, with and without trace port,
/// control port, extensions and windows.
fn cores() -> Vec<(String, String)> {
    use MemoryKind::{Axi4, Bram, Model};
    let without = |mut config: Config| {
        config.isa.set(&M, false);
        config.isa.set(&A, false);
        config
    };
    let controlled = |mut config: Config| {
        config.control.port = true;
        config
    };
    let with_windows = |mut config: Config| {
        config.memory.windows = [0xf000_0000, 0x3000_0000].map(|base| Window { base, bytes: 4096 }).to_vec();
        config
    };
    let configs = [
        configured("sorted-table", 8, Model, false),
        configured("sorted-table", 32, Model, true),
        configured("arbiter", 4, Bram, false),
        configured("arbiter", 16, Model, true),
        without(configured("pdom-stack", 8, Axi4, false)),
        configured("pdom-stack", 2, Bram, true),
        configured("dual-path", 4, Axi4, true),
        without(configured("dual-path", 1, Model, false)),
        configured("minority-first", 8, Model, false),
        configured("multi-path", 8, Model, false),
        controlled(configured("pdom-stack", 4, Axi4, false)),
        controlled(configured("arbiter", 1, Model, true)),
        with_windows(configured("sorted-table", 4, Axi4, true)),
    ];
    let text = |config: Config| {
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        (format!("{} of {} threads", config.divergence.unit, config.threads), core.all_in_one())
    };
    configs.into_iter().map(text).collect()
}

/// The modules of a text, each from `module` to `endmodule`, with the line above it.
fn modules(text: &str) -> Vec<(&str, &str)> {
    let starts = text.match_indices("\nmodule ").map(|(at, _)| at);
    let module = |at: usize| {
        let end = at + text[at..].find("\nendmodule").expect("its end");
        (text[..at].rsplit('\n').next().unwrap_or_default(), &text[at + 1..end])
    };
    starts.map(module).collect()
}

/// The code without comments, and with one space for any white space.
fn squeezed(module: &str) -> String {
    let code = module.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The expressions in brackets that occur more than once.
fn repeated(module: &str) -> Vec<String> {
    let code = squeezed(module);
    let (mut open, mut seen, mut twice) = (Vec::new(), HashSet::new(), Vec::new());
    for (at, letter) in code.char_indices() {
        match letter {
            '(' | '{' | '[' => open.push(at),
            ')' | '}' | ']' => {
                let Some(start) = open.pop() else { continue };
                let expression = &code[start..=at];
                let is_expression = expression.len() >= LONG && !expression.contains([';', '.']);
                if is_expression && !seen.insert(expression) {
                    twice.push(expression.to_owned());
                }
            }
            _ => {}
        }
    }
    twice
}

#[test]
fn every_line_is_as_a_reviewer_wants_it() {
    for (core, text) in cores() {
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let at = || format!("{core}, line {}: {line}", number + 1);
            assert!(line.chars().count() <= COLUMNS, "over {COLUMNS} columns: {}", at());
            assert!(line.trim_end() == line && !line.contains('\t'), "white space: {}", at());
            assert!(!(line.is_empty() && before.is_empty()), "two blank lines: {}", at());
            assert!(!line.contains("if (1'b1)") && !line.contains("if (1'b0)"), "a constant condition: {}", at());
            before = line;
        }
    }
}

#[test]
fn every_module_is_introduced_and_says_things_once() {
    let mut twice = Vec::new();
    for (core, text) in cores() {
        for (above, module) in modules(&text) {
            let name = module.split_whitespace().nth(1).expect("its name");
            assert!(above.starts_with("// "), "{core}: no comment above `{name}`");
            twice.extend(repeated(module).into_iter().map(|expression| format!("{core}, {name}: {expression}")));
        }
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

/// What a module names only to say that nothing reads it.
fn unread(code: &str) -> Vec<&str> {
    let list = code.split_once("wire unused = &{").map_or("", |(_, rest)| rest.split('}').next().unwrap_or_default());
    list.split(',').map(str::trim).collect()
}

/// A port is read if any instance of its module has it connected to a net that something reads. A core of one thread
/// may have more: its paths never take turns.
#[test]
fn no_module_has_an_output_that_nothing_reads() {
    for (core, text) in cores().into_iter().filter(|(core, _)| !core.ends_with(" 1 threads")) {
        let mut is_read = HashMap::new();
        for (_, module) in modules(&text) {
            let code = squeezed(module);
            let unread = unread(&code);
            for statement in code.split(';').filter(|statement| statement.contains(" .")) {
                let Some(instance) = statement.split(' ').find(|word| word.starts_with("weft_")) else { continue };
                for connection in statement.split(" .").skip(1) {
                    let Some((port, net)) = connection.split_once(" (") else { continue };
                    let net = net.trim_end_matches([')', ',', ' ']);
                    *is_read.entry((instance.to_owned(), port.to_owned())).or_default() |=
                        !net.is_empty() && !unread.contains(&net);
                }
            }
        }
        assert!(is_read.len() > 100, "{core}: {} ports", is_read.len());
        let dead: Vec<_> = is_read.into_iter().filter(|(_, is_read): &(_, bool)| !is_read).collect();
        assert!(dead.is_empty(), "{core}: nothing reads {dead:#?}");
    }
}

/// The modules that users connect keep the ports that nothing reads, because the documentation names them.
#[test]
fn no_module_has_an_input_that_nothing_reads() {
    for (core, text) in cores() {
        for (_, module) in modules(&text) {
            let name = module.split_whitespace().nth(1).expect("its name");
            if ["weft_core", "weft_pipeline", "weft_bram", "weft_axi4", "weft_control"].contains(&name) {
                continue;
            }
            let code = squeezed(module);
            let unread = unread(&code);
            let inputs = module.lines().filter_map(|line| line.trim().strip_prefix("input  wire "));
            let inputs: HashSet<&str> =
                inputs.map(|port| port.trim_end_matches(',').rsplit(' ').next().unwrap_or_default()).collect();
            for part in unread {
                assert!(!inputs.contains(part), "{core}: nothing in `{name}` reads its input `{part}`");
            }
        }
    }
}

#[test]
fn a_core_has_few_names_for_one_signal() {
    for (core, text) in cores() {
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let alias = |line: &&str| {
            let assigned = line.trim().strip_prefix("assign ").and_then(|line| line.strip_suffix(';'));
            assigned.and_then(|line| line.split_once(" = ")).is_some_and(|(a, b)| is_name(a) && is_name(b))
        };
        let aliases: Vec<&str> = text.lines().filter(alias).collect();
        assert!(aliases.len() <= ALIASES, "{core}: {} aliases: {aliases:#?}", aliases.len());
    }
}

/// The words from which a statement selects bits by number, not by the number of a lane.
fn cut_words(statement: &str) -> impl Iterator<Item = &str> {
    statement.match_indices('[').filter_map(|(at, _)| {
        let numbers = statement[at + 1..].split(']').next()?;
        let word = statement[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        let is_number = numbers.chars().all(|c| c.is_ascii_digit() || c == ':');
        Some(word).filter(|word| is_number && !word.is_empty())
    })
}

/// The word from which a statement names a slice, if the statement does nothing else.
fn named_part(statement: &str) -> Option<&str> {
    let (_, value) = statement.split_once(" = ")?;
    let is_part = value.ends_with(']')
        && value.matches('[').count() == 1
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "_[:]".contains(c));
    cut_words(value).next().filter(|_| is_part)
}

/// The target of a statement that reads a word of one of these memories.
fn of_memory<'a>(statement: &'a str, memories: &[&str]) -> Option<&'a str> {
    let (target, value) = statement.split_once(" <= ").or_else(|| statement.split_once(" = "))?;
    memories.contains(&value.split_once('[')?.0).then(|| target.rsplit(' ').next().unwrap_or(target))
}

/// The words of a module whose fields have no names. A word from a memory, and a register or an input with several
/// named slices, may be sliced only where a slice gets its name.
fn words_without_fields(module: &str) -> Vec<String> {
    let code = squeezed(module);
    let last = |statement: &'_ str| statement.rsplit(" begin ").next().unwrap_or_default().trim().to_owned();
    let statements: Vec<String> = code.split(';').map(last).collect();
    let memory =
        |s: &'_ str| s.ends_with(']').then(|| s.split_once(" [0:")?.0.rsplit(' ').next()).flatten().map(str::to_owned);
    let memories: Vec<String> = statements.iter().filter_map(|s| memory(s)).collect();
    let memories: Vec<&str> = memories.iter().map(String::as_str).collect();
    let declared = module
        .lines()
        .map(str::trim)
        .filter(|line| ["reg ", "input ", "output reg "].iter().any(|kind| line.starts_with(kind)));
    let held: HashSet<&str> = declared.flat_map(|line| line.split([' ', ',', ';'])).collect();
    let parts: Vec<&str> = statements.iter().filter_map(|s| named_part(s)).filter(|word| held.contains(word)).collect();
    let several = parts.iter().copied().filter(|word| parts.iter().filter(|other| *other == word).count() > 1);
    let words: HashSet<&str> = statements.iter().filter_map(|s| of_memory(s, &memories)).chain(several).collect();
    let others = statements.iter().filter(|s| named_part(s).is_none() && !s.contains("wire unused = "));
    let cut = others.flat_map(|s| cut_words(s)).filter(|word| words.contains(word) && !BY_NUMBER.contains(word));
    cut.map(str::to_owned).collect()
}

#[test]
fn fields_of_words_have_names() {
    let mut found = Vec::new();
    for (core, text) in cores() {
        for (_, module) in modules(&text) {
            let name = module.split_whitespace().nth(1).expect("its name");
            found.extend(words_without_fields(module).into_iter().map(|word| format!("{core}, {name}: {word}")));
        }
    }
    assert!(found.is_empty(), "{} bits of words are taken by number: {found:#?}", found.len());
}

#[test]
fn the_length_hardly_depends_on_the_number_of_threads() {
    let lines = |threads: u32| {
        let config = configured("sorted-table", threads, MemoryKind::Model, false);
        cores::elaborate(&config, 0x8000_0000).unwrap().all_in_one().lines().count()
    };
    let (default, wide) = (lines(8), lines(32));
    assert!(default <= LINES, "{default} lines");
    assert!(10 * wide <= 11 * default, "{default} lines with 8 threads, {wide} with 32");
}
