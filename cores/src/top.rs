//! The top of a core with a memory adaptor in it: the pipeline and the adaptor, connected port by port of the same name.

use rtl::{Builder, Direction, ElaborationError, Module, PortInfo};

/// The groups of the other ports, by the beginning of their names.
const GROUPS: [(&str, &str); 10] = [
    ("imem_", "instruction memory: one request at a time, of any address, answered in a later cycle"),
    ("console_", "console"),
    ("done", "end of the run: all threads ended, or the first fault (sticky)"),
    ("trace_", "trace: commits, contexts, late writes, issues and squashes"),
    ("m_axi_aw", "AXI4 write address"),
    ("m_axi_w", "AXI4 write data"),
    ("m_axi_b", "AXI4 write response"),
    ("m_axi_ar", "AXI4 read address"),
    ("m_axi_r", "AXI4 read data"),
    ("bus_error_", "the first answer of the bus that was an error (sticky): after it nothing goes on"),
];

/// Elaborates `name`: an instance `core` of the pipeline, and an instance `memory` of the adaptor.
pub fn elaborate(name: &str, pipeline: &Module, adaptor: &Module, purpose: &str) -> Result<Module, ElaborationError> {
    let m = Builder::new(name, purpose);
    let core = m.instance("core", pipeline);
    let memory = m.instance("memory", adaptor);
    m.comment("Between the pipeline and its memory.");
    let between = bus(pipeline, adaptor);
    for PortInfo { name, width, direction } in between.iter().cloned() {
        let net = m.forward(&name, width);
        let (from, to) = if direction == Direction::Output { (&core, &memory) } else { (&memory, &core) };
        from.output_to(&name, &net);
        to.input(&name, &net);
    }
    for (module, instance) in [(pipeline, &core), (adaptor, &memory)] {
        let outside = module
            .ports()
            .into_iter()
            .filter(|port| !is_implicit(&port.name) && !between.iter().any(|inner| inner.name == port.name));
        for PortInfo { name, width, direction } in outside {
            if let Some((_, group)) =
                GROUPS.iter().find(|(first, _)| name.starts_with(first) && is_first(module, &name, first))
            {
                m.port_group(group);
            }
            match direction {
                Direction::Input => _ = instance.input(&name, &m.input(&name, width)),
                Direction::Output => m.output(&name, &instance.output(&name)),
            }
        }
    }
    m.finish()
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
