//! A finished module: what is in it, which of it is used, and in which order its values settle.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use num_bigint::BigUint;

use crate::expr::{Expr, Kind};
use crate::hierarchy;
use crate::net::{Net, NetKind};
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
        /// Nets on the loop.
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
    /// LUT RAM; reads in the same cycle.
    Distributed,
}

#[derive(Default)]
pub(crate) struct Body {
    pub id: usize,
    pub name: String,
    pub purpose: String,
    pub names: HashSet<String>,
    pub ports: Vec<PortData>,
    pub items: Vec<Item>,
    pub memories: Vec<MemoryData>,
    pub registers: Vec<RegisterData>,
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
    Memory { memory: usize, address: Expr },
    Instance,
}

pub(crate) struct RegisterData {
    pub net: Rc<Net>,
    pub next: Option<Expr>,
    pub enable: Option<Expr>,
    pub reset: Option<BigUint>,
}

pub(crate) struct MemoryData {
    pub name: String,
    pub depth: usize,
    pub width: usize,
    pub style: MemoryStyle,
    pub writes: Vec<(Expr, Expr, Expr)>,
    pub reads: Vec<(Rc<Net>, Expr)>,
}

pub(crate) struct InstanceData {
    pub name: String,
    pub module: Module,
    pub inputs: Vec<(String, Expr)>,
    pub outputs: Vec<(String, Rc<Net>)>,
}

/// A finished module. Clones share it, and so do its instances.
#[derive(Clone)]
pub struct Module(Rc<Finished>);

pub(crate) struct Finished {
    pub body: Body,
    pub clocked: bool,
    pub reset: bool,
    /// Nets whose value reaches an output, an instance or a memory that is read.
    pub alive: HashSet<usize>,
    /// Bits of each living net that something reads.
    pub read_bits: HashMap<usize, Vec<bool>>,
    /// Wires in an order in which each reads only earlier ones.
    pub order: Vec<usize>,
    /// Per output, the inputs that it depends on within the cycle.
    pub paths: HashMap<String, BTreeSet<String>>,
}

impl Module {
    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.0.body.name
    }

    /// Ports in order, `clk` and `rst` first where the module has them.
    pub fn ports(&self) -> Vec<PortInfo> {
        let port = |name: &str, width, direction| PortInfo { name: name.to_owned(), width, direction };
        let clock = self.0.clocked.then(|| port("clk", 1, Direction::Input));
        let reset = self.0.reset.then(|| port("rst", 1, Direction::Input));
        let declared = self.0.body.ports.iter().filter_map(|p| match p {
            PortData::Group(_) => None,
            PortData::Input(net) => Some(port(&net.name, net.width, Direction::Input)),
            PortData::Output { name, width, .. } => Some(port(name, *width, Direction::Output)),
        });
        clock.into_iter().chain(reset).chain(declared).collect()
    }

    /// The modules of the hierarchy, each once, below before above.
    pub fn hierarchy(&self) -> Vec<Module> {
        fn visit(module: &Module, seen: &mut HashSet<usize>, out: &mut Vec<Module>) {
            if seen.insert(module.0.body.id) {
                for instance in module.instances() {
                    visit(&instance.module, seen, out);
                }
                out.push(module.clone());
            }
        }
        let mut out = Vec::new();
        visit(self, &mut HashSet::new(), &mut out);
        out
    }

    pub(crate) fn finished(&self) -> &Finished {
        &self.0
    }

    pub(crate) fn instances(&self) -> impl Iterator<Item = &InstanceData> {
        self.0.body.items.iter().filter_map(|item| match item {
            Item::Instance(data) => Some(data),
            _ => None,
        })
    }

    pub(crate) fn close(body: Body) -> Result<Self, ElaborationError> {
        complete(&body)?;
        let (alive, read_bits) = liveness(&body)?;
        let (order, paths) = settle(&body)?;
        let children = || {
            body.items.iter().filter_map(|item| match item {
                Item::Instance(data) => Some(data.module.finished()),
                _ => None,
            })
        };
        let state = |net: &Net| alive.contains(&net.id);
        let clocked = body.registers.iter().any(|r| state(&r.net))
            || body.memories.iter().any(|m| !m.writes.is_empty() || !m.reads.is_empty())
            || children().any(|child| child.clocked);
        let reset = body.registers.iter().any(|r| r.reset.is_some() && state(&r.net)) || children().any(|c| c.reset);
        let module = Self(Rc::new(Finished { clocked, reset, alive, read_bits, order, paths, body }));
        hierarchy::check(&module)?;
        Ok(module)
    }
}

/// Everything has a value.
fn complete(body: &Body) -> Result<(), ElaborationError> {
    let undriven = |what: String| Err(ElaborationError::Undriven { module: body.name.clone(), what });
    for port in &body.ports {
        if let PortData::Output { name, driver: None, .. } = port {
            return undriven(format!("output `{name}`"));
        }
    }
    for register in &body.registers {
        if register.next.is_none() {
            return undriven(format!("register `{}`", register.net.name));
        }
    }
    for item in &body.items {
        match item {
            Item::Wire { net, driver: None } => return undriven(format!("wire `{}`", net.name)),
            Item::Instance(data) => {
                for port in data.module.ports().iter().filter(|p| p.direction == Direction::Input) {
                    let given = data.inputs.iter().any(|(name, _)| *name == port.name);
                    if !given && port.name != "clk" && port.name != "rst" {
                        return undriven(format!("input `{}` of instance `{}`", port.name, data.name));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Calls `read` with every net that the expression reads, and the bits it reads.
pub(crate) fn each_read(
    expr: &Expr,
    seen: &mut HashSet<usize>,
    read: &mut dyn FnMut(&Rc<Net>, std::ops::Range<usize>),
) {
    if !seen.insert(expr.identity()) {
        return;
    }
    match expr.kind() {
        Kind::Net(net) | Kind::Index(net, _) => read(net, 0..net.width),
        Kind::Slice(net, lo) => read(net, *lo..lo + expr.width()),
        _ => {}
    }
    for operand in expr.operands() {
        each_read(operand, seen, read);
    }
}

type ReadBits = HashMap<usize, Vec<bool>>;

/// Walks back from the outputs and the instances.
fn liveness(body: &Body) -> Result<(HashSet<usize>, ReadBits), ElaborationError> {
    let mut sources: HashMap<usize, Vec<&Expr>> = HashMap::new();
    for register in &body.registers {
        sources.entry(register.net.id).or_default().extend(register.next.iter().chain(&register.enable));
    }
    let memory_sources = |index: usize| body.memories[index].writes.iter().flat_map(|(e, a, d)| [e, a, d]);
    for (index, memory) in body.memories.iter().enumerate() {
        for (net, address) in &memory.reads {
            sources.entry(net.id).or_default().extend(memory_sources(index).chain([address]));
        }
    }
    for item in &body.items {
        if let Item::Wire { net, driver: Some(driver) } = item {
            match driver {
                Driver::Value(value) => sources.entry(net.id).or_default().push(value),
                Driver::Memory { memory, address } => {
                    sources.entry(net.id).or_default().extend(memory_sources(*memory).chain([address]));
                }
                Driver::Instance => {}
            }
        }
    }
    let outputs = body.ports.iter().filter_map(|port| match port {
        PortData::Output { driver, .. } => driver.as_ref(),
        _ => None,
    });
    let inputs = body.items.iter().flat_map(|item| match item {
        Item::Instance(data) => data.inputs.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    });
    let mut queue: Vec<&Expr> = outputs.chain(inputs).collect();
    let (mut alive, mut bits, mut seen) = (HashSet::new(), ReadBits::new(), HashSet::new());
    let mut foreign = None;
    while let Some(expr) = queue.pop() {
        each_read(expr, &mut seen, &mut |net, range| {
            if net.module != body.id {
                foreign = Some(net.name.clone());
            }
            bits.entry(net.id).or_insert_with(|| vec![false; net.width])[range].fill(true);
            if alive.insert(net.id) {
                queue.extend(sources.get(&net.id).into_iter().flatten());
            }
        });
    }
    match foreign {
        Some(net) => Err(ElaborationError::Foreign { module: body.name.clone(), net }),
        None => Ok((alive, bits)),
    }
}

type Paths = HashMap<String, BTreeSet<String>>;

/// Orders the wires by dependence within the cycle and finds which inputs each output depends on.
fn settle(body: &Body) -> Result<(Vec<usize>, Paths), ElaborationError> {
    let mut walk = Settle {
        name: &body.name,
        nodes: HashMap::new(),
        state: HashMap::new(),
        inputs: HashMap::new(),
        order: Vec::new(),
    };
    for item in &body.items {
        match item {
            Item::Wire { net, driver: Some(Driver::Value(value)) } => {
                walk.nodes.insert(net.id, (net.clone(), vec![value]));
            }
            Item::Wire { net, driver: Some(Driver::Memory { address, .. }) } => {
                walk.nodes.insert(net.id, (net.clone(), vec![address]));
            }
            Item::Instance(data) => {
                for (port, net) in &data.outputs {
                    let reads = data.module.finished().paths.get(port);
                    let through = reads.into_iter().flatten();
                    let values = through.filter_map(|input| data.inputs.iter().find(|(name, _)| name == input));
                    walk.nodes.insert(net.id, (net.clone(), values.map(|(_, value)| value).collect()));
                }
            }
            _ => {}
        }
    }
    for item in &body.items {
        let nets: Vec<&Rc<Net>> = match item {
            Item::Wire { net, .. } => vec![net],
            Item::Instance(data) => data.outputs.iter().map(|(_, net)| net).collect(),
            _ => vec![],
        };
        for net in nets {
            walk.net(net)?;
        }
    }
    let mut paths = Paths::new();
    for port in &body.ports {
        if let PortData::Output { name, driver: Some(value), .. } = port {
            let reads = walk.expr(value)?;
            paths.insert(name.clone(), reads);
        }
    }
    Ok((walk.order, paths))
}

struct Settle<'a> {
    name: &'a str,
    nodes: HashMap<usize, (Rc<Net>, Vec<&'a Expr>)>,
    /// false while a net is being visited, true after.
    state: HashMap<usize, bool>,
    inputs: HashMap<usize, BTreeSet<String>>,
    order: Vec<usize>,
}

impl Settle<'_> {
    fn net(&mut self, net: &Rc<Net>) -> Result<BTreeSet<String>, ElaborationError> {
        match net.kind {
            NetKind::Input => return Ok(BTreeSet::from([net.name.clone()])),
            NetKind::Register | NetKind::MemoryRead => return Ok(BTreeSet::new()),
            NetKind::Wire | NetKind::InstanceOutput => {}
        }
        match self.state.get(&net.id) {
            Some(true) => return Ok(self.inputs[&net.id].clone()),
            Some(false) => {
                let visiting = self.state.iter().filter(|(_, done)| !**done);
                let mut nets: Vec<String> = visiting.map(|(id, _)| format!("`{}`", self.nodes[id].0.name)).collect();
                nets.sort();
                return Err(ElaborationError::Loop { module: self.name.to_owned(), nets: nets.join(", ") });
            }
            None => {}
        }
        self.state.insert(net.id, false);
        let values = self.nodes.get(&net.id).map(|(_, values)| values.clone()).unwrap_or_default();
        let mut inputs = BTreeSet::new();
        for value in values {
            inputs.extend(self.expr(value)?);
        }
        self.state.insert(net.id, true);
        self.inputs.insert(net.id, inputs.clone());
        self.order.push(net.id);
        Ok(inputs)
    }

    fn expr(&mut self, expr: &Expr) -> Result<BTreeSet<String>, ElaborationError> {
        let mut nets = Vec::new();
        each_read(expr, &mut HashSet::new(), &mut |net, _| nets.push(net.clone()));
        let mut inputs = BTreeSet::new();
        for net in nets {
            inputs.extend(self.net(&net)?);
        }
        Ok(inputs)
    }
}
