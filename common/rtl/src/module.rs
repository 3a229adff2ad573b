//! A module: the parts a builder adds to it, and the properties of the finished module.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use num_bigint::BigUint;

use crate::analysis::{self, ReadBits, Settled};
use crate::builder::Builder;
use crate::each::Each;
use crate::emit;
use crate::expr::Expr;
use crate::hierarchy;
use crate::net::{Net, NetKind};
use crate::{Direction, PortInfo};

/// An incomplete or inconsistent description of a module.
#[derive(Debug, thiserror::Error)]
pub enum ElaborationError {
    #[error("module `{module}`: {what} has no value")]
    Undriven { module: String, what: String },
    /// A value depends on itself within one cycle.
    #[error("module `{module}`: combinational loop through {nets}")]
    Loop {
        module: String,
        /// The nets on the loop; each reads the next.
        nets: String,
    },
    /// A module uses a net of another module.
    #[error("module `{module}`: `{net}` belongs to another module")]
    Foreign { module: String, net: String },
    /// An expression repeats shared subexpressions so often that its text is too long to print.
    #[error("module `{module}`: the expression of {what} is too long: name its parts with Builder::wire")]
    TooLong {
        module: String,
        /// The net, register, memory, instance or port with this expression.
        what: String,
    },
    /// Two different modules of one hierarchy have the same name.
    #[error("module `{module}`: two different modules below it are named `{name}`")]
    SameName { module: String, name: String },
    #[error("module `{module}`: {message}")]
    Check { module: String, message: String },
}

/// The kind of FPGA memory that holds the words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryStyle {
    /// Block RAM; every read must be registered.
    Block,
    /// Block RAM whose user never needs a word that is read at the edge that writes it. The value read is then undefined on
    /// an FPGA (the old word in simulation). This saves the logic that would order the two.
    BlockUnordered,
    /// LUT RAM, which can be read in the same cycle.
    Distributed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// The condition always holds: a proof proves it, and simulation checks it.
    Assert,
    /// The environment keeps the condition true: a proof assumes it, and simulation checks it.
    Assume,
    /// The condition holds at some time: a proof finds a run that reaches it.
    Cover,
}

/// A condition that a module states about itself. Its name is the label of the statement in the Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyInfo {
    pub kind: PropertyKind,
    pub name: String,
}

#[derive(Default)]
pub(crate) struct Body {
    pub id: usize,
    pub name: String,
    pub purpose: String,
    /// Latency of the outputs and requirements on the inputs, for the comment above the module.
    pub timing: String,
    pub names: HashSet<String>,
    /// Widths of the ports that do not appear: ports of no bits and unread inputs.
    pub hidden_ports: HashMap<String, usize>,
    pub keeps_inputs: bool,
    /// For each net that is a wire, the position of its item.
    pub wires: HashMap<usize, usize>,
    /// The wires of fields, by word, lowest bit and width.
    pub fields: HashMap<(usize, usize, usize), Expr>,
    /// What is said behind the declarations of wires.
    pub notes: HashMap<usize, String>,
    pub ports: Vec<PortData>,
    pub items: Vec<Item>,
    pub memories: Vec<MemoryData>,
    pub registers: Vec<RegisterData>,
    /// The reset, if a value reads it.
    pub reset: Option<Rc<Net>>,
    /// The wires `clk` and `rst` of a module with its own clock or reset, which has no such ports.
    pub own: Vec<Expr>,
    pub variables: Vec<&'static str>,
    pub external: Option<Vec<(String, String)>>,
    /// The Verilog of an external module, if it is to be printed.
    pub text: Option<String>,
    pub properties: Vec<PropertyData>,
}

pub(crate) struct PropertyData {
    pub kind: PropertyKind,
    pub name: String,
    pub condition: Expr,
}

pub(crate) enum PortData {
    Group(String),
    Input(Rc<Net>),
    Output { id: usize, name: String, width: usize, driver: Option<Expr> },
}

impl PortData {
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Group(_) => None,
            Self::Input(net) => Some(&net.name),
            Self::Output { name, .. } => Some(name),
        }
    }
}

pub(crate) enum Item {
    Comment(String),
    Wire { net: Rc<Net>, driver: Option<Driver> },
    Register(usize),
    Memory(usize),
    MemoryRead { memory: usize, read: usize },
    Instance(InstanceData),
}

pub(crate) enum Driver {
    Value(Expr),
    /// A value whose X and Z bits become 0 in simulation.
    Known(Expr),
    Memory {
        memory: usize,
        address: Expr,
    },
    /// Equal parts with one template, part 0 in the lowest bits.
    Each(Each, Vec<Expr>),
    Matches(Expr, Vec<CaseRow>),
    Instance,
}

pub(crate) struct CaseRow {
    /// The bits in the notation of `casez`.
    pub bits: String,
    pub label: String,
}

impl Driver {
    /// Returns the expressions that this driver reads: the value, or the address of the value.
    pub fn reads(&self) -> &[Expr] {
        match self {
            Self::Value(value) | Self::Known(value) | Self::Memory { address: value, .. } | Self::Matches(value, _) => {
                std::slice::from_ref(value)
            }
            Self::Each(_, values) => values,
            Self::Instance => &[],
        }
    }
}

pub(crate) struct RegisterData {
    pub net: Rc<Net>,
    pub next: Option<Expr>,
    pub enable: Option<Expr>,
    pub reset: Option<BigUint>,
    pub start: Option<BigUint>,
}

pub(crate) struct MemoryData {
    pub name: String,
    pub depth: usize,
    pub width: usize,
    pub style: MemoryStyle,
    pub writes: Vec<WriteData>,
    pub reads: Vec<ReadData>,
    /// The file with the initial words in hexadecimal.
    pub image: Option<String>,
    pub starts_with_zeros: bool,
    pub filled_from_outside: bool,
}

/// A registered read.
pub(crate) struct ReadData {
    pub net: Rc<Net>,
    pub address: Expr,
    /// Where it does not hold, the last word stays.
    pub enable: Option<Expr>,
}

impl ReadData {
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        [&self.address].into_iter().chain(&self.enable)
    }
}

/// A write to a word of a memory, or to part of it.
pub(crate) struct WriteData {
    pub enable: Expr,
    pub address: Expr,
    pub data: Expr,
    /// The lowest bit of the part, if the write has less than the whole word.
    pub part: Option<usize>,
}

impl WriteData {
    pub fn values(&self) -> [&Expr; 3] {
        [&self.enable, &self.address, &self.data]
    }
}

pub(crate) struct InstanceData {
    pub name: String,
    pub module: Module,
    pub each: Option<Each>,
    /// The drivers of each input, by the position of the port: none yet, one value, or one for each part of a loop.
    pub inputs: Vec<Vec<Expr>>,
    /// The net on each output, by the position of the port; a loop has one net for all parts side by side.
    pub outputs: Vec<Option<Rc<Net>>>,
}

impl InstanceData {
    /// Returns the hierarchical names of all instances; a loop has one scope for each.
    fn paths(&self) -> Vec<String> {
        let Some(each) = self.each else { return vec![self.name.clone()] };
        each.map(|number| format!("{}[{number}].{}", each.label(&self.name), self.name))
    }

    /// Returns the nets that the instance declares: those on its outputs that are no wires of their own.
    pub fn own_outputs(&self) -> impl Iterator<Item = &Rc<Net>> {
        self.outputs.iter().flatten().filter(|net| net.kind == NetKind::InstanceOutput)
    }
}

/// A finished module. Clones and instances share it.
#[derive(Clone)]
pub struct Module(Rc<Finished>);

pub(crate) struct Finished {
    pub body: Body,
    /// Ports in order, `clk` and `rst` first.
    pub ports: Vec<PortInfo>,
    pub positions: HashMap<String, usize>,
    /// The bits of each net whose value reaches an output, an instance or a memory that is read.
    pub read_bits: ReadBits,
    pub settled: Settled,
}

impl Finished {
    pub fn is_alive(&self, net: &Net) -> bool {
        self.read_bits.contains_key(&net.id)
    }

    pub fn has_port(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// Returns whether there is a net `clk` or `rst`, from a port or of the module's own.
    pub fn has_implicit(&self, name: &str) -> bool {
        self.has_port(name) || self.body.makes(name)
    }
}

impl Body {
    pub fn add_wire(&mut self, net: Rc<Net>, driver: Option<Driver>) -> Expr {
        let wire = Expr::net(&net);
        self.wires.insert(net.id, self.items.len());
        self.items.push(Item::Wire { net, driver });
        wire
    }

    pub fn reads_memory(&self, index: usize, alive: &ReadBits) -> bool {
        let registered = self.memories[index].reads.iter().any(|read| alive.contains_key(&read.net.id));
        let reads = |item: &Item| {
            matches!(item, Item::Wire { net, driver: Some(Driver::Memory { memory, .. }) }
                if *memory == index && alive.contains_key(&net.id))
        };
        registered || self.items.iter().any(reads)
    }

    pub fn inputs(&self) -> impl Iterator<Item = &Rc<Net>> {
        self.ports.iter().filter_map(|port| match port {
            PortData::Input(net) => Some(net),
            _ => None,
        })
    }

    /// Returns the outputs that have a value.
    pub fn outputs(&self) -> impl Iterator<Item = (&String, &Expr)> {
        self.ports.iter().filter_map(|port| match port {
            PortData::Output { name, driver: Some(value), .. } => Some((name, value)),
            _ => None,
        })
    }

    /// Returns the nets that an item declares.
    pub fn nets_of<'a>(&'a self, item: &'a Item) -> Vec<&'a Rc<Net>> {
        match item {
            Item::Wire { net, .. } => vec![net],
            Item::Register(index) => vec![&self.registers[*index].net],
            Item::MemoryRead { memory, read } => vec![&self.memories[*memory].reads[*read].net],
            Item::Instance(data) => data.own_outputs().collect(),
            Item::Comment(_) | Item::Memory(_) => Vec::new(),
        }
    }

    pub fn instances(&self) -> impl Iterator<Item = &InstanceData> {
        self.items.iter().filter_map(|item| match item {
            Item::Instance(data) => Some(data),
            _ => None,
        })
    }

    /// Returns whether the module makes its own `clk` or `rst`.
    pub fn makes(&self, name: &str) -> bool {
        self.own.iter().filter_map(Expr::as_net).any(|net| net.name == name)
    }

    /// Removes unread inputs, and the comments of groups that are then empty, from the list of ports.
    fn hide_unread_inputs(&mut self, alive: &ReadBits) {
        let ports = std::mem::take(&mut self.ports);
        for port in ports {
            match port {
                PortData::Input(net) if !alive.contains_key(&net.id) => {
                    self.hidden_ports.insert(net.name.clone(), net.width);
                }
                PortData::Group(_) => {
                    self.ports.pop_if(|last| matches!(last, PortData::Group(_)));
                    self.ports.push(port);
                }
                _ => self.ports.push(port),
            }
        }
        self.ports.pop_if(|last| matches!(last, PortData::Group(_)));
    }

    fn port_list(&self, alive: &ReadBits) -> Vec<PortInfo> {
        let port = |name: &str, width, direction| PortInfo { name: name.to_owned(), width, direction };
        let below = |name: &str| self.instances().any(|data| data.module.finished().has_port(name));
        let mut living = self.registers.iter().filter(|register| alive.contains_key(&register.net.id));
        let reads_reset = self.reset.as_ref().is_some_and(|net| alive.contains_key(&net.id));
        let resets = living.clone().any(|register| register.reset.is_some()) || reads_reset || below("rst");
        let clocked = living.next().is_some()
            || (0..self.memories.len()).any(|index| self.reads_memory(index, alive))
            || below("clk");
        // Before the first clock edge no net has a value that a property could check.
        let reset = resets || (clocked && !self.properties.is_empty());
        let clock = (clocked && !self.makes("clk")).then(|| port("clk", 1, Direction::Input));
        let reset = (reset && !self.makes("rst")).then(|| port("rst", 1, Direction::Input));
        let declared = self.ports.iter().filter_map(|p| match p {
            PortData::Group(_) => None,
            PortData::Input(net) => Some(port(&net.name, net.width, Direction::Input)),
            PortData::Output { name, width, .. } => Some(port(name, *width, Direction::Output)),
        });
        clock.into_iter().chain(reset).chain(declared).collect()
    }
}

impl Module {
    pub fn name(&self) -> &str {
        &self.0.body.name
    }

    /// Returns the ports in order, with `clk` and `rst` first where the module has them.
    pub fn ports(&self) -> Vec<PortInfo> {
        self.0.ports.clone()
    }

    /// Makes an external module, such as a cell of an FPGA. Only its instances are printed, with these parameters (names
    /// and values as in Verilog). No output depends on an input within a cycle. The ports `clk` and `rst` connect to the
    /// clock and reset of the surrounding module.
    ///
    /// # Panics
    /// If a name is not a Verilog identifier or occurs twice.
    #[track_caller]
    pub fn external(name: &str, parameters: &[(&str, String)], ports: &[(&str, usize, Direction)]) -> Self {
        Self::described(name, parameters, ports, None)
    }

    /// Makes an external module that is printed from its Verilog, unchanged. The names of modules inside that text are not
    /// checked: no other module of the hierarchy may have one of them.
    ///
    /// # Panics
    /// As [`Module::external`].
    #[track_caller]
    pub fn in_verilog(
        name: &str,
        parameters: &[(&str, String)],
        ports: &[(&str, usize, Direction)],
        text: &str,
    ) -> Self {
        Self::described(name, parameters, ports, Some(text.to_owned()))
    }

    #[track_caller]
    fn described(
        name: &str,
        parameters: &[(&str, String)],
        ports: &[(&str, usize, Direction)],
        text: Option<String>,
    ) -> Self {
        let m = Builder::new(name, "");
        let as_port =
            |&(port, width, direction): &(&str, usize, Direction)| PortInfo { name: port.to_owned(), width, direction };
        let (implicit, others): (Vec<PortInfo>, Vec<PortInfo>) =
            ports.iter().map(as_port).partition(PortInfo::is_implicit);
        for PortInfo { name, width, direction } in others {
            match direction {
                Direction::Input => _ = m.input(&name, width),
                Direction::Output => m.output_port(&name, width),
            }
        }
        let mut body = m.0.take();
        body.text = text;
        body.external = Some(parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
        let ports = [implicit, body.port_list(&ReadBits::new())].concat();
        let paths = vec![Default::default(); ports.len()];
        Self::of(body, ports, ReadBits::new(), Settled { order: Vec::new(), paths })
    }

    pub fn is_external(&self) -> bool {
        self.0.body.external.is_some()
    }

    /// Returns the properties that the module states, in order.
    pub fn properties(&self) -> Vec<PropertyInfo> {
        let info = |property: &PropertyData| PropertyInfo { kind: property.kind, name: property.name.clone() };
        self.0.body.properties.iter().map(info).collect()
    }

    pub(crate) fn port_list(&self) -> &[PortInfo] {
        &self.0.ports
    }

    /// Returns the instances in the module: their names (`loop[number].name` in a loop) and their modules.
    pub fn parts(&self) -> Vec<(String, Module)> {
        self.instances().flat_map(|data| data.paths().into_iter().map(|path| (path, data.module.clone()))).collect()
    }

    /// Returns whether the text of the module is printed: it is described here, or its Verilog is known.
    pub(crate) fn is_printed(&self) -> bool {
        !self.is_external() || self.verilog_of_others().is_some()
    }

    /// Returns the Verilog of a module of [`Module::in_verilog`].
    pub fn verilog_of_others(&self) -> Option<&str> {
        self.0.body.text.as_deref()
    }

    /// Returns the printed modules of the hierarchy once each, instantiated modules first.
    pub fn hierarchy(&self) -> Vec<Module> {
        let mut modules = self.tree().unwrap_or_else(|name| unreachable!("`{name}` was checked to be one module"));
        modules.retain(Module::is_printed);
        modules
    }

    /// Returns the modules of the hierarchy, or the name that two different ones share.
    fn tree(&self) -> Result<Vec<Module>, String> {
        fn visit(module: &Module, seen: &mut HashMap<String, Module>, out: &mut Vec<Module>) -> Result<(), String> {
            if let Some(known) = seen.get(module.name()) {
                return if known.is_same(module) { Ok(()) } else { Err(module.name().to_owned()) };
            }
            seen.insert(module.name().to_owned(), module.clone());
            for instance in module.instances() {
                visit(&instance.module, seen, out)?;
            }
            out.push(module.clone());
            Ok(())
        }
        let mut out = Vec::new();
        visit(self, &mut HashMap::new(), &mut out)?;
        Ok(out)
    }

    /// Returns whether both print the same text and instantiate the same modules.
    fn is_same(&self, other: &Self) -> bool {
        if self.is_external() || other.is_external() {
            let same =
                self.is_external() == other.is_external() && self.verilog_of_others() == other.verilog_of_others();
            return same && self.0.ports == other.0.ports;
        }
        let below = || self.instances().zip(other.instances()).all(|(a, b)| a.module.is_same(&b.module));
        Rc::ptr_eq(&self.0, &other.0) || emit::module(self, "") == emit::module(other, "") && below()
    }

    pub(crate) fn finished(&self) -> &Finished {
        &self.0
    }

    pub(crate) fn instances(&self) -> impl Iterator<Item = &InstanceData> {
        self.0.body.instances()
    }

    fn of(body: Body, ports: Vec<PortInfo>, read_bits: ReadBits, settled: Settled) -> Self {
        let positions = ports.iter().enumerate().map(|(position, port)| (port.name.clone(), position)).collect();
        Self(Rc::new(Finished { body, ports, positions, read_bits, settled }))
    }

    pub(crate) fn close(mut body: Body) -> Result<Self, ElaborationError> {
        analysis::complete(&body)?;
        let read_bits = analysis::liveness(&body);
        if !body.keeps_inputs {
            body.hide_unread_inputs(&read_bits);
        }
        let ports = body.port_list(&read_bits);
        let settled = analysis::settle(&body, &ports)?;
        let module = Self::of(body, ports, read_bits, settled);
        module.tree().map_err(|name| ElaborationError::SameName { module: module.name().to_owned(), name })?;
        hierarchy::check(&module)?;
        Ok(module)
    }
}
