//! Small programs, each for one rare thing in compiled kernels.

use testbench::Outcome;

use words::*;

pub struct Directed {
    pub name: String,
    pub words: Vec<u32>,
    pub symbols: Vec<(&'static str, u32)>,
    pub outcome: Outcome,
    pub cause: Option<u8>,
    /// Exit codes of the first threads, if all end; those of the others are 0.
    pub codes: Vec<u32>,
}

const BASE: u32 = 0x8000_0000;
const THREADS: u32 = 0xcc0;
const MASK: u32 = 0xcc2;
const STACK_END: u32 = 0xcc3;

pub fn programs() -> Vec<Directed> {
    let mut programs = faults();
    programs.extend(tohosts());
    for pad in 0..12 {
        programs.push(exits(&format!("a jump by one side, then by threads of the other, {pad}"), jumps_in_a_row(pad)));
        programs.push(exits(&format!("two partings beside the other side, {pad}"), partings_in_a_row(pad)));
    }
    programs.extend([
        exits("hazards of every register", hazards()),
        exits("loads and stores of every size", sizes()),
        exits("scattered and conflicting accesses", scattered()),
        exits("calls and returns by every hint", call_hints()),
        exits("long-latency results overwritten", overwritten()),
        exits("calls of several targets", several_targets(1, 10)),
        exits("jumps to several targets", several_targets(0, 10)),
        exits("several targets in the register that is written", several_targets(10, 10)),
        exits("several targets in the link register that is written", several_targets(1, 1)),
        exits("a return before a return to several places", successive_returns()),
        exits("long-latency results read at once on both sides of a branch", both_sides()),
        exits("a call of an empty routine before a return", empty_routine()),
        exits("returns to where others wait", returns_to_a_meeting()),
        exits("a parting right before returns", parting_before_returns()),
        exits("threads that end before a barrier", early_exits()),
        exits("a warp that ends before a barrier", early_warp()),
        exits("a barrier right before a meeting", barrier_before_a_meeting()),
        exits("a path that ends within its turn", end_within_a_turn()),
        exits("code that stores code", self_modifying()),
        exits("every source of an exit code", exit_sources()),
        Directed { codes: vec![5, 7, 9, 21], ..exits("exit codes that are not 0", exit_codes()) },
        exits("loads to x0", loads_to_x0()),
        exits("every counter after many instructions", counters()),
        exits("the first word of each stack", first_word_of_a_stack()),
        exits("products and quotients of both signs", products_and_quotients()),
    ]);
    programs
}

fn exits(name: &str, words: Vec<u32>) -> Directed {
    ends(name.into(), words, Outcome::Exited)
}

fn ends(name: String, words: Vec<u32>, outcome: Outcome) -> Directed {
    Directed { name, words, symbols: Vec::new(), outcome, cause: None, codes: Vec::new() }
}

/// t0 = hart, t1 = the thread's own word after the program.
fn prologue() -> Vec<u32> {
    vec![csrr(5, MHARTID), slli(6, 5, 2), lui(7, BASE >> 12), add(6, 6, 7), lui(7, 1), add(6, 6, 7)]
}

fn with_prologue(body: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut words = prologue();
    words.extend(body);
    words.push(csrw(EXIT, 0));
    words
}

const READ_ONLY: [u16; 19] = [
    0xb00, 0xb80, 0xb02, 0xb82, 0xc00, 0xc80, 0xc01, 0xc81, 0xc02, 0xc82, 0xcc0, 0xcc1, 0xcc2, 0xcc3, 0xcc4, 0xcc5,
    0xcc6, 0xcc8, 0xcc9,
];

/// Half of the instructions have one thread alone.
fn counters() -> Vec<u32> {
    let mut body = vec![andi(9, 5, 3), addi(8, 0, 100)];
    body.extend([addi(10, 10, 1), bne(9, 0, 12), addi(10, 10, 1), addi(10, 10, 1), addi(8, 8, -1), bne(8, 0, -20)]);
    for _ in 0..3 {
        body.extend(READ_ONLY.iter().flat_map(|number| [csrr(11, (*number).into()), add(10, 10, 11)]));
    }
    with_prologue(body)
}

fn first_word_of_a_stack() -> Vec<u32> {
    let first = [csrr(2, STACK_END), addi(8, 2, -1024), sw(5, 8, 0), lw(9, 8, 0), add(9, 9, 9), sw(9, 8, 0)];
    with_prologue(first)
}

/// Every operation of the extension M on values of both signs, including zero and the minimum, different in each
/// thread.
fn products_and_quotients() -> Vec<u32> {
    let mut words = vec![csrr(5, MHARTID), slli(6, 5, 9)];
    // x10…x13 are the first operands, x14…x17 the second.
    words.extend([lui(10, 0x80000), addi(11, 5, -7), lui(12, 0x7ffff), sub(13, 0, 6)]);
    words.extend([addi(14, 0, 0), addi(15, 0, -1), addi(16, 5, 3), sub(17, 0, 16)]);
    for (first, second) in (10..14).flat_map(|first| (14..18).map(move |second| (first, second))) {
        words.extend(
            [mul, mulh, mulhsu, mulhu, div, divu, rem, remu]
                .iter()
                .zip(18..)
                .map(|(operation, rd)| operation(rd, first, second)),
        );
    }
    words.push(csrw(EXIT, 0));
    words
}

/// Each register: written and read at distances one to three, by an ALU operation and by a load, as operand, address,
/// store data and branch condition, and overwritten while a load to it is in flight.
fn hazards() -> Vec<u32> {
    let mut words = Vec::new();
    for register in 1..32 {
        let other = if register < 24 { register + 8 } else { register - 16 };
        let address = if matches!(register, 3 | 4) { 2 } else { 3 };
        words.extend([csrr(address, MHARTID), slli(address, address, 2), lui(other, (BASE >> 12) + 2)]);
        words.extend([add(address, address, other), sw(register, address, 0)]);
        for distance in 1..4 {
            words.push(addi(register, register, 1));
            words.extend((1..distance).map(|_| addi(0, 0, 0)));
            words.extend([add(other, register, register), sw(other, address, 4), lw(register, address, 4)]);
            words.extend((1..distance).map(|_| addi(other, other, 1)));
            words.extend([add(register, register, other), beq(register, 0, 8), addi(other, register, 3)]);
            words.extend([lw(register, address, 0), addi(register, other, 5), sw(register, address, 0)]);
            words.extend([lw(register, address, 0), lw(register, address, 4)]);
        }
        words.extend([csrr(register, MASK), add(other, register, register), sw(other, address, 0)]);
    }
    words.push(csrw(EXIT, 0));
    words
}

fn sizes() -> Vec<u32> {
    let mut body = vec![lui(8, 0x89abd), addi(8, 8, -273), sub(8, 8, 5), slli(10, 5, 4), add(6, 6, 10)];
    for offset in 0..4 {
        body.extend([sb(8, 6, offset), lb(9, 6, offset), lbu(10, 6, offset), lw(11, 6, 0), add(8, 8, 9)]);
        body.extend([xor(8, 8, 10), add(8, 8, 11)]);
    }
    for offset in [0, 2] {
        body.extend([sh(8, 6, offset), lh(9, 6, offset), lhu(10, 6, offset), lw(11, 6, 0), add(8, 8, 9)]);
        body.extend([xor(8, 8, 10), add(8, 8, 11)]);
    }
    body.push(sw(8, 6, 4));
    with_prologue(body)
}

/// Strides of one to five words, forwards and backwards, the same word, and words shared by pairs.
fn scattered() -> Vec<u32> {
    let mut body = vec![lui(7, (BASE >> 12) + 4), addi(12, 5, 77)];
    for stride in [0, 1, 2, 3, 5] {
        body.extend([addi(8, 0, 0)]);
        body.extend((0..stride).map(|_| add(8, 8, 5)));
        body.extend([slli(8, 8, 2), add(9, 7, 8), sub(10, 7, 8)]);
        body.extend([sw(12, 9, 0), lw(11, 9, 0), add(12, 12, 11), sw(12, 10, 2040), lw(11, 10, 2040), add(12, 12, 11)]);
        body.extend([sh(12, 9, 2), lhu(11, 9, 0), add(12, 12, 11), sb(12, 10, 1), lb(11, 10, 1), add(12, 12, 11)]);
    }
    body.extend([srli(8, 5, 1), slli(8, 8, 2), add(9, 7, 8), sw(12, 9, 64), lw(11, 9, 64), sb(11, 9, 65)]);
    body.extend([lw(11, 9, 64), xori(8, 8, 12), add(9, 7, 8), sw(11, 9, 128), lw(12, 9, 128), sw(12, 7, 256)]);
    body.extend([lw(12, 7, 256), lw(11, 7, 260)]);
    with_prologue(body)
}

/// `jalr` between the link registers and others, so that the depth of the calls goes up and down.
fn call_hints() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 1)];
    for (rd, rs1) in [(1, 9), (5, 9), (9, 1), (9, 5), (1, 5), (5, 1), (1, 1), (5, 5), (0, 1), (0, 5), (10, 11)] {
        // auipc rs1; odd harts skip a word, so that the depth decides which path goes first.
        words.extend([auipc(rs1, 0), beq(8, 0, 8), addi(12, 12, 1), jalr(rd, rs1, 20), addi(13, 13, 1)]);
        words.extend([addi(14, 14, 1), csrr(15, MASK)]);
    }
    words.push(csrw(EXIT, 0));
    words
}

/// A `jalr` of each lane to one of four targets. After a call the lanes that have jumped continue first, since they
/// are deeper; after a jump the others, since they have the smaller pc.
fn several_targets(link: u32, base: u32) -> Vec<u32> {
    let mut words =
        vec![csrr(8, MHARTID), andi(9, 8, 3), slli(9, 9, 3), auipc(base, 0), add(base, base, 9), jalr(link, base, 16)];
    // The jump goes to 16 bytes after the auipc, at word 3: word 7, 9, 11 or 13.
    words.push(addi(11, 11, 1));
    for lane in 0..4 {
        words.extend([addi(12, 12, lane), addi(12, 12, 16)]);
    }
    words.extend([csrr(13, MASK), csrw(EXIT, 0)]);
    words
}

/// While a load to a register is in flight, every other kind of instruction writes that register.
fn overwritten() -> Vec<u32> {
    let writes: [&[u32]; 8] = [
        &[lui(10, 5)],
        &[auipc(10, 0)],
        &[jal(10, 8), addi(12, 12, 1)],
        &[auipc(11, 0), jalr(10, 11, 12), addi(12, 12, 1)],
        &[csrr(10, MASK)],
        &[add(10, 5, 5)],
        &[addi(10, 5, 3)],
        &[mul(10, 5, 5)],
    ];
    let body = writes.iter().flat_map(|write| [&[sw(5, 6, 0), lw(10, 6, 0)], *write, &[sw(10, 6, 4)]].concat());
    with_prologue(body)
}

/// A thread two calls deep returns to a pc that the others, of one call, do not reach. Those waited for it at the
/// same return, and now have two return addresses.
fn successive_returns() -> Vec<u32> {
    // x9 = whether the thread calls once more, x10 = the offset of its return address.
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 3), addi(9, 0, 2), xor(9, 8, 9), sltu(9, 0, 9)];
    words.extend([xori(9, 9, 1), andi(10, 8, 1), slli(10, 10, 2), jal(1, 12), csrw(EXIT, 0), csrw(EXIT, 0)]);
    words.extend([add(1, 1, 10), beq(9, 0, 16), addi(9, 0, 0), addi(10, 0, 12), jal(1, -16)]);
    words.extend([jalr(0, 1, 0), addi(11, 11, 1), addi(11, 11, 2), csrw(EXIT, 0)]);
    words
}

/// More long-latency results than a context has entries, each read as the first and as the second operand; and a
/// division that one side starts while the other reads the register.
fn both_sides() -> Vec<u32> {
    let read = [lw(10, 6, 0), add(11, 5, 10), lw(10, 6, 0), add(12, 10, 5), mul(10, 5, 5), sub(11, 11, 10)];
    let side: Vec<u32> = read.repeat(9);
    let skip = |words: &[u32]| 4 * (words.len() as i32 + 1);
    let divided = [div(10, 6, 12), add(11, 11, 5), jal(0, 16), addi(12, 10, 1), add(12, 12, 10), addi(12, 12, 1)];
    let mut body = vec![sw(5, 6, 0), andi(8, 5, 1), beq(8, 0, skip(&side) + 4)];
    body.extend(&side);
    body.push(jal(0, skip(&side)));
    body.extend(&side);
    body.push(beq(8, 0, 16));
    body.extend(divided);
    for read in [sub(11, 5, 13), sub(11, 13, 5)] {
        // A value loaded before the branch, to a register that neither side loads, is read on both.
        body.extend([lw(13, 6, 0), beq(8, 0, 12), read, jal(0, 8), read].repeat(9));
    }
    body.extend([sw(11, 6, 4), sw(12, 6, 8)]);
    with_prologue(body)
}

/// Sides that reconverge only at a return: each calls a routine that is only a return, one right before its own
/// return.
fn empty_routine() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 1), jal(1, 8), csrw(EXIT, 0)];
    words.extend([beq(8, 0, 12), jal(5, 24), jalr(0, 1, 0), addi(11, 11, 1), jal(5, 12), addi(12, 12, 1)]);
    words.extend([jalr(0, 1, 0), jalr(0, 5, 0)]);
    words
}

/// Both sides of a branch call a routine in which they diverge again, and return right after that.
fn parting_before_returns() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(9, 8, 1), andi(10, 8, 2), beq(9, 0, 12), jal(1, 20), jal(0, 8)];
    words.extend([jal(1, 12), addi(11, 11, 1), csrw(EXIT, 0), beq(10, 0, 8), jalr(0, 1, 0), jalr(0, 1, 0)]);
    words
}

/// A thread jumps. Two threads of the other side, which does something else first, reach the same jump, with a target
/// each: in `dual-path` in the same slot, and next.
fn jumps_in_a_row(pad: usize) -> Vec<u32> {
    let distance = pad as i32;
    // x15 = the thread's own target after the jump.
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 3), andi(10, 8, 2), slli(15, 8, 3), auipc(14, 0)];
    words.extend([add(15, 15, 14), addi(15, 15, 4 * (8 + distance)), beq(8, 0, 4 * (4 + distance))]);
    words.extend((0..pad).map(|_| addi(11, 11, 1)));
    words.extend([bne(10, 0, 12), addi(12, 12, 9), csrw(EXIT, 0), jalr(0, 15, 0)]);
    words.extend((0..4).flat_map(|hart| [addi(12, 12, hart), csrw(EXIT, 0)]));
    words
}

/// Threads diverge twice in a row, while the other side of an earlier branch continues straight: in `dual-path` its
/// slot also changes its path twice.
fn partings_in_a_row(pad: usize) -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 3), addi(13, 0, 3), addi(14, 0, 2), addi(15, 0, 1)];
    words.push(beq(8, 13, 4 * (pad as i32 + 9)));
    words.extend((0..pad).map(|_| addi(11, 11, 1)));
    words.extend([beq(8, 14, 16), beq(8, 15, 20)]);
    words.extend((0..3).flat_map(|way| [addi(12, 12, way), csrw(EXIT, 0)]));
    words.extend((0..60).map(|_| addi(16, 16, 1)));
    words.push(csrw(EXIT, 0));
    words
}

/// While the first thread waits for its next time slice, the others diverge. One side of them has its own time slice,
/// and the other ends in its slice, so that the first runs before the round is over. Then it goes far ahead.
fn end_within_a_turn() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(8, 8, 3), addi(14, 0, 1)];
    let counts = |trips| [addi(10, 0, trips), addi(10, 10, -1), bne(10, 0, -4), addi(17, 17, 1)];
    words.push(bne(8, 0, 4 * 6));
    words.extend(counts(27));
    words.push(jal(0, 4 * 12));
    words.push(bne(8, 14, 4 * 6));
    for trips in [60, 5, 40] {
        words.extend(counts(trips));
        words.push(csrw(EXIT, 0));
    }
    words
}

/// Some threads call and return to where the others wait for them: from a routine whose sides reconverge at its
/// return, and from one in which a side ends.
fn returns_to_a_meeting() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(9, 8, 1), andi(10, 8, 2)];
    words.extend([beq(9, 0, 8), jal(1, 24), beq(9, 0, 8), jal(1, 32), addi(11, 11, 1), csrr(13, MASK), csrw(EXIT, 0)]);
    words.extend([beq(10, 0, 12), addi(11, 11, 2), jalr(0, 1, 0), jalr(0, 1, 0)]);
    words.extend([beq(10, 0, 12), csrw(EXIT, 0), jalr(0, 1, 0), jalr(0, 1, 0)]);
    words
}

/// Odd harts end, in two ways; the others wait at the barrier twice.
fn early_exits() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(9, 8, 1), beq(9, 0, 16), andi(9, 8, 2), beq(9, 0, 28), csrw(EXIT, 0)];
    words.extend([csrw(BARRIER, 8), csrr(10, MASK), addi(10, 10, 1), csrw(BARRIER, 0), csrw(EXIT, 0)]);
    words.extend([addi(11, 0, 100), addi(11, 11, -1), bne(11, 0, -4), csrw(EXIT, 0)]);
    words
}

/// The first warp ends at once. The others wait at the barrier three times, and count: after a release there are no
/// fetches for a warp that has ended.
fn early_warp() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), csrr(9, THREADS), bltu(8, 9, 4 * 13)];
    for rounds in [1, 20, 40] {
        words.extend([csrw(BARRIER, 0), addi(11, 0, rounds), addi(11, 11, -1), bne(11, 0, -4)]);
    }
    words.push(csrw(EXIT, 0));
    words
}

/// Odd harts end; the others wait at a barrier after which both sides of the branch would reconverge, twice.
fn barrier_before_a_meeting() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), andi(9, 8, 1), beq(9, 0, 16), csrw(EXIT, 0), addi(11, 11, 1), jal(0, 8)];
    words.extend([csrw(BARRIER, 0), csrr(10, MASK), beq(9, 0, 12), csrw(EXIT, 0), jal(0, 8), csrw(BARRIER, 0)]);
    words.extend([addi(10, 10, 1), csrw(EXIT, 0)]);
    words
}

/// Every thread stores the same instruction over the next, then executes it.
fn self_modifying() -> Vec<u32> {
    let mut words = vec![auipc(10, 0), lw(11, 10, 28), sw(11, 10, 20), FENCE, FENCE_I, EBREAK];
    words.extend([jal(0, 8), addi(12, 12, 7), csrr(13, MASK), csrw(EXIT, 12)]);
    words[9] = csrw(EXIT, 0);
    words
}

/// Odd harts end by immediate, the others by register, all with code 0, in each of the six ways.
fn exit_sources() -> Vec<u32> {
    let ways = [csrrw(0, EXIT, 0), csrrc(0, EXIT, 9), csrrwi(0, EXIT, 0), csrrci(0, EXIT, 31), csrrs(9, EXIT, 10)];
    let mut words = vec![csrr(8, MHARTID), addi(9, 0, 5), lui(10, 0), csrr(11, STACK_END)];
    for (hart, way) in ways.into_iter().enumerate() {
        let way = if hart == 4 { csrrc(9, EXIT, 9) } else { way };
        words.extend([addi(12, 0, hart as i32), bne(8, 12, 8), way]);
    }
    words.push(csrrsi(0, EXIT, 0)); // sets no bit: only reads
    words.push(csrw(EXIT, 0));
    words
}

/// Each form that sets bits ends one of the first threads; the others end with 0.
fn exit_codes() -> Vec<u32> {
    let mut words = vec![csrr(8, MHARTID), addi(9, 0, 5), addi(10, 0, 7)];
    let ways = [csrw(EXIT, 9), csrrs(0, EXIT, 10), csrrwi(0, EXIT, 9), csrrsi(0, EXIT, 21)];
    for (hart, way) in ways.into_iter().enumerate() {
        words.extend([addi(12, 0, hart as i32), bne(8, 12, 8), way]);
    }
    words.push(csrw(EXIT, 0));
    words
}

fn loads_to_x0() -> Vec<u32> {
    let body = [sw(5, 6, 0), lw(0, 6, 0), lw(8, 6, 0), slli(9, 5, 4), add(9, 9, 6), lw(0, 9, 0), add(8, 8, 0)];
    with_prologue(body.into_iter().chain([
        lui(10, 0x10000),
        lw(0, 10, 0),
        lw(11, 10, 0),
        lbu(12, 10, 0),
        addi(11, 11, 1),
    ]))
}

/// One program for each kind of fault. Where lanes differ, those of harts 4n+2 and 4n+3 fault, or of 4n+3 alone.
fn faults() -> Vec<Directed> {
    let fault = |name: &str, cause, body: &[u32]| {
        let mut words = prologue();
        words.extend([srli(7, 5, 1), andi(7, 7, 1), and(28, 7, 5)]);
        words.extend(body);
        words.push(csrw(EXIT, 0));
        Directed { cause: Some(cause), ..ends(format!("fault: {name}"), words, Outcome::Fault) }
    };
    let guarded = |instruction| [beq(7, 0, 8), instruction];
    // An address in RAM, or one at distance `delta` (its upper 20 bits) in the lanes where `flag` is 1.
    let wild = |flag, delta, access| [sub(8, 0, flag), lui(9, delta), and(8, 8, 9), add(9, 6, 8), access];
    let odd = add(9, 6, 7);
    let accesses = [
        ("lw misaligned", 4, lw(10, 9, 0)),
        ("lh misaligned", 4, lh(10, 9, 0)),
        ("lhu misaligned", 4, lhu(10, 9, 2)),
        ("sw misaligned", 6, sw(10, 9, 0)),
        ("sh misaligned", 6, sh(10, 9, 0)),
    ];
    let outside = [
        ("lw outside", 5, lw(10, 9, 0)),
        ("lbu outside", 5, lbu(10, 9, 0)),
        ("sw outside", 7, sw(10, 9, 0)),
        ("sb outside", 7, sb(10, 9, 0)),
    ];
    let single = [
        ("zero", 2, 0),
        ("all ones", 2, 0xffff_ffff),
        ("ebreak", 3, EBREAK),
        ("ecall", 11, ECALL),
        ("mret", 2, 0x3020_0073),
        ("wfi", 2, 0x1050_0073),
        ("unknown csr", 2, csrr(8, 0x300)),
        ("write of a read-only csr", 2, csrw(MHARTID, 0)),
        ("shift by 32", 2, 1 << 25 | slli(8, 8, 1)),
        ("register operation of another function", 2, 2 << 25 | add(8, 8, 8)),
        ("jalr of another function", 2, 1 << 12 | jalr(0, 1, 0)),
        ("load of another function", 2, 3 << 12 | 3),
        ("branch of another function", 2, 2 << 12 | 0x63),
        ("jal misaligned", 0, jal(0, 6)),
        ("branch misaligned", 0, beq(0, 0, 6)),
    ];
    let read_only = READ_ONLY.iter().chain(&[0x803]).map(|number| csrw((*number).into(), 5));
    // Bits are set in a CSR that only whole values are written to.
    let set = [GROUP, REGION].map(|number| (2 << 12) | (csrr(0, number) & !0xf8000) | 5 << 15);
    // One lane's address is odd, or lies between two words.
    let misaligned = [
        ("lw", 1, 4, lw(10, 9, 0)),
        ("lw", 2, 4, lw(10, 9, 0)),
        ("lh", 1, 4, lh(10, 9, 0)),
        ("sw", 1, 6, sw(10, 9, 0)),
        ("sw", 2, 6, sw(10, 9, 0)),
        ("sh", 1, 6, sh(10, 9, 0)),
    ];
    let in_lane = |lane, offset, access| {
        [andi(8, 5, 3), addi(9, 6, 0), addi(10, 0, lane), bne(8, 10, 8), addi(9, 6, offset), access]
    };
    let mut programs: Vec<_> = single.iter().map(|&(name, cause, word)| fault(name, cause, &guarded(word))).collect();
    let writes = read_only.chain(set);
    programs.extend(writes.map(|word| fault(&format!("a write of csr {:#x}", word >> 20), 2, &guarded(word))));
    programs.extend(accesses.iter().map(|&(name, cause, access)| fault(name, cause, &[odd, access])));
    for (name, cause, access) in outside {
        for delta in [0x01000, 0x40000, 0x80000, 0x90000, 0xf0000] {
            let all = [7, 28].map(|flag| fault(&format!("{name} by {delta:#x}"), cause, &wild(flag, delta, access)));
            programs.extend(all);
        }
    }
    for lane in 0..4 {
        programs.extend(misaligned.map(|(name, offset, cause, access)| {
            fault(&format!("{name} by {offset} in lane {lane}"), cause, &in_lane(lane, offset, access))
        }));
    }
    programs.push(fault("ebreak of later harts", 3, &[srli(8, 5, 2), beq(8, 0, 8), EBREAK]));
    programs.push(fault("jalr misaligned", 0, &[auipc(8, 0), slli(9, 7, 1), add(8, 8, 9), jalr(0, 8, 16)]));
    programs.push(fault("jump to nowhere", 1, &guarded(jalr(0, 0, 16))));
    programs.push(fault("past the end of RAM", 7, &[lui(8, (BASE >> 12) + 0x1000), sw(8, 8, 0)]));
    programs.push(fault("beside the console", 7, &[lui(8, 0x10000), sw(8, 8, 4)]));
    programs
}

fn tohosts() -> Vec<Directed> {
    let program = |name: &str, outcome, store: [u32; 3]| {
        let mut words = vec![csrr(5, MHARTID), bne(5, 0, 20), lui(6, (BASE >> 12) + 3)];
        words.extend(store);
        words.extend([jal(0, 0)]);
        let symbols = vec![("tohost", BASE + 0x3000)];
        Directed { symbols, ..ends(format!("tohost: {name}"), words, outcome) }
    };
    let nop = addi(0, 0, 0);
    vec![
        program("1", Outcome::Pass, [addi(7, 0, 1), sw(7, 6, 0), nop]),
        program("1 as a byte", Outcome::Pass, [addi(7, 0, 1), sb(7, 6, 0), nop]),
        program("0", Outcome::Fault, [addi(7, 0, 1), sw(0, 6, 0), sw(7, 6, 0)]),
        program("0 as a byte", Outcome::Fault, [addi(7, 0, 1), sb(0, 6, 2), sw(7, 6, 0)]),
        program("7", Outcome::Fail, [addi(7, 0, 7), sw(7, 6, 0), nop]),
        program("4", Outcome::Fault, [addi(7, 0, 4), sw(7, 6, 0), nop]),
        program("in its second byte", Outcome::Fault, [addi(7, 0, 1), sb(7, 6, 1), nop]),
    ]
}
