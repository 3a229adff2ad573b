//! The finished modules as rust-hdl sees them: its `Block` walk, its checks and its `Verilog` kinds.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use rust_hdl::core::ast::{BlackBox, Verilog, VerilogExpression, VerilogOp, VerilogStatement};
use rust_hdl::core::atom::AtomKind;
use rust_hdl::core::block::Block;
use rust_hdl::core::check_error::{CheckError, check_all};
use rust_hdl::core::logic::Logic;
use rust_hdl::core::probe::Probe;

use crate::Direction;
use crate::analysis::nets;
use crate::emit;
use crate::module::{Driver, ElaborationError, InstanceData, Item, Module, PortData};
use crate::net::NetAtom;

/// The purpose of a walk, which decides the result of [`Logic::hdl`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Assignments for `check_all`.
    Check,
    Print,
}

/// A module of the hierarchy. Its instances are [`Proxy`]s; the walk visits each module below once.
pub(crate) struct Kind<'a> {
    pub module: &'a Module,
    pub purpose: Purpose,
    pub prefix: &'a str,
    pub visited: &'a RefCell<HashSet<String>>,
}

/// An instance, with its ports and whether they are connected.
struct Proxy<'a> {
    data: &'a InstanceData,
}

/// Runs the connection, loop and input checks of rust-hdl over the module and its instances.
pub(crate) fn check(module: &Module) -> Result<(), ElaborationError> {
    let visited = RefCell::new(module.instances().map(|data| data.module.name().to_owned()).collect());
    check_all(&Kind { module, purpose: Purpose::Check, prefix: "", visited: &visited }).map_err(|error| {
        let message = match error {
            CheckError::OpenSignal(open) => {
                let mut names: Vec<String> =
                    open.into_values().map(|p| format!("`{}` in {}", p.name, p.path)).collect();
                names.sort();
                format!("not connected: {}", names.join(", "))
            }
            CheckError::LogicLoops(list) => {
                let names: Vec<String> = list.into_iter().map(|p| p.name).collect();
                format!("combinational loop: {}", names.join(", "))
            }
            CheckError::WritesToInputs(list) => {
                let names: Vec<String> = list.into_iter().map(|p| p.name).collect();
                format!("inputs are written: {}", names.join(", "))
            }
        };
        ElaborationError::Check { module: module.name().to_owned(), message }
    })
}

fn visit(probe: &mut dyn Probe, name: &str, id: usize, width: usize, kind: AtomKind, driven: bool) {
    probe.visit_atom(name, &NetAtom { id, name, width, kind, driven });
}

impl Kind<'_> {
    fn atoms(&self, probe: &mut dyn Probe) {
        let finished = self.module.finished();
        let body = &finished.body;
        for port in finished.ports.iter().filter(|port| port.is_implicit()) {
            visit(probe, &port.name, 0, 1, AtomKind::InputParameter, true);
        }
        for port in &body.ports {
            match port {
                PortData::Group(_) => {}
                PortData::Input(net) => {
                    visit(probe, &net.name, net.id, net.width, AtomKind::InputParameter, true);
                }
                PortData::Output { id, name, width, driver } => {
                    visit(probe, name, *id, *width, AtomKind::OutputParameter, driver.is_some());
                }
            }
        }
        for item in &body.items {
            let (kind, driven) = match item {
                Item::Wire { driver: Some(Driver::Instance), .. } => (AtomKind::StubOutputSignal, true),
                Item::Wire { driver, .. } => (AtomKind::LocalSignal, driver.is_some()),
                Item::Register(index) => (AtomKind::StubOutputSignal, body.registers[*index].next.is_some()),
                Item::MemoryRead { .. } => (AtomKind::StubOutputSignal, true),
                Item::Comment(_) | Item::Memory(_) | Item::Instance(_) => continue,
            };
            for net in body.nets_of(item) {
                visit(probe, &net.name, net.id, net.width, kind, driven);
            }
        }
    }

    /// Returns the assignments of the wires, in the order in which they settle, and of the outputs.
    fn assignments(&self) -> Verilog {
        let finished = self.module.finished();
        let mut wires = HashMap::new();
        for item in &finished.body.items {
            if let Item::Wire { net, driver: Some(driver) } = item
                && !matches!(driver, Driver::Instance)
            {
                wires.insert(net.id, (&net.name, driver.reads()));
            }
        }
        let inner = finished.settled.order.iter().filter_map(|id| wires.get(id).copied());
        let outer = finished.body.outputs().map(|(name, value)| (name, std::slice::from_ref(value)));
        let statements = inner.chain(outer).map(|(name, values)| {
            let mut reads = values.iter().flat_map(nets).map(|net| VerilogExpression::Signal(net.name.clone()));
            let first = reads.next().unwrap_or(VerilogExpression::Literal(false.into()));
            let any = reads.fold(first, |a, b| VerilogExpression::Binary(Box::new(a), VerilogOp::BitOr, Box::new(b)));
            VerilogStatement::Assignment(VerilogExpression::Signal(name.clone()), any)
        });
        Verilog::Combinatorial(statements.collect())
    }
}

impl Logic for Kind<'_> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        match self.purpose {
            Purpose::Check => self.assignments(),
            Purpose::Print => Verilog::Custom(emit::module(self.module, self.prefix)),
        }
    }
}

impl Block for Kind<'_> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        for instance in self.module.instances() {
            let module = &instance.module;
            if module.is_printed() && self.visited.borrow_mut().insert(module.name().to_owned()) {
                Kind { module, ..*self }.accept(&emit::printed_name(module, self.prefix), probe);
            }
        }
        probe.visit_start_scope(name, self);
        self.atoms(probe);
        for data in self.module.instances() {
            Proxy { data }.accept(&data.name, probe);
        }
        probe.visit_end_scope(name, self);
    }
}

impl Logic for Proxy<'_> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox { code: String::new(), name: self.data.module.name().to_owned() })
    }
}

impl Block for Proxy<'_> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        for (port, values) in self.data.module.port_list().iter().zip(&self.data.inputs) {
            let (kind, driven) = match port.direction {
                Direction::Input => (AtomKind::InputParameter, !values.is_empty() || port.is_implicit()),
                Direction::Output => (AtomKind::OutputParameter, true),
            };
            visit(probe, &port.name, 0, port.width, kind, driven);
        }
        probe.visit_end_scope(name, self);
    }
}
