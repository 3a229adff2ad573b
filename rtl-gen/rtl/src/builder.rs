//! Building a module: ports, wires, registers, memories, instances.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use num_bigint::BigUint;

use crate::expr::{Expr, zeros};
use crate::module::{Body, Driver, ElaborationError, InstanceData, Item, MemoryData, Module, PortData, RegisterData};
use crate::names;
use crate::net::{Net, NetKind};
use crate::{Direction, MemoryStyle, clog2};

static IDENTITIES: AtomicUsize = AtomicUsize::new(1);

fn fresh() -> usize {
    IDENTITIES.fetch_add(1, Ordering::Relaxed)
}

/// A module under construction. Clones are handles to the same module.
///
/// Mistakes in the hardware description itself (widths, names, a net of another module) panic at the line that
/// makes them; what only the whole module can show (undriven nets, combinational loops) is an error of
/// [`Builder::finish`].
#[derive(Clone)]
pub struct Builder(Rc<RefCell<Body>>);

impl Builder {
    /// Starts a module. `purpose` becomes the comment above it.
    #[track_caller]
    pub fn new(name: &str, purpose: &str) -> Self {
        check_name(name);
        Self(Rc::new(RefCell::new(Body {
            id: fresh(),
            name: name.to_owned(),
            purpose: purpose.to_owned(),
            names: HashSet::from(["clk".to_owned(), "rst".to_owned()]),
            ports: Vec::new(),
            items: Vec::new(),
            memories: Vec::new(),
            registers: Vec::new(),
        })))
    }

    #[track_caller]
    fn net(&self, name: &str, width: usize, kind: NetKind) -> Rc<Net> {
        let mut body = self.0.borrow_mut();
        check_name(name);
        assert!(body.names.insert(name.to_owned()), "module `{}` has two things named `{name}`", body.name);
        Rc::new(Net { id: fresh(), name: name.to_owned(), width, kind, module: body.id })
    }

    /// Opens a group of ports: a blank line and a comment in the port list.
    pub fn port_group(&self, comment: &str) {
        self.0.borrow_mut().ports.push(PortData::Group(comment.to_owned()));
    }

    /// An input port. One of no bits does not appear.
    #[track_caller]
    pub fn input(&self, name: &str, width: usize) -> Expr {
        if width == 0 {
            return zeros(0);
        }
        let net = self.net(name, width, NetKind::Input);
        self.0.borrow_mut().ports.push(PortData::Input(net.clone()));
        Expr::net(&net)
    }

    /// Gives an output its place in the port list before its value is known.
    #[track_caller]
    pub fn output_port(&self, name: &str, width: usize) {
        if width == 0 {
            return;
        }
        check_name(name);
        let mut body = self.0.borrow_mut();
        assert!(body.names.insert(name.to_owned()), "module `{}` has two things named `{name}`", body.name);
        body.ports.push(PortData::Output { id: fresh(), name: name.to_owned(), width, driver: None });
    }

    /// Drives an output port, declaring it first if [`Builder::output_port`] has not.
    #[track_caller]
    pub fn output(&self, name: &str, value: &Expr) {
        if value.width() == 0 {
            return;
        }
        let declared = self.0.borrow().ports.iter().any(|port| port.name() == Some(name));
        if !declared {
            self.output_port(name, value.width());
        }
        let mut body = self.0.borrow_mut();
        let module = body.name.clone();
        let port = body.ports.iter_mut().find(|port| port.name() == Some(name)).expect("declared above");
        match port {
            PortData::Output { width, driver, .. } => {
                assert!(
                    *width == value.width(),
                    "output `{name}` of `{module}` has {width} bits, `{value:?}` has {}",
                    value.width()
                );
                assert!(driver.is_none(), "output `{name}` of `{module}` has two drivers");
                *driver = Some(value.clone());
            }
            _ => panic!("`{name}` of `{module}` is an input"),
        }
    }

    /// A comment line between the declarations.
    pub fn comment(&self, text: &str) {
        self.0.borrow_mut().items.push(Item::Comment(text.to_owned()));
    }

    /// A name for a value.
    #[track_caller]
    pub fn wire(&self, name: &str, value: &Expr) -> Expr {
        if value.width() == 0 {
            return zeros(0);
        }
        let net = self.net(name, value.width(), NetKind::Wire);
        self.0.borrow_mut().items.push(Item::Wire { net: net.clone(), driver: Some(Driver::Value(value.clone())) });
        Expr::net(&net)
    }

    /// A wire whose value comes later, by [`Builder::drive`].
    #[track_caller]
    pub fn forward(&self, name: &str, width: usize) -> Expr {
        if width == 0 {
            return zeros(0);
        }
        let net = self.net(name, width, NetKind::Wire);
        self.0.borrow_mut().items.push(Item::Wire { net: net.clone(), driver: None });
        Expr::net(&net)
    }

    /// Drives a [`Builder::forward`] wire.
    #[track_caller]
    pub fn drive(&self, wire: &Expr, value: &Expr) {
        assert!(
            wire.width() == value.width(),
            "`{wire:?}` has {} bits, `{value:?}` has {}",
            wire.width(),
            value.width()
        );
        if wire.width() == 0 {
            return;
        }
        let mut body = self.0.borrow_mut();
        for item in &mut body.items {
            if let Item::Wire { net, driver } = item
                && Expr::net(net).is_net(wire)
            {
                assert!(driver.is_none(), "`{wire:?}` has two drivers");
                *driver = Some(Driver::Value(value.clone()));
                return;
            }
        }
        panic!("`{wire:?}` is not a wire of `{}`", body.name);
    }

    /// A register. Give it its next value with [`Register::next`].
    #[track_caller]
    pub fn register(&self, name: &str, width: usize) -> Register {
        let q = if width == 0 {
            None
        } else {
            let net = self.net(name, width, NetKind::Register);
            let mut body = self.0.borrow_mut();
            let index = body.registers.len();
            body.registers.push(RegisterData { net: net.clone(), next: None, enable: None, reset: None });
            body.items.push(Item::Register(index));
            Some((index, Expr::net(&net)))
        };
        Register {
            module: self.clone(),
            index: q.as_ref().map(|(index, _)| *index),
            q: q.map_or_else(|| zeros(0), |(_, q)| q),
        }
    }

    /// A register that takes `next` in every cycle.
    #[track_caller]
    pub fn delay(&self, name: &str, next: &Expr) -> Expr {
        let register = self.register(name, next.width());
        register.next(next);
        register.q
    }

    /// A memory of `depth` words of `width` bits, empty of value until written.
    #[track_caller]
    pub fn memory(&self, name: &str, depth: usize, width: usize, style: MemoryStyle) -> Memory {
        assert!(depth > 0, "memory `{name}` has no words");
        let index = if width == 0 {
            None
        } else {
            let mut body = self.0.borrow_mut();
            check_name(name);
            assert!(body.names.insert(name.to_owned()), "module `{}` has two things named `{name}`", body.name);
            let index = body.memories.len();
            body.memories.push(MemoryData {
                name: name.to_owned(),
                depth,
                width,
                style,
                writes: Vec::new(),
                reads: Vec::new(),
            });
            body.items.push(Item::Memory(index));
            Some(index)
        };
        Memory { module: self.clone(), index, depth, width }
    }

    /// An instance of a finished module.
    ///
    /// # Panics
    /// If an input is missing, unknown or of another width.
    #[track_caller]
    pub fn instance(&self, name: &str, module: &Module) -> Instance {
        check_name(name);
        let mut body = self.0.borrow_mut();
        assert!(body.names.insert(name.to_owned()), "module `{}` has two things named `{name}`", body.name);
        let index = body.items.len();
        body.items.push(Item::Instance(InstanceData {
            name: name.to_owned(),
            module: module.clone(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }));
        drop(body);
        Instance {
            parent: self.clone(),
            item: index,
            name: name.to_owned(),
            module: module.clone(),
            outputs: RefCell::default(),
        }
    }

    /// Checks the module and closes it.
    ///
    /// # Errors
    /// An output, wire, register or instance input without a value; a combinational loop, also through instances;
    /// a net of another module.
    pub fn finish(self) -> Result<Module, ElaborationError> {
        Module::close(self.0.take())
    }
}

#[track_caller]
fn check_name(name: &str) {
    if let Some(reason) = names::refusal(name) {
        panic!("`{name}` cannot be a name: {reason}");
    }
}

/// A register under construction; dereferences to its output.
pub struct Register {
    module: Builder,
    index: Option<usize>,
    q: Expr,
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
        self.set(|register| register.enable = Some(condition.clone()))
    }

    /// Synchronous reset to `value`.
    #[track_caller]
    pub fn reset(&self, value: u64) -> &Self {
        self.set(|register| register.reset = Some(BigUint::from(value)))
    }

    /// Synchronous reset to all ones.
    pub fn reset_ones(&self) -> &Self {
        self.set(|register| register.reset = Some((BigUint::from(1u8) << register.net.width) - 1u8))
    }

    /// The output as an expression.
    pub fn q(&self) -> Expr {
        self.q.clone()
    }
}

/// A memory under construction.
pub struct Memory {
    module: Builder,
    index: Option<usize>,
    depth: usize,
    width: usize,
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
    #[track_caller]
    pub fn write(&self, enable: &Expr, address: &Expr, data: &Expr) -> &Self {
        self.check_address(address);
        assert!(enable.width() == 1, "write enable `{enable:?}` must have 1 bit");
        assert!(data.width() == self.width, "a word has {} bits, `{data:?}` has {}", self.width, data.width());
        if let Some(index) = self.index {
            let mut body = self.module.0.borrow_mut();
            body.memories[index].writes.push((enable.clone(), address.clone(), data.clone()));
        }
        self
    }

    /// The word at `address`, in the same cycle.
    #[track_caller]
    pub fn read(&self, name: &str, address: &Expr) -> Expr {
        self.check_address(address);
        let Some(index) = self.index else { return zeros(0) };
        let net = self.module.net(name, self.width, NetKind::Wire);
        let driver = Some(Driver::Memory { memory: index, address: address.clone() });
        self.module.0.borrow_mut().items.push(Item::Wire { net: net.clone(), driver });
        Expr::net(&net)
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

/// An instance under construction.
pub struct Instance {
    parent: Builder,
    item: usize,
    name: String,
    module: Module,
    outputs: RefCell<HashMap<String, Expr>>,
}

impl Instance {
    fn with<R>(&self, change: impl FnOnce(&mut InstanceData) -> R) -> R {
        match &mut self.parent.0.borrow_mut().items[self.item] {
            Item::Instance(data) => change(data),
            _ => unreachable!("an instance's item never moves"),
        }
    }

    #[track_caller]
    fn port(&self, port: &str, direction: Direction) -> usize {
        let found = self.module.ports().into_iter().find(|p| p.name == port && p.direction == direction);
        match found {
            Some(found) => found.width,
            None => panic!("module `{}` has no {direction:?} port `{port}`", self.module.name()),
        }
    }

    /// Connects an input. A port of no bits does not exist and takes any value of no bits.
    #[track_caller]
    pub fn input(&self, port: &str, value: &Expr) -> &Self {
        if value.width() == 0 {
            return self;
        }
        let width = self.port(port, Direction::Input);
        assert!(
            width == value.width(),
            "port `{port}` of `{}` has {width} bits, `{value:?}` has {}",
            self.module.name(),
            value.width()
        );
        self.with(|data| {
            assert!(
                data.inputs.iter().all(|(name, _)| name != port),
                "input `{port}` of `{}` is connected twice",
                self.name
            );
            data.inputs.push((port.to_owned(), value.clone()));
        });
        self
    }

    /// An output, on a net named `instance_port`. Asking for a port of no bits gives no bits.
    #[track_caller]
    pub fn output(&self, port: &str) -> Expr {
        self.output_as(port, &format!("{}_{port}", self.name))
    }

    /// Lets an output drive a [`Builder::forward`] wire.
    #[track_caller]
    pub fn output_to(&self, port: &str, wire: &Expr) -> &Self {
        if wire.width() == 0 {
            return self;
        }
        let width = self.port(port, Direction::Output);
        assert!(
            width == wire.width(),
            "port `{port}` of `{}` has {width} bits, `{wire:?}` has {}",
            self.module.name(),
            wire.width()
        );
        let mut body = self.parent.0.borrow_mut();
        let net = body
            .items
            .iter_mut()
            .find_map(|item| match item {
                Item::Wire { net, driver } if Expr::net(net).is_net(wire) => {
                    assert!(driver.is_none(), "`{wire:?}` has two drivers");
                    *driver = Some(Driver::Instance);
                    Some(net.clone())
                }
                _ => None,
            })
            .unwrap_or_else(|| panic!("`{wire:?}` is not a forward wire"));
        drop(body);
        self.with(|data| data.outputs.push((port.to_owned(), net)));
        self
    }

    /// An output, on a net of a name of its own.
    #[track_caller]
    pub fn output_as(&self, port: &str, net: &str) -> Expr {
        if let Some(known) = self.outputs.borrow().get(port) {
            return known.clone();
        }
        let Some(width) = self.module.ports().into_iter().find(|p| p.name == port).map(|p| p.width) else {
            return zeros(0);
        };
        self.port(port, Direction::Output);
        let net = self.parent.net(net, width, NetKind::InstanceOutput);
        self.with(|data| data.outputs.push((port.to_owned(), net.clone())));
        let value = Expr::net(&net);
        self.outputs.borrow_mut().insert(port.to_owned(), value.clone());
        value
    }
}
