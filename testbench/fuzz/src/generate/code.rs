//! Straight-line code: arithmetic on corner values, accesses of every width and kind.

use fastrand::Rng;
use kernels::assembly::{
    ATOMICS, IMMEDIATES, LOADS, ORDERINGS, PRODUCTS, QUOTIENTS, REGISTERS, SHIFTS, STORES, UPPERS,
};
use weft_config::extension::{A, M, ZICOND};
use weft_config::{SCRATCHPAD_BASE, Scratchpad, Window};

use super::Generator;
use crate::assembly::{FRAME_BYTES, PRIVATE_BYTES, SHARED_WORDS, rows};
use crate::build::KNOWN;
use crate::program::fixed::{COLUMN, HART, PRIVATE, SCRATCH, SHARED, SP};
use crate::program::{Register, Statement};

pub const TABLE_WORDS: u32 = 64;

const CORNERS: [u32; 12] = [
    0,
    1,
    2,
    0xffff_ffff,
    0xffff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0x0000_8000,
    0xffff_7fff,
    0x55aa_55aa,
    0x0000_00ff,
];

/// Words that fault whatever the registers hold: no instruction, or a missing CSR or write permission.
const ILLEGAL: [&str; 8] = [
    ".word 0",
    ".word 0xffffffff",
    ".word 0x2063", // not a branch
    "csrr x0, 0x7c0",
    "csrw mhartid, x0",
    "ebreak",
    "ecall",
    "wfi",
];
/// CSRs whose values do not depend on other threads or on time.
const NUMBERS: [&str; 4] = ["mhartid", "0xcc0", "0xcc1", "0xcc3"];
/// CSRs whose values do.
const CIRCUMSTANCES: [&str; 13] = [
    "0x802",
    "0x803",
    "0x804",
    "0xcc2",
    "0xcc4",
    "mcycle",
    "mcycleh",
    "minstret",
    "minstreth",
    "0xcc5",
    "0xcc8",
    "0xcc6",
    "instret",
];

/// A corner value, or any value.
pub fn value(rng: &mut Rng) -> u32 {
    if rng.bool() { CORNERS[rng.usize(0..CORNERS.len())] } else { rng.u32(..) >> rng.u32(0..32) }
}

fn code(lines: impl IntoIterator<Item = String>) -> Statement {
    Statement::Code(lines.into_iter().collect())
}

impl Generator<'_> {
    fn one_of<'s>(&mut self, names: &[&'s str]) -> &'s str {
        names[self.rng.usize(0..names.len())]
    }

    /// A destination, sometimes x0.
    fn destination(&mut self) -> Register {
        if self.per_cent(3) { 0 } else { self.data() }
    }

    pub(super) fn code(&mut self) -> Statement {
        let weights = self.profile.code;
        let kinds = [
            weights.arithmetic,
            if self.abilities.isa.has(&M) { weights.long } else { 0 },
            weights.private,
            weights.column,
            weights.frame,
            weights.table,
            if self.abilities.isa.has(&A) { weights.atomic } else { 0 },
            weights.csr,
            weights.constant,
            weights.odd,
            if self.independent { 0 } else { weights.shared },
        ];
        match self.choose(&kinds).unwrap_or(0) {
            0 => code([self.arithmetic()]),
            1 => code([self.long()]),
            2 => self.within(PRIVATE, PRIVATE_BYTES),
            3 => self.column(),
            4 => self.frame(),
            5 => self.table(),
            6 => self.atomic(),
            7 => {
                let (rd, csr) = (self.destination(), self.one_of(&NUMBERS));
                code([format!("csrr x{rd}, {csr}")])
            }
            8 => {
                let (rd, value) = (self.data(), value(&mut self.rng));
                code([format!("li x{rd}, {value:#x}")])
            }
            9 => self.odd(),
            _ => self.shared(),
        }
    }

    pub(super) fn instruction(&mut self) -> String {
        if self.abilities.isa.has(&M) && self.rng.u32(0..5) == 0 { self.long() } else { self.arithmetic() }
    }

    fn arithmetic(&mut self) -> String {
        if let Some(line) = self.extended() {
            return line;
        }
        let (rd, one, two) = (self.destination(), self.source(), self.source());
        match self.rng.u32(0..10) {
            0..5 => format!("{} x{rd}, x{one}, x{two}", self.one_of(&REGISTERS)),
            5..8 => format!("{} x{rd}, x{one}, {}", self.one_of(&IMMEDIATES), self.rng.i32(-2048..2048)),
            8 => format!("{} x{rd}, x{one}, {}", self.one_of(&SHIFTS), self.rng.u32(0..32)),
            _ => format!("{} x{rd}, {:#x}", self.one_of(&UPPERS), self.rng.u32(0..1 << 20)),
        }
    }

    /// Often an instruction of an extension. Without such extensions nothing is drawn, so that the recorded seeds of
    /// campaigns keep their programs.
    fn extended(&mut self) -> Option<String> {
        // QEMU does not support Zicond.
        let isa = if self.independent { self.abilities.isa.without(&ZICOND) } else { self.abilities.isa };
        let encodings = cores::isa::extended(isa);
        if encodings.is_empty() || self.rng.u32(0..3) > 0 {
            return None;
        }
        if self.rng.u32(0..40) == 0 {
            return Some("pause".into());
        }
        let encoding = encodings[self.rng.usize(0..encodings.len())];
        let operands = [self.destination(), self.source(), self.source()];
        let is_known = cores::isa::extended(KNOWN).contains(&encoding);
        Some(if is_known { encoding.text(operands) } else { encoding.raw_text(operands) })
    }

    fn long(&mut self) -> String {
        let (rd, one, two) = (self.destination(), self.source(), self.source());
        let name = if self.per_cent(70) { self.one_of(&PRODUCTS) } else { self.one_of(&QUOTIENTS) };
        format!("{name} x{rd}, x{one}, x{two}")
    }

    /// An instruction with a long-latency result in this register.
    pub(super) fn late(&mut self, rd: Register) -> Statement {
        let offset = 4 * self.rng.u32(0..PRIVATE_BYTES / 4);
        match self.rng.u32(0..4) {
            0 if self.abilities.isa.has(&M) => code([format!("mul x{rd}, x{}, x{}", self.source(), self.source())]),
            1 => code([format!("lw x{rd}, {offset}(x{PRIVATE})")]),
            _ => code([format!("lw x{rd}, 0(x{COLUMN})")]),
        }
    }

    pub(super) fn read(&mut self, register: Register) -> Statement {
        code([format!("{} x{}, x{register}, x{}", self.one_of(&REGISTERS), self.data(), self.source())])
    }

    /// A load or store of this width, at an aligned address.
    fn access(&mut self, width: u32, offset: u32, base: Register) -> String {
        if self.per_cent(55) {
            let (name, rd) = (self.one_of(LOADS[width as usize]), self.destination());
            format!("{name} x{rd}, {offset}(x{base})")
        } else {
            format!("{} x{}, {offset}(x{base})", STORES[width as usize], self.source())
        }
    }

    /// An access within `bytes` bytes from `base`, at an address that a register selects. Private bytes give
    /// scattered accesses.
    fn within(&mut self, base: Register, bytes: u32) -> Statement {
        let [scratch, _] = SCRATCH;
        let width = self.rng.u32(0..3);
        let mask = (bytes - 1) & !((1 << width) - 1);
        if self.rng.bool() {
            let offset = self.rng.u32(0..bytes) & mask;
            return code([self.access(width, offset, base)]);
        }
        let choice = format!("andi x{scratch}, x{}, {mask}", self.source());
        let mut lines = vec![choice, format!("add x{scratch}, x{scratch}, x{base}")];
        lines.extend((0..self.rng.usize(1..3)).map(|_| self.access(width, 0, scratch)));
        code(lines)
    }

    fn column(&mut self) -> Statement {
        let width = self.rng.u32(0..3);
        let row = self.rng.u32(0..rows(self.abilities.harts));
        let byte = self.rng.u32(0..4) & !((1 << width) - 1);
        // In the last rows of large cores the offset does not fit with the byte.
        let offset = (4 * self.abilities.harts * row + byte).min(2044 & !((1 << width) - 1));
        code([self.access(width, offset, COLUMN)])
    }

    fn frame(&mut self) -> Statement {
        let width = self.rng.u32(0..3);
        let offset = self.rng.u32(0..FRAME_BYTES) & !((1 << width) - 1);
        code([self.access(width, offset, SP)])
    }

    fn table(&mut self) -> Statement {
        let [one, two] = SCRATCH;
        let width = self.rng.u32(0..3);
        let mask = (4 * TABLE_WORDS - 1) & !((1 << width) - 1);
        let (selector, name, rd) = (self.source(), self.one_of(LOADS[width as usize]), self.destination());
        code([
            format!("andi x{one}, x{selector}, {mask}"),
            format!("la x{two}, table"),
            format!("add x{one}, x{one}, x{two}"),
            format!("{name} x{rd}, 0(x{one})"),
        ])
    }

    /// An atomic operation on a private word; or on a shared word, without a result and the same operation in all
    /// threads.
    fn atomic(&mut self) -> Statement {
        let [scratch, _] = SCRATCH;
        let (rd, source) = (self.destination(), self.source());
        if self.rng.bool() {
            let name = self.one_of(&ATOMICS);
            let choice = format!("andi x{scratch}, x{}, {}", self.source(), PRIVATE_BYTES - 4);
            let address = format!("add x{scratch}, x{scratch}, x{PRIVATE}");
            return code([choice, address, format!("{name}.w x{rd}, x{source}, (x{scratch})")]);
        }
        let operation = self.rng.usize(1..ATOMICS.len());
        let word = SHARED_WORDS as usize / 2 + operation;
        code([
            format!("addi x{scratch}, x{SHARED}, {}", 4 * word),
            format!("{}.w x0, x{source}, (x{scratch})", ATOMICS[operation]),
        ])
    }

    /// Code that faults, in all lanes or in those that a register selects. It stores nothing among the instructions,
    /// and does not jump to any of them.
    pub(super) fn faulty(&mut self) -> Statement {
        let [address, other] = SCRATCH;
        let (rd, source) = (self.destination(), self.source());
        let selector = if self.rng.bool() { HART } else { self.source() };
        let choice = |mask: u32| format!("andi x{address}, x{selector}, {mask}");
        let own = format!("add x{address}, x{address}, x{PRIVATE}");
        let width = self.rng.u32(0..3);
        // For the analysis a function ends at a word that is no instruction, and the target of such a jump is
        // unknown.
        let may_leave = !self.must_meet();
        match self.rng.u32(0..9) {
            0..2 if may_leave => code([self.one_of(&ILLEGAL).into()]),
            // Jumps to an address between two instructions, and to one outside memory.
            2 if may_leave => code([
                format!("la x{other}, 1f"),
                choice(2),
                format!("add x{address}, x{address}, x{other}"),
                format!("jalr x{rd}, x{address}"),
                "1:".into(),
            ]),
            3 if may_leave => {
                let shift = |name: &str, from: Register| format!("{name} x{address}, x{from}, 1");
                code([shift("slli", selector), shift("srli", address), format!("jalr x{rd}, x{address}")])
            }
            4 if self.abilities.isa.has(&A) => {
                let name = self.one_of(&["amoswap", "amoadd", "amomaxu"]);
                code([choice(7), own, format!("{name}.w x{rd}, x{source}, (x{address})")])
            }
            5 if self.abilities.isa.has(&A) => code([choice(6), own, format!("lr.w x{rd}, (x{address})")]),
            0..7 => {
                let offset = self.rng.u32(0..4);
                code([choice(7), own, self.access(width, offset, address)])
            }
            // Loads from the address in any register, and accesses below memory.
            7 => code([format!("{} x{rd}, 0(x{selector})", LOADS[width as usize][0])]),
            _ => {
                let mut lines = vec![choice(1), format!("slli x{address}, x{address}, 31"), own];
                // Some lanes access this address, and some are misaligned.
                if self.rng.bool() {
                    lines.push(format!("andi x{other}, x{source}, 3"));
                    lines.push(format!("add x{address}, x{address}, x{other}"));
                }
                lines.push(self.access(width, 0, address));
                code(lines)
            }
        }
    }

    fn odd(&mut self) -> Statement {
        let [scratch, _] = SCRATCH;
        match self.rng.u32(0..6) {
            0 => code(["fence".into()]),
            1 => code(["fence.i".into()]),
            2 => code([format!("lui x{scratch}, 0x10000"), format!("sb x{}, 0(x{scratch})", self.source())]),
            // Threads of a warp may overwrite each other's region, so it is not read into a register.
            3 => code([format!("csrwi 0x804, {}", self.rng.u32(0..32))]),
            4 => code([format!("csrw 0x804, x{}", self.source())]),
            _ => code([format!("lw x0, 0(x{PRIVATE})"), format!("jal x{scratch}, 1f"), "1:".into()]),
        }
    }

    /// An access outside RAM, to a place that a register selects; some lanes may have one in shared memory.
    fn outside(&mut self, base: u32, bytes: u32, atomics: bool) -> Statement {
        let [scratch, other] = SCRATCH;
        let (is_mixed, is_atomic) = (self.rng.u32(0..3) == 0, atomics && self.rng.u32(0..3) == 0);
        let width = if is_atomic { 2 } else { self.rng.u32(0..3) };
        let mask = (bytes.min(if is_mixed { 2 * SHARED_WORDS } else { 2048 }) - 1) & !((1 << width) - 1);
        let mut lines = vec![format!("lui x{other}, {:#x}", base >> 12)];
        if is_mixed {
            lines.push(format!("andi x{scratch}, x{}, 1", self.source()));
            lines.push(format!("neg x{scratch}, x{scratch}"));
            lines.push(format!("xor x{other}, x{other}, x{SHARED}"));
            lines.push(format!("and x{other}, x{other}, x{scratch}"));
            lines.push(format!("xor x{other}, x{other}, x{SHARED}"));
        }
        lines.push(format!("andi x{scratch}, x{}, {mask}", self.source()));
        lines.push(format!("add x{scratch}, x{scratch}, x{other}"));
        for _ in 0..self.rng.usize(1..3) {
            if is_atomic {
                let (name, rd, source) = (self.one_of(&ATOMICS), self.destination(), self.source());
                lines.push(format!("{name}.w x{rd}, x{source}, (x{scratch})"));
            } else {
                lines.push(self.access(width, 0, scratch));
            }
        }
        code(lines)
    }

    /// A burst of accesses to a window and to shared memory.
    fn beside(&mut self, base: u32) -> Statement {
        let [shared, window] = SCRATCH;
        let width = self.rng.u32(0..3);
        let mask = (2 * SHARED_WORDS - 1) & !((1 << width) - 1);
        let mut lines = vec![
            format!("lui x{window}, {:#x}", base >> 12),
            format!("andi x{shared}, x{}, {mask}", self.source()),
            format!("add x{window}, x{window}, x{shared}"),
            format!("andi x{shared}, x{}, {mask}", self.source()),
            format!("add x{shared}, x{shared}, x{SHARED}"),
        ];
        for _ in 0..self.rng.usize(2..8) {
            let place = if self.rng.bool() { shared } else { window };
            lines.push(self.access(width, 0, place));
        }
        code(lines)
    }

    fn shared(&mut self) -> Statement {
        let [scratch, other] = SCRATCH;
        let Scratchpad { bytes, atomics } = self.abilities.scratchpad;
        if bytes > 0 && self.rng.bool() {
            return self.outside(SCRATCHPAD_BASE, bytes, atomics);
        }
        if let Some(Window { base, bytes }) = self.abilities.window.filter(|_| self.rng.bool()) {
            return if self.rng.u32(0..3) == 0 { self.outside(base, bytes, false) } else { self.beside(base) };
        }
        match self.rng.u32(0..10) {
            0..5 => self.within(SHARED, 2 * SHARED_WORDS),
            5..7 if self.abilities.isa.has(&A) => {
                let (name, rd, source) = (self.one_of(&ATOMICS), self.destination(), self.source());
                let order = self.one_of(&ORDERINGS);
                let choice = format!("andi x{scratch}, x{}, {}", self.source(), 2 * SHARED_WORDS - 4);
                let address = format!("add x{scratch}, x{scratch}, x{SHARED}");
                code([choice, address, format!("{name}.w{order} x{rd}, x{source}, (x{scratch})")])
            }
            7 if self.abilities.isa.has(&A) => {
                let (rd, source, result) = (self.data(), self.source(), self.data());
                let base = if self.rng.bool() { SHARED } else { PRIVATE };
                let choice = format!("andi x{scratch}, x{}, 12", self.source());
                let address = format!("add x{scratch}, x{scratch}, x{base}");
                code([
                    choice,
                    address,
                    format!("lr.w x{rd}, (x{scratch})"),
                    format!("add x{other}, x{rd}, x{source}"),
                    format!("sc.w x{result}, x{other}, (x{scratch})"),
                ])
            }
            8 => code([
                // The thread's neighbour, in another word.
                format!("xori x{scratch}, x{HART}, 1"),
                format!("andi x{scratch}, x{scratch}, {}", SHARED_WORDS / 2 - 1),
                format!("slli x{scratch}, x{scratch}, 2"),
                format!("add x{scratch}, x{scratch}, x{SHARED}"),
                self.access(2, 0, scratch),
            ]),
            _ => {
                let (rd, csr) = (self.destination(), self.one_of(&CIRCUMSTANCES));
                code([format!("csrr x{rd}, {csr}")])
            }
        }
    }
}
