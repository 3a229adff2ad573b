//! The top of a core: the pipeline and its adaptors. Ports of the same name are connected.

use rtl::{Builder, Direction, ElaborationError, Instance, Module, PortInfo};

use weft_config::Reset;

use crate::control;

/// Titles of the port groups, by the first letters of the ports' names.
const GROUPS: [(&str, &str); 20] = [
    ("imem_", "instruction memory: one request at a time, of any address, answered in a later cycle"),
    ("console_", "console"),
    ("done", "end of the run: all threads ended, or the first fault (sticky)"),
    ("exit_", "the first exit code that is not 0, or of `tohost` (sticky)"),
    ("dmem_", "data memory: requests are performed in order, responses to loads come in any order"),
    ("m_axi_aw", "AXI4 write address"),
    ("m_axi_w", "AXI4 write data"),
    ("m_axi_b", "AXI4 write response"),
    ("m_axi_ar", "AXI4 read address"),
    ("m_axi_r", "AXI4 read data"),
    ("s_axil_aw", "AXI4-Lite write address of the control registers"),
    ("s_axil_w", "AXI4-Lite write data"),
    ("s_axil_b", "AXI4-Lite write response"),
    ("s_axil_ar", "AXI4-Lite read address"),
    ("s_axil_r", "AXI4-Lite read data"),
    ("irq", "interrupt, a level"),
    ("table_", "the reconvergence table: its base, the first pc, and the bytes of code that it covers"),
    ("restart", "a run begins in the next cycle: no reservation of the last one holds"),
    ("dmem_idle", "all accepted requests are performed"),
    ("bus_error_", "the first answer of the bus that was an error (sticky): no new request leaves after it"),
];

/// Name of the instance of the last adaptor, which is the memory or leads to it. The other instances have the names
/// of their modules.
pub const MEMORY: &str = "memory";

/// Prefix of an adaptor's ports towards the next adaptor. The next one mirrors `next_dmem_req_valid` as its
/// `dmem_req_valid`. If there is no next one, the top has a port of that name.
const NEXT: &str = "next_";

/// A port that no adaptor has mirrored so far.
struct Open {
    /// Its name for the next adaptor, or for the user of the top.
    name: String,
    /// Number of its module: 0 for the pipeline, others for the adaptors.
    part: usize,
    port: PortInfo,
}

/// The ports that an adaptor mirrors, each with the number of that adaptor, and the ports left for the top.
fn links(pipeline: &Module, adaptors: &[Module]) -> (Vec<(Open, usize)>, Vec<Open>) {
    let (mut links, mut open) = (Vec::new(), Vec::new());
    for (part, module) in [pipeline].into_iter().chain(adaptors).enumerate() {
        let ports: Vec<PortInfo> = module.ports().into_iter().filter(|port| !port.is_implicit()).collect();
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

/// Elaborates the top: an instance `pipeline`, and one instance of each adaptor, in order from the pipeline to the
/// memory.
///
/// A port of an adaptor is connected to the port with the same name of a module before it. All other ports become
/// ports of the top.
pub fn elaborate(
    pipeline: &Module,
    adaptors: &[Module],
    purpose: &str,
    reset: Reset,
) -> Result<Module, ElaborationError> {
    let m = Builder::new(crate::TOP, purpose);
    m.keep_inputs();
    if reset == Reset::ActiveLow {
        let rst = m.own_reset();
        let [first, second] = ["rst_n_first", "rst_n_second"].map(|name| m.register(name, 1));
        first.next(&m.input("rst_n", 1));
        second.next(&first);
        m.drive(&rst, &!&*second);
    }
    let mut names: Vec<&str> = [crate::PIPELINE].into_iter().chain(adaptors.iter().map(Module::name)).collect();
    if let Some(last) = names[1..].last_mut().filter(|name| **name != control::NAME) {
        *last = MEMORY;
    }
    let modules = [pipeline].into_iter().chain(adaptors);
    let parts: Vec<Instance> = names.iter().zip(modules).map(|(name, module)| m.instance(name, module)).collect();
    let (links, open) = links(pipeline, adaptors);
    if !adaptors.is_empty() {
        m.comment("Between the pipeline and its memory.");
    }
    for (Open { name, part, port, .. }, behind) in links {
        let net = m.forward(&net_of(names[part], part, &name, &open), port.width);
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

/// The title of the group that begins with this port, if one does.
fn group_at(before: &[Open], port: &str) -> Option<&'static str> {
    let of_trace = weft_trace::GROUPS.iter().find(|(first, _)| port.strip_prefix("trace_") == Some(*first));
    let is_first = |beginning: &str| !before.iter().any(|open| open.name.starts_with(beginning));
    let others = || GROUPS.iter().find(|(first, _)| port.starts_with(first) && is_first(first));
    of_trace.or_else(others).map(|(_, title)| *title)
}

/// The net between modules, which is the port's where neither another module nor the top has it.
fn net_of(module: &str, part: usize, port: &str, open: &[Open]) -> String {
    let is_free = part == 0 && !open.iter().any(|outer| outer.name == port);
    if is_free { port.to_owned() } else { format!("{module}_{port}") }
}

/// The nets at the ports of the pipeline that an adaptor mirrors.
pub fn bus(pipeline: &Module, adaptors: &[Module]) -> Vec<PortInfo> {
    let (links, outer) = links(pipeline, adaptors);
    let of_pipeline = links.into_iter().filter(|(open, _)| open.part == 0);
    let net = |open: Open| PortInfo { name: net_of(crate::PIPELINE, 0, &open.name, &outer), ..open.port };
    of_pipeline.map(|(open, _)| net(open)).collect()
}

#[cfg(test)]
mod tests;
