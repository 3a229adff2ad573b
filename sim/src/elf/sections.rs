use std::ops::Range;

use object::LittleEndian;
use object::elf::{self, ProgramHeader32, SectionHeader32};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::load::{ENDIAN, File, Header, damaged};
use super::{Problem, Sections};

impl File<'_> {
    /// The address ranges of the sections, or of the segments if no section holds instructions.
    pub(super) fn kinds(&self, header: &Header) -> Result<Sections, Problem> {
        let sections = header.sections(ENDIAN, self.bytes).map_err(damaged)?;
        let segments = header.program_headers(ENDIAN, self.bytes).map_err(damaged)?;
        let mut kinds = Sections::default();
        for section in sections.iter() {
            let flags = section.sh_flags(ENDIAN);
            if flags.0 & elf::SHF_ALLOC.0 == 0 {
                continue;
            }
            let Some(range) = loaded(section, segments) else { continue };
            if flags.0 & elf::SHF_EXECINSTR.0 != 0 {
                kinds.code.push(range.clone());
            }
            if sections.section_name(ENDIAN, section) == Ok(b".weft.stack") {
                kinds.stacks.push(range.clone());
            }
            if flags.0 & elf::SHF_WRITE.0 != 0 {
                kinds.writable.push(range);
            }
        }
        if kinds.code.is_empty() {
            kinds = Sections { stacks: kinds.stacks, ..of_segments(segments) };
        }
        kinds.code = disjoint(kinds.code);
        Ok(kinds)
    }

    /// The sections of debug information.
    pub(super) fn debug(&self, header: &Header) -> Result<Vec<(String, Vec<u8>)>, Problem> {
        let sections = header.sections(ENDIAN, self.bytes).map_err(damaged)?;
        let named = sections.iter().filter_map(|section| {
            let name = str::from_utf8(sections.section_name(ENDIAN, section).ok()?).ok()?;
            let data = section.data(ENDIAN, self.bytes).ok()?;
            name.starts_with(".debug_").then(|| (name.to_owned(), data.to_vec()))
        });
        Ok(named.collect())
    }
}

/// Address range of a section, clipped to the segment that loads it. Sections have virtual addresses; programs are
/// loaded at physical addresses.
fn loaded(section: &SectionHeader32<LittleEndian>, segments: &[ProgramHeader32<LittleEndian>]) -> Option<Range<u32>> {
    let address = section.sh_addr(ENDIAN);
    segments.iter().filter(|segment| segment.p_type(ENDIAN) == elf::PT_LOAD).find_map(|segment| {
        let offset = address.checked_sub(segment.p_vaddr(ENDIAN))?;
        let rest = segment.p_memsz(ENDIAN).checked_sub(offset).filter(|rest| *rest > 0)?;
        let start = segment.p_paddr(ENDIAN).checked_add(offset)?;
        Some(start..start.checked_add(section.sh_size(ENDIAN).min(rest))?)
    })
}

fn of_segments(segments: &[ProgramHeader32<LittleEndian>]) -> Sections {
    let mut kinds = Sections::default();
    for segment in segments.iter().filter(|segment| segment.p_type(ENDIAN) == elf::PT_LOAD) {
        let start = segment.p_paddr(ENDIAN);
        let Some(end) = start.checked_add(segment.p_memsz(ENDIAN)) else { continue };
        if segment.p_flags(ENDIAN).0 & elf::PF_X.0 != 0 {
            kinds.code.push(start..end);
        }
        if segment.p_flags(ENDIAN).0 & elf::PF_W.0 != 0 {
            kinds.writable.push(start..end);
        }
    }
    kinds
}

/// Sorts the ranges and merges those that overlap or touch. Empty ranges are dropped.
fn disjoint(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
