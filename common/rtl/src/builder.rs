//! The builder of a module: ports, wires, registers, memories and instances.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::each::{Each, Numbers, template};
use crate::expr::{Expr, Kind, zeros};
use crate::instance::Instance;
use crate::module::{
    Body, CaseRow, Driver, ElaborationError, InstanceData, Item, MemoryData, Module, PortData, PropertyData,
    PropertyKind, RegisterData,
};
use crate::names;
use crate::net::{Net, NetKind};
use crate::select::increment;
use crate::state::{Memory, Register};
use crate::statement;
use crate::structure::join;
use crate::{Direction, MemoryStyle};

/// A row of [`Builder::matches`]: the words that agree with `value` in the bits of `mask`.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub mask: u64,
    pub value: u64,
    /// The comment behind the row, such as a mnemonic.
    pub label: String,
}

impl Pattern {
    /// Prints the bits as `casez` writes them, with `?` for the bits outside the mask.
    fn bits(&self, fields: &[usize]) -> String {
        let width: usize = fields.iter().sum();
        let bit = |position: usize| match (self.mask >> position & 1, self.value >> position & 1) {
            (0, _) => '?',
            (_, 0) => '0',
            _ => '1',
        };
        let mut at = width;
        let field = |bits: &usize| {
            at -= bits;
            (at..at + bits).rev().map(bit).collect::<String>()
        };
        format!("{width}'b{}", fields.iter().map(field).collect::<Vec<_>>().join("_"))
    }
}

/// Names that a description cannot use, because the printer may add them.
const RESERVED: [&str; 3] = ["clk", "rst", "unused"];

static IDENTITIES: AtomicUsize = AtomicUsize::new(1);

fn fresh() -> usize {
    IDENTITIES.fetch_add(1, Ordering::Relaxed)
}

/// A module under construction. Clones are handles to the same module.
///
/// Mistakes in the hardware description itself (widths, names, a second driver) panic at the line that makes them.
/// [`Builder::finish`] returns the errors that only a whole module shows: undriven nets, combinational loops, nets of
/// another module.
#[derive(Clone)]
pub struct Builder(pub(crate) Rc<RefCell<Body>>);

impl Builder {
    /// Starts a module. The text `purpose` becomes the comment above it.
    #[track_caller]
    pub fn new(name: &str, purpose: &str) -> Self {
        check_name(name);
        Self(Rc::new(RefCell::new(Body {
            id: fresh(),
            name: name.to_owned(),
            purpose: purpose.to_owned(),
            names: RESERVED.map(str::to_owned).into(),
            ..Body::default()
        })))
    }

    /// Adds latency (in cycles or stages) and requirements on the inputs to the comment above the module.
    pub fn timing(&self, text: &str) {
        self.0.borrow_mut().timing = text.to_owned();
    }

    /// Reserves a name in the module.
    #[track_caller]
    fn claim(&self, name: &str) -> RefMut<'_, Body> {
        check_name(name);
        let mut body = self.0.borrow_mut();
        assert!(!RESERVED.contains(&name), "`{name}` is made by `rtl` itself where module `{}` needs it", body.name);
        assert!(body.names.insert(name.to_owned()), "module `{}` has two things named `{name}`", body.name);
        body
    }

    #[track_caller]
    pub(crate) fn net(&self, name: &str, width: usize, kind: NetKind) -> Rc<Net> {
        let body = self.claim(name);
        Rc::new(Net::new(fresh(), name.to_owned(), width, kind, body.id))
    }

    #[track_caller]
    fn empty_port(&self, name: &str) {
        check_name(name);
        self.0.borrow_mut().hidden_ports.insert(name.to_owned(), 0);
    }

    /// Keeps inputs that nothing in the module reads, for a module whose ports must not change. Without this call, unread
    /// inputs do not appear, and instances connect nothing to them.
    pub fn keep_inputs(&self) {
        self.0.borrow_mut().keeps_inputs = true;
    }

    /// Starts a group of ports: a blank line and a comment in the port list.
    pub fn port_group(&self, comment: &str) {
        self.0.borrow_mut().ports.push(PortData::Group(comment.to_owned()));
    }

    /// Declares an input port. A port of no bits does not appear.
    #[track_caller]
    pub fn input(&self, name: &str, width: usize) -> Expr {
        if width == 0 {
            self.empty_port(name);
            return zeros(0);
        }
        let net = self.net(name, width, NetKind::Input);
        self.0.borrow_mut().ports.push(PortData::Input(net.clone()));
        Expr::net(&net)
    }

    /// Gives an output its position in the port list before its value is known.
    #[track_caller]
    pub fn output_port(&self, name: &str, width: usize) {
        if width == 0 {
            self.empty_port(name);
            return;
        }
        self.claim(name).ports.push(PortData::Output { id: fresh(), name: name.to_owned(), width, driver: None });
    }

    /// Drives an output port, and declares it first if [`Builder::output_port`] has not.
    #[track_caller]
    pub fn output(&self, name: &str, value: &Expr) {
        let position = || self.0.borrow().ports.iter().position(|port| port.name() == Some(name));
        if position().is_none() {
            self.output_port(name, value.width());
        }
        // A port of no bits is in no list.
        let Some(position) = position() else { return };
        let mut body = self.0.borrow_mut();
        let module = body.name.clone();
        match &mut body.ports[position] {
            PortData::Output { width, driver, .. } => {
                value.check_width(*width, format_args!("output `{name}` of `{module}`"));
                assert!(driver.is_none(), "output `{name}` of `{module}` has two drivers");
                *driver = Some(value.clone());
            }
            _ => panic!("`{name}` of `{module}` is an input"),
        }
    }

    /// Adds a comment that opens a section of the module. A comment with nothing below it does not appear.
    pub fn comment(&self, text: &str) {
        self.0.borrow_mut().items.push(Item::Comment(text.to_owned()));
    }

    #[track_caller]
    pub fn wire(&self, name: &str, value: &Expr) -> Expr {
        if value.width() == 0 {
            return zeros(0);
        }
        self.declare_wire(name, value.width(), Some(Driver::Value(value.clone())))
    }

    /// Returns the bits `lo..lo + width` of a word. For a net they are a wire with the net's name and theirs. The suffix of
    /// a stage stays last: `turn_count_s8` is a field of `turn_s8`. Repeated calls for the same bits return the same wire.
    #[track_caller]
    pub fn field(&self, word: &Expr, name: &str, lo: usize, width: usize) -> Expr {
        let value = word.slice(lo, width);
        let (Some(net), Kind::Slice(..)) = (word.as_net(), value.kind()) else { return value };
        let bits = (net.id, lo, width);
        if let Some(wire) = self.0.borrow().fields.get(&bits) {
            return wire.clone();
        }
        let is_stage = |end: &str| end.strip_prefix('s').is_some_and(|number| number.parse::<u8>().is_ok());
        let name = match net.name.rsplit_once('_') {
            Some((word, stage)) if is_stage(stage) => format!("{word}_{name}_{stage}"),
            _ => format!("{}_{name}", net.name),
        };
        let wire = self.wire(&name, &value);
        self.0.borrow_mut().fields.insert(bits, wire.clone());
        wire
    }

    /// Adds a comment behind the declaration of a wire, if the line has room for it.
    pub fn note(&self, wire: &Expr, text: &str) {
        if let Some(net) = wire.as_net() {
            self.0.borrow_mut().notes.insert(net.id, text.to_owned());
        }
    }

    /// Gives 1 if a net matches one of the patterns: a `casez` with one row per pattern and its label as a comment.
    /// `fields` cuts the bits into groups for the reader, from the highest bit down.
    ///
    /// # Panics
    /// If `value` is not a whole net, or if the sum of `fields` differs from its width.
    #[track_caller]
    pub fn matches(&self, name: &str, value: &Expr, fields: &[usize], patterns: &[Pattern]) -> Expr {
        assert!(value.as_net().is_some(), "`{value:?}` is no net: name it with Builder::wire first");
        assert!(fields.iter().sum::<usize>() == value.width(), "`{fields:?}` are not the bits of `{value:?}`");
        let row = |pattern: &Pattern| CaseRow { bits: pattern.bits(fields), label: pattern.label.clone() };
        let rows = patterns.iter().map(row).collect();
        self.declare_wire(name, 1, Some(Driver::Matches(value.clone(), rows)))
    }

    /// Turns X and Z bits of a net into 0 in simulation, for inputs that four-state simulators may not know. It costs no
    /// hardware.
    ///
    /// # Panics
    /// If `value` is not a whole net.
    #[track_caller]
    pub fn known(&self, name: &str, value: &Expr) -> Expr {
        if value.width() == 0 {
            return zeros(0);
        }
        assert!(value.as_net().is_some(), "`{value:?}` is no net: name it with Builder::wire first");
        drop(self.claim(&statement::known_block(name)));
        self.declare_wire(name, value.width(), Some(Driver::Known(value.clone())))
    }

    /// Names the values of all parts of a loop, side by side, with part 0 in the lowest bits. The text is one loop if the
    /// values differ only in the bits they take and in 32-bit literals, both in even steps. Otherwise it is one long value.
    ///
    /// # Panics
    /// If the values differ in width.
    #[track_caller]
    pub fn wire_each(&self, each: Each, name: &str, value: impl FnMut(usize) -> Expr) -> Expr {
        let values = each.map(value);
        let width = values.first().map_or(0, Expr::width);
        assert!(values.iter().all(|value| value.width() == width), "the parts of `{name}` differ in width");
        if width == 0 || !self.is_loop(each, &values) {
            return self.wire(name, &join(&values));
        }
        self.declare_wire(name, width * each.count, Some(Driver::Each(each, values)))
    }

    /// Returns whether the values can be printed as one loop, and then reserves the name of its variable.
    #[track_caller]
    pub(crate) fn is_loop(&self, each: Each, values: &[Expr]) -> bool {
        let values: Vec<&Expr> = values.iter().collect();
        let is_loop = each.count > 1 && template(each.variable, &values, Numbers::Of32Bits).is_some();
        if is_loop {
            self.claim_variable(each);
        }
        is_loop
    }

    #[track_caller]
    fn claim_variable(&self, each: Each) {
        if !self.0.borrow().variables.contains(&each.variable) {
            self.claim(each.variable).variables.push(each.variable);
        }
    }

    #[track_caller]
    pub(crate) fn declare_wire(&self, name: &str, width: usize, driver: Option<Driver>) -> Expr {
        let net = self.net(name, width, NetKind::Wire);
        self.0.borrow_mut().add_wire(net, driver)
    }

    #[track_caller]
    pub(crate) fn drive_wire(&self, wire: &Expr, driver: Driver) -> Rc<Net> {
        let mut body = self.0.borrow_mut();
        let position = wire.as_net().and_then(|net| body.wires.get(&net.id)).copied();
        match position.map(|position| &mut body.items[position]) {
            Some(Item::Wire { net, driver: place }) => {
                assert!(place.is_none(), "`{wire:?}` has two drivers");
                *place = Some(driver);
                net.clone()
            }
            _ => panic!("`{wire:?}` is not a wire of `{}`", body.name),
        }
    }

    /// Declares a wire whose value [`Builder::drive`] gives later.
    #[track_caller]
    pub fn forward(&self, name: &str, width: usize) -> Expr {
        if width == 0 {
            return zeros(0);
        }
        self.declare_wire(name, width, None)
    }

    #[track_caller]
    pub fn drive(&self, wire: &Expr, value: &Expr) {
        value.check_width(wire.width(), format_args!("`{wire:?}`"));
        if wire.width() > 0 {
            self.drive_wire(wire, Driver::Value(value.clone()));
        }
    }

    /// Declares a register. [`Register::next`] gives its next value.
    #[track_caller]
    pub fn register(&self, name: &str, width: usize) -> Register {
        let module = self.clone();
        if width == 0 {
            return Register { module, index: None, q: zeros(0) };
        }
        let net = self.net(name, width, NetKind::Register);
        let mut body = self.0.borrow_mut();
        let (index, q) = (body.registers.len(), Expr::net(&net));
        body.registers.push(RegisterData { net, next: None, enable: None, reset: None, start: None });
        body.items.push(Item::Register(index));
        Register { module, index: Some(index), q }
    }

    /// Declares a register that takes `next` in every cycle.
    #[track_caller]
    pub fn delay(&self, name: &str, next: &Expr) -> Expr {
        let register = self.register(name, next.width());
        register.next(next);
        register.q
    }

    /// The same with a reset to 0.
    #[track_caller]
    pub fn delay_reset(&self, name: &str, next: &Expr) -> Expr {
        let register = self.register(name, next.width());
        register.next(next).reset(0);
        register.q
    }

    /// Declares a register that takes `value` where `enable` holds, and keeps it elsewhere.
    #[track_caller]
    pub fn hold(&self, name: &str, value: &Expr, enable: &Expr) -> Expr {
        let register = self.register(name, value.width());
        register.next(value).enable(enable);
        register.q
    }

    /// The same with a reset to 0.
    #[track_caller]
    pub fn hold_reset(&self, name: &str, value: &Expr, enable: &Expr) -> Expr {
        let register = self.register(name, value.width());
        register.next(value).enable(enable).reset(0);
        register.q
    }

    /// Declares a register that counts from 0 up where `enable` holds, and starts again behind its largest value.
    #[track_caller]
    pub fn counter(&self, name: &str, width: usize, enable: &Expr) -> Expr {
        let register = self.register(name, width);
        register.next(&increment(&register, 1)).enable(enable).reset(0);
        register.q
    }

    /// Replaces the port `clk` by a wire `clk`, which [`Builder::drive`] drives from a port or a clock generator. All
    /// clocked logic in the module and below uses this wire.
    ///
    /// # Panics
    /// If something is described already.
    #[track_caller]
    pub fn own_clock(&self) -> Expr {
        self.own("clk")
    }

    /// Replaces the port `rst` by a wire `rst`, as [`Builder::own_clock`] does for the clock.
    ///
    /// # Panics
    /// If something but the clock is described already.
    #[track_caller]
    pub fn own_reset(&self) -> Expr {
        self.own("rst")
    }

    #[track_caller]
    fn own(&self, name: &str) -> Expr {
        let mut body = self.0.borrow_mut();
        assert!(body.items.len() == body.own.len() && !body.makes(name), "`{name}` must be made before all else");
        let net = Rc::new(Net::new(fresh(), name.to_owned(), 1, NetKind::Wire, body.id));
        let wire = body.add_wire(net, None);
        body.own.push(wire.clone());
        wire
    }

    /// Gives 1 while the module is in reset, for state without a reset of its own, such as a memory that keeps its words.
    pub fn in_reset(&self) -> Expr {
        let mut body = self.0.borrow_mut();
        if let Some(own) = body.own.iter().find(|wire| wire.as_net().is_some_and(|net| net.name == "rst")) {
            return own.clone();
        }
        let module = body.id;
        let net =
            body.reset.get_or_insert_with(|| Rc::new(Net::new(fresh(), "rst".to_owned(), 1, NetKind::Reset, module)));
        Expr::net(net)
    }

    /// Declares a memory of `depth` words of `width` bits. A word is undefined until it is written.
    #[track_caller]
    pub fn memory(&self, name: &str, depth: usize, width: usize, style: MemoryStyle) -> Memory {
        assert!(depth > 0, "memory `{name}` has no words");
        let module = self.clone();
        if width == 0 {
            return Memory { module, index: None, depth, width, style };
        }
        let mut body = self.claim(name);
        let index = body.memories.len();
        body.memories.push(MemoryData {
            name: name.to_owned(),
            depth,
            width,
            style,
            writes: Vec::new(),
            reads: Vec::new(),
            image: None,
            starts_with_zeros: false,
            filled_from_outside: false,
        });
        body.items.push(Item::Memory(index));
        Memory { module, index: Some(index), depth, width, style }
    }

    /// Instantiates a finished module. Its clock and reset connect by themselves.
    #[track_caller]
    pub fn instance(&self, name: &str, module: &Module) -> Instance {
        self.instances(None, name, module)
    }

    /// Instantiates a module once for each part of a loop. An input has one value for all instances, or one for each
    /// ([`Instance::input_each`]). An output holds the outputs of all instances, with part 0 in the lowest bits.
    #[track_caller]
    pub fn instance_each(&self, each: Each, name: &str, module: &Module) -> Instance {
        let each = Some(each).filter(|each| each.count > 1);
        each.into_iter().for_each(|each| self.claim_variable(each));
        self.instances(each, name, module)
    }

    #[track_caller]
    fn instances(&self, each: Option<Each>, name: &str, module: &Module) -> Instance {
        let mut body = self.claim(name);
        let item = body.items.len();
        let ports = module.port_list().len();
        body.items.push(Item::Instance(InstanceData {
            name: name.to_owned(),
            module: module.clone(),
            each,
            inputs: vec![Vec::new(); ports],
            outputs: vec![None; ports],
        }));
        Instance { parent: self.clone(), item, name: name.to_owned(), module: module.clone(), each }
    }

    #[track_caller]
    fn property(&self, kind: PropertyKind, name: &str, condition: &Expr) {
        assert!(condition.width() == 1, "property `{name}`: `{condition:?}` must have 1 bit");
        let (name, condition) = (name.to_owned(), condition.clone());
        self.claim(&name).properties.push(PropertyData { kind, name, condition });
    }

    /// States that the one-bit `condition` holds at every clock edge out of reset, or at all times in a module without a
    /// clock. It is printed as an immediate assertion of SystemVerilog: a module for synthesis should have none.
    #[track_caller]
    pub fn assert(&self, name: &str, condition: &Expr) {
        self.property(PropertyKind::Assert, name, condition);
    }

    /// States that the environment of the module keeps the one-bit `condition` true at the times of [`Builder::assert`].
    #[track_caller]
    pub fn assume(&self, name: &str, condition: &Expr) {
        self.property(PropertyKind::Assume, name, condition);
    }

    /// States that the one-bit `condition` can hold at one such time.
    #[track_caller]
    pub fn cover(&self, name: &str, condition: &Expr) {
        self.property(PropertyKind::Cover, name, condition);
    }

    /// Checks the module and closes it.
    ///
    /// # Errors
    /// A value is missing for an output, wire, register or instance input; there is a combinational loop, also through
    /// instances; a net belongs to another module; an expression is too long; two different modules below have one name.
    pub fn finish(self) -> Result<Module, ElaborationError> {
        let mut body = self.0.take();
        name_unread_outputs(&mut body);
        name_nets_as_ports(&body);
        Module::close(body)
    }
}

/// Gives a net that drives an output, and nothing else, the name of the port. Exceptions are nets with an initial value
/// and, if a net drives several outputs, all outputs but the first.
fn name_nets_as_ports(body: &Body) {
    let starts =
        |net: &Net| body.registers.iter().any(|register| register.net.id == net.id && register.start.is_some());
    let is_block = |net: &Net| {
        let position = body.wires.get(&net.id);
        position.is_some_and(|at| {
            matches!(&body.items[*at], Item::Wire { driver: Some(Driver::Known(_) | Driver::Matches(..)), .. })
        })
    };
    let is_own = |net: &Net| body.own.iter().filter_map(Expr::as_net).any(|own| own.id == net.id);
    for (name, value) in body.outputs() {
        let local = value.as_net().filter(|net| net.module == body.id && !net.is_port());
        let local = local.filter(|net| !starts(net) && !is_block(net) && !is_own(net));
        if let Some(net) = local {
            // The first output wins.
            let _ = net.port.set(name.clone());
        }
    }
}

/// Gives a net to each unconnected output of an instance, because linters warn of an empty connection.
fn name_unread_outputs(body: &mut Body) {
    let Body { id, items, names, .. } = body;
    for item in items {
        let Item::Instance(data) = item else { continue };
        for (port, net) in data.module.port_list().iter().zip(&mut data.outputs) {
            if port.direction == Direction::Output && net.is_none() {
                let mut name = format!("{}_{}", data.name, port.name);
                while !names.insert(name.clone()) {
                    name += "_unread";
                }
                let width = port.width * data.each.map_or(1, |each| each.count);
                let kind = NetKind::InstanceOutput;
                *net = Some(Rc::new(Net::new(fresh(), name, width, kind, *id)));
            }
        }
    }
}

#[track_caller]
fn check_name(name: &str) {
    if let Some(reason) = names::refusal(name) {
        panic!("`{name}` cannot be a name: {reason}");
    }
}
