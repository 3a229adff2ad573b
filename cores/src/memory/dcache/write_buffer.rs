//! The write buffer of the data cache: stores, in order of acceptance.
//!
//! Each entry has a line, and the bytes of it that are written. A store merges into the newest entry of its line, unless
//! this leaves. No store merges into an older one, even if its leaving is put off.
//!
//! An entry leaves when there are three, when a request waits for it, or after [`LINGER`] cycles as the oldest, in
//! which further stores can merge.
//!
//! Storage: 4 entries. The line is in T banks of block RAM, four bytes in each with the mask as their ninth bits.

use rtl::{
    Builder, ElaborationError, Expr, MemoryStyle, Module, Register, decode, encode, increment, join, select_one_hot,
};

use super::Geometry;

/// Entries, a power of two.
const ENTRIES: usize = 4;
/// Bits of the number of an entry.
const NUMBER: usize = 2;
/// Bits of the count of cycles in which the oldest entry waits for stores to merge.
const LINGER: usize = 3;

pub fn elaborate(geometry: &Geometry) -> Result<Module, ElaborationError> {
    let Geometry { threads, row_bits, .. } = *geometry;
    let m = Builder::new("dcache_write_buffer", "Stores on their way to memory, in order.");
    m.timing(
        "an entry may leave from the cycle after its push. The request that leaves is at the output in the next cycle, \
         until another leaves.",
    );
    m.port_group("a store enters; `row` is also compared for other requests");
    let push = m.input("push", 1);
    let row = m.input("row", row_bits);
    let mask = m.input("mask", 4 * threads);
    let data = m.input("data", 32 * threads);
    m.port_group("a request waits for an entry to leave; the first entry leaves");
    let waits = m.input("waits", 1);
    let leaves = m.input("leaves", 1);

    m.comment("The entries, in a ring.");
    let [head, tail] = ["head", "tail"].map(|name| m.register(name, NUMBER));
    let [held, newest] = ["held", "newest"].map(|name| m.register(name, ENTRIES));
    let rows: Vec<Register> = (0..ENTRIES).map(|entry| m.register(&format!("row_{entry}"), row_bits)).collect();
    let [at_head, at_tail] = [&head, &tail].map(|at| decode(at, ENTRIES));
    let at_head = m.wire("at_head", &at_head);
    let same_row = m.wire("same_row", &(&held & join(rows.iter().map(|held| held.eq(&row)))));

    m.comment("Whether the first entry is to leave: no store merges into it then.");
    let lingers = m.register("lingers", LINGER);
    let third = held.index(&m.wire("third", &increment(&head, 2)));
    let ripe = third | &waits | lingers.all();
    let wants = m.wire("is_ripe", &(held.any() & ripe));
    lingers.next(&increment(&lingers, 1).when(&(held.any() & !&leaves))).enable(&(!&lingers.all() | &leaves)).reset(0);

    m.comment("A store merges, or takes the next entry.");
    let merge_at = m.wire("merge_at", &(&same_row & &newest & !at_head.when(&wants)));
    let merge = m.wire("merge", &merge_at.any());
    let enter = m.wire("enter", &(&push & !&merge));
    let entered = m.wire("entered", &at_tail.when(&enter));
    tail.next(&increment(&tail, 1)).enable(&enter).reset(0);
    head.next(&increment(&head, 1)).enable(&leaves).reset(0);
    held.next(&((&held & !at_head.when(&leaves)) | &entered)).reset(0);
    let passed = m.fault("store_merges_before_another", &same_row, &rtl::zeros(ENTRIES)).when(&enter);
    newest.next(&((&newest & !passed) | &entered));
    for (entry, held) in rows.iter().enumerate() {
        held.next(&row).enable(&entered.bit(entry));
    }
    let at = m.wire("write_at", &merge.mux(&encode(&merge_at), &tail));

    m.comment("The lines: a new entry writes all bytes, a merging store those of its mask.");
    let part = |byte: usize| join([&data.lane(byte, 8), &mask.bit(byte)]);
    let enables = (&mask | (!&merge).repeat(4 * threads)).when(&push);
    let enables = m.wire("byte_enables", &enables);
    let word = |number: usize| {
        let bank = m.memory(&format!("bank_{number}"), ENTRIES, 36, MemoryStyle::BlockUnordered);
        bank.write_parts(&enables.lane(number, 4), &at, &join((4 * number..4 * number + 4).map(part)));
        bank.read_registered_where(&format!("word_{number}"), &leaves, &head)
    };
    let parts: Vec<Expr> = (0..threads).map(word).flat_map(|word| word.lanes(9)).collect();

    m.port_group("whether an entry has the row; whether the store can enter; whether any entry is held");
    m.output("holds_row", &same_row.any());
    m.output("takes", &(&merge | !held.all()));
    m.output("any", &held.any());
    m.port_group("the first entry is to leave; its row; the request that left last");
    m.output("wants", &wants);
    m.output("first_row", &select_one_hot(&at_head, &rows));
    m.output("left_mask", &join(parts.iter().map(|part| part.bit(8))));
    m.output("left_data", &join(parts.iter().map(|part| part.slice(0, 8))));
    m.finish()
}
