//! From a configuration to the area of its core and the clock frequency that it reaches.

use std::time::Duration;

use cores::Core;
use rtl::Module;
use tools::ToolError;
use tools::cache::Cache;
use weft_config::{Config, RAM_BASE, nearest};

use crate::area::Area;
use crate::error::SynthesisError;
use crate::mapping::{Mapper, Netlist};
use crate::nextpnr::{Nextpnr, Placer};
use crate::part::{PARTS, Part};
use crate::pins::PINS;
use crate::placing;
use crate::yosys::Yosys;

/// What to synthesise.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The FPGA.
    pub part: &'static Part,
    /// One module of the core with all below it, instead of the core.
    pub module: Option<&'a str>,
    /// Each module by itself only, not the flattened whole. What is placed then are the modules next to the top, each
    /// flattened with all below it.
    pub per_module: bool,
    /// Logic is mapped for this clock frequency, in MHz, and for few LUTs where that leaves room; otherwise, as
    /// `synth_ecp5` does by itself, for the shortest delay.
    pub target_mhz: Option<u32>,
    /// Place and route, once with each seed from 1 to this.
    pub seeds: Option<u32>,
    /// How to place.
    pub placer: Placer,
    /// After how long of placing and routing a seed is given up.
    pub patience: Option<Duration>,
}

/// Synthesises the core of a configuration, without its trace port, for a part, and places it there if that is asked
/// for. `progress` is told in words what runs, several times a second.
///
/// # Errors
/// See [`SynthesisError`]. That a core does not fit, or takes more memory than the tools have, is a result.
pub fn synthesise(
    config: &Config,
    request: Request<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Area, SynthesisError> {
    check(&request)?;
    let mut config = config.clone();
    config.trace.port = false;
    let core = cores::elaborate(&config, RAM_BASE)?.without_prefix();
    let whole = match request.module {
        Some(name) => core.part(name).ok_or_else(|| unknown_module(name, &core.modules()))?,
        None => core,
    };
    // Both tools are looked for before either works for minutes.
    let nextpnr = request.seeds.map(|seeds| Ok::<_, ToolError>((Nextpnr::find()?, seeds))).transpose()?;
    let yosys = Yosys::find()?;
    let version = yosys.version().to_owned();
    let Request { part, target_mhz, placer, patience, per_module, .. } = request;
    let cache = Cache::of_user();
    let mut mapper = Mapper { yosys, cache: cache.clone(), family: part.family, target_mhz, progress };
    let mut area = Area {
        modules: mapper.modules(&whole)?,
        config,
        top: whole.name(),
        part,
        target_mhz,
        flattened: None,
        out_of_memory: false,
        yosys: version.clone(),
        placing: None,
        placings: Vec::new(),
    };
    let place = |mapper: &mut Mapper<'_>, whole: &Core, netlist: &Netlist| {
        let Some((nextpnr, seeds)) = &nextpnr else { return Ok(None) };
        let (yosys, constraints) = (&version[..], None);
        let task = placing::Task { netlist, whole, top: PINS, part, target_mhz, placer, patience, yosys, constraints };
        placing::place(nextpnr, &cache, &task, *seeds, mapper.progress).map(Some)
    };
    if per_module && nextpnr.is_some() {
        for name in outermost(whole.module()) {
            let Some(module) = whole.part(&name) else { continue };
            match mapper.behind_pins(&module)? {
                Some(netlist) => {
                    let placing = place(&mut mapper, &module, &netlist)?;
                    area.placings.extend(placing.map(|placing| (name, placing)));
                }
                None => area.out_of_memory = true,
            }
        }
    } else if nextpnr.is_some() {
        match mapper.behind_pins(&whole)? {
            Some(netlist) => {
                area.flattened = Some(netlist.cells);
                area.placing = place(&mut mapper, &whole, &netlist)?;
            }
            None => area.out_of_memory = true,
        }
    } else if !per_module {
        area.flattened = mapper.flattened(&whole)?;
        area.out_of_memory = area.flattened.is_none();
    }
    Ok(area)
}

/// Names of the modules next to the top, and of those next to the pipeline of a core with memory; of a module without
/// others below it, its own.
fn outermost(top: &Module) -> Vec<String> {
    let mut names = Vec::new();
    for (_, module) in top.parts() {
        let inner = if module.name() == cores::PIPELINE { outermost(&module) } else { vec![module.name().to_owned()] };
        names.extend(inner.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if names.is_empty() { vec![top.name().to_owned()] } else { names }
}

/// Whether the part is one for which all of this is built.
fn check(request: &Request<'_>) -> Result<(), SynthesisError> {
    let family = request.part.family;
    let unsupported = |option, families, supported: fn(&Part) -> bool| {
        let parts = PARTS.iter().filter(|part| supported(part)).map(|part| part.name).collect();
        Err(SynthesisError::Unsupported { option, part: request.part.name, families, parts })
    };
    match request {
        Request { seeds: Some(_), .. } if !family.places => {
            unsupported("--pnr", "it is synthesis only; placed are", |part| part.family.places)
        }
        Request { target_mhz: Some(_), .. } if !family.maps_for_frequency => {
            unsupported("--target-mhz", "mapped for a frequency are", |part| part.family.maps_for_frequency)
        }
        _ => Ok(()),
    }
}

fn unknown_module(name: &str, known: &[String]) -> SynthesisError {
    let hint = match nearest(name, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its modules are `{}`", known.join("`, `")),
    };
    SynthesisError::UnknownModule { name: name.to_owned(), hint }
}
