//! The model allocates when a machine is made, not while it executes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sim::{Given, Machine, Program, RAM_BASE, Step};
use weft_config::Config;
use weft_trace::Commit;
use words::*;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every request goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Lanes diverge in a loop, reconverge, and access the same words, other words, their stacks, and words of atomic
/// operations. Then they wait for each other and begin again, for ever.
#[rustfmt::skip]
const PROGRAM: [u32; 22] = [
    csrr(5, MHARTID),
    lui(10, 0x80010),
    csrr(2, 0xcc3),
    andi(6, 5, 7), // again
    beq(6, 0, 24), // round
    slli(7, 5, 2),
    add(7, 7, 10),
    sw(6, 7, 0),
    addi(6, 6, -1),
    jal(0, -20),
    slt(4, 7, 6), // met
    sw(5, 2, -4),
    lw(28, 2, -4),
    sb(5, 10, 1),
    lb(28, 10, 5),
    amoadd(28, 10, 4),
    lr(28, 10),
    sc(28, 10, 5),
    mul(29, 28, 5),
    div(29, 28, 5),
    barrier(),
    jal(0, -72),
];

#[test]
fn a_step_allocates_nothing() {
    let sizes = [(1, 1, 0), (2, 8, 10), (3, 32, 65536), (1, 64, 7)];
    // A machine that forms warps allocates each of them.
    let by_warp = |unit: &&str| weft_config::Unit::find(unit).is_ok_and(|unit| !unit.regroups);
    let units = weft_config::Unit::names_in_model().into_iter().filter(by_warp);
    for (unit, (warps, threads, fair_after)) in units.flat_map(|unit| sizes.map(|size| (unit, size))) {
        let mut config = Config { warps, threads, ..Config::default() };
        config.divergence.unit = unit.into();
        config.divergence.fair_after = fair_after;
        let program = Program::from_words("loop", RAM_BASE, &PROGRAM);
        let mut machine = Machine::new(&config, &program).expect("a known unit");
        let slots = machine.slots();
        let mut commit = Commit::default();
        machine.step(0, 0, &Given::default(), &mut commit).expect("the first step gives the record its buffers");
        let before = ALLOCATIONS.get();
        let (mut steps, mut releases, mut late, mut most) = (0, 0, 0, 0);
        while releases < 20 {
            let mut commits = 0;
            for (warp, slot) in (0..warps).flat_map(|warp| (0..slots).map(move |slot| (warp, slot))) {
                while machine.sort(warp).is_some() || machine.rotate(warp, slot).is_some() {}
                if let Ok(Step::Committed { late: is_late, .. }) =
                    machine.step(warp, slot, &Given::default(), &mut commit)
                {
                    commits += 1;
                    late += u32::from(is_late);
                    most = most.max(machine.held(warp));
                }
                releases += u32::from(machine.release_due() != 0);
            }
            assert!(commits > 0, "nothing goes on");
            steps += commits;
            assert!(steps < 1_000_000, "the barrier is never released");
        }
        assert_eq!(ALLOCATIONS.get(), before, "{unit}, {warps} × {threads}, fair_after {fair_after}: {steps} steps");
        assert!(late >= 100 && (most > 1 || threads == 1), "{late} long-latency results, {most} paths");
    }
}

#[test]
fn a_longer_run_allocates_no_more() {
    let allocations = |limit| {
        let config = Config { threads: 32, ..Config::default() };
        let program = Program::from_words("loop", RAM_BASE, &PROGRAM);
        let before = ALLOCATIONS.get();
        let finished = sim::run(&config, &program, limit, &mut |_| {}).expect("a known unit");
        assert_eq!(finished.statistics.issues, limit);
        ALLOCATIONS.get() - before
    };
    assert_eq!(allocations(1_000), allocations(100_000));
}
