//! State of a module: registers and memories under construction.

use std::ops::Deref;

use num_bigint::BigUint;

use crate::builder::Builder;
use crate::expr::{Expr, mask, zeros};
use crate::module::{Driver, Item, MemoryData, ReadData, RegisterData, WriteData};
use crate::net::NetKind;
use crate::{MemoryStyle, clog2};

/// A register under construction. It dereferences to its output, and is an operand like it.
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
    /// Gives one of the register's parts its value. A second one is a mistake: the register then `has` too many.
    #[track_caller]
    fn set<V>(&self, part: impl FnOnce(&mut RegisterData) -> &mut Option<V>, value: V, has: &str) -> &Self {
        if let Some(index) = self.index {
            let known = part(&mut self.module.0.borrow_mut().registers[index]).replace(value);
            assert!(known.is_none(), "register `{:?}` {has}", self.q);
        }
        self
    }

    /// Converts a constant value of the register.
    #[track_caller]
    fn constant(&self, value: impl Into<BigUint>) -> BigUint {
        let (q, value) = (&self.q, value.into());
        assert!(value.bits() as usize <= q.width(), "register `{q:?}` has {} bits, too few for {value}", q.width());
        value
    }

    /// Sets the value after the next clock edge.
    #[track_caller]
    pub fn next(&self, value: &Expr) -> &Self {
        value.check_width(self.q.width(), format_args!("register `{:?}`", self.q));
        self.set(|register| &mut register.next, value.clone(), "has two next values")
    }

    /// Lets the register change only in cycles where the one-bit `condition` holds. Reset has priority.
    #[track_caller]
    pub fn enable(&self, condition: &Expr) -> &Self {
        assert!(condition.width() == 1, "enable `{condition:?}` must have 1 bit");
        self.set(|register| &mut register.enable, condition.clone(), "has two enables")
    }

    #[track_caller]
    pub fn reset(&self, value: u64) -> &Self {
        self.set(|register| &mut register.reset, self.constant(value), "has two reset values")
    }

    /// Sets a synchronous reset to all ones.
    #[track_caller]
    pub fn reset_ones(&self) -> &Self {
        self.set(|register| &mut register.reset, mask(self.q.width()), "has two reset values")
    }

    /// Sets the value before the first clock edge, from the configuration of the FPGA. Other registers start undefined.
    #[track_caller]
    pub fn starts_at(&self, value: u64) -> &Self {
        self.set(|register| &mut register.start, self.constant(value), "starts with two values")
    }

    pub fn q(&self) -> Expr {
        self.q.clone()
    }
}

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
        address.check_width(clog2(self.depth), format_args!("an address of {} words", self.depth));
    }

    /// Returns the address in a form that brackets can hold: an address that could overflow gets its own wire.
    #[track_caller]
    fn address(&self, name: &str, address: &Expr) -> Expr {
        if address.may_overflow() { self.module.wire(&format!("{name}_address"), address) } else { address.clone() }
    }

    #[track_caller]
    fn write_address(&self, address: &Expr) -> Expr {
        self.check_address(address);
        let Some(index) = self.index else { return address.clone() };
        let name = {
            let memory = &self.module.0.borrow().memories[index];
            let number = memory.writes.len();
            let suffix = if number == 0 { String::new() } else { format!("_{number}") };
            format!("{}_write{suffix}", memory.name)
        };
        self.address(&name, address)
    }

    /// Writes `data` at the clock edge where `enable` holds.
    ///
    /// # Panics
    /// If a width is wrong, or at a second write to LUT RAM, which has one write port.
    #[track_caller]
    pub fn write(&self, enable: &Expr, address: &Expr, data: &Expr) -> &Self {
        assert!(enable.width() == 1, "write enable `{enable:?}` must have 1 bit");
        self.check_data(data);
        let address = self.write_address(address);
        self.with(|memory| {
            assert!(
                memory.writes.is_empty() || memory.style != MemoryStyle::Distributed,
                "distributed memory `{}` has one write port",
                memory.name
            );
            memory.writes.push(WriteData { enable: enable.clone(), address, data: data.clone(), part: None });
        })
    }

    /// Writes parts of a word at the clock edge. `data` has as many equal parts as `enables` has bits, and a set bit writes
    /// its part. With parts of 8 bits these are the byte enables of block RAM.
    ///
    /// # Panics
    /// If a width is wrong, if the enables do not divide the word, or if the memory is LUT RAM, which writes whole words.
    #[track_caller]
    pub fn write_parts(&self, enables: &Expr, address: &Expr, data: &Expr) -> &Self {
        self.check_data(data);
        let parts = enables.width();
        assert!(
            parts > 0 && self.width.is_multiple_of(parts),
            "`{enables:?}` of {parts} bits does not divide a word of {}",
            self.width
        );
        let part = self.width / parts;
        let address = self.write_address(address);
        let writes: Vec<WriteData> = (0..if self.width == 0 { 0 } else { parts })
            .map(|number| WriteData {
                enable: enables.bit(number),
                address: address.clone(),
                data: data.lane(number, part),
                part: (parts > 1).then_some(number * part),
            })
            .collect();
        self.with(|memory| {
            assert!(
                memory.style != MemoryStyle::Distributed,
                "distributed memory `{}` writes whole words",
                memory.name
            );
            memory.writes.extend(writes);
        })
    }

    /// Initializes the memory with the words of a file, which tools read by `$readmemh`: one hexadecimal word per line, from
    /// address 0 up. A relative name starts at the folder in which the tool runs.
    ///
    /// # Panics
    /// If the name cannot be in a Verilog string (it is empty, or has a quotation mark, a backslash or a character that is
    /// not printable ASCII), or if the memory has a file already.
    #[track_caller]
    pub fn starts_with(&self, file: &str) -> &Self {
        let printable = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '"' | '\\');
        assert!(
            !file.is_empty() && file.chars().all(printable),
            "{file:?} cannot be a file name in Verilog: expected printable ASCII without \" and \\"
        );
        self.with(|memory| {
            let known = memory.image.replace(file.to_owned());
            assert!(known.is_none(), "memory `{}` starts with two files", memory.name);
        })
    }

    /// Initializes the memory with zeros, by the configuration of the FPGA.
    #[track_caller]
    pub fn starts_with_zeros(&self) -> &Self {
        self.with(|memory| memory.starts_with_zeros = true)
    }

    /// Allows a memory without writes and without a file: the user of the Verilog, such as a test bench, fills it.
    #[track_caller]
    pub fn filled_from_outside(&self) -> &Self {
        self.with(|memory| memory.filled_from_outside = true)
    }

    #[track_caller]
    fn with(&self, change: impl FnOnce(&mut MemoryData)) -> &Self {
        if let Some(index) = self.index {
            change(&mut self.module.0.borrow_mut().memories[index]);
        }
        self
    }

    #[track_caller]
    fn check_data(&self, data: &Expr) {
        data.check_width(self.width, format_args!("a word"));
    }

    /// Reads the word at `address`, in the same cycle.
    ///
    /// # Panics
    /// If a width is wrong, or if the memory is block RAM, which has registered reads only.
    #[track_caller]
    pub fn read(&self, name: &str, address: &Expr) -> Expr {
        assert!(self.style == MemoryStyle::Distributed, "`{name}` reads block RAM in the same cycle");
        self.inspect(name, address)
    }

    /// Reads the word at `address` in the same cycle, for properties only. Block RAM with such a read cannot be
    /// synthesised as block RAM.
    #[track_caller]
    pub fn inspect(&self, name: &str, address: &Expr) -> Expr {
        self.check_address(address);
        let Some(index) = self.index else { return zeros(0) };
        let address = self.address(name, address);
        self.module.declare_wire(name, self.width, Some(Driver::Memory { memory: index, address }))
    }

    /// Reads the word at `address` at the clock edge. A write at the same edge gives the old word.
    #[track_caller]
    pub fn read_registered(&self, name: &str, address: &Expr) -> Expr {
        self.read_at_edge(name, address, None)
    }

    /// The same where `enable` holds. Elsewhere the word that was read last stays.
    #[track_caller]
    pub fn read_registered_where(&self, name: &str, enable: &Expr, address: &Expr) -> Expr {
        assert!(enable.width() == 1, "read enable `{enable:?}` must have 1 bit");
        self.read_at_edge(name, address, Some(enable.clone()))
    }

    #[track_caller]
    fn read_at_edge(&self, name: &str, address: &Expr, enable: Option<Expr>) -> Expr {
        self.check_address(address);
        let Some(index) = self.index else { return zeros(0) };
        let address = self.address(name, address);
        let net = self.module.net(name, self.width, NetKind::MemoryRead);
        let mut body = self.module.0.borrow_mut();
        let read = body.memories[index].reads.len();
        body.memories[index].reads.push(ReadData { net: net.clone(), address, enable });
        body.items.push(Item::MemoryRead { memory: index, read });
        Expr::net(&net)
    }
}
