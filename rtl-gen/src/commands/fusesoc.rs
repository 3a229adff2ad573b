//! The FuseSoC description of an emitted core (CAPI2).

use boards::{Board, Tools};
use weft_config::Config;

#[derive(Clone, Copy)]
pub struct OnBoard<'a> {
    pub board: &'static Board,
    pub modules: &'a [String],
}

/// Describes the core with modules at `paths` and initial memory `contents`.
///
/// The targets are `default` for dependent cores, `lint` with Verilator, and `synth` with Yosys, which counts cells for
/// an ECP5. A board that Weft can build has a target of its name for the bitstream.
pub fn description(config: &Config, paths: &[&str], contents: &[&str], board: Option<OnBoard<'_>>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (warps, threads, unit) = (config.warps, config.threads, &config.divergence.unit);
    let prefix = &config.emit.prefix;
    let top = format!("{prefix}{}", cores::TOP);
    let files: String = paths.iter().map(|path| format!("      - {path}\n")).collect();
    // Tools look for these files in the folder in which FuseSoC starts them.
    let contents: String =
        contents.iter().map(|name| format!("      - {name}: {{file_type: user, copyto: {name}}}\n")).collect();
    let (fileset, target) = board.and_then(|board| on_board(board, prefix)).unwrap_or_default();
    format!(
        "CAPI=2:
name: weft:cores:{top}:{version}
description: RISC-V SIMT core, {warps} warps of {threads} threads, divergence unit {unit}

filesets:
  rtl:
    files:
{files}{contents}    file_type: verilogSource-2005
{fileset}
targets:
  default:
    filesets: [rtl]
    toplevel: {top}
  lint:
    default_tool: verilator
    filesets: [rtl]
    toplevel: {top}
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
  synth:
    default_tool: yosys
    filesets: [rtl]
    toplevel: {top}
    tools:
      yosys:
        arch: ecp5
{target}"
    )
}

/// Returns the files and the target of a board that open tools build.
fn on_board(OnBoard { board, modules }: OnBoard<'_>, prefix: &str) -> Option<(String, String)> {
    let Tools::Trellis { target, package, speed } = board.tools else { return None };
    let (name, top, device) = (board.name, board.top(prefix), target.rsplit('-').next()?);
    let files: String = modules.iter().map(|path| format!("      - {path}\n")).collect();
    let constraints: String =
        board.constraints.iter().map(|(name, _)| format!("      - constraints/{name}: {{file_type: LPF}}\n")).collect();
    let fileset = format!("  {name}:\n    files:\n{files}{constraints}    file_type: verilogSource-2005\n");
    let target = format!(
        "  {name}:
    default_tool: trellis
    filesets: [rtl, {name}]
    toplevel: {top}
    tools:
      trellis:
        nextpnr_options: [--{device}, --package, {package}, --speed, \"{speed}\"]
"
    );
    Some((fileset, target))
}
