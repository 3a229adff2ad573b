//! Critical sections, as a compiler and its library write them.
//!
//! Each of the three groups of locks, that of words, bytes and tickets, has four records of 16 bytes: the lock or the
//! next ticket, the ticket that is served, and the sum that the lock guards. The bytes are in the first record.
//! Registers whose values depend on the order of the threads are cleared, so that a program with locks can still be
//! compared with the harts one after the other.

use super::{COPIES_AT, Printer, SHARED_WORDS};
use crate::program::fixed::{PRIVATE, SCRATCH, SHARED};
use crate::program::{Lock, LockKind};

const GROUP_BYTES: u32 = 64;
/// Bytes of all locks, which are behind the shared words.
pub const BYTES: u32 = 3 * GROUP_BYTES;
/// Offset of the sum in a record.
const SUM: u32 = 8;
/// Private words behind the copied code: the address of the record, and the sum before the section.
const RECORD_AT: u32 = COPIES_AT + 64;
const SUM_AT: u32 = COPIES_AT + 68;

impl Printer {
    pub(super) fn lock(&mut self, lock: &Lock) {
        let ([one, two], group) = (SCRATCH, lock.kind.group_at());
        self.lines(&format!(
            "andi x{one}, x{}, 3; slli x{two}, x{one}, 3; slli x{one}, x{one}, 4
             add x{one}, x{one}, x{SHARED}; addi x{one}, x{one}, {group}
             sw x{one}, {RECORD_AT}(x{PRIVATE})",
            lock.selector
        ));
        self.lines(&lock.acquire());
        self.lines(&format!(
            "li x{}, 0; lw x{one}, {RECORD_AT}(x{PRIVATE})
             lw x{two}, {SUM}(x{one}); sw x{two}, {SUM_AT}(x{PRIVATE}); li x{two}, 0",
            lock.scratch
        ));
        self.body(&lock.body);
        self.lines(&format!(
            "lw x{one}, {RECORD_AT}(x{PRIVATE}); lw x{two}, {SUM_AT}(x{PRIVATE}); sw x0, {SUM_AT}(x{PRIVATE})
             add x{two}, x{two}, x{}; sw x{two}, {SUM}(x{one})",
            lock.adds
        ));
        self.lines(&lock.release());
        self.lines(&format!("li x{two}, 0"));
    }
}

impl Lock {
    /// The first scratch register holds the address of the record, the second one the number of the byte's first bit.
    fn acquire(&self) -> String {
        let ([one, two], value) = (SCRATCH, self.scratch);
        let pause = if self.pauses { "pause" } else { "" };
        match self.kind {
            LockKind::Swap => format!(
                "li x{two}, 1
                 1: amoswap.w.aq x{value}, x{two}, (x{one}); {pause}; bnez x{value}, 1b"
            ),
            LockKind::TestAndSwap => format!(
                "li x{two}, 1
                 1: lw x{value}, 0(x{one}); {pause}; bnez x{value}, 1b
                 amoswap.w x{value}, x{two}, (x{one}); bnez x{value}, 1b"
            ),
            LockKind::Reservation => format!(
                "li x{two}, 1
                 1: lr.w.aq x{value}, (x{one}); {pause}; bnez x{value}, 1b
                 sc.w x{value}, x{two}, (x{one}); bnez x{value}, 1b"
            ),
            LockKind::Byte => format!(
                "addi x{one}, x{SHARED}, {}
                 1: li x{value}, 1; sll x{value}, x{value}, x{two}; amoor.w x{value}, x{value}, (x{one})
                 srl x{value}, x{value}, x{two}; andi x{value}, x{value}, 255; {pause}; bnez x{value}, 1b",
                self.kind.group_at()
            ),
            LockKind::Ticket => format!(
                "li x{value}, 1; amoadd.w x{value}, x{value}, (x{one})
                 1: lw x{two}, 4(x{one}); {pause}; bne x{two}, x{value}, 1b"
            ),
        }
    }

    /// The first scratch register holds the address of the record.
    fn release(&self) -> String {
        let ([one, two], value) = (SCRATCH, self.scratch);
        match self.kind {
            LockKind::Swap => format!("amoswap.w.rl x0, x0, (x{one})"),
            LockKind::TestAndSwap | LockKind::Reservation => format!("sw x0, 0(x{one})"),
            LockKind::Byte => format!(
                "addi x{value}, x{SHARED}, {}; sub x{two}, x{one}, x{value}; srli x{two}, x{two}, 4
                 add x{two}, x{two}, x{value}; sb x0, 0(x{two})",
                self.kind.group_at()
            ),
            LockKind::Ticket => format!("lw x{two}, 4(x{one}); addi x{two}, x{two}, 1; sw x{two}, 4(x{one})"),
        }
    }
}

impl LockKind {
    /// Offset of its group of locks from the shared words.
    fn group_at(self) -> u32 {
        let group = match self {
            Self::Swap | Self::TestAndSwap | Self::Reservation => 0,
            Self::Byte => 1,
            Self::Ticket => 2,
        };
        4 * SHARED_WORDS + GROUP_BYTES * group
    }
}
