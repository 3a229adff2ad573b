use object::elf::{self, FileHeader32, Ident, Machine, ProgramHeader32};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use object::{LittleEndian, U16};
use weft_config::Config;

use super::{ElfError, Function, Problem, Program, Segment, Symbols};

pub(super) type Header = FileHeader32<LittleEndian>;

pub(super) const ENDIAN: LittleEndian = LittleEndian;

impl Program {
    /// Reads an ELF executable and checks it against the memory map of `config`. Segments are loaded at their
    /// physical addresses. Error messages use `name` for the file.
    pub fn load(name: &str, bytes: &[u8], config: &Config) -> Result<Self, ElfError> {
        let named = |problem| ElfError { name: name.into(), problem };
        File { bytes }.program(name, &Map(config)).map_err(named)
    }
}

pub(super) struct File<'a> {
    pub(super) bytes: &'a [u8],
}

impl<'a> File<'a> {
    fn program(&self, name: &str, map: &Map<'_>) -> Result<Program, Problem> {
        let header = self.header()?;
        let entry = map.check_entry(header.e_entry(ENDIAN))?;
        let segments = self.segments(header, map)?;
        let symbols = self.symbols(header)?;
        let sections = self.kinds(header)?;
        let debug = self.debug(header)?.into();
        Ok(Program { name: name.into(), entry, segments, symbols, sections, debug })
    }

    fn header(&self) -> Result<&'a Header, Problem> {
        self.identify()?;
        let header = Header::parse(self.bytes).map_err(damaged)?;
        let kind = header.e_type(ENDIAN);
        if kind != elf::ET_EXEC {
            let kind = match kind {
                elf::ET_REL => "an object file that has not been linked".into(),
                elf::ET_DYN => "a shared object or position-independent executable".into(),
                elf::ET_CORE => "a core dump".into(),
                other => format!("an ELF file of type {}", other.0),
            };
            return Err(Problem::NotExecutable { kind });
        }
        let flags = header.e_flags(ENDIAN).0;
        if flags & elf::EF_RISCV_FLOAT_ABI != 0 {
            return Err(Problem::FloatAbi);
        }
        Ok(header)
    }

    /// Checks magic number, machine, byte order and class, in this order: the first difference describes the file
    /// best.
    fn identify(&self) -> Result<(), Problem> {
        if self.bytes.is_empty() {
            return Err(Problem::Empty);
        }
        if !self.bytes.starts_with(&elf::ELFMAG) {
            return Err(Problem::NotElf);
        }
        // The machine field follows identification and type in both classes.
        let place = size_of::<Ident>() + size_of::<U16<LittleEndian>>();
        let (Some(&class), Some(&order), Some(&[low, high])) =
            (self.bytes.get(4), self.bytes.get(5), self.bytes.get(place..place + 2))
        else {
            return Err(damaged("the header is cut off"));
        };
        let big_endian = order == elf::ELFDATA2MSB.0;
        let machine =
            Machine(if big_endian { u16::from_be_bytes([low, high]) } else { u16::from_le_bytes([low, high]) });
        if machine != elf::EM_RISCV {
            return Err(Problem::OtherMachine { machine: machine_name(machine) });
        }
        if big_endian {
            return Err(Problem::BigEndian);
        }
        if class == elf::ELFCLASS64.0 {
            return Err(Problem::SixtyFourBit);
        }
        Ok(())
    }

    fn segments(&self, header: &Header, map: &Map<'_>) -> Result<Vec<Segment>, Problem> {
        let headers = header.program_headers(ENDIAN, self.bytes).map_err(damaged)?;
        let mut segments = Vec::new();
        for header in headers {
            let size = header.p_memsz(ENDIAN);
            if header.p_type(ENDIAN) == elf::PT_LOAD && size > 0 {
                segments.push(self.segment(header, size, map)?);
            }
        }
        if segments.is_empty() {
            return Err(Problem::NoSegments);
        }
        Ok(segments)
    }

    fn segment(&self, header: &ProgramHeader32<LittleEndian>, size: u32, map: &Map<'_>) -> Result<Segment, Problem> {
        let address = header.p_paddr(ENDIAN);
        map.check_segment(address, size)?;
        let data =
            header.data(ENDIAN, self.bytes).map_err(|()| damaged("a segment reaches past the end of the file"))?;
        if data.len() > size as usize {
            return Err(damaged("a segment is larger in the file than in memory"));
        }
        let mut bytes = data.to_vec();
        bytes.resize(size as usize, 0);
        Ok(Segment { address, bytes })
    }

    fn symbols(&self, header: &Header) -> Result<Symbols, Problem> {
        let sections = header.sections(ENDIAN, self.bytes).map_err(damaged)?;
        let table = sections.symbols(ENDIAN, self.bytes, elf::SHT_SYMTAB).map_err(damaged)?;
        let mut symbols = Symbols::default();
        for symbol in table.iter() {
            let labels_nothing = matches!(symbol.st_type(), elf::STT_FILE | elf::STT_SECTION);
            if labels_nothing || symbol.is_undefined(ENDIAN) {
                continue;
            }
            let name = symbol.name(ENDIAN, table.strings()).map_err(damaged)?;
            let name = String::from_utf8_lossy(name);
            // Mapping symbols ($x, $d) mark the kind of the bytes that follow; they do not name an address.
            if !name.is_empty() && !name.starts_with('$') {
                let address = symbol.st_value(ENDIAN);
                if symbol.st_type() == elf::STT_FUNC {
                    symbols.functions.push(Function { address, bytes: symbol.st_size(ENDIAN), name: name.to_string() });
                }
                symbols.all.push((address, name.into_owned()));
            }
        }
        symbols.all.sort();
        symbols.functions.sort();
        Ok(symbols)
    }
}

pub(super) fn damaged(reason: impl ToString) -> Problem {
    Problem::Damaged { reason: reason.to_string() }
}

/// The name of an architecture from the ELF constants, or its number.
fn machine_name(machine: Machine) -> String {
    match machine.name() {
        Some(name) => name.trim_start_matches("EM_").to_string(),
        None => format!("machine number {}", machine.0),
    }
}

struct Map<'a>(&'a Config);

impl Map<'_> {
    fn ram_start(&self) -> u32 {
        self.0.memory.base
    }

    fn ram_end(&self) -> u64 {
        u64::from(self.ram_start()) + u64::from(self.0.memory.ram_bytes)
    }

    fn threads(&self) -> u32 {
        self.0.warps * self.0.threads
    }

    fn stacks_start(&self) -> u64 {
        self.ram_end() - u64::from(self.threads()) * u64::from(self.0.memory.stack_bytes)
    }

    fn ram_last(&self) -> u32 {
        (self.ram_end() - 1) as u32
    }

    /// The smallest `memory.ram_bytes` that holds a segment and the stacks, if there is one. It is a multiple of the
    /// stacks of a warp and fits the 32-bit address space.
    fn enough_ram(&self, start: u64, end: u64) -> Option<u64> {
        let stacks = self.ram_end() - self.stacks_start();
        let below = start.checked_sub(self.ram_start().into()).map(|offset| offset + (end - start))?;
        let bytes = (below + stacks).next_multiple_of(u64::from(self.0.threads * self.0.memory.stack_bytes));
        (u64::from(self.ram_start()) + bytes <= 1 << 32).then_some(bytes)
    }

    fn check_entry(&self, entry: u32) -> Result<u32, Problem> {
        if entry < self.ram_start() || u64::from(entry) >= self.ram_end() {
            let (ram_start, ram_last) = (self.ram_start(), self.ram_last());
            return Err(Problem::EntryOutsideRam { entry, ram_start, ram_last });
        }
        if !entry.is_multiple_of(4) {
            return Err(Problem::EntryUnaligned { entry });
        }
        Ok(entry)
    }

    fn check_segment(&self, address: u32, size: u32) -> Result<(), Problem> {
        let start = u64::from(address);
        let end = start + u64::from(size);
        let (ram_bytes, ram_last) = (self.enough_ram(start, end), self.ram_last());
        if address < self.ram_start() || end > self.ram_end() {
            let (last, ram_start) = (end - 1, self.ram_start());
            return Err(Problem::SegmentOutsideRam { start, last, ram_start, ram_last, ram_bytes });
        }
        if end > self.stacks_start() {
            return Err(Problem::SegmentInStacks {
                start,
                last: end - 1,
                stacks_start: self.stacks_start(),
                ram_last,
                threads: self.threads(),
                stack_bytes: self.0.memory.stack_bytes,
                ram_bytes,
            });
        }
        Ok(())
    }
}
