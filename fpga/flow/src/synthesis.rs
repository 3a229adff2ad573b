//! Measures area and clock frequency of the core of a configuration.

use std::time::Duration;

use cores::Core;
use rtl::Module;
use tools::ToolError;
use tools::cache::Cache;
use weft_config::{Config, did_you_mean};

use crate::area::Area;
use crate::error::SynthesisError;
use crate::mapping::{Mapper, Netlist};
use crate::nextpnr::{Nextpnr, Placer};
use crate::part::{PARTS, Part};
use crate::pins::PINS;
use crate::placing;
use crate::yosys::Yosys;

#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub part: &'static Part,
    /// One module of the core with the modules below it, instead of the core.
    pub module: Option<&'a str>,
    /// Each module is synthesised separately, without the flattened core. The modules next to the top are then placed, each
    /// flattened with the modules below it.
    pub per_module: bool,
    /// Logic is mapped for this clock frequency in MHz, with fewer LUTs where possible. Without it, it is mapped for the
    /// shortest delay, the default of `synth_ecp5`.
    pub target_mhz: Option<u32>,
    /// Place and route, once with each seed from 1 to this number.
    pub seeds: Option<u32>,
    pub placer: Placer,
    /// The time limit of place and route with a seed.
    pub patience: Option<Duration>,
}

/// Synthesises the core of a configuration for a part, without its trace port, and places it if requested. `progress`
/// receives the current step as text, several times per second.
///
/// # Errors
/// See [`SynthesisError`]. A core that does not fit, or needs more memory than the tools have, is a result.
pub fn synthesise(
    config: &Config,
    request: Request<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Area, SynthesisError> {
    check(&request)?;
    let mut config = config.clone();
    config.trace.port = false;
    let core = cores::elaborate(&config, config.first_pc())?.without_prefix();
    let whole = match request.module {
        Some(name) => core.part(name).ok_or_else(|| unknown_module(name, &core.modules()))?,
        None => core,
    };
    // Both tools are found before one runs for minutes.
    let nextpnr = request.seeds.map(|seeds| Ok::<_, ToolError>((Nextpnr::find()?, seeds))).transpose()?;
    let yosys = Yosys::find()?;
    let version = yosys.version().to_owned();
    let Request { part, target_mhz, placer, patience, per_module, .. } = request;
    let cache = Cache::of_user();
    let mut mapper = Mapper { yosys, cache: cache.clone(), family: part.family, target_mhz, progress };
    let mut area = Area::of(config, whole.name(), part, target_mhz, &version);
    area.modules = mapper.modules(&whole)?;
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

/// Returns the modules next to the top, and those next to the pipeline of a core with memory. A module without modules
/// below it returns itself.
fn outermost(top: &Module) -> Vec<String> {
    let mut names = Vec::new();
    for (_, module) in top.parts() {
        let inner = if module.name() == cores::PIPELINE { outermost(&module) } else { vec![module.name().to_owned()] };
        names.extend(inner.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if names.is_empty() { vec![top.name().to_owned()] } else { names }
}

fn check(request: &Request<'_>) -> Result<(), SynthesisError> {
    let family = request.part.family;
    let unsupported = |option, families, supported: fn(&Part) -> bool| {
        let parts = PARTS.iter().filter(|part| supported(part)).map(|part| part.name).collect();
        Err(SynthesisError::Unsupported { option, part: request.part.name, families, parts })
    };
    match request {
        Request { seeds: Some(_), .. } if !family.places => {
            unsupported("--pnr", "place and route supports", |part| part.family.places)
        }
        Request { target_mhz: Some(_), .. } if !family.maps_for_frequency => {
            unsupported("--target-mhz", "mapping for a frequency supports", |part| part.family.maps_for_frequency)
        }
        _ => Ok(()),
    }
}

fn unknown_module(name: &str, known: &[String]) -> SynthesisError {
    let all = || format!("its modules are `{}`", known.join("`, `"));
    let hint = did_you_mean(name, known.iter().map(String::as_str), all);
    SynthesisError::UnknownModule { name: name.to_owned(), hint }
}
