//! The structures of dynamic warp formation as hardware: lane-aware, with the oldest warp first (`docs/notebook/warp-formation.md`).
//! A prototype for their size and their rules. No core has them.

use rtl::{Builder, ElaborationError, Expr, MemoryStyle, Module, clog2, encode, join, lowest_one, zeros};

/// Entries of the table of pcs.
const HINTS: usize = 32;
const PC: usize = 30;

/// The pool of warps that wait, the table that finds one by its pc, the allocator and the order of issue.
///
/// Threads come in an update: their pc, their lanes, and the home warp of the thread in each lane. An update joins the
/// warp that waits at its pc, but for lanes that this warp has already; those get a new warp, one cycle later. Each pc
/// has one warp to join, named by a *hint*: an entry of the pool, which counts only if it is taken and has the pc. So
/// nothing has to be undone when a warp issues.
///
/// A warp that issues in a cycle cannot be joined in it. There is always a free entry: each taken one has a thread.
///
/// Latency: a new warp may issue in the second cycle after its update, and is at the port one cycle later.
///
/// Storage, with E = W · T entries: pc and lanes of each entry in LUT RAM that is read twice; for each lane E home warps;
/// 32 hints; the order, E numbers; E bits.
pub fn formation(warps: usize, threads: usize) -> Result<Module, ElaborationError> {
    let (entries, home) = (warps * threads, clog2(warps));
    let bits = clog2(entries);
    let m = Builder::new("warp_formation", "Waiting threads, and the warps that they form.");
    m.port_group("threads that come: pc, lanes, home warp of the thread in each lane");
    let valid = m.input("update_valid", 1);
    let [pc, lanes, homes] = [("pc", PC), ("lanes", threads), ("homes", threads * home)]
        .map(|(name, width)| m.input(&format!("update_{name}"), width));
    m.output_port("update_ready", 1);
    m.port_group("the warp that issues");
    let issue_ready = m.input("issue_ready", 1);

    m.comment("The update, and its lanes without a place.");
    let done = m.forward("update_is_done", 1);
    let left = m.register("lanes_left", threads);
    let present = m.wire("update_is_present", &left.any());
    let ready = m.wire("update_is_free", &(!&present | &done));
    m.output("update_ready", &ready);
    let taken = m.wire("update_is_taken", &(&valid & &ready));
    let placed = m.forward("placed", threads);
    left.next(&taken.mux(&lanes, &(&*left & !&placed))).reset(0);
    let [pc, homes] = [("pc_held", &pc), ("homes_held", &homes)].map(|(name, value)| m.hold(name, value, &taken));

    m.comment("The warp at its pc.");
    let issues = m.forward("issues", 1);
    let issued = m.forward("issued", bits);
    let hints = m.memory("hints", HINTS, bits, MemoryStyle::Distributed);
    let hint = hints.read("hint", &pc.slice(0, clog2(HINTS)));
    let headers = m.memory("headers", entries, PC + threads, MemoryStyle::Distributed);
    let header = headers.read("header_of_hint", &hint);
    let used = m.register("used", entries);
    let leaves = m.fault("a_warp_that_issues_is_joined", &(&issues & hint.eq(&issued)), &zeros(1));
    let has_pc = m.fault("a_hint_of_another_pc_counts", &header.slice(0, PC).eq(&pc), &rtl::ones(1));
    let found = m.wire("found", &(used.index(&hint) & has_pc & !leaves));
    let held = m.wire("held", &header.slice(PC, threads).when(&found));
    let free_lanes = m.fault("a_lane_is_taken_twice", &(&*left & !&held), &left.q());
    let joins = m.wire("joins", &(&found & free_lanes.any()));
    let new = m.wire("new_warp", &(&present & !&joins));
    let free = m.wire("free_entry", &encode(&lowest_one(&!&*used)));
    let entry = m.wire("entry", &joins.mux(&hint, &free));
    m.drive(&placed, &joins.mux(&free_lanes, &left));
    m.drive(&done, &(&present & (&*left & !&placed).none()));
    hints.write(&present, &pc.slice(0, clog2(HINTS)), &entry);
    headers.write(&present, &entry, &join([&pc, &(held.when(&joins) | &placed)]));

    m.comment("The oldest warp issues.");
    let order = m.memory("order", entries, bits, MemoryStyle::Distributed);
    let youngest = m.counter("youngest_at", bits, &new);
    order.write(&new, &youngest, &free);
    let oldest = m.counter("oldest_at", bits, &issues);
    m.drive(&issued, &order.read("oldest", &oldest));
    let waiting = m.register("waiting", bits + 1);
    let change = new.extend(bits + 1) - issues.extend(bits + 1);
    waiting.next(&(&*waiting + change)).reset(0);
    let at_port = m.register("issue_is_valid", 1);
    m.drive(&issues, &(waiting.any() & (!&at_port | &issue_ready)));
    at_port.next(&(&issues | (&at_port & !&issue_ready))).reset(0);
    let entry_bits = |number: &Expr| rtl::decode(number, entries);
    used.next(&((&*used & !entry_bits(&issued).when(&issues)) | entry_bits(&free).when(&new))).reset(0);
    let header = headers.read("header_of_oldest", &issued);
    let header = m.hold("issue_header", &header, &issues);
    let home_of = |lane: usize| {
        let homes_of_lane = m.memory(&format!("homes_{lane}"), entries, home, MemoryStyle::Distributed);
        homes_of_lane.write(&placed.bit(lane), &entry, &homes.lane(lane, home));
        homes_of_lane.read(&format!("home_{lane}"), &issued)
    };
    let homes = m.hold("issue_homes_held", &join((0..threads).map(home_of)), &issues);
    m.output("issue_valid", &at_port);
    m.output("issue_pc", &header.slice(0, PC));
    m.output("issue_lanes", &header.from(PC));
    m.output("issue_homes", &homes);
    m.finish()
}
