//! A module: what a builder puts into it, and what is known of it once it is finished.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use num_bigint::BigUint;

use crate::analysis::{self, ReadBits, Settled};
use crate::builder::Builder;
use crate::each::Each;
use crate::emit;
use crate::expr::Expr;
use crate::hierarchy;
use crate::net::Net;
use crate::{Direction, PortInfo};

/// A module whose description is not whole.
#[derive(Debug, thiserror::Error)]
pub enum ElaborationError {
    /// Something has no value.
    #[error("module `{module}`: {what} has no value")]
    Undriven {
        /// The module.
        module: String,
        /// The net, register or port.
        what: String,
    },
    /// A value depends on itself within one cycle.
    #[error("module `{module}`: combinational loop through {nets}")]
    Loop {
        /// The module.
        module: String,
        /// Nets on the loop, each reading the next.
        nets: String,
    },
    /// A net was used outside its module.
    #[error("module `{module}`: `{net}` belongs to another module")]
    Foreign {
        /// The module that used it.
        module: String,
        /// The net.
        net: String,
    },
    /// An expression that shares its parts so often that nobody can read its text.
    #[error("module `{module}`: the expression of {what} is too long: name its parts with Builder::wire")]
    TooLong {
        /// The module.
        module: String,
        /// The net, register, memory, instance or port.
        what: String,
    },
    /// Two different modules of one hierarchy have the same name.
    #[error("module `{module}`: two different modules below it are named `{name}`")]
    SameName {
        /// The module that unites them.
        module: String,
        /// The name.
        name: String,
    },
    /// The checks of rust-hdl refused the hierarchy.
    #[error("module `{module}`: {message}")]
    Check {
        /// The module.
        module: String,
        /// What they said.
        message: String,
    },
}

/// How a memory should be built on an FPGA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryStyle {
    /// Block RAM; every read must be registered.
    Block,
    /// Block RAM whose owner never uses a word read at the edge that writes it: what is read then is undefined on an
    /// FPGA (the old word in simulation), which saves the logic that would put the two in order.
    BlockUnordered,
    /// LUT RAM; reads in the same cycle.
    Distributed,
}

/// What is said of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// It always holds: to be proved, or checked in simulation.
    Assert,
    /// What drives the module sees to it: taken for granted by a proof, checked in simulation.
    Assume,
    /// It holds at some time: a proof shows a run that gets there.
    Cover,
}

/// A condition that a module states about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyInfo {
    /// What is said of it.
    pub kind: PropertyKind,
    /// Its name: the label of the statement in the Verilog.
    pub name: String,
}

#[derive(Default)]
pub(crate) struct Body {
    pub id: usize,
    pub name: String,
    pub purpose: String,
    /// When its outputs are there, and what it counts on.
    pub timing: String,
    pub names: HashSet<String>,
    /// Ports that do not appear, with their bits: those of no bits, and inputs that nothing reads.
    pub hidden_ports: HashMap<String, usize>,
    /// Whether inputs that nothing reads appear.
    pub keeps_inputs: bool,
    /// Where the wire of each net is among the items.
    pub wires: HashMap<usize, usize>,
    /// The wires of fields, by word, lowest bit and width.
    pub fields: HashMap<(usize, usize, usize), Expr>,
    /// What is said behind the declarations of wires.
    pub notes: HashMap<usize, String>,
    pub ports: Vec<PortData>,
    pub items: Vec<Item>,
    pub memories: Vec<MemoryData>,
    pub registers: Vec<RegisterData>,
    /// The reset, if it is read as a value.
    pub reset: Option<Rc<Net>>,
    /// The wires `clk` and `rst` of a module that makes its own: it has no such ports.
    pub own: Vec<Expr>,
    /// The variables of its loops.
    pub variables: Vec<&'static str>,
    /// Of a module that is described elsewhere: its parameters.
    pub external: Option<Vec<(String, String)>>,
    /// And its Verilog, if that is to be printed all the same.
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
    /// The value, in which four-state simulators read X and Z as 0.
    Known(Expr),
    Memory {
        memory: usize,
        address: Expr,
    },
    /// Equal parts, the first at the bottom, of which there is one template.
    Each(Each, Vec<Expr>),
    /// Whether the net matches one of the patterns.
    Matches(Expr, Vec<CaseRow>),
    Instance,
}

/// A row of a `casez`.
pub(crate) struct CaseRow {
    /// The bits as Verilog writes them.
    pub bits: String,
    /// What the comment behind says.
    pub label: String,
}

impl Driver {
    /// The expressions that give the value, or the address of the value.
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
    /// What it holds before the first clock edge.
    pub start: Option<BigUint>,
}

pub(crate) struct MemoryData {
    pub name: String,
    pub depth: usize,
    pub width: usize,
    pub style: MemoryStyle,
    pub writes: Vec<WriteData>,
    pub reads: Vec<(Rc<Net>, Expr)>,
    /// The file of hexadecimal words that it starts with.
    pub image: Option<String>,
    /// Whether whoever uses the Verilog puts words into it.
    pub filled_from_outside: bool,
}

/// A write to a memory, or to a part of its words.
pub(crate) struct WriteData {
    pub enable: Expr,
    pub address: Expr,
    pub data: Expr,
    /// The lowest bit of the part, if it is not the whole word.
    pub part: Option<usize>,
}

impl WriteData {
    /// The values that it reads.
    pub fn values(&self) -> [&Expr; 3] {
        [&self.enable, &self.address, &self.data]
    }
}

pub(crate) struct InstanceData {
    pub name: String,
    pub module: Module,
    /// The loop that makes several of it.
    pub each: Option<Each>,
    /// What drives each input, by the position of the port: nothing yet, one value, or one for each part of the loop, of
    /// which there is one template.
    pub inputs: Vec<Vec<Expr>>,
    /// The net on each output, by the position of the port; of a loop the outputs of all parts side by side.
    pub outputs: Vec<Option<Rc<Net>>>,
}

impl InstanceData {
    /// The names of all instances as tools see them: those of a loop stand in a scope each.
    fn paths(&self) -> Vec<String> {
        let Some(each) = self.each else { return vec![self.name.clone()] };
        each.map(|number| format!("{}[{number}].{}", each.label(&self.name), self.name))
    }
}

/// A finished module. Clones share it, and so do its instances.
#[derive(Clone)]
pub struct Module(Rc<Finished>);

pub(crate) struct Finished {
    pub body: Body,
    /// Ports in order, `clk` and `rst` first.
    pub ports: Vec<PortInfo>,
    pub positions: HashMap<String, usize>,
    /// The nets whose value reaches an output, an instance or a memory that is read.
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

    /// Whether there is a net `clk` or `rst`, from a port or of the module's own.
    pub fn has_implicit(&self, name: &str) -> bool {
        self.has_port(name) || self.body.makes(name)
    }
}

impl Body {
    /// Whether something alive reads the memory.
    pub fn reads_memory(&self, index: usize, alive: &ReadBits) -> bool {
        let registered = self.memories[index].reads.iter().any(|(net, _)| alive.contains_key(&net.id));
        registered
            || self.items.iter().any(|item| match item {
                Item::Wire { net, driver: Some(Driver::Memory { memory, .. }) } => {
                    *memory == index && alive.contains_key(&net.id)
                }
                _ => false,
            })
    }

    pub fn instances(&self) -> impl Iterator<Item = &InstanceData> {
        self.items.iter().filter_map(|item| match item {
            Item::Instance(data) => Some(data),
            _ => None,
        })
    }

    /// Whether the module makes its own `clk` or `rst`.
    pub fn makes(&self, name: &str) -> bool {
        self.own.iter().filter_map(Expr::as_net).any(|net| net.name == name)
    }

    /// Takes the inputs that nothing reads, and what introduces no port any more, out of the list of ports.
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
        // Before the first clock edge nothing has a value that a property could speak of.
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
    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.0.body.name
    }

    /// Ports in order, `clk` and `rst` first where the module has them.
    pub fn ports(&self) -> Vec<PortInfo> {
        self.0.ports.clone()
    }

    /// A module that is described elsewhere, such as a cell of an FPGA: only its instances are printed, with these
    /// parameters, names and values as in Verilog. None of its outputs depends on an input within a cycle. Its ports `clk` and
    /// `rst` are clock and reset of whatever it stands in.
    ///
    /// # Panics
    /// If a name is no Verilog identifier or there twice.
    #[track_caller]
    pub fn external(name: &str, parameters: &[(&str, String)], ports: &[(&str, usize, Direction)]) -> Self {
        Self::described(name, parameters, ports, None)
    }

    /// The same, of which there is the Verilog: it is printed as it is, with what else may stand in it. No other module of
    /// a hierarchy may have the name of one in it, which is not looked for.
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

    /// Whether it is described elsewhere.
    pub fn is_external(&self) -> bool {
        self.0.body.external.is_some()
    }

    /// The properties that the module states, in order.
    pub fn properties(&self) -> Vec<PropertyInfo> {
        let info = |property: &PropertyData| PropertyInfo { kind: property.kind, name: property.name.clone() };
        self.0.body.properties.iter().map(info).collect()
    }

    pub(crate) fn port_list(&self) -> &[PortInfo] {
        &self.0.ports
    }

    /// The instances in the module: the name of each (`loop[number].name` in a loop), and what it is one of.
    pub fn parts(&self) -> Vec<(String, Module)> {
        self.instances().flat_map(|data| data.paths().into_iter().map(|path| (path, data.module.clone()))).collect()
    }

    /// Whether it is printed, below others or by itself: it is not described elsewhere, or there is its Verilog.
    pub(crate) fn is_printed(&self) -> bool {
        !self.is_external() || self.verilog_of_others().is_some()
    }

    /// The Verilog of a module that is described in it ([`Module::in_verilog`]).
    pub fn verilog_of_others(&self) -> Option<&str> {
        self.0.body.text.as_deref()
    }

    /// The modules of the hierarchy that are printed, each once, below before above.
    pub fn hierarchy(&self) -> Vec<Module> {
        let mut modules = self.tree().unwrap_or_else(|name| unreachable!("`{name}` was checked to be one module"));
        modules.retain(Module::is_printed);
        modules
    }

    /// The modules of the hierarchy by name, or the name that two different ones have.
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

    /// Whether both print the same text and, below, instantiate the same modules.
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
