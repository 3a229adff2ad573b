//! The critical path, in the stages and names of the core.

use cores::PIPELINE;
use rtl::Module;

use crate::netlist::{self, Named, Names};
use crate::pins::{CORE, PINS};
use crate::timing::Hop;

/// The carry input pin of a cell in a carry chain.
const CARRY_IN: &str = "FCI";

/// A named net, memory or register of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The pipeline stage that contains it, by module name. Outside all stages this is the outermost module below the core, or
    /// the core itself. It is `pins` for the registers around the core.
    pub stage: String,
    /// The name in the stage, below its instances.
    pub name: String,
}

/// A step of a path. A carry chain is one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The kind: `clk-to-q`, `logic`, `routing` or `setup`.
    pub kind: String,
    pub delay_ns: f64,
    /// The wire or memory in the Verilog; `None` if mapping made it.
    pub place: Option<Place>,
    /// For a wire that mapping made: the net after which it is named, which is connected through LUTs.
    pub near: Option<Place>,
    /// The cell of the netlist on the path.
    pub cell: String,
}

/// A path from a register to a register, with its delay in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    pub delay_ns: f64,
    /// The delay of cells, with clock-to-output and setup times.
    pub logic_ns: f64,
    pub routing_ns: f64,
    /// LUTs and carry chains between the registers.
    pub levels: usize,
    pub from: Place,
    pub to: Place,
    /// The modules with wires on the path, in the order of first use.
    pub modules: Vec<String>,
    pub steps: Vec<Step>,
}

/// Describes a path in a netlist of the core `top` behind pins.
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

/// Returns the Verilog name of the register, wire or memory of a hop.
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

struct Hierarchy<'a> {
    top: &'a Module,
}

impl Hierarchy<'_> {
    /// Returns the known instances around something, with their modules; the core is the first.
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
        // A core with memory consists of its pipeline and the memory next to it.
        let outermost = 1 + usize::from(walk.get(1).is_some_and(|(_, module)| module.name() == PIPELINE));
        let depth = stage.unwrap_or(outermost).min(walk.len().saturating_sub(1));
        let inner = named.instances.iter().skip(if walk.is_empty() { 0 } else { depth + 1 });
        let name = inner.map(|instance| format!("{instance}.")).collect::<String>() + &named.name;
        let stage = walk.get(depth).map_or(PINS, |(_, module)| module.name()).to_owned();
        Place { stage, name }
    }
}

/// Returns whether a module has the name of a stage, such as `s6_execute`.
fn is_stage(module: &str) -> bool {
    let number = module.strip_prefix('s').and_then(|rest| rest.split_once('_')).map_or("", |(number, _)| number);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests;
