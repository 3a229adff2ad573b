//! The bundled kernels: small C programs that check their own results, and what is known about each
//! beforehand. Sources and runtime are part of the program, so that it works without the repository.

mod build;
mod divergence;

use std::path::PathBuf;

use crate::cache::CacheError;
use crate::tools::ToolError;

pub use build::{FLAGS, RUNTIME, build, compile};

/// A bundled kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: that of the C file without `.c`, and of the ELF file without `.elf`.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The C source.
    pub source: &'static str,
    divergent_branches: fn(u32, u32) -> u64,
    console: fn(u32, u32) -> String,
}

impl Kernel {
    /// How many divergent branches a whole run has on `warps` warps of `threads` threads whose unit
    /// follows the path of greatest depth and smallest pc: computed from the algorithm, not by the
    /// golden model.
    pub fn divergent_branches(&self, warps: u32, threads: u32) -> u64 {
        (self.divergent_branches)(warps, threads)
    }

    /// What it prints on `warps` warps of `threads` threads.
    pub fn console(&self, warps: u32, threads: u32) -> String {
        (self.console)(warps, threads)
    }
}

/// A kernel that does not exist or cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// No bundled kernel has this name.
    #[error("no kernel `{name}`: {hint}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The nearest valid name, or all of them.
        hint: String,
    },
    /// The compiler is not there.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The compiler refuses the program.
    #[error("{file} does not compile:\n{message}")]
    Compiler {
        /// The C file.
        file: String,
        /// What the compiler says.
        message: String,
    },
    /// The build cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file cannot be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// All bundled kernels, in the order in which reports show them.
pub fn list() -> &'static [Kernel] {
    KERNELS
}

/// The kernel of that name.
pub fn find(name: &str) -> Result<&'static Kernel, KernelError> {
    KERNELS.iter().find(|kernel| kernel.name == name).ok_or_else(|| {
        let names = || KERNELS.iter().map(|kernel| kernel.name);
        let hint = match weft_config::nearest(name, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("the kernels are {}", names().collect::<Vec<_>>().join(", ")),
        };
        KernelError::Unknown { name: name.into(), hint }
    })
}

macro_rules! kernel {
    ($name:ident, $summary:literal) => {
        kernel!($name, $summary, |_, _| String::new())
    };
    ($name:ident, $summary:literal, $console:expr) => {
        Kernel {
            name: stringify!($name),
            summary: $summary,
            source: include_str!(concat!("../kernels/", stringify!($name), ".c")),
            divergent_branches: divergence::$name,
            console: $console,
        }
    };
}

static KERNELS: &[Kernel] = &[
    kernel!(vector_add, "adds two vectors, the threads striding over the elements"),
    kernel!(matrix_multiply, "multiplies two matrices, one thread an element of the product"),
    kernel!(reduction, "sums over all threads: a tree with a barrier between its levels"),
    kernel!(gcd, "greatest common divisors by two algorithms with data-dependent loops"),
    kernel!(short_circuit, "if (A && B) C; else D; E; the paths of figure 1 of the Simty report"),
    kernel!(recursion, "Fibonacci numbers by recursion, as deep as each thread likes"),
    kernel!(indirect_call, "calls through a table of functions, different ones in neighbouring threads"),
    kernel!(memory_patterns, "loads and stores in every pattern that a coalescer tells apart"),
    kernel!(csr, "reads every control and status register, in every form"),
    kernel!(console, "prints from all threads, in lane order within a warp", printed_by_console),
];

fn printed_by_console(warps: u32, threads: u32) -> String {
    let line: String = (0..threads).map(|lane| char::from(b'A' + (lane % 16) as u8)).collect();
    format!("{warps} warps of {threads} threads\n{}", format!("{line}\n").repeat(warps as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_gets_the_nearest_one_or_the_list() {
        assert_eq!(find("vector_ad").unwrap_err().to_string(), "no kernel `vector_ad`: did you mean `vector_add`?");
        let far = find("quicksort").unwrap_err().to_string();
        assert!(far.starts_with("no kernel `quicksort`: the kernels are vector_add, matrix_multiply, "), "{far}");
    }

    #[test]
    fn names_are_found_and_summaries_fit_a_line() {
        for kernel in list() {
            assert_eq!(find(kernel.name).unwrap().name, kernel.name);
            assert!(kernel.summary.len() <= 80, "{}", kernel.name);
        }
    }
}
