//! The bundled kernels: small C programs that check their own results. Sources and
//! runtime are embedded, so that the program works without the repository.

pub mod assembly;
mod build;

use std::path::PathBuf;

use weft_config::{Config, Isa, UNITS, Unit, extension};

use tools::ToolError;
use tools::cache::CacheError;

pub use build::{FLAGS, RUNTIME, build, build_as, compile, compile_for, march};

#[derive(Debug)]
pub struct Kernel {
    /// The name of the ELF file without `.elf`, and of the C file without `.c`. Those in the folders `grid` and
    /// `papers` have its name and `_` in front.
    pub name: &'static str,
    pub summary: &'static str,
    pub source: &'static str,
    /// The extensions that it is compiled for, which the core must have.
    pub isa: Isa,
    /// Whether threads wait for others of their warp. Then only units that serve all threads run it.
    pub needs_turns: bool,
    /// Minimum `memory.stack_bytes`, if 256 are too few.
    pub stack_bytes: Option<u32>,
    /// Its half of the comparison of reconvergence stacks, if it belongs to one.
    pub comparison: Option<Comparison>,
    /// For one that launches grids of blocks (`weft_grid.h`): the macros that give it its size in SIMTight's benchmarks.
    pub grid: Option<&'static str>,
    /// For one of [`papers`]: the name that its benchmark has there.
    pub benchmark: Option<&'static str>,
}

/// How a kernel is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variant {
    /// Kernels of grids get their size in SIMTight's benchmarks, and print the figures of their launches.
    pub large: bool,
    /// Bytes of the scratchpad in which grids have their shared memory; 0: they have it in RAM.
    pub scratchpad_bytes: u32,
    /// First address of RAM, `memory.base`; 0: the default.
    pub base: u32,
}

impl Variant {
    /// The options of the compiler.
    fn options(self, kernel: &Kernel) -> Vec<String> {
        let sizes = kernel.grid.filter(|_| self.large);
        let macros = sizes.into_iter().flat_map(|sizes| sizes.split(' ').chain(["FIGURES"]));
        let symbol = (self.scratchpad_bytes > 0 && kernel.grid.is_some())
            .then(|| format!("-Wl,--defsym=__scratchpad_bytes={}", self.scratchpad_bytes));
        let base = (self.base > 0).then(|| format!("-Wl,--defsym=__ram_base={:#x}", self.base));
        macros.map(|of_size| format!("-D{of_size}")).chain(symbol).chain(base).collect()
    }
}

/// The kernels for the comparison of single-path and dual-path reconvergence stacks. They differ in whether a
/// dual-path stack can interleave the two sides of their divergent branches (figures 8 and 9 of the dual-path
/// execution paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Interleavable,
    /// They are `if` without `else`, and loop exits: one of the sides is empty.
    NotInterleavable,
}

impl Comparison {
    pub fn name(self) -> &'static str {
        match self {
            Self::Interleavable => "interleavable",
            Self::NotInterleavable => "not-interleavable",
        }
    }
}

impl Kernel {
    /// The keys that it needs with their values, as `--set` takes them.
    pub fn settings(&self) -> Vec<String> {
        let stack_bytes = self.stack_bytes.map(|bytes| format!("memory.stack_bytes={bytes}"));
        let extensions = self.isa.extensions().map(|extension| format!("{}=true", extension.key));
        extensions.chain(stack_bytes).collect()
    }

    pub fn runs_on(&self, unit: &Unit) -> bool {
        unit.serves_all() || !self.needs_turns
    }

    /// The names of the units in hardware that can run it.
    pub fn units(&self) -> Vec<&'static str> {
        let units = UNITS.iter().filter(|unit| unit.in_hardware && self.runs_on(unit));
        units.map(|unit| unit.name).collect()
    }

    pub fn configure(&self, config: &mut Config) {
        config.isa = config.isa.union(self.isa);
        if let Some(least) = self.stack_bytes {
            config.memory.stack_bytes = config.memory.stack_bytes.max(least);
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    #[error("no kernel `{name}`: {hint}")]
    Unknown {
        name: String,
        /// The nearest valid name, or all of them.
        hint: String,
    },
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("{file} does not compile:\n{message}")]
    Compiler { file: String, message: String },
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("{}: {source}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// The bundled kernels that are measured, in the order of reports: without those of grids and of papers.
pub fn list() -> &'static [Kernel] {
    KERNELS
}

/// The bundled kernels of grids, after the benchmarks of SIMTight.
pub fn grids() -> &'static [Kernel] {
    GRIDS
}

/// Analogues of benchmarks of the papers on dynamic warp formation and on dual-path execution: those that no other
/// kernel stands for. No published figure includes them.
pub fn papers() -> &'static [Kernel] {
    PAPERS
}

pub fn all() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().chain(GRIDS).chain(PAPERS)
}

pub fn find(name: &str) -> Result<&'static Kernel, KernelError> {
    all().find(|kernel| kernel.name == name).ok_or_else(|| {
        let names = || all().map(|kernel| kernel.name);
        let hint = match weft_config::nearest(name, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("the kernels are {}", names().collect::<Vec<_>>().join(", ")),
        };
        KernelError::Unknown { name: name.into(), hint }
    })
}

const BASE: Isa = Isa::BASE;
const M: Isa = BASE.with(&extension::M);
const A: Isa = BASE.with(&extension::A);

/// A kernel for the base instructions, whose threads do not wait for others of their warp.
macro_rules! kernel {
    ($name:ident, $summary:literal) => {
        kernel!(stringify!($name), concat!("../", stringify!($name), ".c"), $summary)
    };
    ($name:expr, $path:expr, $summary:literal) => {
        Kernel {
            name: $name,
            summary: $summary,
            source: include_str!($path),
            isa: BASE,
            needs_turns: false,
            stack_bytes: None,
            comparison: None,
            grid: None,
            benchmark: None,
        }
    };
}

/// A kernel of the stack comparison.
macro_rules! compared {
    ($comparison:ident, $isa:expr, $name:ident, $summary:literal) => {
        Kernel { isa: $isa, comparison: Some(Comparison::$comparison), ..kernel!($name, $summary) }
    };
}

/// A kernel whose threads spin until others of their warp continue.
macro_rules! spinning {
    ($name:ident, $summary:literal) => {
        Kernel { isa: A, needs_turns: true, ..kernel!($name, $summary) }
    };
}

/// A kernel of grids.
macro_rules! grid {
    ($isa:expr, $file:ident, $summary:literal, $size:literal) => {
        Kernel {
            isa: $isa,
            grid: Some($size),
            ..kernel!(concat!("grid_", stringify!($file)), concat!("../grid/", stringify!($file), ".c"), $summary)
        }
    };
}

/// A kernel of the papers.
macro_rules! paper {
    ($benchmark:literal, $file:ident, $summary:literal) => {
        Kernel {
            isa: M,
            benchmark: Some($benchmark),
            ..kernel!(concat!("papers_", stringify!($file)), concat!("../papers/", stringify!($file), ".c"), $summary)
        }
    };
}

static KERNELS: &[Kernel] = &[
    kernel!(vector_add, "adds two vectors, the threads striding over the elements"),
    kernel!(matrix_multiply, "multiplies two matrices, one thread an element of the product"),
    kernel!(reduction, "sums over all threads: a tree with a barrier between its levels"),
    kernel!(scan, "prefix sums over all threads, with a barrier between the steps"),
    kernel!(bitonic_sort, "sorts by a network of comparators, the threads sharing each step"),
    Kernel { isa: M, ..kernel!(sparse_matrix_vector, "multiplies a sparse matrix in compressed rows by a vector") },
    kernel!(breadth_first_search, "distances in a graph, level by level"),
    Kernel { isa: A, ..kernel!(histogram, "counts into shared bins with atomic additions") },
    kernel!(gcd, "greatest common divisors by two algorithms with data-dependent loops"),
    kernel!(collatz, "steps to 1 of the Collatz sequence, counted in two ways"),
    kernel!(short_circuit, "if (A && B) C; else D; E; the paths of figure 1 of the Simty report"),
    kernel!(recursion, "Fibonacci numbers by recursion, to a different depth in each thread"),
    Kernel { stack_bytes: Some(512), ..kernel!(quicksort, "sorts an array in each thread, on its stack") },
    kernel!(string_search, "finds a word of each thread's own in a text, by two algorithms"),
    kernel!(quotations, "counts inside and outside of quotation marks, by loops that jump into each other"),
    kernel!(indirect_call, "calls through a table of functions, different ones in neighbouring threads"),
    kernel!(interpreter, "interprets different programs in neighbouring threads, by a jump table"),
    kernel!(pointer_chase, "follows linked lists of different lengths to their ends"),
    Kernel { isa: M, ..kernel!(mandelbrot, "the Mandelbrot set, in floating point of the compiler's library") },
    Kernel { isa: M, ..kernel!(division64, "divides 64-bit numbers of all sizes, in the compiler's library") },
    Kernel { isa: A, ..kernel!(lock_free_list, "pushes on a shared list by load-reserved and store-conditional") },
    spinning!(spin_lock, "counts behind one lock on which all threads spin"),
    spinning!(ticket_lock, "enters a lock in the order of tickets, waiting with plain loads"),
    spinning!(hash_table, "counts words in a hash table whose buckets have locks"),
    spinning!(sorted_list, "inserts into sorted lists and removes, with a lock in each node, hand over hand"),
    spinning!(interval_locks, "locks the cells of an interval in order, and changes all"),
    spinning!(atomic_barrier, "passes values round behind a barrier that is built from atomic operations"),
    compared!(Interleavable, M, lu_decomposition, "factors a matrix, half of the threads on rows, half on columns"),
    compared!(Interleavable, BASE, partition_sort, "sorts an array in each thread by partition from both ends"),
    compared!(Interleavable, M, stencil_3d, "diffusion on a grid, with cells inside and at the boundary"),
    compared!(Interleavable, M, ray_casting, "casts rays through a maze, and shades walls and sky"),
    compared!(Interleavable, M, suffix_match, "matches queries with a text by a tree with suffix links"),
    compared!(Interleavable, M, photon_walk, "photons scattered and reflected in layers, by chance"),
    compared!(NotInterleavable, BASE, breadth_first_frontier, "distances in a graph, from a frontier"),
    compared!(NotInterleavable, M, path_finder, "cheapest paths through a grid, row by row"),
    compared!(NotInterleavable, M, needleman_wunsch, "aligns pairs of words, diagonal by diagonal"),
    compared!(NotInterleavable, BASE, hot_spot, "heat on a chip with insulated edges"),
    compared!(NotInterleavable, M, block_compression, "compresses blocks of a grey image, as DXT does"),
    compared!(NotInterleavable, M, back_propagation, "trains a neural network in fixed point"),
    kernel!(memory_patterns, "loads and stores in every pattern that a coalescer tells apart"),
    kernel!(csr, "reads every control and status register, in every form"),
    kernel!(console, "prints from all threads, in lane order within a warp"),
];

static GRIDS: &[Kernel] = &[
    grid!(BASE, vector_add, "adds two vectors", "LENGTH=1000000 BLOCK=256"),
    grid!(A, histogram, "counts bytes in shared memory by atomic additions", "LENGTH=1000448 BLOCK=2048"),
    grid!(BASE, reduce, "sums a vector by trees in shared memory", "LENGTH=1000000 BLOCK=2048"),
    grid!(BASE, scan, "prefix sums, piece by piece in shared memory", "LENGTH=1024000 BLOCK=2048"),
    grid!(BASE, transpose, "transposes a matrix by padded tiles in shared memory", "SIDE_LOG2=9 TILE_LOG2=5 BLOCK=256"),
    grid!(M, matrix_vector, "multiplies a matrix by a vector, several lanes a row", "SIDE_LOG2=10 BLOCK=256"),
    grid!(M, matrix_multiply, "multiplies two matrices by tiles in shared memory", "SIDE_LOG2=8 TILE_LOG2=5"),
    grid!(BASE, bitonic_sort_small, "sorts many short arrays in shared memory", "LENGTH_LOG2=10 ARRAYS=32"),
    grid!(
        BASE,
        bitonic_sort_large,
        "sorts a long array, in parts and by launches of single steps",
        "LENGTH_LOG2=18 PART_LOG2=12"
    ),
    grid!(M, sparse_matrix_vector, "multiplies a sparse matrix in ELLPACK format by a vector", "SIDE_LOG2=11 MOST=256"),
    grid!(
        BASE,
        blocked_stencil,
        "a stencil of five points on tiles in shared memory",
        "SIDE_LOG2=10 TILE_LOG2=5 BLOCK=1024"
    ),
    grid!(
        BASE,
        striped_stencil,
        "a stencil of five points down stripes, row by row in shared memory",
        "SIDE_LOG2=10 ROWS_LOG2=5 BLOCK=64"
    ),
    grid!(BASE, vector_gcd, "greatest common divisors of pairs, by subtraction", "LENGTH=100000 BLOCK=256"),
    grid!(
        M,
        motion_estimation,
        "finds where the squares of a frame come from in the last one",
        "SIDE_LOG2=6 SQUARE_LOG2=3 RADIUS=4 BLOCK=128"
    ),
];

static PAPERS: &[Kernel] = &[
    paper!("HMMer", viterbi, "scores sequences against a hidden Markov model, by Viterbi's algorithm"),
    paper!("lbm", lattice_boltzmann, "a fluid between grains, by the lattice Boltzmann method in fixed point"),
    paper!("Black", black_scholes, "prices of options by the formula of Black and Scholes, in fixed point"),
    paper!("FFT", fourier_transform, "the Fourier transform in fixed point: bit reversal, then butterflies"),
    paper!("LPS", laplace, "solves Laplace's equation in fixed point, by sweeps until it converges"),
    paper!("BFS", breadth_first_levels, "distances in a graph in compressed rows, one pass for each level"),
    paper!("Pathological", odd_steps, "a loop with work in every second step, which odd threads begin one step later"),
];

#[cfg(test)]
mod tests;
