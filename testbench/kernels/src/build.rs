//! Compiles C to ELF: one call of the cross compiler, its result cached by content.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use weft_config::{Isa, extension};

use super::{BASE, Kernel, KernelError, Variant};
use tools::Tool;
use tools::cache::{Cache, Key};

/// The compiler's options, without `-march` (see [`march`]).
/// `-fno-thread-jumps` and `-fno-split-paths` keep the compiler from copying a barrier or a call into several branches.
/// `-fno-reorder-blocks` keeps the blocks in source order, in which threads that diverge reconverge soonest.
pub const FLAGS: &[&str] = &[
    MACHINE[0],
    MACHINE[1],
    "-O2",
    "-g",
    "-fno-thread-jumps",
    "-fno-split-paths",
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

/// The options for the instruction set and the calling convention. A `_zicsr` in `-march` would select a 64-bit
/// library.
const MACHINE: [&str; 2] = ["-misa-spec=2.2", "-mabi=ilp32"];

pub const RUNTIME: &[(&str, &str)] = &[
    ("crt0.S", include_str!("../../runtime/crt0.S")),
    ("string.c", include_str!("../../runtime/string.c")),
    ("guard.c", include_str!("../../runtime/guard.c")),
    ("grid.c", include_str!("../../runtime/grid.c")),
    ("weft.h", include_str!("../../runtime/weft.h")),
    ("weft_grid.h", include_str!("../../runtime/weft_grid.h")),
    ("link.ld", include_str!("../../runtime/link.ld")),
];

pub fn march(isa: Isa) -> String {
    format!("-march={}", isa.march())
}

/// Builds a bundled kernel: `<out>/<name>.elf`, complete or not at all. Creates `out` if needed.
pub fn build(kernel: &Kernel, out: &Path) -> Result<PathBuf, KernelError> {
    build_as(kernel, Variant::default(), out)
}

pub fn build_as(kernel: &Kernel, variant: Variant, out: &Path) -> Result<PathBuf, KernelError> {
    compile_with(kernel.isa, &format!("{}.c", kernel.name), kernel.source, &variant.options(kernel), out)
}

pub fn compile(file: &str, text: &str, out: &Path) -> Result<PathBuf, KernelError> {
    compile_for(BASE, file, text, out)
}

/// Builds a C program with the runtime: `<out>/<stem of file>.elf`, complete or not at all. `file` is a name for
/// messages; `text` is compiled.
pub fn compile_for(isa: Isa, file: &str, text: &str, out: &Path) -> Result<PathBuf, KernelError> {
    compile_with(isa, file, text, &[], out)
}

fn compile_with(isa: Isa, file: &str, text: &str, options: &[String], out: &Path) -> Result<PathBuf, KernelError> {
    let compiler = tools::find(Tool::RiscvGcc)?;
    let version = tools::version(Tool::RiscvGcc, &compiler)?;
    let march = march(isa);
    let inputs = RUNTIME.iter().flat_map(|(name, text)| [*name, *text]);
    let options_of_key = FLAGS.iter().copied().chain(options.iter().map(String::as_str));
    let key = Key::of([version.as_str(), file, text, &march].into_iter().chain(options_of_key).chain(inputs));
    let entry = Cache::of_user()
        .entry("kernels", &key, |folder| run(&compiler, isa, (file, text), options, &folder.join("elf")))?;

    let name = Path::new(file).with_extension("elf");
    let elf = out.join(name.file_name().unwrap_or(OsStr::new("kernel.elf")));
    place(&entry.join("elf"), &elf)?;
    Ok(elf)
}

/// Compiles and links in a separate folder, so that messages name bare files.
fn run(
    compiler: &Path,
    isa: Isa,
    (file, text): (&str, &str),
    options: &[String],
    elf: &Path,
) -> Result<(), KernelError> {
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
        .args(options)
        .arg(format!("-fdebug-prefix-map={}=.", sources.path().display()))
        .args(["crt0.S", "string.c", "guard.c", "grid.c", file, &library, "-o"])
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

/// The compiler's library (division, floating point). The compiler has variants for M alone and for A alone. For
/// other sets it would select one that multiplies without M, or a 64-bit one, so the variant for M alone is used.
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

/// Copies through a temporary file in the target's folder.
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
