//! `verilog`: a unit that is a Verilog module of the user, with the ports of the other units.
//!
//! It has one slot and no delay, and does not read reconvergence points. The ports `in_parts_s8` and `yields_s8` may be
//! absent, both or none. Its ports are those of
//! [`super::arbiter`]. The module itself selects the path that runs. Latency and storage depend on the module.

use rtl::{Builder, Bundle, Direction, ElaborationError, Module, PortInfo, zeros};
use weft_config::{Config, External, Unit, VERILOG, nearest};

use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace};
use crate::CoreError;
use crate::formal::Watched;
use crate::shape::{RAM_BASE, Shape};
use crate::signals::Path;

pub struct Verilog;

impl DivergenceUnit for Verilog {
    fn descriptor(&self) -> &'static Unit {
        &VERILOG
    }

    fn compares_prediction(&self) -> bool {
        false
    }

    fn storage(&self, _: &Shape) -> Vec<Storage> {
        Vec::new()
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let Some((name, external)) = &shape.external else {
            unreachable!("`check` has seen the module");
        };
        let text = external.text.as_str();
        let values = [shape.warps.to_string(), shape.threads.to_string(), format!("32'h{:08x}", shape.reset_pc)];
        let parameters: Vec<(&str, String)> = weft_config::PARAMETERS
            .into_iter()
            .zip(values)
            .filter(|(parameter, _)| external.parameters.iter().any(|name| name == parameter))
            .collect();
        let ports: Vec<(&str, usize, Direction)> = external
            .ports
            .iter()
            .map(|port| (&*port.name, port.width, if port.is_output { Direction::Output } else { Direction::Input }))
            .collect();
        let theirs = Module::in_verilog(name, &parameters, &ports, text);

        let m = Builder::new(
            "verilog_unit",
            "Divergence unit: a module in Verilog, and the trace of one that has no second path.",
        );
        m.timing(
            "adds no cycle to the module inside. That drives the path of `warp_s7` in S7, and the active path in the \
             cycle of `valid_s8`; commits of one warp are at least two cycles apart.",
        );
        UnitInputs::declare(&m, shape);
        let unit = m.instance("unit", &theirs);
        m.connect_by_name(&[&unit]);
        let path = |suffix: &str| {
            Path::build(shape, &mut |field, width| match format!("{field}_{suffix}") {
                port if is_left_open(&port) && !shape.formal => zeros(width),
                port => unit.output_as(&port, &format!("path_{port}")),
            })
        };
        let never = || zeros(1);
        UnitOutputs::of_one_slot([path("s7"), path("x")], [never(), never()], UnitTrace::none(shape))
            .declare(&m, shape);
        if shape.formal {
            // The module makes no claims.
            Watched::inputs(&m, shape, "watched");
        }
        m.finish()
    }
}

/// Whether a port belongs to a function that this unit lacks, or nothing reads it. The module may have it, and the core
/// leaves it open.
fn is_left_open(name: &str) -> bool {
    ["pc_s7", "generation_s7"].contains(&name) || name.starts_with("gives_way_") || name.ends_with("_trace")
}

/// The ports of a unit with this shape, with clock and reset.
fn interface(shape: &Shape) -> Result<Vec<PortInfo>, ElaborationError> {
    let m = Builder::new("unit_interface", "");
    m.keep_inputs();
    UnitInputs::declare(&m, shape);
    let path = || Path::build(shape, &mut |_, width| zeros(width));
    UnitOutputs::of_one_slot([path(), path()], [zeros(1), zeros(1)], UnitTrace::none(shape)).declare_without(
        &m,
        shape,
        &|_| None,
    );
    let implicit = ["clk", "rst"].map(|name| PortInfo { name: name.to_owned(), width: 1, direction: Direction::Input });
    Ok(implicit.into_iter().chain(m.finish()?.ports()).collect())
}

/// Checks that the module of a configuration can be the unit. It must exist, and its ports must match by name, width
/// and direction. It needs a parameter for the reset pc if that is not the default.
pub fn check(shape: &Shape) -> Result<(), CoreError> {
    let Some((module, external)) = &shape.external else { return Err(CoreError::UnreadUnit) };
    let fail = |message: String| Err(CoreError::UnfitUnit { module: module.clone(), message });
    let expected = interface(shape)?;
    let required = |port: &&PortInfo| !is_left_open(&port.name) && port.name != "rst";
    let found = |name: &str| external.ports.iter().find(|port| port.name == name);
    let bits = |width: usize| if width == 1 { "1 bit".to_owned() } else { format!("{width} bits") };
    for port in &external.ports {
        let Some(own) = expected.iter().find(|own| own.name == port.name) else {
            let names = expected.iter().filter(|own| found(&own.name).is_none()).map(|own| own.name.as_str());
            let hint = match nearest(&port.name, names) {
                Some(name) => format!("; did you mean `{name}`?"),
                None => format!("; expected {}", listed(&expected)),
            };
            return fail(format!("it has a port `{}`, which a unit has not{hint}", port.name));
        };
        let is_output = own.direction == Direction::Output;
        if is_output != port.is_output {
            let [is, should] = if is_output { ["an input", "an output"] } else { ["an output", "an input"] };
            return fail(format!("its port `{}` is {is}; expected {should}", port.name));
        }
        if own.width != port.width {
            let (warps, threads) = (shape.warps, shape.threads);
            let hint = match &*port.name {
                "generation" if port.width == 1 => ": one for each warp, since groups of warps wait at the barrier",
                _ => "",
            };
            return fail(format!(
                "its port `{}` has {}; expected {} with {warps} warps of {threads} threads{hint}",
                port.name,
                bits(port.width),
                bits(own.width)
            ));
        }
    }
    if let Some(missing) = expected.iter().filter(required).find(|own| found(&own.name).is_none()) {
        let direction = if missing.direction == Direction::Output { "output" } else { "input" };
        return fail(format!("it has no port `{}`; expected an {direction} of {}", missing.name, bits(missing.width)));
    }
    if shape.reset_pc != RAM_BASE && !external.parameters.iter().any(|name| name == "RESET_PC") {
        let pc = shape.reset_pc;
        return fail(format!("threads start at {pc:#010x}, and it has no parameter `RESET_PC` by which it could know"));
    }
    Ok(())
}

fn listed(ports: &[PortInfo]) -> String {
    let names: Vec<&str> = ports.iter().map(|port| &*port.name).filter(|name| !is_left_open(name)).collect();
    names.join(", ")
}

/// Checks that no module of the core has the name of one in the user's file.
pub fn check_names(shape: &Shape, top: &Module, prefix: &str) -> Result<(), CoreError> {
    let Some((module, external)) = &shape.external else { return Ok(()) };
    let own = top.hierarchy();
    let taken = own.iter().filter(|own| own.name() != module).map(|own| format!("{prefix}{}", own.name()));
    match taken.into_iter().find(|name| external.modules.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("its file has a module `{name}`, and so has the core; give it another name");
            Err(CoreError::UnfitUnit { module: module.clone(), message })
        }
    }
}

/// Whether the module has the ports by which the core tells of parts and asks for yields.
pub fn takes_turns(module: &External) -> bool {
    module.ports.iter().any(|port| ["in_parts_s8", "yields_s8"].contains(&&*port.name))
}

/// The parts of the configuration that the shape keeps.
pub fn of(config: &Config) -> Option<(String, std::sync::Arc<External>)> {
    let unit = &config.divergence;
    Some((unit.module.clone(), unit.external.clone()?)).filter(|_| unit.unit == VERILOG.name)
}
