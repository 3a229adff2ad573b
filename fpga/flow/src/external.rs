//! Reads the Verilog file of a divergence unit: its modules, and the ports of the unit's module.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use tools::cache::Cache;
use weft_config::{Config, External, ExternalPort, PARAMETERS, did_you_mean};

use crate::error::SynthesisError;
use crate::process::at;
use crate::yosys::{Task, Yosys};

const FILE: &str = "unit.v";
const MODULES: &str = "modules.json";

#[derive(Deserialize)]
struct Netlist {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    parameter_default_values: Map<String, Value>,
    ports: BTreeMap<String, Port>,
}

#[derive(Deserialize)]
struct Port {
    direction: String,
    bits: Vec<Value>,
}

/// Reads the Verilog (2005) `text` of a unit with Yosys, for the warps and threads of a configuration.
///
/// # Errors
/// [`SynthesisError::Tool`] without a Yosys, [`SynthesisError::NotUnderstood`] if Yosys cannot read the text, and
/// [`SynthesisError::NoUnit`] if it lacks the module.
pub fn read(config: &Config, text: &str) -> Result<External, SynthesisError> {
    let (yosys, cache, top) = (Yosys::find()?, Cache::of_user(), &*config.divergence.module);
    let modules = |what: &str, script: &str| {
        let task = Task { what, files: &[(FILE, text.to_owned())], script, results: &[MODULES] };
        let read = |folder: &Path| {
            let path = folder.join(MODULES);
            let text = fs::read_to_string(&path).map_err(at(&path))?;
            serde_json::from_str::<Netlist>(&text)
                .map_err(|error| SynthesisError::misread(yosys.version(), format!("not a list of modules: {error}")))
        };
        yosys.run(&cache, &task, read, &mut |_| ()).map(|(_, netlist)| netlist.modules)
    };
    // The modules are read as black boxes.
    let read = format!("read_verilog -lib {FILE}\n");
    let what = config.divergence.file.as_str();
    let all = modules(what, &format!("{read}write_json {MODULES}\n")).map_err(|error| not_understood(error, what))?;
    let names: Vec<String> = all.keys().cloned().collect();
    let Some(module) = all.get(top) else {
        let all = || format!("it has {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") });
        let hint = did_you_mean(top, names.iter().map(String::as_str), all);
        return Err(SynthesisError::NoUnit { file: what.to_owned(), module: top.to_owned(), hint });
    };
    let mut parameters = PARAMETERS.map(str::to_owned).to_vec();
    parameters.retain(|name| module.parameter_default_values.contains_key(name));
    // The third parameter does not affect ports.
    let sizes = [("WARPS", config.warps), ("THREADS", config.threads)];
    let sizes: String = sizes
        .iter()
        .filter(|(name, _)| parameters.iter().any(|parameter| parameter == name))
        .map(|(name, value)| format!(" -chparam {name} {value}"))
        .collect();
    let sized = modules(what, &format!("{read}hierarchy -top {top}{sizes}\nwrite_json {MODULES}\n"))?;
    let ports = sized.get(top).map_or(&module.ports, |module| &module.ports);
    let ports = ports.iter().map(|(name, port)| ExternalPort {
        name: name.clone(),
        width: port.bits.len(),
        is_output: port.direction == "output",
    });
    Ok(External { text: text.to_owned(), modules: names, parameters, ports: ports.collect() })
}

/// Converts an error of Yosys about the user's file, which Yosys knows by another name.
fn not_understood(error: SynthesisError, file: &str) -> SynthesisError {
    let SynthesisError::Failed { last, log, .. } = error else { return error };
    // The message has the whole content of the log.
    let _ = fs::remove_file(log);
    SynthesisError::NotUnderstood { said: last.replace(FILE, file) }
}
