//! The registers of the control block: one table, from which the hardware, a C header, Python constants and a page of
//! the manual are made.

use std::fmt::Write;

use weft_config::{EXTENSIONS, Extension, SCRATCHPAD_BASE};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Reads as 0.
    Write,
    ReadWrite,
    /// A write is ignored while the core runs or stops.
    WhileStopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// The lowest bit.
    pub bit: usize,
    pub bits: usize,
    pub summary: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    pub name: &'static str,
    /// In bytes, a multiple of 4.
    pub offset: u32,
    pub access: Access,
    pub summary: &'static str,
    /// Empty if the register is one number of 32 bits, or has fields by extension ([`Register::fields`]).
    fields: &'static [Field],
}

/// What the register `id` reads.
pub const ID: u32 = u32::from_le_bytes(*b"Weft");
/// What the register `version` reads: major number in the upper half, minor number in the lower half.
pub const VERSION: u32 = 1 << 16 | 3;

const fn word(name: &'static str, offset: u32, access: Access, summary: &'static str) -> Register {
    Register { name, offset, access, summary, fields: &[] }
}

const fn field(name: &'static str, bit: usize, bits: usize, summary: &'static str) -> Field {
    Field { name, bit, bits, summary }
}

use Access::{Read, ReadWrite, WhileStopped, Write as WriteOnly};

/// All registers, by offset. 0x098 to 0x0c7 and 0x0f8 to 0x1ff are for further counters.
pub const REGISTERS: &[Register] = &[
    word("id", 0x000, Read, "The letters `Weft`, the first in the lowest byte."),
    word("version", 0x004, Read, "Version of this table.")
        .with(&[field("minor", 0, 16, "grows with new registers"), field("major", 16, 16, "grows with changed ones")]),
    word("shape", 0x008, Read, "The core.").with(&[
        field("warps", 0, 8, "W"),
        field("threads", 8, 8, "T"),
        field("table", 16, 1, "its unit reads the reconvergence table"),
        field("stalls", 17, 1, "it counts the cycles without an issue: `stalls_*`, else 0"),
        field("paths", 18, 1, "it shows the paths of its warps: `paths`, else 0"),
    ]),
    // Its fields are those of `EXTENSIONS`, in this order.
    word("isa", 0x00c, Read, "Extensions of RV32I."),
    word("unit_0", 0x010, Read, "Name of the divergence unit, letters 0 to 3, the first in the lowest byte."),
    word("unit_1", 0x014, Read, "Letters 4 to 7; 0 after the last."),
    word("unit_2", 0x018, Read, "Letters 8 to 11."),
    word("unit_3", 0x01c, Read, "Letters 12 to 15."),
    word("control", 0x020, WriteOnly, "Commands.").with(&[
        field("start", 0, 1, "1: begins a run; refused unless the core is stopped, or with `stop`"),
        field("stop", 1, 1, "1: ends the run"),
    ]),
    word("status", 0x024, Read, "State of the run; bits 2 to 7 stay until the next start.").with(&[
        field("running", 0, 1, "a run has begun and not ended"),
        field("stopping", 1, 1, "it has ended; requests of it are unanswered"),
        field("done", 2, 1, "all threads have ended, or `tohost` ended the run"),
        field("fault", 3, 1, "the core halted at a fault: `fault_*`"),
        field("bus_error", 4, 1, "an answer of the bus was an error: `bus_error_address`"),
        field("bus_error_write", 5, 1, "it answered a write"),
        field("bus_error_decode", 6, 1, "it was DECERR"),
        field("exit_valid", 7, 1, "a thread ended with a code other than 0, or `tohost` did: `exit_*`"),
        field("refused", 8, 1, "since the last start a start, or a write of a register of the run, was refused"),
    ]),
    word("interrupt", 0x028, ReadWrite, "Interrupt.").with(&[
        field("enable", 0, 1, "drives `irq` with `pending`"),
        field("pending", 1, 1, "a run has ended and stopped; a start clears it, or writing 1"),
    ]),
    word("scratchpad_bytes", 0x02c, Read, "Bytes of the scratchpad, which is shown at 0x40000; 0 without one."),
    word("entry", 0x030, WhileStopped, "First pc of all threads; after reset the reset pc."),
    word("argument", 0x034, WhileStopped, "CSR 0xCC7 of all threads."),
    word(
        "table_base",
        0x038,
        WhileStopped,
        "Address of the reconvergence table, a multiple of 64; 0 if there is none.",
    ),
    word("table_first", 0x03c, WhileStopped, "The pc of its first entry, a multiple of 64; likewise."),
    word("table_bytes", 0x040, WhileStopped, "Bytes of code that it covers, a multiple of 64; likewise."),
    word("fault_cause", 0x050, Read, "As `mcause`; this and the next three are 0 without a fault."),
    word("fault_pc", 0x054, Read, "Address of the instruction; for a misaligned `entry`, that."),
    word("fault_thread", 0x058, Read, "The thread.")
        .with(&[field("lane", 0, 8, "the lowest lane at fault"), field("warp", 8, 8, "its warp")]),
    word("fault_address", 0x05c, Read, "Its address with causes 4 to 7; the target of its `jalr` with cause 0."),
    word("exit_code", 0x060, Read, "The first exit code that is not 0, or that of `tohost`."),
    word("exit_hart", 0x064, Read, "Its thread."),
    word("bus_error_address", 0x068, Read, "The line of the first error."),
    word("cycles", 0x070, Read, "Cycles of the run, low word."),
    word("cycles_high", 0x074, Read, "High word."),
    word("parts", 0x078, Read, "Commits: an instruction in parts counts each; low word."),
    word("parts_high", 0x07c, Read, "High word."),
    word("instructions", 0x080, Read, "Instructions of warps, low word."),
    word("instructions_high", 0x084, Read, "High word."),
    word("thread_instructions", 0x088, Read, "Instructions of threads, low word."),
    word("thread_instructions_high", 0x08c, Read, "High word."),
    word("console", 0x090, Read, "The next byte of the console. Reading takes it.")
        .with(&[field("data", 0, 8, "the byte"), field("valid", 8, 1, "there was one")]),
    // Bits 3 to 5 of the offset are the code of the cause (`stages::s3_stalls`).
    word("stalls_write_port", 0x0c8, Read, "Cycles without an issue: a ready instruction waited for a register write."),
    word("stalls_write_port_high", 0x0cc, Read, "High word."),
    word("stalls_place", 0x0d0, Read, "The next waited for a place in a queue or unit alone, or a fence for memory."),
    word("stalls_place_high", 0x0d4, Read, "High word."),
    word("stalls_result", 0x0d8, Read, "It waited for a load, division, or other long-latency result."),
    word("stalls_result_high", 0x0dc, Read, "High word."),
    word("stalls_spacing", 0x0e0, Read, "It waited for the instruction before it in its path."),
    word("stalls_spacing_high", 0x0e4, Read, "High word."),
    word("stalls_fetch", 0x0e8, Read, "All paths waited for their next instruction."),
    word("stalls_fetch_high", 0x0ec, Read, "High word."),
    word("stalls_parked", 0x0f0, Read, "No path could run: threads began, waited at the barrier, or had ended."),
    word("stalls_parked_high", 0x0f4, Read, "High word."),
];

/// Where the words of the scratchpad are, up to 256 KiB. They read as 0 and take no writes while the core runs or stops.
pub const SCRATCHPAD: u32 = 0x40000;

/// The paths of the warps (`control.paths`), four words for each slot of each warp. A core with one path of a warp at a
/// time has them in slot 0.
pub const PATHS: Paths = Paths { offset: 0x1000, warp: 32, slot: 16, words: PATH_WORDS };

pub struct Paths {
    pub offset: u32,
    /// Bytes from one warp to the next, and from one slot to the next.
    pub warp: u32,
    pub slot: u32,
    /// Offsets count from the first byte of the slot.
    pub words: [Register; 4],
}

const PATH_WORDS: [Register; 4] = [
    word("path_pc", 0, Read, "Path in slot s of warp w: address of its next instruction."),
    word("path_mask", 4, Read, "Its lanes 0 to 31."),
    word("path_mask_high", 8, Read, "Its lanes 32 to 63."),
    word("path_state", 12, Read, "Its state; 0 if the slot has no path.")
        .with(&[field("valid", 0, 1, "there is a path"), field("parked", 1, 1, "it waits at the barrier")]),
];

impl Register {
    const fn with(self, fields: &'static [Field]) -> Self {
        Self { fields, ..self }
    }

    /// The register of this name.
    ///
    /// # Panics
    /// If there is none.
    pub fn find(name: &str) -> &'static Self {
        let found = REGISTERS.iter().find(|register| register.name == name);
        found.unwrap_or_else(|| panic!("no register `{name}` in the table"))
    }

    /// The field of this name.
    ///
    /// # Panics
    /// If there is none.
    pub fn field(&self, name: &str) -> Field {
        let found = self.fields().into_iter().find(|field| field.name == name);
        found.unwrap_or_else(|| panic!("register `{}` has no field `{name}`", self.name))
    }

    /// Its fields, with those of the register `isa`.
    pub fn fields(&self) -> Vec<Field> {
        let of_extension = |(bit, extension): (usize, &Extension)| {
            let name = extension.key.trim_start_matches("isa.");
            field(name, bit, 1, extension.name)
        };
        match self.name {
            "isa" => EXTENSIONS.iter().enumerate().map(of_extension).collect(),
            _ => self.fields.to_vec(),
        }
    }

    fn access(&self) -> &'static str {
        match self.access {
            Read => "read",
            WriteOnly => "write",
            ReadWrite => "read, write",
            WhileStopped => "read; write while stopped",
        }
    }
}

/// The names and numbers of all constants: offsets, and the position and mask of each field.
fn constants() -> Vec<(String, u32)> {
    let numbers = [
        ("ID_VALUE", ID),
        ("VERSION_VALUE", VERSION),
        ("SCRATCHPAD", SCRATCHPAD),
        ("SCRATCHPAD_BASE", SCRATCHPAD_BASE),
    ];
    let mut constants = numbers.map(|(name, number)| (name.to_owned(), number)).to_vec();
    let Paths { offset, warp, slot, words } = &PATHS;
    constants.extend(
        [("PATHS", *offset), ("PATHS_WARP", *warp), ("PATHS_SLOT", *slot)].map(|(name, at)| (name.to_owned(), at)),
    );
    for register in REGISTERS.iter().chain(words) {
        let name = register.name.to_uppercase();
        constants.push((name.clone(), register.offset));
        for field in register.fields() {
            let field_name = format!("{name}_{}", field.name.to_uppercase());
            let mask = (u32::MAX >> (32 - field.bits)) << field.bit;
            constants.push((format!("{field_name}_BIT"), field.bit as u32));
            constants.push((format!("{field_name}_MASK"), mask));
        }
    }
    constants
}

const HEAD: &str =
    "Registers of the control block of a Weft core: offsets in bytes, and positions and masks of fields.";

/// The text of `weft_registers.h`.
pub fn c_header() -> String {
    let mut text = format!("/* {HEAD} */\n\n#ifndef WEFT_REGISTERS_H\n#define WEFT_REGISTERS_H\n\n");
    for (name, value) in constants() {
        let _ = writeln!(text, "#define WEFT_{name} 0x{value:x}u");
    }
    text + "\n#endif\n"
}

/// The text of `weft_registers.py`.
pub fn python() -> String {
    let mut text = format!("\"\"\"{HEAD}\"\"\"\n\n");
    for (name, value) in constants() {
        let _ = writeln!(text, "{name} = 0x{value:x}");
    }
    text
}

/// The text of `docs/manual/registers.md`.
pub fn reference() -> String {
    let mut text = String::from(include_str!("registers.md"));
    text += "\n<!-- registers: begin -->\n| offset | register | access | meaning |\n|---|---|---|---|\n";
    for register in REGISTERS {
        let Register { name, offset, summary, .. } = register;
        let _ = writeln!(text, "| 0x{offset:03x} | `{name}` | {} | {summary} |", register.access());
    }
    for Register { name, offset, summary, .. } in &PATHS.words {
        let Paths { offset: first, warp, slot, .. } = PATHS;
        let _ = writeln!(text, "| 0x{:03x} + {warp} w + {slot} s | `{name}` | read | {summary} |", first + offset);
    }
    let _ = writeln!(
        text,
        "| 0x{SCRATCHPAD:x} + 4 i | `scratchpad` | read and write while stopped | Word i of the scratchpad; 0 while the core runs or stops. |"
    );
    text += "<!-- registers: end -->\n\n## Fields\n\n<!-- fields: begin -->\n";
    text += "| register | field | bits | meaning |\n|---|---|---|---|\n";
    for register in REGISTERS.iter().chain(&PATHS.words) {
        for Field { name, bit, bits, summary } in register.fields() {
            let place = if bits == 1 { bit.to_string() } else { format!("{}:{bit}", bit + bits - 1) };
            let _ = writeln!(text, "| `{}` | `{name}` | {place} | {summary} |", register.name);
        }
    }
    text + "<!-- fields: end -->\n"
}
