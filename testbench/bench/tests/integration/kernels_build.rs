use std::fs;
use std::os::unix::fs::PermissionsExt;

use kernels::{self, FLAGS, KernelError, Variant, march};
use weft_config::extension::{A, M, ZBA, ZBB};
use weft_config::{Config, Isa};

#[test]
fn builds_of_one_source_are_the_same_bytes() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kernel = kernels::find("gcd").unwrap();
    let elf = kernels::build(kernel, &first.path().join("deep/er")).unwrap();
    assert_eq!(elf, first.path().join("deep/er/gcd.elf"));
    let bytes = fs::read(&elf).unwrap();
    assert_eq!(&bytes[..4], b"\x7fELF");
    assert_eq!(bytes, fs::read(kernels::build(kernel, second.path()).unwrap()).unwrap());
    assert_eq!(elf.metadata().unwrap().permissions().mode() & 0o600, 0o600);
    assert_eq!(fs::read_dir(elf.parent().unwrap()).unwrap().count(), 1, "nothing else is left there");
}

#[test]
fn an_error_in_the_source_names_file_and_line() {
    let out = tempfile::tempdir().unwrap();
    let error = kernels::compile("wrong.c", "int main(void)\n{\n    return missing;\n}\n", out.path()).unwrap_err();
    assert!(matches!(error, KernelError::Compiler { .. }));
    let text = error.to_string();
    assert!(text.starts_with("wrong.c does not compile:\n"), "{text}");
    assert!(text.contains("wrong.c:3:12: error: 'missing' undeclared"), "{text}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn an_image_that_leaves_no_room_for_stacks_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let text = "char large[9 << 20];\nint main(void) { return large[0]; }\n";
    let error = kernels::compile("large.c", text, out.path()).unwrap_err().to_string();
    assert!(error.contains("region `ram' overflowed"), "{error}");
}

#[test]
fn an_unwritable_folder_is_named() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("file");
    fs::write(&file, "").unwrap();
    let error = kernels::build(kernels::find("gcd").unwrap(), &file).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: ", file.display())), "{error}");
}

#[test]
fn copies_that_the_compiler_inserts_find_their_functions() {
    let out = tempfile::tempdir().unwrap();
    let text = "struct s { int words[40]; };\n\
                struct s from, to;\n\
                int main(unsigned hart) { to = from; struct s zero = {0}; from = zero; return to.words[hart]; }\n";
    kernels::compile("copies.c", text, out.path()).unwrap();
}

#[test]
fn the_documented_command_has_the_flags_of_the_build() {
    for page in ["kernels.md", "first-steps.md"] {
        let document = fs::read_to_string(format!("{}/../../docs/manual/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let sources = kernels::RUNTIME.iter().map(|(name, _)| *name).filter(|name| !name.ends_with(".h"));
        let words = FLAGS.iter().copied().chain(["-march=rv32i"]).chain(sources.filter(|name| *name != "link.ld"));
        for word in words {
            let word = word.replace("link.ld", "testbench/runtime/link.ld");
            assert!(document.contains(&word), "docs/manual/{page} lacks {word}");
        }
    }
}

#[test]
fn the_documentation_has_a_row_for_every_kernel_and_what_it_needs() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/manual/kernels.md")).unwrap();
    for kernel in kernels::list() {
        let stack = kernel.stack_bytes.map(|bytes| format!("{bytes} bytes of stack"));
        let needs = kernel.isa.extensions().map(|extension| extension.name.to_string()).chain(stack);
        let needs = needs.collect::<Vec<_>>().join(", ");
        let row = format!("| `{}` | {needs}{}| ", kernel.name, if needs.is_empty() { "" } else { " " });
        assert!(document.lines().any(|line| line.starts_with(&row)), "docs/manual/kernels.md lacks {row}");
    }
}

#[test]
fn the_documentation_names_every_kernel_of_grids_and_of_the_papers() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/manual/kernels.md")).unwrap();
    for kernel in kernels::grids().iter().chain(kernels::papers()) {
        let needs: String = kernel.isa.extensions().map(|extension| format!(" ({})", extension.name)).collect();
        let entry = format!("`{}`{needs}", kernel.name);
        assert!(document.contains(&entry), "docs/manual/kernels.md lacks {entry}");
    }
}

/// They run for long: here they only have to compile. Each has its macros in its source.
#[test]
fn kernels_of_grids_have_large_sizes_and_shared_memory_in_a_scratchpad() {
    let out = tempfile::tempdir().unwrap();
    let variant = Variant { large: true, scratchpad_bytes: 65_536, base: 0 };
    for kernel in kernels::grids() {
        let elf = kernels::build_as(kernel, variant, out.path()).unwrap();
        let config = Config::default();
        let program = sim::Program::load("large", &fs::read(elf).unwrap(), &config).unwrap();
        assert_eq!(program.symbol("__scratchpad_bytes"), Some(65_536), "{}", kernel.name);
        let names = kernel.grid.unwrap().split(' ').map(|size| size.split_once('=').unwrap().0);
        for name in names {
            assert!(kernel.source.contains(&format!("#ifndef {name}\n")), "{} has no {name}", kernel.name);
        }
    }
}

fn instructions(elf: &std::path::Path) -> Vec<u32> {
    let config = weft_config::Config::default();
    let program = sim::Program::load("program", &fs::read(elf).unwrap(), &config).unwrap();
    let words = |bytes: &[u8]| bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    program.segments.first().map_or_else(Vec::new, |text| words(&text.bytes))
}

/// For this set the compiler would select its 64-bit library.
#[test]
fn address_generation_and_bit_manipulation_come_with_a_library_for_32_bits() {
    let out = tempfile::tempdir().unwrap();
    let text = "long long product;\n\
                int values[64];\n\
                int main(unsigned hart)\n\
                {\n\
                    int most = (int)product;\n\
                    values[hart & 63] = (int)hart < most ? (int)hart : most;\n\
                    product = product / (long long)(hart + 1) * 3;\n\
                    return values[hart & 63] > most;\n\
                }\n";
    let isa = Isa::BASE.with(&M).with(&ZBA).with(&ZBB);
    assert_eq!(march(isa), "-march=rv32im_zba_zbb");
    let elf = kernels::compile_for(isa, "bits.c", text, out.path()).unwrap();
    let has = |name: &str| {
        let is = |word: u32| sim::decode::decode(word).is_some_and(|found| found.to_string().starts_with(name));
        instructions(&elf).into_iter().any(is)
    };
    assert!(has("sh2add ") && has("min"), "the compiler uses neither");
    let config = Config { isa, ..Config::default() };
    let program = sim::Program::load("bits", &fs::read(&elf).unwrap(), &config).unwrap();
    let finished = sim::run(&config, &program, 1_000_000, &mut |_| {}).unwrap();
    assert_eq!(finished.outcome, sim::Outcome::Exited);
}

#[test]
fn each_extension_brings_its_instructions_and_its_library() {
    let out = tempfile::tempdir().unwrap();
    let text = "#include <stdatomic.h>\n\
                atomic_uint sum;\n\
                long long product;\n\
                int main(unsigned hart)\n\
                {\n\
                    product = product / (long long)hart * 3;\n\
                    return ATOMIC;\n\
                }\n";
    for (m, a) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut isa = Isa::BASE;
        isa.set(&M, m);
        isa.set(&A, a);
        let file = format!("{}.c", march(isa).replace("-march=", ""));
        let atomic = if a { "atomic_fetch_add(&sum, 1)" } else { "0" };
        let elf = kernels::compile_for(isa, &file, &text.replace("ATOMIC", atomic), out.path()).unwrap();
        let words = instructions(&elf);
        let multiplies = words.iter().any(|word| word & 0xfe00_407f == 0x0200_0033);
        let divides = words.iter().any(|word| word & 0xfe00_407f == 0x0200_4033);
        assert_eq!((multiplies, divides), (m, m), "{file}");
        assert_eq!(words.iter().any(|word| word & 0x7f == 0x2f), a, "{file}");
    }
}
