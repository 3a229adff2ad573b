//! S6, leader: the lowest thread of the path in charge, before S7 knows whether the instruction is that path's.
//!
//! The threads of each context's path as S8 left them, in LUT RAM: written at the end of S8, or as many cycles later as the
//! divergence unit takes, and read in S5, so that S6 has all of its cycle to elect and to choose the leader's address. What is
//! written in the cycle of the read is taken from a register beside. So an instruction that asks for a leader leaves S3 a
//! cycle later after the one before it of its warp than others do ([`Shape::election_spacing`]). Who is elected for others
//! does not matter.
//!
//! Storage: W rows of slots · T bits, and two more in registers.

use rtl::{Builder, ElaborationError, MemoryStyle, Module, lowest_one, ones, select};

use crate::shape::Shape;

/// Elaborates the table and the election.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s6_leader", "S6, leader: the lowest thread of the path that the instruction must belong to.");
    m.port_group("start: all threads of a warp");
    let start_valid = m.input("start_valid", 1);
    let start_warp = m.input("start_warp", shape.warp_bits());
    m.port_group("the threads of each slot's path after S8");
    let valid = m.input("valid_s8", 1);
    let warp = m.input("warp_s8", shape.warp_bits());
    let masks = m.input("masks_s8", shape.slots * shape.threads);
    m.port_group("instruction in S5, and its slot in S6");
    let warp_s5 = m.input("warp_s5", shape.warp_bits());
    let slot_s6 = m.input("slot_s6", shape.slot_bits());

    let table = m.memory("masks", shape.warps, masks.width(), MemoryStyle::Distributed);
    let all = ones(masks.width());
    table.write(&(&start_valid | &valid), &start_valid.mux(&start_warp, &warp), &start_valid.mux(&all, &masks));
    let read = m.delay("masks_before", &table.read("masks_s5", &warp_s5));
    let written = m.register("is_written", 1);
    written.next(&(valid & warp.eq(&warp_s5)));
    let now = m.wire("masks_now", &written.mux(&m.delay("masks_written", &masks), &read));
    let mask = select(&slot_s6, &now.lanes(shape.threads));
    m.port_group("its bit");
    m.output("leader_s6", &lowest_one(&mask));
    m.finish()
}
