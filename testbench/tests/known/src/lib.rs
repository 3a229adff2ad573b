//! What tests know of the bundled kernels without running them: the number of divergent branches, the results and the
//! output. Everything is derived from the algorithm of a kernel, by neither the golden model nor the kernel itself.

mod divergence;
mod results;

use kernels::Kernel;

/// The number of divergent branches for so many warps and threads.
type Count = fn(u32, u32) -> u64;

/// The others have no count. The branches of `mandelbrot` and `division64` are in the compiler's library, and those of
/// `lock_free_list` depend on the order of the warps. Kernels that need turns diverge as their time slices end.
static COUNTS: &[(&str, Count)] = &[
    ("vector_add", divergence::vector_add),
    ("matrix_multiply", divergence::matrix_multiply),
    ("reduction", divergence::reduction),
    ("scan", divergence::scan),
    ("bitonic_sort", divergence::bitonic_sort),
    ("sparse_matrix_vector", divergence::sparse_matrix_vector),
    ("breadth_first_search", divergence::breadth_first_search),
    ("histogram", divergence::histogram),
    ("gcd", divergence::gcd),
    ("collatz", divergence::collatz),
    ("short_circuit", divergence::short_circuit),
    ("recursion", divergence::recursion),
    ("quicksort", divergence::quicksort),
    ("string_search", divergence::string_search),
    ("quotations", divergence::quotations),
    ("indirect_call", divergence::indirect_call),
    ("interpreter", divergence::interpreter),
    ("pointer_chase", divergence::pointer_chase),
    ("lu_decomposition", divergence::lu_decomposition),
    ("partition_sort", divergence::partition_sort),
    ("stencil_3d", divergence::stencil_3d),
    ("ray_casting", divergence::ray_casting),
    ("suffix_match", divergence::suffix_match),
    ("photon_walk", divergence::photon_walk),
    ("breadth_first_frontier", divergence::breadth_first_frontier),
    ("path_finder", divergence::path_finder),
    ("needleman_wunsch", divergence::needleman_wunsch),
    ("hot_spot", divergence::hot_spot),
    ("block_compression", divergence::block_compression),
    ("back_propagation", divergence::back_propagation),
    ("memory_patterns", divergence::memory_patterns),
    ("csr", divergence::csr),
    ("console", divergence::console),
];

type Results = fn() -> Vec<u32>;

static RESULTS: &[(&str, Results)] = &[
    ("ray_casting", results::ray_casting::results),
    ("suffix_match", results::suffix_match::results),
    ("photon_walk", results::photon_walk::results),
    ("breadth_first_frontier", results::breadth_first_frontier::results),
    ("path_finder", results::path_finder::results),
    ("needleman_wunsch", results::needleman_wunsch::results),
    ("block_compression", results::block_compression::results),
    ("back_propagation", results::back_propagation::results),
    ("papers_viterbi", results::papers::viterbi::results),
    ("papers_lattice_boltzmann", results::papers::lattice_boltzmann::results),
    ("papers_black_scholes", results::papers::black_scholes::results),
    ("papers_fourier_transform", results::papers::fourier_transform::results),
    ("papers_laplace", results::papers::laplace::results),
    ("papers_breadth_first_levels", results::papers::breadth_first_levels::results),
    ("papers_odd_steps", results::papers::odd_steps::results),
];

fn find<T: Copy>(table: &[(&str, T)], kernel: &Kernel) -> Option<T> {
    table.iter().find(|(name, _)| *name == kernel.name).map(|(_, known)| *known)
}

/// The number of divergent branches in a whole run on `warps` warps of `threads` threads, for a unit that follows the path
/// of greatest depth and smallest pc.
pub fn divergent_branches(kernel: &Kernel, warps: u32, threads: u32) -> Option<u64> {
    find(COUNTS, kernel).map(|count| count(warps, threads))
}

/// The final words of the signature, if they are known: the same on every size of core.
pub fn results(kernel: &Kernel) -> Option<Vec<u32>> {
    find(RESULTS, kernel).map(|results| results())
}

/// The output on `warps` warps of `threads` threads.
pub fn console(kernel: &Kernel, warps: u32, threads: u32) -> String {
    if kernel.name != "console" {
        return String::new();
    }
    let line: String = (0..threads).map(|lane| char::from(b'A' + (lane % 16) as u8)).collect();
    format!("{warps} warps of {threads} threads\n{}", format!("{line}\n").repeat(warps as usize))
}

#[test]
fn every_kernel_is_known_or_has_a_reason_not_to_be() {
    let unknown = kernels::list().iter().filter(|kernel| !kernel.needs_turns).map(|kernel| kernel.name);
    let unknown = unknown.filter(|name| !COUNTS.iter().any(|(n, _)| n == name));
    assert_eq!(unknown.collect::<Vec<_>>(), ["mandelbrot", "division64", "lock_free_list"]);
    for name in COUNTS.iter().map(|(name, _)| name).chain(RESULTS.iter().map(|(name, _)| name)) {
        assert!(kernels::find(name).is_ok(), "no kernel `{name}`");
    }
}
