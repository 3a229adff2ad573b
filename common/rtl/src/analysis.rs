//! Checks and analyses of a whole module: missing values, unread nets, and the order in which values settle.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::expr::{Expr, Kind};
use crate::module::{Body, Driver, ElaborationError, Item, PortData, ReadData, WriteData};
use crate::net::{Net, NetKind};
use crate::print::LONGEST;
use crate::{Direction, PortInfo};

/// Checks that every net has a value, reads only nets of this module, and has a text of legal length.
pub(crate) fn complete(body: &Body) -> Result<(), ElaborationError> {
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
    for memory in &body.memories {
        if memory.writes.is_empty() && memory.image.is_none() && !memory.filled_from_outside {
            return undriven(format!("memory `{}`", memory.name));
        }
    }
    for item in &body.items {
        match item {
            Item::Wire { net, driver: None } => return undriven(format!("wire `{}`", net.name)),
            Item::Instance(data) => {
                for (port, values) in data.module.port_list().iter().zip(&data.inputs) {
                    if port.direction == Direction::Input && values.is_empty() && !port.is_implicit() {
                        return undriven(format!("input `{}` of instance `{}`", port.name, data.name));
                    }
                }
            }
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    for used in uses(body) {
        if used.value.text_bound() > LONGEST {
            let what = format!("{} `{}`", used.role, used.name);
            return Err(ElaborationError::TooLong { module: body.name.clone(), what });
        }
        let mut foreign = None;
        each_read(used.value, &mut seen, &mut |net, _| {
            if net.module != body.id {
                foreign.get_or_insert_with(|| net.name.clone());
            }
        });
        if let Some(net) = foreign {
            return Err(ElaborationError::Foreign { module: body.name.clone(), net });
        }
    }
    Ok(())
}

struct Use<'a> {
    role: &'static str,
    name: &'a str,
    value: &'a Expr,
}

/// Returns every expression of the module, in the order of the description.
fn uses(body: &Body) -> Vec<Use<'_>> {
    let mut out = Vec::new();
    let mut add = |role, name, value| out.push(Use { role, name, value });
    for item in &body.items {
        match item {
            Item::Wire { net, driver: Some(driver) } => {
                let role = if matches!(driver, Driver::Memory { .. }) { "the address of" } else { "wire" };
                driver.reads().iter().for_each(|value| add(role, &net.name, value));
            }
            Item::Instance(data) => {
                data.inputs.iter().flatten().for_each(|value| add("an input of", &data.name, value));
            }
            _ => {}
        }
    }
    for register in &body.registers {
        register.next.iter().chain(&register.enable).for_each(|value| add("register", &register.net.name, value));
    }
    for memory in &body.memories {
        let writes = memory.writes.iter().flat_map(WriteData::values);
        writes.for_each(|value| add("a write to", &memory.name, value));
        for ReadData { net, address, enable } in &memory.reads {
            add("the address of", &net.name, address);
            enable.iter().for_each(|enable| add("the enable of", &net.name, enable));
        }
    }
    for property in &body.properties {
        add("property", &property.name, &property.condition);
    }
    body.outputs().for_each(|(name, value)| add("output", name, value));
    out
}

/// Calls `read` with every net that the expression reads, and the bits it reads. It skips subexpressions in `seen`.
pub(crate) fn each_read<'a>(
    expr: &'a Expr,
    seen: &mut HashSet<usize>,
    read: &mut dyn FnMut(&'a Rc<Net>, Range<usize>),
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

/// Returns each net that the expression reads once, in the order of creation.
pub(crate) fn nets(expr: &Expr) -> Vec<&Rc<Net>> {
    let mut nets = Vec::new();
    each_read(expr, &mut HashSet::new(), &mut |net, _| nets.push(net));
    nets.sort_by_key(|net| net.id);
    nets.dedup_by_key(|net| net.id);
    nets
}

/// The bits of each net that something reads; an unread net is absent.
pub(crate) type ReadBits = HashMap<usize, Vec<bool>>;

/// Walks back from the outputs, the properties and the instances to every net whose value reaches one of them.
pub(crate) fn liveness(body: &Body) -> ReadBits {
    let mut sources: HashMap<usize, Vec<&Expr>> = HashMap::new();
    let writes = |index: usize| body.memories[index].writes.iter().flat_map(WriteData::values);
    for register in &body.registers {
        sources.entry(register.net.id).or_default().extend(register.next.iter().chain(&register.enable));
    }
    for (index, memory) in body.memories.iter().enumerate() {
        for read in &memory.reads {
            sources.entry(read.net.id).or_default().extend(writes(index).chain(read.values()));
        }
    }
    let mut queue: Vec<&Expr> = Vec::new();
    for item in &body.items {
        match item {
            Item::Wire { net, driver: Some(driver) } => {
                let sources = sources.entry(net.id).or_default();
                sources.extend(driver.reads());
                if let Driver::Memory { memory, .. } = driver {
                    sources.extend(writes(*memory));
                }
            }
            Item::Instance(data) => queue.extend(data.inputs.iter().flatten()),
            _ => {}
        }
    }
    queue.extend(body.properties.iter().map(|property| &property.condition));
    queue.extend(&body.own);
    queue.extend(body.outputs().map(|(_, value)| value));
    let (mut bits, mut seen) = (ReadBits::new(), HashSet::new());
    while let Some(expr) = queue.pop() {
        each_read(expr, &mut seen, &mut |net, range| {
            let read = bits.entry(net.id).or_insert_with(|| {
                queue.extend(sources.get(&net.id).into_iter().flatten());
                vec![false; net.width]
            });
            read[range].fill(true);
        });
    }
    bits
}

pub(crate) struct Settled {
    /// Wires in an order in which each wire reads only earlier ones.
    pub order: Vec<usize>,
    /// For each port, the positions of the input ports on which it depends within the cycle. An input has none.
    pub paths: Vec<BTreeSet<usize>>,
}

/// Orders the wires by dependence within the cycle and finds the inputs on which each output depends.
///
/// A net counts as a whole: a wire is a loop if one half of it depends on the other half.
pub(crate) fn settle(body: &Body, ports: &[PortInfo]) -> Result<Settled, ElaborationError> {
    let mut walk = Settle { nodes: HashMap::new(), state: HashMap::new(), order: Vec::new() };
    let implicit = ports.iter().filter(|port| port.is_implicit()).count();
    let declared = body.ports.iter().filter(|port| port.name().is_some());
    for (position, port) in declared.enumerate() {
        if let PortData::Input(net) = port {
            walk.state.insert(net.id, State::Settled(BTreeSet::from([implicit + position])));
        }
    }
    let mut targets: Vec<&Net> = Vec::new();
    for item in &body.items {
        match item {
            Item::Wire { net, driver } => {
                targets.push(net);
                if let Some(driver) = driver
                    && !matches!(driver, Driver::Instance)
                {
                    walk.nodes.insert(net.id, Node::new(net, driver.reads()));
                }
            }
            Item::Instance(data) => {
                for (net, through) in data.outputs.iter().zip(&data.module.finished().settled.paths) {
                    if let Some(net) = net {
                        targets.push(net);
                        let values = through.iter().flat_map(|input| &data.inputs[*input]);
                        walk.nodes.insert(net.id, Node::new(net, values));
                    }
                }
            }
            _ => {}
        }
    }
    let looped = |nets| ElaborationError::Loop { module: body.name.clone(), nets };
    for net in targets {
        walk.settle(net.id).map_err(looped)?;
    }
    let driver = |port: &PortData| match port {
        PortData::Output { driver: Some(value), .. } => Some(walk.inputs(&nets_by_id(value))),
        PortData::Input(_) => Some(BTreeSet::new()),
        _ => None,
    };
    let implicit = (0..implicit).map(|_| BTreeSet::new());
    let paths = implicit.chain(body.ports.iter().filter_map(driver)).collect();
    Ok(Settled { order: walk.order, paths })
}

fn nets_by_id(expr: &Expr) -> Vec<usize> {
    nets(expr)
        .into_iter()
        .filter(|net| !matches!(net.kind, NetKind::Register | NetKind::MemoryRead | NetKind::Reset))
        .map(|n| n.id)
        .collect()
}

struct Node<'a> {
    name: &'a str,
    reads: Vec<usize>,
}

impl<'a> Node<'a> {
    fn new<'b>(net: &'a Net, values: impl IntoIterator<Item = &'b Expr>) -> Self {
        Self { name: &net.name, reads: values.into_iter().flat_map(nets_by_id).collect() }
    }
}

enum State {
    Visited,
    Settled(BTreeSet<usize>),
}

struct Settle<'a> {
    nodes: HashMap<usize, Node<'a>>,
    state: HashMap<usize, State>,
    order: Vec<usize>,
}

impl Settle<'_> {
    /// Settles a net after every net that it reads; the error names the nets of a loop in order.
    fn settle(&mut self, net: usize) -> Result<(), String> {
        if self.state.contains_key(&net) {
            return Ok(());
        }
        self.state.insert(net, State::Visited);
        let mut path = vec![(net, 0)];
        while let Some((net, next)) = path.last_mut() {
            let (net, position) = (*net, *next);
            *next += 1;
            // An unread input has no node.
            match self.nodes.get(&net).and_then(|node| node.reads.get(position)) {
                Some(read) => match self.state.get(read) {
                    Some(State::Settled(_)) => {}
                    Some(State::Visited) => {
                        let start = path.iter().position(|(net, _)| net == read).expect("visited nets are on the path");
                        let around = path[start..].iter().map(|(net, _)| *net).chain([*read]);
                        let names: Vec<String> = around.map(|net| format!("`{}`", self.nodes[&net].name)).collect();
                        return Err(names.join(" <- "));
                    }
                    None => {
                        self.state.insert(*read, State::Visited);
                        path.push((*read, 0));
                    }
                },
                None => {
                    let inputs = self.inputs(self.nodes.get(&net).map_or(&[], |node| &node.reads));
                    self.state.insert(net, State::Settled(inputs));
                    self.order.push(net);
                    path.pop();
                }
            }
        }
        Ok(())
    }

    fn inputs(&self, reads: &[usize]) -> BTreeSet<usize> {
        let mut inputs = BTreeSet::new();
        for read in reads {
            if let Some(State::Settled(of)) = self.state.get(read) {
                inputs.extend(of);
            }
        }
        inputs
    }
}
