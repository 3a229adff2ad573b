//! The final signatures of kernels, computed a second time: item by item, without threads, and if possible with
//! another algorithm. The kernels themselves hold only digests of them.
//!
//! Each file also gives the outcome of the branches that depend on an item, for the numbers of divergent branches.

pub mod back_propagation;
pub mod block_compression;
pub mod breadth_first_frontier;
pub mod needleman_wunsch;
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
mod tests {
    /// The digests of a kernel's results in the format of its source.
    fn table(results: &[u32]) -> String {
        let mut digests = [0u32; 16];
        for (at, word) in results.iter().enumerate() {
            let digest = &mut digests[at % 16];
            *digest = super::fold(*digest, *word);
        }
        let rows =
            digests.chunks(4).map(|row| row.iter().map(|digest| format!(" {digest:#010x},")).collect::<String>());
        rows.map(|row| format!("       {row}\n")).collect()
    }

    #[test]
    fn kernels_know_the_digests_of_their_results() {
        let mut known = 0;
        for kernel in crate::list() {
            let Some(results) = kernel.results() else { continue };
            let table = format!("expected[WEFT_DIGESTS] = {{\n{}    }};", table(&results));
            assert!(kernel.source.contains(&table), "{} needs {table}", kernel.name);
            assert!(results.len().is_multiple_of(16), "{}: each digest is of as many words", kernel.name);
            known += 1;
        }
        assert_eq!(known, 8);
    }
}
