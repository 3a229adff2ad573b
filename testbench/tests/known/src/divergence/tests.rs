use super::*;

#[test]
fn a_single_lane_never_diverges() {
    for kernel in kernels::list() {
        assert_eq!(crate::divergent_branches(kernel, 5, 1).unwrap_or(0), 0, "{}", kernel.name);
    }
}

#[test]
fn counts_that_follow_from_a_closed_form() {
    for (warps, threads) in [(1u32, 2u32), (8, 4), (3, 8), (4, 16), (2, 32), (1, 64)] {
        let log2 = u64::from(threads.ilog2());
        let (w, t) = (u64::from(warps), u64::from(threads));
        assert_eq!(reduction(warps, threads), log2, "levels narrower than a warp, in warp 0");
        assert_eq!(indirect_call(warps, threads), w * 8 * u64::from(t > 1), "eight rounds");
        assert_eq!(memory_patterns(warps, threads), w);
        assert_eq!(console(warps, threads), w + 1);
        let parts = if threads == 2 { w.div_ceil(2) } else { 2 * w };
        assert_eq!(short_circuit(warps, threads), parts, "threads 0 and 1 diverge, 2 and 3 do not");
    }
}

#[test]
fn vector_add_diverges_in_the_warp_that_crosses_the_end() {
    // 250 elements on 32 threads: in the last round harts 0 to 25 have one; lane 2 of warp 6 has none.
    assert_eq!(vector_add(8, 4), 3);
    // On 24 threads 10 remain: harts 0 to 9, in warp 1.
    assert_eq!(vector_add(3, 8), 3);
    // A warp of 2 always has both or neither.
    assert_eq!(vector_add(5, 2), 0);
}

#[test]
fn recursion_of_two_lanes_counted_by_hand() {
    // n = 0 and 1: both stop at once.
    assert_eq!(recursion(1, 2), 0);
    // n = 2 and 3 in the second warp: both continue. Then fib(1) stops where fib(2) continues; then fib(0) and
    // fib(1) both stop.
    assert_eq!(recursion(2, 2), 1);
}
