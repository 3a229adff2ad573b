//! Source lines of instructions, from the program's debug information (`-g`).

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, Error, LittleEndian, SectionId};

use super::Program;

impl Program {
    /// The file and line of an instruction, followed by those of the calls that the compiler inlined around it.
    pub fn line(&self, address: u32) -> Option<String> {
        let section = |id: SectionId| {
            let found = self.debug.iter().find(|(name, _)| name == id.name());
            Ok::<_, Error>(EndianSlice::new(found.map_or(&[], |(_, bytes)| bytes), LittleEndian))
        };
        let context = Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
        let mut frames = context.find_frames(address.into()).skip_all_loads().ok()?;
        let mut lines = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            if let Some((file, line)) = frame.location.and_then(|location| location.file.zip(location.line)) {
                lines.push(format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)));
            }
        }
        (!lines.is_empty()).then(|| lines.join(", inlined at "))
    }
}
