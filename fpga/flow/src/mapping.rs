//! Maps a core, or its modules one by one, to the cells of a family.

use std::fs;
use std::path::{Path, PathBuf};

use cores::Core;
use rtl::Module;
use tools::cache::Cache;

use crate::cells::{Cells, ModuleArea};
use crate::error::SynthesisError;
use crate::family::Family;
use crate::pins::{PINS, behind_pins};
use crate::process::at;
use crate::statistics::{self, StatisticsError, Types};
use crate::yosys::{Task, Yosys};

/// The names of the files that the scripts read.
pub const TOP: &str = "top.v";
const BELOW: &str = "below.v";
pub const AROUND: &str = "pins.v";
/// The names of the files that the scripts write.
const COUNTS: &str = "result.json";
const COUNTS_OF_PINS: &str = "pins.json";
const COUNTS_OF_BOTH: &str = "both.json";
const NETLIST: &str = "netlist.json";

/// Yosys, with the settings of its runs.
pub struct Mapper<'a> {
    pub yosys: Yosys,
    pub cache: Cache,
    pub family: &'static Family,
    pub target_mhz: Option<u32>,
    pub progress: &'a mut dyn FnMut(&str),
}

/// A mapped core behind pins.
pub struct Netlist {
    pub cells: Cells,
    pub around: Cells,
    /// The netlist of both, as Yosys writes it.
    pub file: PathBuf,
    /// The Verilog of the core and of its surroundings, by the file names in the netlist.
    pub sources: [(&'static str, String); 2],
}

impl Mapper<'_> {
    /// Synthesises each module of a hierarchy separately, with the modules below it as black boxes. Each has its own cache
    /// entry, and Yosys needs memory for only one module.
    pub fn modules(&mut self, whole: &Core) -> Result<Vec<ModuleArea>, SynthesisError> {
        let names = whole.modules();
        let mut types = Types::new();
        for (index, part) in names.iter().filter_map(|name| whole.part(name)).enumerate() {
            let mut below: Vec<String> = part.files().iter().map(|(_, text)| without_header(text)).collect();
            let mut files = Vec::from_iter(below.pop().map(|text| (TOP, text)));
            if !below.is_empty() {
                files.push((BELOW, below.concat()));
            }
            // An external module is one unit: its submodules are not counted separately.
            let is_theirs = part.module().verilog_of_others().is_some();
            let name = part.name();
            let script = self.count(&name, below.is_empty(), is_theirs);
            let what = format!("{name} ({} of {})", index + 1, names.len());
            let task = Task { what: &what, files: &files, script: &script, results: &[COUNTS] };
            let reader = self.reader();
            let read = |folder: &Path| {
                let types = reader.types(folder, COUNTS)?;
                reader.cells_of(&types, &name)?;
                Ok(types)
            };
            let (_, of_part) = self.run(&task, read)?;
            types.extend(of_part);
        }
        statistics::modules(self.family, &types, &whole.name()).map_err(|source| self.reader().misread(source))
    }

    /// Counts the cells of a flattened hierarchy; `None` if Yosys has too little memory.
    pub fn flattened(&mut self, whole: &Core) -> Result<Option<Cells>, SynthesisError> {
        let name = &whole.name();
        let files = [(TOP, without_header(&whole.all_in_one()))];
        let script = self.count(name, true, true);
        let what = format!("{name}, flattened");
        let task = Task { what: &what, files: &files, script: &script, results: &[COUNTS] };
        let reader = self.reader();
        let counted = self.run(&task, |folder| reader.cells(folder, COUNTS, name));
        unless_out_of_memory(counted.map(|(_, cells)| cells))
    }

    /// Maps a flattened hierarchy behind pins; `None` if Yosys has too little memory. Core and pins are mapped separately and
    /// then joined, so the placed core is the counted one.
    pub fn behind_pins(&mut self, whole: &Core) -> Result<Option<Netlist>, SynthesisError> {
        let name = &whole.name();
        let around = behind_pins(whole.module())?;
        let sources = [(TOP, without_header(&whole.all_in_one())), (AROUND, text_of_top(&around))];
        let map = self.map(name, true);
        let family = self.family;
        let (synthesis, after) = (family.synthesis, family.after);
        let script = format!(
            "read_verilog {TOP}\n{map}write_rtlil mapped.il\n{after}tee -q -o {COUNTS} stat -json\n\
             design -reset\nread_verilog -lib {TOP}\nread_verilog {AROUND}\n{synthesis} -top {PINS}\n\
             setattr -mod -unset top {PINS}\ntee -q -o {COUNTS_OF_PINS} stat -json\n\
             read_rtlil -overwrite mapped.il\nhierarchy -top {PINS}\nflatten\nwrite_json {NETLIST}\n\
             setattr -mod -unset top {PINS}\ntee -q -o {COUNTS_OF_BOTH} stat -json\n"
        );
        let what = format!("{name}, flattened, behind pins");
        let results = [COUNTS, COUNTS_OF_PINS, COUNTS_OF_BOTH, NETLIST];
        let reader = self.reader();
        let read = |folder: &Path| {
            let cells = reader.cells(folder, COUNTS, name)?;
            let around = reader.cells(folder, COUNTS_OF_PINS, PINS)?;
            let both = reader.cells(folder, COUNTS_OF_BOTH, PINS)?;
            nothing_lost(&both, &(cells + around), &reader.version)?;
            Ok((cells, around))
        };
        let task = Task { what: &what, files: &sources, script: &script, results: &results };
        let mapped = self.run(&task, read);
        unless_out_of_memory(mapped.map(|(folder, (cells, around))| Netlist {
            cells,
            around,
            file: folder.join(NETLIST),
            sources,
        }))
    }

    /// Maps the flattened top of a board, with the files of its initial memory; `None` if Yosys has too little memory.
    pub fn board(&mut self, top: &Core, contents: &[(String, String)]) -> Result<Option<Netlist>, SynthesisError> {
        let name = &top.name();
        let sources = [(TOP, without_header(&top.all_in_one())), (AROUND, String::new())];
        let contents = contents.iter().map(|(name, text)| (&name[..], text.clone()));
        let files: Vec<(&str, String)> = sources[..1].iter().cloned().chain(contents).collect();
        let (map, after) = (self.map(name, true), self.family.after);
        let script = format!("read_verilog {TOP}\n{map}write_json {NETLIST}\n{after}tee -q -o {COUNTS} stat -json\n");
        let task = Task { what: name, files: &files, script: &script, results: &[COUNTS, NETLIST] };
        let reader = self.reader();
        let mapped = self.run(&task, |folder| reader.cells(folder, COUNTS, name));
        let around = Cells::default();
        unless_out_of_memory(mapped.map(|(folder, cells)| Netlist {
            cells,
            around,
            file: folder.join(NETLIST),
            sources,
        }))
    }

    /// Returns the commands that read a module, map it (flattened, or with black boxes below it) and count its cells.
    fn count(&self, top: &str, is_whole: bool, flatten: bool) -> String {
        let black_boxes = if is_whole { String::new() } else { format!("read_verilog -lib {BELOW}\n") };
        let (map, after) = (self.map(top, flatten), self.family.after);
        format!("{black_boxes}read_verilog {TOP}\n{map}{after}tee -q -o {COUNTS} stat -json\n")
    }

    fn map(&self, top: &str, flatten: bool) -> String {
        let Family { before, synthesis, .. } = self.family;
        let flatten = if flatten { self.family.flatten } else { "" };
        let delay = self.target_mhz.map_or(String::new(), |mhz| {
            let picoseconds = 1_000_000 / mhz.max(1);
            format!("scratchpad -set abc9.D {picoseconds}\n")
        });
        // For a module marked as top, Yosys 0.23 prints the hierarchy as text into its JSON.
        format!("{before}{delay}{synthesis} -top {top}{flatten}\nsetattr -mod -unset top {top}\n")
    }

    fn run<T>(
        &mut self,
        task: &Task<'_>,
        read: impl Fn(&Path) -> Result<T, SynthesisError>,
    ) -> Result<(PathBuf, T), SynthesisError> {
        self.yosys.run(&self.cache, task, read, self.progress)
    }

    fn reader(&self) -> Reader {
        Reader { family: self.family, version: self.yosys.version().to_owned() }
    }
}

/// Makes `None` of a lack of memory.
fn unless_out_of_memory<T>(result: Result<T, SynthesisError>) -> Result<Option<T>, SynthesisError> {
    match result {
        Err(SynthesisError::OutOfMemory { .. }) => Ok(None),
        other => other.map(Some),
    }
}

struct Reader {
    family: &'static Family,
    version: String,
}

impl Reader {
    fn types(&self, folder: &Path, name: &str) -> Result<Types, SynthesisError> {
        let path = folder.join(name);
        let report = fs::read_to_string(&path).map_err(at(&path))?;
        statistics::read(&report).map_err(|source| self.misread(source))
    }

    fn cells(&self, folder: &Path, name: &str, module: &str) -> Result<Cells, SynthesisError> {
        self.cells_of(&self.types(folder, name)?, module)
    }

    fn cells_of(&self, types: &Types, module: &str) -> Result<Cells, SynthesisError> {
        statistics::cells(self.family, types, module).map_err(|source| self.misread(source))
    }

    fn misread(&self, source: StatisticsError) -> SynthesisError {
        SynthesisError::misread(&self.version, source)
    }
}

/// Checks that registers and memories have the expected numbers.
pub fn nothing_lost(found: &Cells, expected: &Cells, version: &str) -> Result<(), SynthesisError> {
    let counts = |cells: &Cells| [cells.ff, cells.bram, cells.lutram, cells.dsp];
    let kinds = ["flip-flops", "block RAMs", "LUT RAMs", "multipliers"];
    for ((kind, found), expected) in kinds.into_iter().zip(counts(found)).zip(counts(expected)) {
        if found != expected {
            return Err(SynthesisError::Lost { version: version.to_owned(), kind, expected, found });
        }
    }
    Ok(())
}

/// Returns the text of a module without the modules below it.
fn text_of_top(module: &Module) -> String {
    module.verilog().last().map_or_else(String::new, |module| rtl::file("", module))
}

/// Removes the comment at the head of a module, which names the configuration. So a module that several configurations
/// share is synthesised once.
fn without_header(text: &str) -> String {
    text.lines().skip_while(|line| line.starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}
