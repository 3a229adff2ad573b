//! The model allocates when a machine is made, not while it executes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sim::{Given, Machine, Program, RAM_BASE, Step};
use weft_config::Config;
use weft_trace::Commit;

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

/// Lanes part in a loop, meet, work on the same and on other words, on their stacks, and with
/// atomic operations; then wait for each other and begin again, for ever.
#[rustfmt::skip]
const PROGRAM: [u32; 22] = [
    0xf14022f3, //        csrr  t0, mhartid
    0x80010537, //        lui   a0, 0x80010
    0xcc302173, //        csrr  sp, 0xcc3
    0x0072f313, // again: andi  t1, t0, 7
    0x00030c63, // round: beqz  t1, met
    0x00229393, //        slli  t2, t0, 2
    0x00a383b3, //        add   t2, t2, a0
    0x0063a023, //        sw    t1, 0(t2)
    0xfff30313, //        addi  t1, t1, -1
    0xfedff06f, //        j     round
    0x0063a233, // met:   slt   tp, t2, t1
    0xfe512e23, //        sw    t0, -4(sp)
    0xffc12e03, //        lw    t3, -4(sp)
    0x005500a3, //        sb    t0, 1(a0)
    0x00550e03, //        lb    t3, 5(a0)
    0x00452e2f, //        amoadd.w t3, tp, (a0)
    0x10052e2f, //        lr.w  t3, (a0)
    0x18552e2f, //        sc.w  t3, t0, (a0)
    0x025e0eb3, //        mul   t4, t3, t0
    0x025e4eb3, //        div   t4, t3, t0
    0x80105073, //        csrwi 0x801, 0
    0xfb9ff06f, //        j     again
];

#[test]
fn a_step_allocates_nothing() {
    let sizes = [(1, 1, 0), (2, 8, 10), (3, 32, 65536), (1, 64, 7)];
    for (unit, (warps, threads, fair_after)) in
        weft_config::Unit::names().into_iter().flat_map(|unit| sizes.map(|size| (unit, size)))
    {
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
                releases += u32::from(machine.release());
            }
            assert!(commits > 0, "nothing goes on");
            steps += commits;
            assert!(steps < 1_000_000, "the barrier is never released");
        }
        assert_eq!(ALLOCATIONS.get(), before, "{unit}, {warps} × {threads}, fair_after {fair_after}: {steps} steps");
        assert!(late >= 100 && (most > 1 || threads == 1), "{late} late results, {most} paths");
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
