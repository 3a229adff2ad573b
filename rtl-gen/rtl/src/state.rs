//! What a module remembers: registers and memories under construction.

use std::ops::Deref;

use num_bigint::BigUint;

use crate::builder::Builder;
use crate::expr::{Expr, zeros};
use crate::module::{Driver, Item, RegisterData};
use crate::net::NetKind;
use crate::{MemoryStyle, clog2};

/// A register under construction; dereferences to its output.
pub struct Register {
    pub(crate) module: Builder,
    pub(crate) index: Option<usize>,
    pub(crate) q: Expr,
}

impl Deref for Register {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        &self.q
    }
}

impl Register {
    #[track_caller]
    fn set(&self, change: impl FnOnce(&mut RegisterData)) -> &Self {
        if let Some(index) = self.index {
            change(&mut self.module.0.borrow_mut().registers[index]);
        }
        self
    }

    /// The value after the next clock edge.
    #[track_caller]
    pub fn next(&self, value: &Expr) -> &Self {
        let q = &self.q;
        assert!(
            q.width() == value.width(),
            "register `{q:?}` has {} bits, `{value:?}` has {}",
            q.width(),
            value.width()
        );
        self.set(|register| {
            assert!(register.next.is_none(), "register `{q:?}` has two next values");
            register.next = Some(value.clone());
        })
    }

    /// Changes only in cycles where the one-bit `condition` holds (reset comes first).
    #[track_caller]
    pub fn enable(&self, condition: &Expr) -> &Self {
        assert!(condition.width() == 1, "enable `{condition:?}` must have 1 bit");
        let q = &self.q;
        self.set(|register| {
            assert!(register.enable.is_none(), "register `{q:?}` has two enables");
            register.enable = Some(condition.clone());
        })
    }

    /// Synchronous reset to `value`.
    #[track_caller]
    pub fn reset(&self, value: u64) -> &Self {
        self.reset_to(BigUint::from(value))
    }

    /// Synchronous reset to all ones.
    #[track_caller]
    pub fn reset_ones(&self) -> &Self {
        self.reset_to((BigUint::from(1u8) << self.q.width()) - 1u8)
    }

    #[track_caller]
    fn reset_to(&self, value: BigUint) -> &Self {
        let q = &self.q;
        assert!(value.bits() as usize <= q.width(), "register `{q:?}` has {} bits, too few for {value}", q.width());
        self.set(|register| {
            assert!(register.reset.is_none(), "register `{q:?}` has two reset values");
            register.reset = Some(value);
        })
    }

    /// The output as an expression.
    pub fn q(&self) -> Expr {
        self.q.clone()
    }
}

/// A memory under construction.
pub struct Memory {
    pub(crate) module: Builder,
    pub(crate) index: Option<usize>,
    pub(crate) depth: usize,
    pub(crate) width: usize,
    pub(crate) style: MemoryStyle,
}

impl Memory {
    #[track_caller]
    fn check_address(&self, address: &Expr) {
        let bits = clog2(self.depth);
        assert!(
            address.width() == bits,
            "an address of {} words has {bits} bits, `{address:?}` has {}",
            self.depth,
            address.width()
        );
    }

    /// Writes `data` at the clock edge where `enable` holds.
    ///
    /// # Panics
    /// If a width is wrong, or at a second write port of a memory of LUT RAM, which has one.
    #[track_caller]
    pub fn write(&self, enable: &Expr, address: &Expr, data: &Expr) -> &Self {
        self.check_address(address);
        assert!(enable.width() == 1, "write enable `{enable:?}` must have 1 bit");
        assert!(data.width() == self.width, "a word has {} bits, `{data:?}` has {}", self.width, data.width());
        if let Some(index) = self.index {
            let mut body = self.module.0.borrow_mut();
            let memory = &mut body.memories[index];
            assert!(
                memory.writes.is_empty() || self.style != MemoryStyle::Distributed,
                "distributed memory `{}` has one write port",
                memory.name
            );
            memory.writes.push((enable.clone(), address.clone(), data.clone()));
        }
        self
    }

    /// The word at `address`, in the same cycle.
    ///
    /// # Panics
    /// If a width is wrong, or if the memory is block RAM, which has registered reads only.
    #[track_caller]
    pub fn read(&self, name: &str, address: &Expr) -> Expr {
        self.check_address(address);
        assert!(self.style == MemoryStyle::Distributed, "`{name}` reads block RAM in the same cycle");
        let Some(index) = self.index else { return zeros(0) };
        self.module.declare_wire(name, self.width, Some(Driver::Memory { memory: index, address: address.clone() }))
    }

    /// The word at `address`, sampled at the clock edge: the old word if it is written at that edge.
    #[track_caller]
    pub fn read_registered(&self, name: &str, address: &Expr) -> Expr {
        self.check_address(address);
        let Some(index) = self.index else { return zeros(0) };
        let net = self.module.net(name, self.width, NetKind::MemoryRead);
        let mut body = self.module.0.borrow_mut();
        let read = body.memories[index].reads.len();
        body.memories[index].reads.push((net.clone(), address.clone()));
        body.items.push(Item::MemoryRead { memory: index, read });
        Expr::net(&net)
    }
}
