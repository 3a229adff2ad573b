//! The command line: one type per command.

use std::path::PathBuf;
use std::time::Duration;

use boards::Board;
use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use flow::Placer;
use flow::part::{self, Part};

use crate::version;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Generates a RISC-V SIMT core as Verilog, runs programs on it and checks it against a model.
///
/// A core has W warps of T threads on T lanes and a unit that tracks the paths of diverged warps. It
/// runs ordinary bare-metal RV32 programs, one hart per thread.
#[derive(Debug, Parser)]
#[command(name = "weft", version = version::text(), styles = STYLES, max_term_width = 100)]
#[command(arg_required_else_help = false)]
#[command(after_help = "\
Examples:
  weft emit --preset rv32i-8x4 --out core       write the Verilog of a core
  weft kernels build --out kernels              compile the bundled kernels
  weft cosim kernels/vector_add.elf             check the core against the model
  weft config --set warps=4 > core.toml         write a configuration file

Exit status: 0 success, 1 the core or program failed, 2 the request cannot be met.")]
pub struct Cli {
    /// Print one JSON object on stdout, and everything else on stderr
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the Verilog of a core, with file lists and its configuration
    #[command(after_help = "\
Examples:
  weft emit --out core
  weft emit --preset wide --set memory.outstanding=32 --out core --force
  weft emit --preset bram-4x4 --image program.elf --out core
  weft emit --preset bram-4x4 --image program.elf --board ulx3s --out project

Writes rtl/*.v (one module each), weft_core.v (all in one), weft_core.f (the files of rtl/),
weft.core (FuseSoC) and config.toml. With --image it also writes weft_core_*.hex: start simulators
and synthesis tools in DIR, where they find these files. The top module is weft_core. With --board
it also writes the top of the board, its constraints and build files: see README-BOARD.md. Names
begin with emit.prefix: two cores in one design need two prefixes.")]
    Emit(EmitArguments),
    /// Run a program on the core, or on the model of it
    #[command(after_help = "\
Examples:
  weft run kernels/vector_add.elf
  weft run program.elf --set threads=16 --stats stats.json --wave waves.fst
  weft run program.elf --engine model --commits commits.jsonl

The console of the program goes to stdout (with --json, to stderr). A run passes if the program
stores 1 to `tohost`, or every thread exits with code 0.")]
    Run(RunArguments),
    /// Run a program on the core and the model in lock step, and stop at the first difference
    #[command(after_help = "\
Examples:
  weft cosim kernels/vector_add.elf
  weft cosim program.elf --preset wide --set memory.latency=1..60 --json")]
    Cosim(CosimArguments),
    /// Write the memory that a program needs, for a loader of your own
    #[command(after_help = "\
Examples:
  weft image program.elf --out program.bin
  weft image program.elf --out program.h --format c
  weft image program.elf --out bank.hex --format hex --banks 8
  weft image program.elf --out program.bin --set divergence.unit=pdom-stack --json

Writes the program from the first address of RAM on, with zeros for .bss and between its parts. A
divergence unit that reads the reconvergence table gets that behind the program; the addresses for
the registers table_base, table_first and table_bytes are printed. hex: lines of a word, for
$readmemh; bank i of N has the words i, i + N, ... in a file with _i before the extension.")]
    Image(ImageArguments),
    /// Show where the threads of a program diverge and reconverge
    #[command(after_help = "\
Examples:
  weft analyze kernels/interpreter.elf
  weft analyze program.elf --json
  weft analyze program.elf --dot program.dot && dot -Tsvg program.dot -o program.svg

Finds the reconvergence pcs from the machine code alone. Lists the branches without a known one, with
the reason. Warns of barriers at which only some threads of a warp may wait. See
docs/design/analysis.md.")]
    Analyze(AnalyzeArguments),
    /// Synthesise a core for an FPGA, count its cells and report its clock frequency
    #[command(after_help = "\
Examples:
  weft synth --preset rv32i-8x4 --target ecp5-85k
  weft synth --set threads=64 --target ecp5-85k --per-module --json
  weft synth --target ecp5-85k --set divergence.unit=arbiter --module arbiter
  weft synth --preset rv32i-8x4 --target ecp5-85k --target-mhz 50
  weft synth --preset rv32i-8x4 --target ecp5-85k --pnr --seeds 5
  weft synth --preset bram-4x4 --board ulx3s --image program.elf --bitstream program.bit
  weft synth --preset accelerator --set threads=4 --set memory.ram_bytes=131072 --board ulx3s --bitstream loader.bit

Uses the Yosys, nextpnr-ecp5 and ecppack that WEFT_YOSYS, WEFT_NEXTPNR and WEFT_ECPPACK name, else
those in PATH, else those in .venv. Results are cached by the inputs and versions of the tools; an
interrupted run continues with the same command. Exit status 1: the core does not fit, is not
routed, timed out (--minutes), needs more memory than the tools have, or does not reach --target-mhz
or the clock of the board.")]
    Synth(SynthArguments),
    /// Compare divergence units in area, frequency and cycles, and write a report
    #[command(after_help = "\
Examples:
  weft compare --quick --out comparison
  weft compare --units arbiter,sorted-table --threads 4,8 --kernels gcd,quicksort --out small
  weft compare --threads 2,4,8 --without-rv32i --out placed
  weft compare --units arbiter,examples/unit/lowest_lane.v --quick --out mine
  weft compare --quick --engine model --seeds 0 --out estimate
  weft compare --out comparison --profile slurm

Writes report.html, results.csv and results.json. --quick takes minutes, a full comparison a night.
The same command continues an interrupted comparison. Snakemake runs the steps: the one that
WEFT_SNAKEMAKE names, else the one in PATH, else the one in .venv (scripts/setup.sh --comparison
installs it). Exit status 1: a kernel did not pass or a step failed. A core that does not fit is a
result, not a failure.")]
    Compare(CompareArguments),
    /// Redo the quantitative claims of the papers that the divergence units come from, and write a report
    #[command(after_help = "\
Examples:
  weft papers --list
  weft papers --quick --out papers
  weft papers --claims 'dual-path.*,minority-first' --out claims
  weft papers --out papers

Writes report.md and report.json: for each claim the published value, ours, the commands that give
ours, and a verdict: shown, refuted, or not decidable here with the reason. Kernels run on the golden
model, on sizes and memories near those of the papers. Areas are stored results; --quick takes a few
minutes, all claims less than an hour. The same command continues an interrupted report. Needs
Snakemake (scripts/setup.sh --comparison). Exit status 1: a step failed. A refuted claim is a result.")]
    Papers(PapersArguments),
    /// Run random divergent programs on cores of random size, in lock step with the model and against QEMU
    #[command(after_help = "\
Examples:
  weft fuzz --seed 1 --count 200
  weft fuzz --seed 7 --count 10000 --profile pressure --units dual-path --sizes 2x4,3x8
  weft fuzz --seed 1 --count 10000 --out campaign
  weft fuzz --seed 1 --count 10000 --out campaign --resume

The same seed, count, points, units, sizes and profile give the same programs. A failing program is
shrunk and kept in a folder with the configuration and a report. --resume continues an interrupted
campaign. Without QEMU the core is compared only with the model, and the summary says so.
docs/manual/fuzzing.md describes the programs. Exit status 1: a program failed, or did not end.")]
    Fuzz(FuzzArguments),
    /// List or compile the bundled kernels
    #[command(
        subcommand,
        arg_required_else_help = false,
        after_help = "\
Examples:
  weft kernels list
  weft kernels build --out kernels"
    )]
    Kernels(KernelsAction),
    /// Print the resolved configuration, with a comment on each key
    #[command(after_help = "\
Examples:
  weft config
  weft config --preset wide --set memory.latency=20 > core.toml
  weft emit --config core.toml --out core")]
    Config(ConfigArguments),
    /// Show or empty the cache: models, kernels, synthesis, place and route
    #[command(
        subcommand,
        arg_required_else_help = false,
        after_help = "\
Examples:
  weft cache path
  weft cache clean"
    )]
    Cache(CacheAction),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  weft completions bash > ~/.local/share/bash-completion/completions/weft
  weft completions fish > ~/.config/fish/completions/weft.fish")]
    Completions(CompletionsArguments),
}

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Configuration")]
pub struct ConfigArguments {
    /// Start from a preset [default: default]
    #[arg(long, value_name = "P", conflicts_with = "config")]
    pub preset: Option<String>,
    /// Start from a TOML file; keys that it does not set have their defaults
    #[arg(long, value_name = "F")]
    pub config: Option<PathBuf>,
    /// Change one key, such as memory.latency=20; may be repeated, the last one wins
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Args, Debug)]
pub struct EmitArguments {
    /// Folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Initialise the memory of the core with this program, a 32-bit RISC-V ELF executable (memory.kind "bram")
    #[arg(long, value_name = "P.elf")]
    pub image: Option<PathBuf>,
    #[command(flatten)]
    pub board: BoardArguments,
    /// Overwrite the files of an earlier emit in the folder; other files in it are kept
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub config: ConfigArguments,
}

#[derive(Args, Debug)]
pub struct BoardArguments {
    /// Connect the core to the pins of a board: its clock, a button for reset, the console on its serial line, lights. A
    /// core with a control port (control.port) is loaded over that line; others need --image
    #[arg(long, value_name = "BOARD", value_parser = board(), group = "places")]
    pub board: Option<&'static Board>,
    /// Baud rate of the serial line of the board [default: 115200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub baud: Option<u32>,
}

impl BoardArguments {
    pub fn baud(&self) -> u32 {
        self.baud.unwrap_or(boards::BAUD)
    }
}

#[derive(Args, Debug)]
pub struct RunArguments {
    /// Run the program on the emitted Verilog, built by Verilator, or on the model
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    pub engine: Engine,
    /// Count no cycles (model engine only): the run is faster, and --max-cycles counts issues
    #[arg(long)]
    pub untimed: bool,
    #[command(flatten)]
    pub common: CosimArguments,
}

#[derive(Args, Debug)]
pub struct CosimArguments {
    /// The program: a 32-bit RISC-V ELF executable
    #[arg(value_name = "P.elf")]
    pub program: PathBuf,
    /// Stop after this number of cycles
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_cycles: u64,
    #[command(flatten)]
    pub files: FileArguments,
    #[command(flatten)]
    pub config: ConfigArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Files")]
pub struct FileArguments {
    /// Write the statistics of the run as one JSON object
    #[arg(long, value_name = "F")]
    pub stats: Option<PathBuf>,
    /// Write the trace records, one JSON object per line
    #[arg(long, value_name = "F")]
    pub commits: Option<PathBuf>,
    /// Write the stage of each instruction in each cycle, for the viewer Konata
    #[arg(long, value_name = "F")]
    pub trace: Option<PathBuf>,
    /// Write the waveforms of the core (FST)
    #[arg(long, value_name = "F")]
    pub wave: Option<PathBuf>,
    /// Write the words from `begin_signature` to `end_signature` in hexadecimal, one per line
    #[arg(long, value_name = "F")]
    pub signature: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Model,
    Rtl,
}

#[derive(Args, Debug)]
pub struct ImageArguments {
    /// The program: a 32-bit RISC-V ELF executable
    #[arg(value_name = "P.elf")]
    pub program: PathBuf,
    /// File to write
    #[arg(long, value_name = "F")]
    pub out: PathBuf,
    /// What to write: bytes, words in hexadecimal, an array in C, or the program with its table in a further segment,
    /// for the drivers
    #[arg(long, value_name = "FORMAT", default_value = "bin")]
    pub format: ImageFormat,
    /// Files among which the words alternate (hex)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub banks: u32,
    #[command(flatten)]
    pub config: ConfigArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImageFormat {
    Bin,
    Hex,
    C,
    Elf,
}

#[derive(Args, Debug)]
pub struct AnalyzeArguments {
    /// The program: a 32-bit RISC-V ELF executable
    #[arg(value_name = "P.elf")]
    pub program: PathBuf,
    /// Write the control-flow graph for Graphviz
    #[arg(long, value_name = "F")]
    pub dot: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SynthArguments {
    /// The FPGA
    #[arg(long, value_name = "PART", value_parser = part(), conflicts_with = "board")]
    pub target: Option<&'static Part>,
    /// Synthesise one module and the modules below it, instead of the core
    #[arg(long, value_name = "NAME", conflicts_with = "board")]
    pub module: Option<String>,
    /// Synthesise each module separately and add the areas, without flattening the core: for cores that
    /// need too much time or memory otherwise
    #[arg(long, conflicts_with = "board")]
    pub per_module: bool,
    /// Map the logic for this clock frequency, with fewer LUTs where possible, instead of for the shortest
    /// delay [unit: MHz]
    #[arg(long, value_name = "N", conflicts_with = "board", value_parser = megahertz)]
    pub target_mhz: Option<u32>,
    /// Place and route too, inside a wrapper that folds the ports into a few pins, and report the clock
    /// frequency and the critical path (ECP5 only); with --per-module, place each module next to the core
    /// separately
    #[arg(long, group = "places")]
    pub pnr: bool,
    /// Place with each seed from 1 to N; with --board, stop at the first that is fast enough [default: 3]
    #[arg(long, value_name = "N", requires = "places", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: Option<u32>,
    /// Placer of nextpnr; its default, `heap`, packs large cores too densely for its router, and so may `static`:
    /// `spread` is `static` with a third of the rows left to wires
    #[arg(long, value_name = "P", default_value = Placer::default().name(), requires = "places", value_parser = placer())]
    pub placer: Placer,
    /// Stop a seed after this time; it is retried only with a longer limit [unit: min] [default: no
    /// limit]
    #[arg(long, value_name = "N", requires = "places", value_parser = minutes)]
    pub minutes: Option<f64>,
    #[command(flatten)]
    pub board: BoardArguments,
    /// With --board: initial content of the memory, a 32-bit RISC-V ELF executable
    #[arg(long, value_name = "P.elf", requires = "board")]
    pub image: Option<PathBuf>,
    /// With --board: write the bitstream of the FPGA (ulx3s)
    #[arg(long, value_name = "F.bit")]
    pub bitstream: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigArguments,
}

fn address(text: &str) -> Result<u32, std::num::ParseIntError> {
    text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16))
}

fn part() -> impl TypedValueParser<Value = &'static Part> {
    let names = part::PARTS.iter().map(|part| part.name);
    PossibleValuesParser::new(names).try_map(|name| part::find(&name).ok_or("no such part"))
}

fn placer() -> impl TypedValueParser<Value = Placer> {
    let of = |name: String| Placer::ALL.into_iter().find(|placer| placer.name() == name).ok_or("no such placer");
    PossibleValuesParser::new(Placer::ALL.map(Placer::name)).try_map(of)
}

fn megahertz(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=1000).contains(number));
    number.ok_or_else(|| "expected a whole number of MHz from 1 to 1000".to_owned())
}

fn minutes(text: &str) -> Result<f64, String> {
    let most = 100_000.0;
    let minutes = text.parse().ok().filter(|minutes: &f64| *minutes > 0.0 && *minutes <= most);
    minutes.ok_or_else(|| format!("expected a number of minutes, above 0 and up to {most}"))
}

impl SynthArguments {
    pub fn patience(&self) -> Option<Duration> {
        self.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes))
    }
}

fn board() -> impl TypedValueParser<Value = &'static Board> {
    let names = boards::BOARDS.iter().map(|board| board.name);
    PossibleValuesParser::new(names).try_map(|name| boards::find(&name).ok_or("no such board"))
}

#[derive(Args, Debug)]
pub struct CompareArguments {
    /// Folder of the comparison: new, empty, or of an earlier run of the same command
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Compare a selection that takes minutes: 2, 4 and 8 threads, eight kernels, only the smallest cores placed
    #[arg(long)]
    pub quick: bool,
    /// Divergence units, separated by commas; arbiter:N is the arbiter with N pipeline stages, FILE.v or FILE.v:MODULE is
    /// a module in Verilog [default: all, and arbiter:2 unless --quick]
    #[arg(long, value_name = "U,…", value_delimiter = ',')]
    pub units: Vec<String>,
    /// Threads per warp, separated by commas [default: 2,4,8,16,32,64]
    #[arg(long, value_name = "T,…", value_delimiter = ',')]
    pub threads: Vec<String>,
    /// Kernels, separated by commas [default: all]
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    pub kernels: Vec<String>,
    /// Leave out the RV32I cores, which run no kernel and are compared with those of Simty: the ones of 32 threads take
    /// the longest time
    #[arg(long)]
    pub without_rv32i: bool,
    /// Run the kernels on the emitted Verilog, or on the model, which estimates the cycles
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    pub engine: Engine,
    /// Place each core with each seed from 1 to N; 0 only counts cells [default: 3, or 1 for cores of 16 threads and
    /// more. Only counted are cores of 64 threads, RV32IMA cores of 32, and smaller RV32I cores of units that Simty
    /// does not have]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub seeds: Option<u32>,
    /// Stop a seed of place and route after this time [unit: min]
    #[arg(long, value_name = "N", default_value = "90", value_parser = minutes)]
    pub minutes: f64,
    /// Steps that run at the same time on this machine
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,
    /// Run the steps by a Snakemake profile, for example on a cluster, instead of on this machine
    #[arg(long, value_name = "P", conflicts_with = "jobs")]
    pub profile: Option<String>,
}

#[derive(Args, Debug)]
pub struct PapersArguments {
    /// Folder of the report: new, empty, or of an earlier run of the same command
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    pub out: Option<PathBuf>,
    /// List the claims, and write nothing
    #[arg(long)]
    pub list: bool,
    /// Examine a selection of claims that takes a few minutes
    #[arg(long)]
    pub quick: bool,
    /// Claims, separated by commas: an id, its beginning up to a dot, or a pattern with * for any text [default: all]
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    pub claims: Vec<String>,
    /// Steps that run at the same time on this machine
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,
    /// Run the steps by a Snakemake profile, for example on a cluster, instead of on this machine
    #[arg(long, value_name = "P", conflicts_with = "jobs")]
    pub profile: Option<String>,
}

#[derive(Args, Debug)]
pub struct FuzzArguments {
    /// Seed of the campaign
    #[arg(long, value_name = "S")]
    pub seed: u64,
    /// Number of programs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: u64,
    /// Kind of programs: mixed, structured, unstructured, calls, memory, atomics, pressure, copies, faults,
    /// locks (only for units with time slices) [default: a random kind for each program]
    #[arg(long, value_name = "P")]
    pub profile: Option<String>,
    /// Divergence units, separated by commas [default: all]
    #[arg(long, value_name = "U,…", value_delimiter = ',')]
    pub units: Vec<String>,
    /// Warps and threads of the cores, separated by commas [default: twelve sizes from 1x1 to 1x64]
    #[arg(long, value_name = "WxT,…", value_delimiter = ',')]
    pub sizes: Vec<String>,
    /// Number of different cores; each is built once [default: one for 25 programs, at most 12 per unit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub points: Option<u64>,
    /// Folder of the campaign [default: fuzz-SEED]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue the campaign in the folder
    #[arg(long)]
    pub resume: bool,
    /// Write the coverage of this call as JSON: functional points and lines of the Verilog. The cores are built with
    /// their assertions for it
    #[arg(long, value_name = "F")]
    pub coverage: Option<PathBuf>,
    /// With --coverage: also count the bits that change, which takes a hundred times as long
    #[arg(long, requires = "coverage")]
    pub bits: bool,
    /// Cores that are built and run at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,
}

#[derive(Debug, Subcommand)]
pub enum KernelsAction {
    /// List the kernels and their purposes
    List,
    /// Compile all kernels, or those that are named
    #[command(
        after_help = "Examples:\n  weft kernels build --out kernels\n  weft kernels build gcd quicksort --out kernels"
    )]
    Build {
        /// Names of kernels (`weft kernels list`) [default: all]
        #[arg(value_name = "KERNEL")]
        names: Vec<String>,
        /// Folder for the ELF files, created if it does not exist
        #[arg(long, value_name = "DIR", default_value = "out/kernels")]
        out: PathBuf,
        /// Give the kernels of grids the sizes of SIMTight's benchmarks; they print their figures
        #[arg(long)]
        large: bool,
        /// Place the shared memory of grids in a scratchpad of so many bytes
        #[arg(long, value_name = "BYTES", default_value_t = 0)]
        scratchpad_bytes: u32,
        /// Link for a core whose RAM begins here (memory.base) [default: 0x80000000]
        #[arg(long, value_name = "ADDRESS", value_parser = address, default_value = "0", hide_default_value = true)]
        base: u32,
    },
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheAction {
    /// Print the folder of the cache ($WEFT_CACHE, $XDG_CACHE_HOME/weft or ~/.cache/weft)
    Path,
    /// Empty the cache
    Clean,
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// Name of the shell
    pub shell: Shell,
}

#[cfg(test)]
mod tests;
