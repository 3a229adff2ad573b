//! The path that limits the clock, told in the stages and names of the core.

use cores::PIPELINE;
use rtl::Module;

use crate::netlist::{self, Named, Names};
use crate::pins::{CORE, PINS};
use crate::timing::Hop;

/// The pin by which the carry of one cell of a chain reaches the next.
const CARRY_IN: &str = "FCI";

/// Something in the core that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The stage: the module of the pipeline stage that it stands in; outside of all stages the outermost module below the
    /// core, in the core itself its own, and `pins` for the registers around it.
    pub stage: String,
    /// Its name there, below the instances that it stands in.
    pub name: String,
}

/// A part of a path; a carry chain is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it is: `clk-to-q`, `logic`, `routing` or `setup`.
    pub kind: String,
    /// Delay, in nanoseconds.
    pub delay_ns: f64,
    /// What the Verilog calls the wire or memory; nothing if mapping made it.
    pub place: Option<Place>,
    /// Of a wire that mapping made, what it was named after: something to which it is connected through LUTs.
    pub near: Option<Place>,
    /// The cell of the netlist that it leads through or to.
    pub cell: String,
}

/// A path from a register to a register.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// Its delay, in nanoseconds.
    pub delay_ns: f64,
    /// What cells have of it, clock-to-output and setup times included.
    pub logic_ns: f64,
    /// What wires have of it.
    pub routing_ns: f64,
    /// LUTs and carry chains between the registers.
    pub levels: usize,
    /// The register or memory that it begins at.
    pub from: Place,
    /// The register or memory that it ends at.
    pub to: Place,
    /// The modules whose wires it is known to lead through, in the order in which it enters them first.
    pub modules: Vec<String>,
    /// From beginning to end.
    pub steps: Vec<Step>,
}

/// Tells a path of a netlist of the core `top` behind pins.
pub fn tell(path: &[Hop], names: &Names, top: &Module) -> CriticalPath {
    let hierarchy = Hierarchy { top };
    let sum = |wanted: fn(&str) -> bool| path.iter().filter(|hop| wanted(&hop.kind)).map(|hop| hop.delay_ns).sum();
    let named: Vec<Option<Named>> = path.iter().map(|hop| name_of(hop, names)).collect();
    let end = |index: Option<usize>| {
        let of = |index: usize| hierarchy.place(named[index].as_ref().unwrap_or(&netlist::memory(&path[index].cell)));
        index.map_or_else(|| Place { stage: String::new(), name: String::new() }, of)
    };
    let mut modules = Vec::new();
    for module in named.iter().flatten().map(|named| hierarchy.innermost(named)) {
        if !modules.contains(&module) {
            modules.push(module);
        }
    }
    let step = |hop: &Hop, named: &Option<Named>| Step {
        kind: hop.kind.clone(),
        delay_ns: hop.delay_ns,
        place: named.as_ref().map(|named| hierarchy.place(named)),
        near: hop
            .net
            .as_deref()
            .filter(|_| named.is_none())
            .and_then(|net| Some(hierarchy.place(&netlist::near(net)?))),
        cell: hop.cell.clone(),
    };
    let mut steps: Vec<Step> = Vec::new();
    let mut carried = false;
    for (hop, named) in path.iter().zip(&named) {
        let carries = hop.kind == "routing" && hop.port == CARRY_IN;
        match steps.last_mut() {
            Some(chain) if carries || carried && hop.kind == "logic" => chain.delay_ns += hop.delay_ns,
            _ => steps.push(step(hop, named)),
        }
        carried = carries;
    }
    CriticalPath {
        delay_ns: sum(|_| true),
        logic_ns: sum(|kind| kind != "routing"),
        routing_ns: sum(|kind| kind == "routing"),
        levels: steps.iter().filter(|step| step.kind == "logic").count(),
        from: end((!path.is_empty()).then_some(0)),
        to: end(path.len().checked_sub(1)),
        modules,
        steps,
    }
}

/// What the Verilog calls the register, wire or memory of a hop.
fn name_of(hop: &Hop, names: &Names) -> Option<Named> {
    // nextpnr splits a LUT RAM and names the parts after it.
    let lut_ram = hop.cell.split_once("$DPRAM").or_else(|| hop.cell.split_once("$RAMW")).map(|(cell, _)| cell);
    match &hop.kind[..] {
        "routing" => names.net(hop.net.as_deref()?).cloned(),
        "logic" => lut_ram.map(netlist::memory),
        _ => {
            let cell = lut_ram.unwrap_or(&hop.cell);
            let cell = cell.split_once("_TRELLIS_FF_Q").map_or(cell, |(register, _)| register);
            names.register(&hop.cell).cloned().or_else(|| Some(netlist::memory(cell)))
        }
    }
}

/// The instances of a core.
struct Hierarchy<'a> {
    top: &'a Module,
}

impl Hierarchy<'_> {
    /// Of the instances that something stands in, those that there are, with their modules; the core is the first.
    fn walk(&self, named: &Named) -> Vec<(String, Module)> {
        let mut instances = named.instances.iter();
        if instances.next().is_none_or(|first| first != CORE) {
            return Vec::new();
        }
        let mut found = vec![(CORE.to_owned(), self.top.clone())];
        // The name of an instance in a loop has two parts.
        let mut path = String::new();
        for name in instances {
            let parts = found.last().map_or_else(Vec::new, |(_, module)| module.parts());
            path += name;
            if let Some(part) = parts.iter().find(|(instance, _)| *instance == path) {
                found.push(part.clone());
                path.clear();
            } else {
                path += ".";
                if !parts.iter().any(|(instance, _)| instance.starts_with(&path)) {
                    break;
                }
            }
        }
        found
    }

    fn innermost(&self, named: &Named) -> String {
        self.walk(named).last().map_or(PINS.to_owned(), |(_, module)| module.name().to_owned())
    }

    fn place(&self, named: &Named) -> Place {
        let walk = self.walk(named);
        let stage = walk.iter().position(|(_, module)| is_stage(module.name()));
        // A core with memory is its pipeline and the memory beside it.
        let outermost = 1 + usize::from(walk.get(1).is_some_and(|(_, module)| module.name() == PIPELINE));
        let depth = stage.unwrap_or(outermost).min(walk.len().saturating_sub(1));
        let inner = named.instances.iter().skip(if walk.is_empty() { 0 } else { depth + 1 });
        let name = inner.map(|instance| format!("{instance}.")).collect::<String>() + &named.name;
        let stage = walk.get(depth).map_or(PINS, |(_, module)| module.name()).to_owned();
        Place { stage, name }
    }
}

/// Whether a module is named as one of the stages: `s6_execute`.
fn is_stage(module: &str) -> bool {
    let number = module.strip_prefix('s').and_then(|rest| rest.split_once('_')).map_or("", |(number, _)| number);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests;
