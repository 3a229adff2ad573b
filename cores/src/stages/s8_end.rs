//! S8, end: halts the core at its end, and reports how it ended.
//!
//! The core halts on the first fault, and on a word that is stored to `run.tohost`. Threads that end with a code
//! other than 0 do not halt it; the first such code is kept. Each report is of one lane, which is known at the end of
//! S7. So registers take the addresses of all lanes, and the lane as one bit of T. S8 selects the address at fault. For an
//! exit it is the code, subtracted from 0, because both are the sums of S6.
//!
//! Storage: 33 · T + 69 bits, a warp and the number of a thread; with `run.tohost` 33 bits more.

use rtl::{Builder, ElaborationError, Expr, Module, concat, encode, lit, select_one_hot, zeros};

use crate::shape::{PC, Shape};

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s8_end", "S8, end: the halt, the first fault, the first exit code that is not 0.");
    m.timing("the halt and the fault are registered at the end of S7, the exit code at the end of S8.");
    let inputs = Inputs::declare(&m, shape);
    let halted = m.register("halt", 1);
    let running = !&halted;
    let hold = |name: &str, value: &Expr| m.hold_reset(name, value, &running);

    m.comment("These follow S7 until the halt, so that no write enable depends on the fault.");
    let (cause, pc) = (hold("fault_cause", &inputs.cause), hold("fault_pc", &inputs.pc));
    let (warp, one_lane) = (hold("fault_warp", &inputs.warp), hold("fault_lane", &inputs.one_lane));
    let lane = m.wire("lane", &encode(&one_lane));
    let words = m.hold("addresses", &inputs.addresses, &running);
    let of_lane = m.fault("the_address_is_that_of_lane_0", &one_lane, &lit(shape.threads, 1));
    let address = m.wire("address", &select_one_hot(&of_lane, words.lanes(32)));

    m.comment("The first exit code that is not 0. An odd word in `tohost` replaces it; an even one is a fault.");
    let exits = m.delay_reset("exits", &inputs.exit_fails);
    let valid = m.register("valid", 1);
    let first = m.fault("the_last_exit_code_is_kept", &(&exits & !&valid), &exits);
    let code = m.wire("code_of_exit", &(zeros(32) - &address));
    let (mut halts, mut at_fault, mut takes, mut code) = (inputs.fault.clone(), halted.q(), first, code);
    if shape.tohost != 0 {
        let word = hold("tohost_word", &inputs.to_host_word);
        let ends = m.wire("ends", &(hold("tohost_stored", &inputs.to_host) & word.bit(0)));
        (halts, at_fault) = (halts | &inputs.to_host, at_fault & !&ends);
        (takes, code) = (takes | &ends, ends.mux(&word.from(1).extend(32), &code));
        m.output("tohost_ends", &ends);
    }
    halted.next(&(&halted | halts)).reset(0);
    let takes = m.wire("takes", &takes);
    valid.next(&(&valid | &takes)).reset(0);
    let (code, hart) = (m.hold_reset("code", &code, &takes), m.hold_reset("hart", &concat([&warp, &lane]), &takes));

    m.port_group("the halt, and the fault");
    m.output("halted", &halted);
    m.output("error_valid", &at_fault);
    m.output("error_cause", &cause);
    m.output("error_pc", &concat([&pc, &zeros(2)]));
    m.output("error_warp", &warp.extend(shape.warp_bits().max(1)));
    m.output("error_lane", &lane.extend(shape.lane_bits().max(1)));
    // Memory accesses have the causes 4 to 7. A jump clears bit 0 of its target.
    m.output("error_address", &concat([&address.from(1), &(address.bit(0) & cause.bit(2))]));
    m.port_group("the exit code, and its thread");
    m.output("exit_valid", &valid);
    m.output("exit_code", &code);
    m.output("exit_hart", &hart.extend(shape.hart_bits()));
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "from S7: a fault, an exit code that is not 0, a word for `tohost`"]
        fault: Expr = m.input("fault_valid_s7", 1),
        exit_fails: Expr = m.input("exit_fails_s7", 1),
        to_host: Expr = m.input("tohost_valid_s7", usize::from(shape.tohost != 0)),
        to_host_word: Expr = m.input("tohost_word_s7", if shape.tohost == 0 { 0 } else { 32 }),
        #[group = "its instruction and lane, and the addresses of all lanes"]
        cause: Expr = m.input("fault_cause_s7", 4),
        pc: Expr = m.input("fault_pc_s7", PC),
        warp: Expr = m.input("fault_warp_s7", shape.warp_bits()),
        /// The lane, one-hot.
        one_lane: Expr = m.input("fault_lane_s7", shape.threads),
        addresses: Expr = m.input("address_s7", shape.line_bits()),
    }
}
