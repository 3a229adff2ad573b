//! Memory transactions between their commit and their acceptance by the memory: each is performed once, in commit
//! order.

use std::collections::VecDeque;

use weft_config::{Config, Scratchpad};
use weft_trace::{Commit, MemoryOp};

use super::compare;
use super::mismatch::{Difference, Subject, require_equal};
use crate::memory::{Ram, Request};

#[derive(Clone, Debug)]
struct Transaction {
    subject: Subject,
    operation: MemoryOp,
    address: u32,
    mask: [u64; 4],
    data: Vec<u32>,
    hart: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Transactions {
    scratchpad: Scratchpad,
    lines: VecDeque<Transaction>,
    spare: Vec<Vec<u32>>,
    console: VecDeque<(Subject, u8)>,
}

impl Transactions {
    pub(super) fn new(config: &Config) -> Self {
        let (lines, spare, console) = Default::default();
        Self { scratchpad: config.scratchpad, lines, spare, console }
    }

    pub(super) fn push(&mut self, commit: &Commit) {
        let &Commit { warp, slot, pc, instruction, .. } = commit;
        let subject = Subject { warp, slot, pc, instruction };
        if commit.memory == MemoryOp::Console {
            return self.console.push_back((subject, commit.memory_data[0] as u8));
        }
        let operation = commit.memory;
        // The scratchpad is in the core. What its stores do is seen in later loads, and at the end.
        if operation.request_code().is_none() || self.scratchpad.contains(commit.memory_address) {
            return;
        }
        let mut data = self.spare.pop().unwrap_or_default();
        data.clone_from(&commit.memory_data);
        let (address, mask) = (commit.memory_address, commit.memory_mask);
        let hart = warp * data.len() as u32 + commit.served.trailing_zeros();
        self.lines.push_back(Transaction { subject, operation, address, mask, data, hart });
    }

    /// A request that the memory accepted must be the oldest transaction.
    pub(super) fn perform(&mut self, request: &Request<'_>) -> Result<(), (Option<Subject>, Difference)> {
        let Some(transaction) = self.lines.pop_front() else {
            let actual = format!("operation {} at {:#010x}", request.code, request.address);
            return Err((None, Difference::new("dmem_req_valid", "no request: no commit asks for one", actual)));
        };
        Self::compare(&transaction, request).map_err(|difference| (Some(transaction.subject), difference))?;
        self.spare.push(transaction.data);
        Ok(())
    }

    fn compare(transaction: &Transaction, request: &Request<'_>) -> Result<(), Difference> {
        let operation = MemoryOp::of_request(request.code);
        require_equal!("dmem_req_op", Some(transaction.operation), operation, "{:?}");
        require_equal!("dmem_req_addr", transaction.address, request.address, "{:#010x}");
        // A load has a mask in a window alone.
        if transaction.operation != MemoryOp::Load || transaction.mask != [0; 4] {
            compare::mask("dmem_req_mask", transaction.mask, request.mask)?;
        }
        if transaction.operation.has_data() {
            compare::data("dmem_req_data", transaction.mask, &transaction.data, request.data)?;
        }
        if transaction.operation.is_reservation() {
            require_equal!("dmem_req_hart", transaction.hart, request.hart, "{}");
        }
        Ok(())
    }

    /// A byte that the console accepted must be the oldest one.
    pub(super) fn transmit(&mut self, byte: u8) -> Result<(), (Option<Subject>, Difference)> {
        let (subject, expected) = match self.console.pop_front() {
            Some((_, expected)) if expected == byte => return Ok(()),
            Some((subject, expected)) => (Some(subject), format!("{expected:#04x}")),
            None => (None, "no byte: no commit sends one".into()),
        };
        Err((subject, Difference::new("console_data", expected, format!("{byte:#04x}"))))
    }

    pub(super) fn check_empty(&self) -> Result<(), (Option<Subject>, Difference)> {
        self.check_lines_empty()?;
        if let Some((subject, byte)) = self.console.front() {
            let difference = Difference::new("console_valid", format!("byte {byte:#04x}"), "none before the end");
            return Err((Some(*subject), difference));
        }
        Ok(())
    }

    /// Every committed access to RAM must have been performed.
    pub(super) fn check_lines_empty(&self) -> Result<(), (Option<Subject>, Difference)> {
        if let Some(transaction) = self.lines.front() {
            let expected = format!("a {:?} at {:#010x}", transaction.operation, transaction.address);
            let difference = Difference::new("dmem_req_valid", expected, "no request before the end");
            return Err((Some(transaction.subject), difference));
        }
        Ok(())
    }

    /// Returns whether RAM is up to date with the commits.
    pub(super) fn are_performed(&self) -> bool {
        self.lines.is_empty()
    }

    /// `ram` after all outstanding transactions.
    pub(super) fn applied_to(&self, ram: &Ram) -> Ram {
        let mut ram = ram.clone();
        for Transaction { operation, address, mask, data, hart, .. } in &self.lines {
            let mut line = vec![0; data.len()];
            let (code, address, mask, hart) = (*operation as u64, *address, *mask, *hart);
            let request = Request { code, address, tag: 0, mask, data, hart };
            ram.perform(*operation, &request, &mut line);
        }
        ram
    }
}
