//! Where each warp is (`control.paths`): its active path, or one for each slot, as of its last instruction.
//!
//! S8 knows the paths of a warp after each of its instructions. They are kept here, because the divergence unit has them
//! in many forms, and no read port for others. A warp that has not committed since the start is at the entry.
//!
//! Storage: pc, mask and two bits for each slot of each warp in LUT RAM, and a bit for each warp.

use rtl::{Builder, MemoryStyle, concat, decode, join, lit, ones, select, zeros};

use super::registers::PATHS;
use super::{Bus, File, Held, Run};
use crate::shape::{PC, Shape};

pub fn declare(m: &Builder, shape: &Shape, bus: &Bus, run: &Run, held: &Held, file: &mut File) {
    let (slots, threads, warps) = (shape.slots, shape.threads, shape.warps);
    m.port_group("the paths of a warp after an instruction: pc, threads, whether there is one, whether it waits");
    let valid = m.input("path_valid", 1);
    let warp = m.input("path_warp", shape.warp_bits());
    let [pcs, masks] = [("path_pcs", PC), ("path_masks", threads)].map(|(name, bits)| m.input(name, slots * bits));
    let [present, parked] = ["path_present", "path_parked"].map(|name| m.input(name, slots));

    m.comment("The paths of each warp after its last instruction.");
    let fields =
        |slot: usize| join([&pcs.lane(slot, PC), &masks.lane(slot, threads), &present.bit(slot), &parked.bit(slot)]);
    let bits = PC + threads + 2;
    let paths = m.memory("paths", warps, slots * bits, MemoryStyle::Distributed);
    paths.write(&valid, &warp, &join((0..slots).map(fields)));
    let known = m.register("path_known", warps);
    let kept = (!m.fault("a_start_keeps_the_paths", &run.accepted, &zeros(1))).repeat(warps);
    known.next(&((&known & kept) | decode(&warp, warps).when(&valid))).reset(0);

    m.comment("The path that is read.");
    let address = &bus.read_at;
    let [slot_at, warp_at, end] = [PATHS.slot, PATHS.warp, PATHS.offset].map(|bytes| bytes.trailing_zeros() as usize);
    let (word, slot) = (address.slice(2, slot_at - 2), address.slice(slot_at, shape.slot_bits()));
    let at = address.slice(warp_at, shape.warp_bits());
    let row = paths.read("path_read", &at);
    let is_known = known.index(&at);
    let first = join([&held.entry.from(2), &ones(threads), &ones(1), &zeros(1)]);
    let at_entry = join((0..slots).map(|slot| if slot == 0 { first.clone() } else { zeros(bits) }));
    let row = m.wire("path_row", &is_known.mux(&row, &at_entry));
    let path = m.wire("path_of_slot", &if slots > 1 { select(&slot, row.lanes(bits)) } else { row });
    let mask = path.slice(PC, threads).extend(64);
    let words =
        [concat([&path.slice(0, PC), &zeros(2)]), mask.lane(0, 32), mask.lane(1, 32), path.from(bits - 2).extend(32)];
    let value = select(&word, &words).when(&path.bit(bits - 2));
    let in_paths = address.from(end).is(u64::from(PATHS.offset >> end));
    let exists = address.slice(warp_at, end - warp_at).lt(&lit(end - warp_at, warps as u64));
    let exists = if slots > 1 { exists } else { exists & !address.bit(slot_at) };
    file.others.push(value.when(&(in_paths & exists)));
}
