//! The meetings of each warp in block RAM, a row for each thread, and the meeting of x in LUT RAM.
//!
//! S7 reads the meeting of f and the next one of x's meeting, so that S9 has both in registers. S9 writes the meeting that
//! the event in S8 has made or changed, and chooses the meeting of the new x. A row that S7 reads while S9 writes it is
//! forwarded.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, zeros};

use super::row::{Meeting, Queued, is_some, row_of};
use super::step::{Event, Ran};
use super::waiting::Waiting;
use crate::divergence::queue::Queue;
use crate::divergence::row::Row;
use crate::divergence::{UnitInputs, flag};
use crate::shape::Shape;

pub struct Meetings<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    pub rows: Memory,
    /// The meeting of x.
    pub of_x: Memory,
    /// The same in S7, with the write of S9, and in S8.
    read: Expr,
    pub word: Expr,
    /// The rows of f's meeting and of the next one of x's meeting, in S8.
    pub of_front: Expr,
    pub of_next: Expr,
    /// What S9 writes: whether it does, its row, and the word.
    writes: Expr,
    row: Expr,
    written: Expr,
}

/// The change by the event in S8.
pub struct Change {
    /// The meeting of x, or the new one.
    meeting: Meeting,
    /// It is written to this row.
    writes: Expr,
    row: Expr,
    /// It is the meeting of the new x.
    stays: Expr,
    /// The meeting of the new x is the next one of the old x's meeting.
    goes_up: Expr,
}

/// The meetings in S9.
pub struct Met {
    /// The row that is written.
    pub writes: Expr,
    pub row: Expr,
    pub written: Expr,
    /// The meeting of the new x.
    pub of_x: Expr,
    next: Meeting,
}

/// Whether a path is at the point of a meeting.
pub struct Seen {
    pub at_meeting: Expr,
    pub leaves_at_ret: Expr,
}

impl Change {
    pub fn of(m: &Builder, ran: &Ran, event: &Event, waiting: &Waiting) -> Self {
        m.comment("The meeting of x, or the new one, after the instruction.");
        let Ran { resolve, active, meeting, has_meeting, whole, outcome } = ran;
        let Event { meets, new_row, joins, arrives, lets_go, completes, stays, frees, cascades, pops, .. } = event;
        let joined = outcome.stays_with_a.mux(&resolve.b_mask, &resolve.a_mask).when(joins);
        let leaves = m.fault("a_path_that_lets_go_is_expected", lets_go, &zeros(1));
        let (rpc, at, own) = (&outcome.rpc, &outcome.arrived, meeting.rpc());
        let point = |new: &Expr, arrived: &Expr, own: &Expr| meets.mux(new, &arrives.mux(arrived, own));
        let own_arrived = &meeting.arrived | whole.when(arrives);
        let returns = own.is_return() & has_meeting & &outcome.arrivals.b_has_row_depth;
        let next = Meeting {
            rpc_kind: point(&rpc.kind, &at.kind, &own.kind),
            rpc_pc: point(&rpc.pc, &at.pc, &own.pc),
            rpc_depth: meets.mux(&rpc.depth, &own.depth),
            expected: meets.mux(whole, &(&meeting.expected & !active.mask.when(&leaves))),
            arrived: &joined | own_arrived.when(&!meets),
            up: meets.mux(&active.up, &meeting.up),
            leaves_at_ret: meets.mux(&returns, &meeting.leaves_at_ret),
        };
        let changes = (joins | arrives | lets_go) & has_meeting & !completes;
        let front = &waiting.queue.front;
        let of_front = &waiting.queued.up;
        let sibling = is_some(of_front) & has_meeting & row_of(of_front).eq(&row_of(&active.up)) & &front.valid;
        Self {
            meeting: next,
            writes: meets | changes,
            row: meets.mux(new_row, &row_of(&active.up)),
            stays: stays | (pops & sibling),
            goes_up: frees | cascades,
        }
    }
}

impl<'a> Meetings<'a> {
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, queue: &Queue) -> Self {
        m.comment("The meeting of x; that of f, and the next one of x's meeting.");
        let bits = Meeting::bits(shape);
        let rows = m.memory("meetings", shape.warps * shape.threads, bits, MemoryStyle::BlockUnordered);
        let of_x = m.memory("meeting_of_x", shape.warps, bits, MemoryStyle::Distributed);
        let read = m.forward("meeting_s7", bits);
        let word = m.delay("meeting_s8", &read);
        let (writes, row) = (m.forward("writes_meeting", 1), m.forward("meeting_row", shape.lane_bits()));
        let written = m.forward("changed_meeting", bits);
        let written_before = m.delay("changed_meeting_s10", &written);
        let same_warp = &writes & queue.is_written();
        let read_ahead = |name: &str, up: &Expr| {
            let up = m.wire(&format!("row_of_{name}_s7"), &row_of(up));
            let stored = rows.read_registered(&format!("stored_{name}"), &join([&up, &inputs.warp_s7]));
            let is_written = m.fault(&format!("{name}_is_not_forwarded"), &(&same_warp & row.eq(&up)), &zeros(1));
            let is_written = m.delay(&format!("{name}_is_written"), &is_written);
            m.wire(&format!("{name}_s8"), &is_written.mux(&written_before, &stored))
        };
        let of_front = read_ahead("meeting_of_f", &Queued::unpack(m, shape, &queue.more_s7()).up);
        let of_next = read_ahead("next_meeting", &Meeting::unpack(m, shape, &read).up);
        Self { m, shape, inputs, rows, of_x, read, word, of_front, of_next, writes, row, written }
    }

    pub fn of_x(&self) -> Meeting {
        Meeting::unpack(self.m, self.shape, &self.word)
    }

    /// That of the path in S7.
    pub fn of_x_s7(&self) -> Meeting {
        Meeting::unpack(self.m, self.shape, &self.read)
    }

    /// Writes the tables in S9.
    pub fn update(&self, change: &Change, queue: &Queue) -> Met {
        let Self { m, shape, inputs, .. } = self;
        let resolve = &inputs.resolve;
        m.comment("S9: the meeting that has changed, and the meeting of the new x.");
        let writes = flag(m, "writes_meeting_s9", &(&resolve.valid & &change.writes));
        let row = m.delay("meeting_row_s9", &change.row);
        let written = m.delay("changed_meeting_s9", &change.meeting.pack());
        m.drive(&self.writes, &writes);
        m.drive(&self.row, &row);
        m.drive(&self.written, &written);
        let stays = m.delay("keeps_meeting_s9", &change.stays);
        let goes_up = m.delay("goes_up_s9", &change.goes_up);
        let of_front = m.delay("meeting_of_f_s9", &self.of_front);
        let of_next = m.delay("next_meeting_s9", &self.of_next);
        self.rows.write(&writes, &join([&row, &queue.warp_s9]), &written);
        let stays = m.fault("a_changed_meeting_is_read_back", &stays, &zeros(1));
        let of_x = m.wire("meeting_of_x_s9", &stays.mux(&written, &goes_up.mux(&of_next, &of_front)));
        let [write, warp] = queue.write_s9();
        self.of_x.write(&write, &warp, &of_x.when(&!&inputs.start_valid));
        m.drive(&self.read, &queue.is_written().mux(&of_x, &self.of_x.read("meeting_read", &inputs.warp_s7)));
        let next = Meeting::unpack(m, shape, &of_next);
        Met { writes, row, written, of_x, next }
    }
}

impl Met {
    /// Whether a path is at the point of the meeting after the one that x has left, if there is such a meeting.
    pub fn seen_from_next(&self, m: &Builder, row: &Row, exists: &Expr) -> Seen {
        let rpc = self.next.rpc();
        let deep = m.wire("has_depth_of_next", &(row.depth.eq(&rpc.depth) & exists));
        Seen { at_meeting: rpc.is_at() & &deep & row.pc.eq(&rpc.pc), leaves_at_ret: rpc.is_return() & deep }
    }
}
