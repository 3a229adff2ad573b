//! The top of a core with memory in it: the pipeline and an adaptor, connected port by port of the same name.

use rtl::{Builder, Direction, ElaborationError, Module, PortInfo};

/// The groups of the pipeline's other ports, by the beginning of their names.
const GROUPS: [(&str, &str); 3] = [
    ("console_", "console"),
    ("done", "end of the run: all threads ended, or the first fault (sticky)"),
    ("trace_", "trace: commits, contexts, late writes, issues and squashes"),
];

/// Elaborates `name`: an instance `core` of the pipeline, and an instance `memory` of the adaptor.
pub fn elaborate(name: &str, pipeline: &Module, adaptor: &Module, purpose: &str) -> Result<Module, ElaborationError> {
    let m = Builder::new(name, purpose);
    let core = m.instance("core", pipeline);
    let memory = m.instance("memory", adaptor);
    m.comment("Between the pipeline and its memory.");
    for PortInfo { name, width, direction } in bus(pipeline) {
        let net = m.forward(&name, width);
        let (from, to) = if direction == Direction::Output { (&core, &memory) } else { (&memory, &core) };
        from.output_to(&name, &net);
        to.input(&name, &net);
    }
    for (module, instance) in [(pipeline, &core), (adaptor, &memory)] {
        for PortInfo { name, width, direction } in outside(module) {
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

/// The ports between the pipeline and its memory, as the pipeline sees them.
pub fn bus(pipeline: &Module) -> Vec<PortInfo> {
    pipeline.ports().into_iter().filter(|port| is_bus(&port.name)).collect()
}

fn is_bus(name: &str) -> bool {
    name.starts_with("imem_") || name.starts_with("dmem_")
}

/// The ports that the top has too.
fn outside(module: &Module) -> impl Iterator<Item = PortInfo> {
    module.ports().into_iter().filter(|port| !is_bus(&port.name) && !matches!(port.name.as_str(), "clk" | "rst"))
}

/// Whether no port before `name` begins like it.
fn is_first(module: &Module, name: &str, beginning: &str) -> bool {
    module.ports().iter().find(|port| port.name.starts_with(beginning)).is_some_and(|port| port.name == name)
}
