//! The final signatures of kernels, computed a second time: item by item, without threads, and if possible with
//! another algorithm. The kernels themselves hold only digests of them.
//!
//! Each file also gives the outcome of the branches that depend on an item, for the numbers of divergent branches.

pub mod back_propagation;
pub mod block_compression;
pub mod breadth_first_frontier;
pub mod needleman_wunsch;
pub mod papers;
pub mod path_finder;
pub mod photon_walk;
pub mod ray_casting;
pub mod suffix_match;

/// Folds a word into a digest, as `weft_fold` does.
fn fold(digest: u32, word: u32) -> u32 {
    digest.rotate_left(5).wrapping_add(word)
}

/// Scatters the bits of a small number, as the kernels do.
fn scatter(x: u32) -> u32 {
    let x = x.wrapping_mul(0x9e37_79b1);
    x ^ x >> 15
}

#[cfg(test)]
mod tests;
