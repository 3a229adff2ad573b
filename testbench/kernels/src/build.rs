//! From C to ELF: one call of the cross compiler, its result cached by content.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use weft_config::{Isa, extension};

use super::{BASE, Kernel, KernelError};
use tools::Tool;
use tools::cache::{Cache, Key};

/// The compiler's options, besides `-march` (see [`march`]). `-fno-thread-jumps` and `-fno-reorder-blocks` keep a barrier or a call that
/// is written once from being copied into several branches, and the blocks in the order of the source,
/// in which threads that part meet again soonest.
pub const FLAGS: &[&str] = &[
    MACHINE[0],
    MACHINE[1],
    "-O2",
    "-fno-thread-jumps",
    "-fno-reorder-blocks",
    "-ffreestanding",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-static",
    "-nostdlib",
    "-Wl,--gc-sections",
    "-Wl,-Tlink.ld",
];

/// The options that name the instructions and the calling convention. A `_zicsr` in `-march` would
/// select a library for 64 bits.
const MACHINE: [&str; 2] = ["-misa-spec=2.2", "-mabi=ilp32"];

/// The runtime: file names and texts.
pub const RUNTIME: &[(&str, &str)] = &[
    ("crt0.S", include_str!("../../runtime/crt0.S")),
    ("string.c", include_str!("../../runtime/string.c")),
    ("weft.h", include_str!("../../runtime/weft.h")),
    ("link.ld", include_str!("../../runtime/link.ld")),
];

/// The option that allows the compiler the instructions of `isa`.
pub fn march(isa: Isa) -> String {
    format!("-march={}", isa.march())
}

/// Builds a bundled kernel: `<out>/<name>.elf`, complete or not at all. `out` is created if need be.
pub fn build(kernel: &Kernel, out: &Path) -> Result<PathBuf, KernelError> {
    compile_for(kernel.isa, &format!("{}.c", kernel.name), kernel.source, out)
}

/// [`compile_for`] the base instructions alone.
pub fn compile(file: &str, text: &str, out: &Path) -> Result<PathBuf, KernelError> {
    compile_for(BASE, file, text, out)
}

/// Builds a C program with the runtime: `<out>/<stem of file>.elf`, complete or not at all. The file
/// name is for messages; `text` is what is compiled.
pub fn compile_for(isa: Isa, file: &str, text: &str, out: &Path) -> Result<PathBuf, KernelError> {
    let compiler = tools::find(Tool::RiscvGcc)?;
    let version = tools::version(Tool::RiscvGcc, &compiler)?;
    let march = march(isa);
    let inputs = RUNTIME.iter().flat_map(|(name, text)| [*name, *text]);
    let key = Key::of([version.as_str(), file, text, &march].into_iter().chain(FLAGS.iter().copied()).chain(inputs));
    let entry =
        Cache::of_user().entry("kernels", &key, |folder| run(&compiler, isa, file, text, &folder.join("elf")))?;

    let name = Path::new(file).with_extension("elf");
    let elf = out.join(name.file_name().unwrap_or(OsStr::new("kernel.elf")));
    place(&entry.join("elf"), &elf)?;
    Ok(elf)
}

/// Compiles and links in a folder of its own, so that messages name bare files.
fn run(compiler: &Path, isa: Isa, file: &str, text: &str, elf: &Path) -> Result<(), KernelError> {
    let library = library(compiler, isa)?;
    let sources = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
    for (name, text) in RUNTIME.iter().copied().chain([(file, text)]) {
        let path = sources.path().join(name);
        fs::write(&path, text).map_err(at(&path))?;
    }
    let output = Command::new(compiler)
        .current_dir(sources.path())
        .env("LC_ALL", "C")
        .arg(march(isa))
        .args(FLAGS)
        .args(["crt0.S", "string.c", file, &library, "-o"])
        .arg(elf)
        .output()
        .map_err(at(compiler))?;
    if output.status.success() {
        return Ok(());
    }
    let mut message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    if message.is_empty() {
        message = format!("{}: {}", compiler.display(), output.status);
    }
    Err(KernelError::Compiler { file: file.into(), message })
}

/// The compiler's library (division, floating point). The compiler has it for M alone and for A alone; for other sets it
/// finds one that multiplies without M, or one for 64 bits. That of M alone is as good.
fn library(compiler: &Path, isa: Isa) -> Result<String, KernelError> {
    let of_library = [&extension::M, &extension::A].into_iter().find(|extension| isa.has(extension));
    let of_library = of_library.map_or(Isa::BASE, |extension| Isa::BASE.with(extension));
    let output = Command::new(compiler)
        .arg(march(of_library))
        .args(MACHINE)
        .arg("-print-libgcc-file-name")
        .output()
        .map_err(at(compiler))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// Copies by way of a temporary file beside the target.
fn place(from: &Path, to: &Path) -> Result<(), KernelError> {
    use std::os::unix::fs::PermissionsExt;
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(at(folder))?;
    let temporary = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(at(folder))?;
    let bytes = fs::read(from).map_err(at(from))?;
    fs::write(temporary.path(), bytes).map_err(at(temporary.path()))?;
    temporary.persist(to).map_err(|error| KernelError::Write { path: to.into(), source: error.error })?;
    Ok(())
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> KernelError {
    move |source| KernelError::Write { path: path.into(), source }
}
