//! Atomic operations at the look-up of the data cache, one at a time.
//!
//! LR is a load that reserves. SC waits a cycle for its verdict; then it is a store, or nothing. An AMO is a load and
//! then a store: its look-up waits until the load is answered, and the old word with it. No other request is looked up
//! meanwhile, so nothing comes between.
//!
//! Storage: the reservations; a word, and three bits.

use rtl::{Builder, ElaborationError, Expr, Instance, Register, join, select_one_hot, zeros};
use weft_config::extension::A;

use crate::functional::atomic_alu;
use crate::memory::port::Request;
use crate::memory::reservations;
use crate::shape::Shape;

pub struct Atomics {
    /// The word of the operation, one-hot.
    word: Expr,
    pub is_reserve: Expr,
    pub is_conditional: Expr,
    pub is_amo: Expr,
    /// The load of an AMO is on its way.
    asked: Register,
    /// The verdict on SC, or the old word of an AMO, is known.
    pub knows: Register,
    /// The reservation of SC held.
    pub holds: Register,
    reservations: Instance,
    /// What SC or an AMO stores, in each lane.
    pub data: Expr,
    old: Register,
}

impl Atomics {
    pub fn declare(m: &Builder, shape: &Shape, request: &Request) -> Result<Option<Self>, ElaborationError> {
        if !shape.has(&A) {
            return Ok(None);
        }
        m.comment("Atomic operations: reservations, and the word that is written.");
        let Request { op, row, mask, data, hart, .. } = request;
        let word = m.wire("atomic_word", &join(mask.lanes(4).iter().map(|bytes| bytes.bit(0))));
        let [asked, knows, holds] = ["amo_is_asked", "knows", "reservation_held"].map(|name| m.register(name, 1));
        let old = m.register("old_word", 32);
        let alu = m.instance("alu", &atomic_alu::elaborate()?);
        alu.input("op", op).input("old", &old);
        alu.input("operand", &m.wire("operand", &select_one_hot(&word, data.lanes(32))));
        let reservations = m.instance("reservations", &reservations::elaborate(shape, row.width())?);
        reservations.input("hart", hart).input("row", row).input("word", &word);
        if shape.control {
            // A start resets the whole cache.
            reservations.input("restart", &zeros(1));
        }
        Ok(Some(Self {
            is_reserve: m.wire("is_reserve", &op.is(2)),
            is_conditional: m.wire("is_conditional", &op.is(3)),
            is_amo: m.wire("is_amo", &op.from(2).any()),
            data: alu.output_as("result", "new_word").repeat(shape.threads),
            word,
            asked,
            knows,
            holds,
            reservations,
            old,
        }))
    }

    /// Whether the operation is a load now.
    pub fn reads(&self, m: &Builder) -> Expr {
        let first = m.fault("amo_stores_before_it_has_read", &(!&self.asked & !&self.knows), &zeros(1));
        &self.is_reserve | (&self.is_amo & first)
    }

    /// Whether it is a store now.
    pub fn stores(&self, m: &Builder) -> Expr {
        let holds = m.fault("sc_ignores_its_reservation", &self.holds.q(), &self.knows.q());
        &*self.knows & (&self.is_amo | (&self.is_conditional & holds))
    }

    /// `asks`: a load leaves or joins a refill. `answers`: the pipeline gets `line` for this request. `done`: the request
    /// is finished, and `writes` bytes of its line, under this mask.
    pub fn update(&self, m: &Builder, [present, asks, done]: [&Expr; 3], [answers, line]: [&Expr; 2], written: &Expr) {
        let stays = m.wire("atomic_stays", &(present & !done));
        self.asked.next(&(&stays & (&*self.asked | (&self.is_amo & asks)))).reset(0);
        let gets = m.wire("gets_old_word", &(present & &self.is_amo & answers));
        self.knows.next(&(&stays & (&self.knows | &gets | &self.is_conditional))).reset(0);
        self.old.next(&select_one_hot(&self.word, line.lanes(32))).enable(&gets);
        self.holds.next(&self.reservations.net("holds"));
        self.reservations.input("reserve", &(done & &self.is_reserve));
        self.reservations.input("take", &(done & &self.is_conditional));
        self.reservations.input("written", written);
    }
}
