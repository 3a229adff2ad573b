//! The build files next to the Verilog of a board.

use std::fmt::Write;

use crate::board::{BOARDS, Board, Tools};
use crate::top::{BAUD, LIGHTS};

/// A file of a project: its path below the folder, with `/`, and its text.
pub type File = (String, String);

/// Makes the build files of a board: constraints, scripts, and a README. `sources` are the Verilog files with the top last;
/// `prefix` precedes module names; `is_loaded` is whether the program comes over the serial line. All paths are relative to
/// the folder, in which the tools must run.
pub fn project(board: &Board, prefix: &str, sources: &[&str], baud: u32, is_loaded: bool) -> Vec<File> {
    let top = &board.top(prefix);
    let constraints =
        board.constraint_files(is_loaded).into_iter().map(|(name, text)| (format!("constraints/{name}"), text));
    let mut files: Vec<File> = constraints.collect();
    files.push((format!("{top}.f"), sources.iter().map(|source| format!("{source}\n")).collect()));
    let (build, how) = match board.tools {
        Tools::Trellis { target, package, speed } => {
            trellis(board, top, sources, [target, package, speed], baud, is_loaded)
        }
        Tools::Quartus { family } => quartus(board, top, sources, family),
        Tools::Vivado => vivado(board, top, sources),
    };
    files.extend(build);
    files.push((readme(board), text(board, prefix, baud, is_loaded, &how)));
    files
}

/// Returns whether [`project`] writes a file of this path, for any board.
pub fn is_written_for_a_board(path: &str) -> bool {
    BOARDS.iter().any(|board| {
        let constraint = |name: &str| board.constraints.iter().any(|(known, _)| *known == name);
        let of_top = |name: &str| ["f", "sh", "qpf", "qsf", "tcl"].contains(&name);
        path == readme(board)
            || path.strip_prefix("constraints/").is_some_and(constraint)
            || path.rsplit_once('.').is_some_and(|(top, kind)| top.ends_with(&board.top("")) && of_top(kind))
    })
}

fn readme(board: &Board) -> String {
    format!("README-{}.md", board.name)
}

/// Makes the script for Yosys, nextpnr-ecp5 and ecppack, and its instructions.
fn trellis(
    board: &Board,
    top: &str,
    sources: &[&str],
    [target, package, speed]: [&str; 3],
    baud: u32,
    is_loaded: bool,
) -> (Vec<File>, String) {
    let device = target.rsplit('-').next().unwrap_or_default();
    let constraints = board.constraints.first().map_or("", |(name, _)| name);
    let sources = sources.join(" \\\n    ");
    let script = format!(
        r#"#!/bin/sh
# Builds {top}.bit from the Verilog. YOSYS, NEXTPNR and ECPPACK override the programs in PATH.
set -eu
cd "$(dirname "$0")"

"${{YOSYS:-yosys}}" -q -l {top}.yosys.log -p \
    'setattr -set ram_style "distributed" a:RAM_STYLE=distributed; synth_ecp5 -top {top} -json {top}.json' \
    {sources}
"${{NEXTPNR:-nextpnr-ecp5}}" --{device} --package {package} --speed {speed} --json {top}.json \
    --lpf constraints/{constraints} --textcfg {top}.config
"${{ECPPACK:-ecppack}}" --compress --input {top}.config --bit {top}.bit
"#
    );
    let how = format!(
        "With Yosys, nextpnr-ecp5 and ecppack:\n\n    sh {top}.sh\n\nmakes `{top}.bit`, and fails if the clock is too fast for the \
         core. `weft synth --config config.toml --board {name}{baud}\n{image}--bitstream {top}.bit` makes one{program}: it tries up to three seeds with\nanother placer, and reports more.\n\n    openFPGALoader --board={name} {top}.bit      # until power-off; permanent with -f\n    \
         fujprog {top}.bit                           # the same\n",
        name = board.name,
        image = if is_loaded { "" } else { "--image P.elf " },
        program = if is_loaded { "" } else { " with the program P.elf" },
        baud = if baud == BAUD { String::new() } else { format!(" --baud {baud}") },
    );
    (vec![(format!("{top}.sh"), script)], how)
}

/// The warning above the steps of a board that Weft does not build.
const NOT_BUILT: &str = "**Weft neither builds nor times this project. Only its syntax and its pins are checked. Read the timing \
                         report\nbefore you trust the board.**\n\n";

fn quartus(board: &Board, top: &str, sources: &[&str], family: &str) -> (Vec<File>, String) {
    let part = board.part;
    let sources: String =
        sources.iter().map(|source| format!("set_global_assignment -name VERILOG_FILE {source}\n")).collect();
    let of_kind = |ending: &str| {
        let names = board.constraints.iter().map(|(name, _)| *name).filter(move |name| name.ends_with(ending));
        names.map(|name| format!("constraints/{name}")).collect::<Vec<_>>()
    };
    let clocks: String =
        of_kind(".sdc").iter().map(|path| format!("set_global_assignment -name SDC_FILE {path}\n")).collect();
    let pins: String = of_kind(".qsf").iter().map(|path| format!("source {path}\n")).collect();
    let settings = format!(
        "# {}: not built by Weft.\n\nset_global_assignment -name FAMILY \"{family}\"\nset_global_assignment -name DEVICE {part}\n\
         set_global_assignment -name TOP_LEVEL_ENTITY {top}\nset_global_assignment -name PROJECT_OUTPUT_DIRECTORY output_files\n\
         set_global_assignment -name NUM_PARALLEL_PROCESSORS ALL\n{sources}{clocks}{pins}",
        board.title
    );
    let how = format!(
        "{NOT_BUILT}With Quartus (the Lite edition is enough):\n\n    quartus_sh --flow compile {top}\n    \
         quartus_pgm -m jtag -o \"p;output_files/{top}.sof\"\n"
    );
    (vec![(format!("{top}.qpf"), format!("PROJECT_REVISION = \"{top}\"\n")), (format!("{top}.qsf"), settings)], how)
}

fn vivado(board: &Board, top: &str, sources: &[&str]) -> (Vec<File>, String) {
    let part = board.part;
    let sources = sources.join(" \\\n    ");
    let constraints: String =
        board.constraints.iter().map(|(name, _)| format!("read_xdc constraints/{name}\n")).collect();
    let script = format!(
        "# {}: not built by Weft. vivado -mode batch -source {top}.tcl\n\nread_verilog [list \\\n    {sources}]\n{constraints}\
         synth_design -top {top} -part {part}\nopt_design\nplace_design\nroute_design\nreport_utilization -file \
         {top}_utilization.rpt\nreport_timing_summary -file {top}_timing.rpt\nif {{[get_property SLACK [get_timing_paths]] < 0}} {{\n    \
         puts \"{top}: the clock is too fast for the core, see {top}_timing.rpt\"\n    exit 1\n}}\nwrite_bitstream -force {top}.bit\n",
        board.title
    );
    let how = format!(
        "{NOT_BUILT}With Vivado:\n\n    vivado -mode batch -source {top}.tcl\n\nmakes `{top}.bit`, unless the clock is too fast for the \
         core.\n\n    openFPGALoader --board={} {top}.bit\n",
        board.name.replace('-', "_")
    );
    (vec![(format!("{top}.tcl"), script)], how)
}

fn text(board: &Board, prefix: &str, baud: u32, is_loaded: bool, how: &str) -> String {
    let Board { title, part, clock, reset, transmit, lights, .. } = board;
    let level = if reset.active_low { "0" } else { "1" };
    let top = board.top(prefix);
    let program = if is_loaded { "" } else { ", where the Verilog finds the program (`PREFIXcore_*.hex`)" };
    let mut text = format!(
        "# Weft on the {title}\n\nTop module `{top}`, for {part}; `config.toml` has the configuration of the core. Start all tools in \
         this\nfolder{}.\n\n## Building\n\n{how}\n## Pins\n\n| port | what |\n|---|---|\n\
         | `{}` | clock, {} MHz; the core runs at {} MHz |\n| `{}` | button {}, {level} when pressed: reset |\n\
         | `{transmit}` | {}: {baud} baud, 8 data bits, no parity, 1 stop bit |\n",
        program.replace("PREFIX", prefix),
        clock.port,
        clock.mhz,
        clock.core_mhz,
        reset.port,
        reset.label,
        if is_loaded { "serial line to the computer" } else { "console" },
    );
    if let (Some(receive), true) = (&board.receive, is_loaded) {
        let _ = writeln!(text, "| `{}` | serial line from the computer |", receive.port);
    }
    for (number, light) in LIGHTS.iter().enumerate() {
        let _ = writeln!(text, "| `{lights}[{number}]` | light: {light} |");
    }
    for port in board.high {
        let _ = writeln!(text, "| `{port}` | 1 |");
    }
    text += if is_loaded {
        "\nThe core waits for a program: `host/weft_serial.py` of Weft loads one over the serial line, starts it and reads results.\n\
         The button resets the core, but does not clear the memory."
    } else {
        "\nThe program starts 10 ms after the FPGA is configured. The button restarts it, but does not restore the memory."
    };
    text + "\ndocs/manual/boards.md of Weft lists the boards that were built and measured.\n"
}
