//! The coalescer, S7: forms one transaction of the leader's access and those of other lanes. Combinational.
//!
//! The leader is the lowest active lane, which S6 has elected. A load serves the lanes that read the leader's word,
//! and every lane i that reads word i of the leader's line. A word store serves the leader, and the lanes i that write
//! word i of its line, if these are all active lanes of the line. Otherwise it serves the leader alone, so that a later
//! part does not write before an earlier lane. A narrower store serves the leader alone. There is no crossbar: each
//! lane's word is its own or the leader's, and the request says which.
//!
//! With [`Shape::loads_lines`] a load serves all lanes in the leader's line, and with [`Shape::stores_lines`] so does a
//! store of any width: switches behind the memory and the request queue bring words to lanes and bytes to the line. An
//! atomic operation and a console store always serve the leader alone.
//!
//! An access to a window serves the leader alone, too.
//!
//! If the leader's address is in the scratchpad, its rule applies instead: [`scratchpad::group`]. A core with a scratchpad
//! has both switches, whatever lanes it serves together in RAM.
//!
//! An indirect jump uses the same comparison, to find the lanes with the leader's target.

use rtl::{Builder, ElaborationError, Expr, Module, decode, join, lit, ones, select, zeros};

use super::map::{at_console, at_scratchpad, compare, interleaves, physical, word_in_line};
use super::scratchpad::group;
use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (threads, lane_bits) = (shape.threads, shape.lane_bits());
    let m = Builder::new("coalescer", "S7: the lanes that one memory transaction serves, and the line it carries.");
    m.timing("combinational, in S7. `leader` must be the lowest lane of `active`, which S6 has elected.");
    m.port_group("active lanes, their byte addresses, which of these are in the stacks, store data");
    let active = m.input("active", threads);
    let addresses = m.input("address", shape.line_bits());
    let in_stacks = m.input("in_stacks", if interleaves(shape) { threads } else { 0 });
    let stores = m.input("store", shape.line_bits());
    m.port_group("the leader, its number and its address");
    let leader = m.input("leader", threads);
    let leader_number = m.input("leader_number", if shape.routes_stores() { 0 } else { lane_bits });
    let leader_address = m.input("leader_address", 32);
    let window = if shape.has_windows() { "; whether it goes to a window" } else { "" };
    m.port_group(&format!("the access: whether it is a store or an atomic operation, and log2 of its bytes{window}"));
    let is_store = m.input("is_store", 1);
    let is_atomic = m.input("is_atomic", 1);
    let size = m.input("size", 2);
    let at_window = m.input("at_window", usize::from(shape.has_windows()));

    let held_at = m.wire("held_at", &physical(shape, &leader_address));
    let (leader_word, line) = (held_at.slice(2, lane_bits), held_at.from(2 + lane_bits));

    let lanes = shape.lanes();
    let comparison = compare(&m, shape, &addresses, &leader_address, &in_stacks);
    // If lane 0 is active, it is the leader.
    let but_lane_0 = |same: &Expr| join([&ones(1), &same.from(1)]);
    let in_line = m.wire("in_line", &(&active & but_lane_0(&comparison.same_line)));
    let word = |lane: usize| word_in_line(shape, &in_stacks, &addresses, lane);
    let words = m.wire_each(lanes, "word", word);
    let own = join((0..threads).map(|lane| lit(lane_bits, lane as u64)));
    let positions = m.fault("lanes_load_the_word_of_their_number", &words, &own);
    let direct = |lane: usize| in_line.bit(lane) & words.lane(lane, lane_bits).is_part(lane);
    let direct = if shape.stores_lines { zeros(0) } else { m.wire_each(lanes, "direct", direct) };
    let same_word = m.wire("with_leader", &(&active & but_lane_0(&comparison.same_word)));
    let is_word = size.bit(1);
    let alone = if shape.has_windows() {
        let at_window = m.fault("windows_serve_lanes_together", &at_window, &zeros(1));
        m.wire("leader_alone", &(&is_atomic | at_window))
    } else {
        is_atomic.clone()
    };
    let by_word = || {
        let loaded = if shape.loads_lines { in_line.clone() } else { &same_word | &direct };
        let covered = m.wire("line_covered", &(!&in_line | &direct | &leader).all());
        let together = &is_store & &is_word & covered;
        let together = if shape.has_windows() { together & !&alone } else { together };
        let together = m.wire("store_together", &together);
        let group = is_store.mux(&direct.when(&together), &loaded);
        (&leader | group.when(&!&alone), together)
    };
    m.port_group("the transaction");
    m.output("line", &line);
    m.port_group("an indirect jump: the lanes with the leader's target");
    m.output("jump_lanes", &same_word);
    if shape.routes_stores() {
        let served = if shape.stores_lines {
            let to_console = m.wire("stores_to_console", &(&is_store & at_console(shape, &leader_address)));
            let to_console = m.fault("stores_to_the_console_go_together", &to_console, &zeros(1));
            let alone = m.wire("alone", &(&alone | to_console));
            &leader | in_line.when(&!alone)
        } else {
            by_word().0
        };
        let served = if shape.has_scratchpad() {
            let in_banks = group::served(&m, shape, &active, &addresses, &is_atomic);
            at_scratchpad(shape, &leader_address).mux(&in_banks, &served)
        } else {
            served
        };
        let served = m.wire("served_lanes", &served);
        let writes = m.wire("writes", &(&is_store | &is_atomic));
        let has_mask = if shape.has_windows() { &writes | &at_window } else { writes };
        m.comment("The written bytes of each lane's word, and its data copied to all offsets.");
        let bytes = m.wire_each(lanes, "bytes", |lane| {
            let bytes = written_bytes(&size, &addresses.lane(lane, 32));
            m.fault("narrow_stores_write_their_word", &bytes, &ones(4)).when(&(served.bit(lane) & &has_mask))
        });
        let second = m.wire_each(lanes, "second_byte", |lane| second_byte(&size, &stores.lane(lane, 32)));
        let spread = m.wire_each(lanes, "spread", |lane| spread(&size, &stores.lane(lane, 32), &second.lane(lane, 8)));
        m.port_group("the lanes of the transaction, their words, and what they write");
        m.output("positions", &positions);
        m.output("served", &served);
        m.output("bytes_written", &bytes);
        m.output("data_spread", &spread);
        return m.finish();
    }
    let (served, together) = by_word();

    m.comment("The leader's word, copied to all offsets. Its position in the line is selected after the queue.");
    let leader_data = m.wire("leader_data", &select(&leader_number, stores.lanes(32)));
    let second = m.wire("second_byte", &second_byte(&size, &leader_data));
    let spread = m.wire("leader_spread", &spread(&size, &leader_data, &second));
    let bytes = m.wire("leader_bytes", &written_bytes(&size, &leader_address));

    m.port_group("words and lanes of the transaction");
    m.output("leader_word", &leader_word);
    m.output("direct_lanes", &direct);
    if shape.loads_lines {
        m.output("positions", &positions);
    }
    m.output("served", &served);
    m.port_group("a store: whether the direct lanes' words are written; the leader's bytes and data");
    if threads > 1 {
        m.output("together", &together);
    }
    m.output("leader_bytes_written", &bytes);
    m.output("leader_data_spread", &spread);
    m.finish()
}

/// A store's data, copied to all offsets of a word.
fn spread(size: &Expr, data: &Expr, second_byte: &Expr) -> Expr {
    let byte = data.slice(0, 8);
    let upper = size.bit(1).mux(&data.slice(16, 16), &join([&byte, second_byte]));
    join([&byte, second_byte, &upper])
}

/// It is in the same place of a word and of a half word.
fn second_byte(size: &Expr, data: &Expr) -> Expr {
    size.none().mux(&data.slice(0, 8), &data.slice(8, 8))
}

/// The bytes of its word that an access writes.
fn written_bytes(size: &Expr, address: &Expr) -> Expr {
    let offset = address.slice(0, 2);
    let half = join([&!offset.bit(1).repeat(2), &offset.bit(1).repeat(2)]);
    size.bit(1).mux(&ones(4), &size.bit(0).mux(&half, &decode(&offset, 4)))
}
