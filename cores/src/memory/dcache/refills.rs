//! The refills of the data cache, by the tag of the load that reads memory: the *primary* load.
//!
//! Later loads of the line join the refill. They form a list, which begins at the primary load. When its answer has
//! been written to the banks, the loads of the list are answered from there, one a cycle. In these cycles no request
//! is looked up, so nothing changes the line before.
//!
//! A store to the line of a refill *kills* it: the answer goes to the loads before the store, and the line is not
//! installed.
//!
//! Storage: two bits, a row and two tags for each load in flight; a queue of as many lists.

use rtl::{Builder, ElaborationError, MemoryStyle, Module, decode, join};

use super::Geometry;
use crate::queue::Queue;

pub fn elaborate(geometry: &Geometry) -> Result<Module, ElaborationError> {
    let Geometry { outstanding, tag_bits, row_bits, index_bits, .. } = *geometry;
    let m = Builder::new("dcache_refills", "Refills of the data cache, and the loads that wait for them.");
    m.timing(
        "starts, joins, kills and answers count from the next cycle. A list waits in cycles in which memory \
         answers. No request is looked up while `lists` is high.",
    );
    m.port_group("a load leaves for memory; it is the primary load of a refill; its row");
    let starts = m.input("starts", 1);
    let fills = m.input("fills", 1);
    let tag = m.input("tag", tag_bits);
    let row = m.input("row", row_bits);
    m.port_group("the load joins a refill; a store kills a refill; its primary load");
    let joins = m.input("joins", 1);
    let kills = m.input("kills", 1);
    let primary = m.input("primary", tag_bits);
    m.port_group("memory answers");
    let answered = m.input("answered", 1);
    let answered_tag = m.input("answered_tag", tag_bits);

    m.comment("The state of each refill.");
    let started = m.wire("started", &decode(&tag, outstanding).when(&(&starts & fills)));
    let ended = m.wire("ended", &decode(&answered_tag, outstanding).when(&answered));
    let filling = m.register("filling", outstanding);
    filling.next(&((&filling & !&ended) | &started)).reset(0);
    let live = m.register("live", outstanding);
    let killed = decode(&primary, outstanding).when(&kills);
    live.next(&((&live & !m.fault("store_keeps_the_refill", &killed, &rtl::zeros(outstanding))) | &started));
    let loads = m.register("loads", outstanding);
    loads.next(&((&loads & !&ended) | decode(&tag, outstanding).when(&starts))).reset(0);
    let rows = m.memory("rows", outstanding, row_bits, MemoryStyle::Distributed);
    rows.write(&starts, &tag, &row);
    let answered_row = rows.read("row_answered", &answered_tag);
    let fill = m.wire("fill", &(&answered & filling.index(&answered_tag)));

    m.comment("The lists: the first load of each refill, and the one behind each load. The highest bit: there is one.");
    let link = tag_bits + 1;
    let first = m.memory("first_loads", outstanding, link, MemoryStyle::Distributed);
    first.write(&(&starts | &joins), &joins.mux(&primary, &tag), &join([&tag, &joins]));
    let behind = m.memory("loads_behind", outstanding, link, MemoryStyle::Distributed);
    behind.write(&joins, &tag, &first.read("first_of_primary", &primary));
    let head = first.read("first_of_answered", &answered_tag);

    m.comment("Lists whose line is in the banks. The walk reads the banks, and answers a cycle later.");
    let push = m.wire("begins_list", &(&fill & head.bit(tag_bits)));
    let waiting = Queue::declare(&m, "list", outstanding, &push);
    let pushed = join([&head.slice(0, tag_bits), &answered_row.slice(0, index_bits)]);
    let next = waiting.field(&m, "start", &pushed);
    let [walks, answers] = ["walks", "answers"].map(|name| m.register(name, 1));
    let reads = m.wire("reads_line", &(&walks & !(&answers & &answered)));
    let [walk_tag, answer_tag] = ["walk_tag", "answer_tag"].map(|name| m.register(name, tag_bits));
    let walk_index = m.register("walk_index", index_bits);
    let then = behind.read("behind_walked", &walk_tag);
    let goes_on = m.wire("goes_on", &(&reads & then.bit(tag_bits)));
    let ends = m.wire("walk_is_free", &(!&walks | (&reads & !then.bit(tag_bits))));
    let pop = m.wire("begins_walk", &(&ends & &waiting.valid));
    waiting.pop(&m, &pop);
    walks.next(&(&pop | !&ends)).reset(0);
    walk_tag.next(&pop.mux(&next.slice(0, tag_bits), &then.slice(0, tag_bits))).enable(&(&pop | goes_on));
    walk_index.next(&next.from(tag_bits)).enable(&pop);
    answers.next(&(&reads | (&answers & &answered))).reset(0);
    answer_tag.next(&walk_tag).enable(&reads);

    m.port_group("the answer of memory: its row, whether it is a refill, and whether its line is installed");
    m.output("answered_row", &answered_row);
    m.output("is_refill", &fill);
    m.output("is_live", &live.index(&answered_tag));
    m.port_group("whether the refill of `primary` is live, and whether a refill, or a load, is on its way");
    m.output("primary_is_live", &live.index(&primary));
    m.output("any_refill", &filling.any());
    m.output("any_load", &loads.any());
    m.port_group("a list is being answered: it reads a line; the answer to a load, when memory has none");
    m.output("lists", &(!&waiting.empty | &walks | &answers));
    m.output("list_reads", &reads);
    m.output("list_index", &walk_index);
    m.output("list_answers", &answers);
    m.output("list_tag", &answer_tag);
    m.finish()
}
