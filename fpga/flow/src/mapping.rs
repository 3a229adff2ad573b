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

/// Names of the files that the scripts read.
pub const TOP: &str = "top.v";
const BELOW: &str = "below.v";
pub const AROUND: &str = "pins.v";
/// And of those that they write.
const COUNTS: &str = "result.json";
const COUNTS_OF_PINS: &str = "pins.json";
const COUNTS_OF_BOTH: &str = "both.json";
const NETLIST: &str = "netlist.json";

/// Yosys, and what it needs for a run.
pub struct Mapper<'a> {
    pub yosys: Yosys,
    pub cache: Cache,
    pub family: &'static Family,
    pub target_mhz: Option<u32>,
    pub progress: &'a mut dyn FnMut(&str),
}

/// A core behind pins, mapped.
pub struct Netlist {
    /// The cells of the core, flattened.
    pub cells: Cells,
    /// Those of what is around it.
    pub around: Cells,
    /// The file of the netlist of both, as Yosys writes it.
    pub file: PathBuf,
    /// The Verilog of the core and of what is around it, with the names that the netlist calls them by.
    pub sources: [(&'static str, String); 2],
}

impl Mapper<'_> {
    /// Each module of a hierarchy, synthesised apart: the ones below are black boxes. So each is cached by itself, and
    /// the memory of Yosys has to hold one alone.
    pub fn modules(&mut self, whole: &Core) -> Result<Vec<ModuleArea>, SynthesisError> {
        let names = whole.modules();
        let mut types = Types::new();
        for (index, part) in names.iter().filter_map(|name| whole.part(name)).enumerate() {
            let mut below: Vec<String> = part.files().iter().map(|(_, text)| without_header(text)).collect();
            let mut files = Vec::from_iter(below.pop().map(|text| (TOP, text)));
            if !below.is_empty() {
                files.push((BELOW, below.concat()));
            }
            // What others have written stays whole: its modules are not ours to count.
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
            let (_, of_part) = self.run(&task, read)?.ok_or(SynthesisError::OutOfMemory { what })?;
            types.extend(of_part);
        }
        statistics::modules(self.family, &types, &whole.name()).map_err(|source| self.reader().misread(source))
    }

    /// The cells of a flattened hierarchy; nothing if they take more memory than there is.
    pub fn flattened(&mut self, whole: &Core) -> Result<Option<Cells>, SynthesisError> {
        let name = &whole.name();
        let files = [(TOP, without_header(&whole.all_in_one()))];
        let script = self.count(name, true, true);
        let what = format!("{name}, flattened");
        let task = Task { what: &what, files: &files, script: &script, results: &[COUNTS] };
        let reader = self.reader();
        let counted = self.run(&task, |folder| reader.cells(folder, COUNTS, name))?;
        Ok(counted.map(|(_, cells)| cells))
    }

    /// A flattened hierarchy behind pins; nothing if it takes more memory than there is. Both are mapped by themselves and
    /// then joined: what is placed is the core whose cells are counted.
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
        let mapped = self.run(&task, read)?;
        Ok(mapped.map(|(folder, (cells, around))| Netlist { cells, around, file: folder.join(NETLIST), sources }))
    }

    /// The top of a board, flattened, with the files that its memory starts with; nothing if it takes more memory than there
    /// is.
    pub fn board(&mut self, top: &Core, contents: &[(String, String)]) -> Result<Option<Netlist>, SynthesisError> {
        let name = &top.name();
        let sources = [(TOP, without_header(&top.all_in_one())), (AROUND, String::new())];
        let contents = contents.iter().map(|(name, text)| (&name[..], text.clone()));
        let files: Vec<(&str, String)> = sources[..1].iter().cloned().chain(contents).collect();
        let (map, after) = (self.map(name, true), self.family.after);
        let script = format!("read_verilog {TOP}\n{map}write_json {NETLIST}\n{after}tee -q -o {COUNTS} stat -json\n");
        let task = Task { what: name, files: &files, script: &script, results: &[COUNTS, NETLIST] };
        let reader = self.reader();
        let mapped = self.run(&task, |folder| reader.cells(folder, COUNTS, name))?;
        let around = Cells::default();
        Ok(mapped.map(|(folder, cells)| Netlist { cells, around, file: folder.join(NETLIST), sources }))
    }

    /// The commands that read a module, map it, flattened with those below it or beside them as black boxes, and count.
    fn count(&self, top: &str, is_whole: bool, flatten: bool) -> String {
        let black_boxes = if is_whole { String::new() } else { format!("read_verilog -lib {BELOW}\n") };
        let (map, after) = (self.map(top, flatten), self.family.after);
        format!("{black_boxes}read_verilog {TOP}\n{map}{after}tee -q -o {COUNTS} stat -json\n")
    }

    /// The commands that map the module `top`.
    fn map(&self, top: &str, flatten: bool) -> String {
        let Family { before, synthesis, .. } = self.family;
        let flatten = if flatten { self.family.flatten } else { "" };
        let delay = self.target_mhz.map_or(String::new(), |mhz| {
            let picoseconds = 1_000_000 / mhz.max(1);
            format!("scratchpad -set abc9.D {picoseconds}\n")
        });
        // Yosys 0.23 puts the hierarchy below a module marked as top, as text, into what should be JSON.
        format!("{before}{delay}{synthesis} -top {top}{flatten}\nsetattr -mod -unset top {top}\n")
    }

    fn run<T>(
        &mut self,
        task: &Task<'_>,
        read: impl Fn(&Path) -> Result<T, SynthesisError>,
    ) -> Result<Option<(PathBuf, T)>, SynthesisError> {
        self.yosys.run(&self.cache, task, read, self.progress)
    }

    fn reader(&self) -> Reader {
        Reader { family: self.family, version: self.yosys.version().to_owned() }
    }
}

/// Reads what a Yosys reports.
struct Reader {
    family: &'static Family,
    /// That of the Yosys.
    version: String,
}

impl Reader {
    fn types(&self, folder: &Path, name: &str) -> Result<Types, SynthesisError> {
        let path = folder.join(name);
        let report = fs::read_to_string(&path).map_err(at(&path))?;
        statistics::read(&report).map_err(|source| self.misread(source))
    }

    /// The cells of one module of a report.
    fn cells(&self, folder: &Path, name: &str, module: &str) -> Result<Cells, SynthesisError> {
        self.cells_of(&self.types(folder, name)?, module)
    }

    fn cells_of(&self, types: &Types, module: &str) -> Result<Cells, SynthesisError> {
        statistics::cells(self.family, types, module).map_err(|source| self.misread(source))
    }

    fn misread(&self, source: StatisticsError) -> SynthesisError {
        SynthesisError::Statistics { version: self.version.clone(), source }
    }
}

/// That registers and memories are as many as expected.
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

/// The text of a module alone.
fn text_of_top(module: &Module) -> String {
    module.verilog().last().map_or_else(String::new, |module| rtl::file("", module))
}

/// The text of a module without the comment at its head, which names the configuration: modules that cores of several
/// configurations share are synthesised once.
fn without_header(text: &str) -> String {
    text.lines().skip_while(|line| line.starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}
