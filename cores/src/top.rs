//! The top of a core: the pipeline and, unless memory is outside, a memory adaptor, connected port by port of the same name.

use rtl::{Builder, Direction, ElaborationError, Module, PortInfo};

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

/// Name of the instance of the memory adaptor.
pub const MEMORY: &str = "memory";

/// Elaborates the top: an instance `pipeline`, and an instance `memory` of the adaptor, if there is one.
pub fn elaborate(pipeline: &Module, adaptor: Option<&Module>, purpose: &str) -> Result<Module, ElaborationError> {
    let m = Builder::new(crate::TOP, purpose);
    m.keep_inputs();
    let core = m.instance(crate::PIPELINE, pipeline);
    let between = adaptor.map_or_else(Vec::new, |adaptor| bus(pipeline, adaptor));
    let mut parts = vec![(pipeline, core)];
    if let Some(adaptor) = adaptor {
        let memory = m.instance(MEMORY, adaptor);
        m.comment("Between the pipeline and its memory.");
        for PortInfo { name, width, direction } in between.iter().cloned() {
            let net = m.forward(&name, width);
            let core = &parts[0].1;
            let (from, to) = if direction == Direction::Output { (core, &memory) } else { (&memory, core) };
            from.output_to(&name, &net);
            to.input(&name, &net);
        }
        parts.push((adaptor, memory));
    }
    for (module, instance) in &parts {
        let outside = module
            .ports()
            .into_iter()
            .filter(|port| !is_implicit(&port.name) && !between.iter().any(|inner| inner.name == port.name));
        for PortInfo { name, width, direction } in outside {
            if let Some(title) = group_at(module, &name) {
                m.port_group(title);
            }
            match direction {
                Direction::Input => _ = instance.input(&name, &m.input(&name, width)),
                Direction::Output => m.output(&name, &instance.output(&name)),
            }
        }
    }
    m.finish()
}

/// The title of the group that begins with a port.
fn group_at(module: &Module, port: &str) -> Option<&'static str> {
    let of_trace = weft_trace::GROUPS.iter().find(|(first, _)| port.strip_prefix("trace_") == Some(*first));
    let others = || GROUPS.iter().find(|(first, _)| port.starts_with(first) && is_first(module, port, first));
    of_trace.or_else(others).map(|(_, title)| *title)
}

/// The ports between the pipeline and an adaptor, as the pipeline sees them: those that both have.
pub fn bus(pipeline: &Module, adaptor: &Module) -> Vec<PortInfo> {
    let mirrored = adaptor.ports();
    let is_inner = |port: &PortInfo| !is_implicit(&port.name) && mirrored.iter().any(|inner| inner.name == port.name);
    pipeline.ports().into_iter().filter(is_inner).collect()
}

/// Whether `rtl` connects the port.
fn is_implicit(name: &str) -> bool {
    matches!(name, "clk" | "rst")
}

/// Whether no port before `name` begins like it.
fn is_first(module: &Module, name: &str, beginning: &str) -> bool {
    module.ports().iter().find(|port| port.name.starts_with(beginning)).is_some_and(|port| port.name == name)
}
