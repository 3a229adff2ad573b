//! The top of a core: the pipeline and the adaptors between it and its memory, connected port by port of the same name.

use rtl::{Builder, Direction, ElaborationError, Instance, Module, PortInfo};

/// The groups of the other ports, by the beginning of their names.
const GROUPS: [(&str, &str); 10] = [
    ("imem_", "instruction memory: one request at a time, of any address, answered in a later cycle"),
    ("console_", "console"),
    ("done", "end of the run: all threads ended, or the first fault (sticky)"),
    ("dmem_", "data memory: requests are performed in order, responses to loads come in any order"),
    ("m_axi_aw", "AXI4 write address"),
    ("m_axi_w", "AXI4 write data"),
    ("m_axi_b", "AXI4 write response"),
    ("m_axi_ar", "AXI4 read address"),
    ("m_axi_r", "AXI4 read data"),
    ("bus_error_", "the first answer of the bus that was an error (sticky): after it nothing goes on"),
];

/// Name of the instance of the last adaptor, which is the memory or leads to it. Those before it are named as their modules.
pub const MEMORY: &str = "memory";

/// What the names of an adaptor's ports begin with that are for the next adaptor: `next_dmem_req_valid` is the
/// `dmem_req_valid` that the next one mirrors, or that is a port of the top if there is no next one.
const NEXT: &str = "next_";

/// A port that no adaptor after its module mirrors, so far.
struct Open {
    /// The name by which the next adaptor, or the user of the top, knows it.
    name: String,
    /// Number of its module: 0 is the pipeline, others are the adaptors.
    part: usize,
    port: PortInfo,
}

/// Which ports are connected with which adaptor, and which are left for the top.
fn links(pipeline: &Module, adaptors: &[Module]) -> (Vec<(Open, usize)>, Vec<Open>) {
    let (mut links, mut open) = (Vec::new(), Vec::new());
    for (part, module) in [pipeline].into_iter().chain(adaptors).enumerate() {
        let ports: Vec<PortInfo> = module.ports().into_iter().filter(|port| !is_implicit(&port.name)).collect();
        let (mirrored, mut others): (Vec<Open>, Vec<Open>) =
            open.into_iter().partition(|open: &Open| ports.iter().any(|port| port.name == open.name));
        let is_new = |port: &PortInfo| !mirrored.iter().any(|open| open.name == port.name);
        others.extend(ports.into_iter().filter(is_new).map(|port| {
            let name = port.name.strip_prefix(NEXT).unwrap_or(&port.name).to_owned();
            Open { name, part, port }
        }));
        links.extend(mirrored.into_iter().map(|open| (open, part)));
        open = others;
    }
    (links, open)
}

/// Elaborates the top: an instance `pipeline`, and one of each adaptor, in this order from the pipeline to the memory.
///
/// A port of an adaptor is connected to the port of that name of what stands before it, if that has one. All others are
/// ports of the top.
pub fn elaborate(pipeline: &Module, adaptors: &[Module], purpose: &str) -> Result<Module, ElaborationError> {
    let m = Builder::new(crate::TOP, purpose);
    m.keep_inputs();
    let mut names: Vec<&str> = [crate::PIPELINE].into_iter().chain(adaptors.iter().map(Module::name)).collect();
    if let Some(last) = names[1..].last_mut() {
        *last = MEMORY;
    }
    let modules = [pipeline].into_iter().chain(adaptors);
    let parts: Vec<Instance> = names.iter().zip(modules).map(|(name, module)| m.instance(name, module)).collect();
    let (links, open) = links(pipeline, adaptors);
    if !adaptors.is_empty() {
        m.comment("Between the pipeline and its memory.");
    }
    for (Open { name, part, port, .. }, behind) in links {
        let is_free = part == 0 && !open.iter().any(|outer| outer.name == name);
        let net = if is_free { name.clone() } else { format!("{}_{name}", names[part]) };
        let net = m.forward(&net, port.width);
        if port.direction == Direction::Output {
            parts[part].output_to(&port.name, &net);
            parts[behind].input(&name, &net);
        } else {
            parts[behind].output_to(&name, &net);
            parts[part].input(&port.name, &net);
        }
    }
    for (number, Open { name, part, port }) in open.iter().enumerate() {
        if let Some(title) = group_at(&open[..number], name) {
            m.port_group(title);
        }
        match port.direction {
            Direction::Input => _ = parts[*part].input(&port.name, &m.input(name, port.width)),
            Direction::Output => m.output(name, &parts[*part].output(&port.name)),
        }
    }
    m.finish()
}

/// The title of the group that begins with a port, after these ports.
fn group_at(before: &[Open], port: &str) -> Option<&'static str> {
    let of_trace = weft_trace::GROUPS.iter().find(|(first, _)| port.strip_prefix("trace_") == Some(*first));
    let is_first = |beginning: &str| !before.iter().any(|open| open.name.starts_with(beginning));
    let others = || GROUPS.iter().find(|(first, _)| port.starts_with(first) && is_first(first));
    of_trace.or_else(others).map(|(_, title)| *title)
}

/// The ports of the pipeline that an adaptor mirrors.
pub fn bus(pipeline: &Module, adaptors: &[Module]) -> Vec<PortInfo> {
    let (links, _) = links(pipeline, adaptors);
    links.into_iter().filter(|(open, _)| open.part == 0).map(|(open, _)| open.port).collect()
}

/// Whether `rtl` connects the port.
fn is_implicit(name: &str) -> bool {
    matches!(name, "clk" | "rst")
}

#[cfg(test)]
mod tests;
