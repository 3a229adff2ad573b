//! Random straight-line code with short jumps forwards, in every register.

use kernels::assembly::{ATOMICS, BRANCHES, IMMEDIATES, LOADS, PRODUCTS, QUOTIENTS, REGISTERS, SHIFTS, STORES, UPPERS};

use crate::isa::writer::{PRIVATE, Register, STRIDE, Writer};

const FENCES: [&str; 5] = ["fence", "fence.tso", "fence.i", "fence r, w", "fence iorw, o"];

const OPCODES: [u32; 12] = [0x03, 0x0f, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73];

const BLOCKS: usize = 60;
const STATEMENTS: usize = 60;

struct Block<'w, 'a> {
    writer: &'w mut Writer<'a>,
    /// Holds the address of this set's memory.
    private: Register,
    /// Never written: the addresses, and a link that is still needed.
    kept: Vec<Register>,
}

pub fn cases(writer: &mut Writer) {
    for number in 0..BLOCKS {
        writer.block();
        let private = writer.register();
        writer.private_at(private);
        writer.block_keeping(&[private]);
        let kept: Vec<_> = writer.taken().to_vec();
        let others: Vec<_> = (1..32).map(Register).filter(|register| !kept.contains(register)).collect();
        load_registers(writer, &others);

        let mut block = Block { writer, private, kept };
        for _ in 0..STATEMENTS {
            block.statement();
        }
        for register in others {
            writer.save(register, format!("{register} after block {number}"));
        }
    }
}

fn load_registers(writer: &mut Writer, registers: &[Register]) {
    let pair = writer.rng.usize(0..300);
    let pointer = writer.register();
    writer.operands_at(pointer, pair);
    // The offsets reach as far below the address as above it.
    let middle = registers.len() / 2;
    writer.text.line(format_args!("addi {pointer}, {pointer}, {}", middle * STRIDE));
    let load = |register: &Register| {
        let index = registers.iter().position(|other| other == register).expect("one of them") as i32;
        format!("lw {register}, {}({pointer})", (index - middle as i32) * STRIDE as i32)
    };
    for register in registers.iter().filter(|register| **register != pointer).chain([&pointer]) {
        writer.text.line(load(register));
    }
}

impl Block<'_, '_> {
    fn statement(&mut self) {
        match self.writer.rng.u32(0..100) {
            0..62 => self.arithmetic(),
            62..76 => self.access(),
            76..82 => self.access_by_register(),
            82..86 => self.atomic(),
            86..91 => self.branch(),
            91..93 => self.jump(),
            93..96 => self.jump_register(),
            96..99 => self.call(),
            _ => {
                let fence = self.one_of(&FENCES);
                self.writer.text.line(fence);
            }
        }
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.writer.rng.usize(0..choices.len())]
    }

    fn source(&mut self) -> Register {
        Register(self.writer.rng.u8(0..32))
    }

    fn destination(&mut self) -> Register {
        loop {
            let register = Register(self.writer.rng.u8(0..32));
            if register == Register(0) || !self.kept.contains(&register) {
                return register;
            }
        }
    }

    /// A writable register other than `other`, not x0.
    fn scratch(&mut self, other: Register) -> Register {
        loop {
            let register = self.destination();
            if register != Register(0) && register != other {
                return register;
            }
        }
    }

    /// Several statements that do not write `link`.
    fn filling(&mut self, link: Register) {
        self.kept.push(link);
        for _ in 0..self.writer.rng.u32(1..4) {
            self.arithmetic();
        }
        self.kept.pop();
    }

    fn arithmetic(&mut self) {
        let (rd, rs1, rs2) = (self.destination(), self.source(), self.source());
        let line = match self.writer.rng.u32(0..20) {
            0..6 => format!("{} {rd}, {rs1}, {rs2}", self.one_of(&REGISTERS)),
            6..8 => format!("{} {rd}, {rs1}, {rs2}", self.one_of(&PRODUCTS)),
            8..10 => format!("{} {rd}, {rs1}, {rs2}", self.one_of(&QUOTIENTS)),
            10..14 => format!("{} {rd}, {rs1}, {}", self.one_of(&IMMEDIATES), self.writer.rng.i32(-2048..2048)),
            14..18 => format!("{} {rd}, {rs1}, {}", self.one_of(&SHIFTS), self.writer.rng.u32(0..32)),
            _ => format!("{} {rd}, {:#x}", self.one_of(&UPPERS), self.writer.rng.u32(0..1 << 20)),
        };
        self.writer.text.line(line);
    }

    /// A load or store of any width and sign, and a matching offset in this set's memory.
    fn access_at(&mut self) -> (String, usize) {
        let is_load = self.writer.rng.bool();
        let width = self.writer.rng.usize(0..STORES.len());
        let operation = if is_load { self.one_of(LOADS[width]) } else { STORES[width] };
        let register = if is_load { self.destination() } else { self.source() };
        (format!("{operation} {register}"), 1 << width)
    }

    fn access(&mut self) {
        let (access, bytes) = self.access_at();
        let place = bytes * self.writer.rng.usize(0..PRIVATE / bytes);
        self.writer.text.line(format_args!("{access}, {place}({})", self.private));
    }

    /// An access at an offset that each lane computes.
    fn access_by_register(&mut self) {
        let (source, address) = (self.source(), self.scratch(Register(0)));
        let (access, bytes) = self.access_at();
        self.writer.text.line(format_args!("andi {address}, {source}, {}", (PRIVATE - 1) & !(bytes - 1)));
        self.writer.text.line(format_args!("add {address}, {address}, {}", self.private));
        self.writer.text.line(format_args!("{access}, 0({address})"));
    }

    fn atomic(&mut self) {
        let (source, answer, address) = (self.source(), self.destination(), self.scratch(Register(0)));
        let place = 4 * self.writer.rng.usize(0..PRIVATE / 4);
        self.writer.text.line(format_args!("addi {address}, {}, {place}", self.private));
        if self.writer.rng.u32(0..4) == 0 {
            let loaded = self.scratch(address);
            self.writer.text.line(format_args!("lr.w {loaded}, ({address})"));
            self.writer.text.line(format_args!("sc.w {answer}, {source}, ({address})"));
        } else {
            let operation = self.one_of(&ATOMICS);
            self.writer.text.line(format_args!("{operation}.w {answer}, {source}, ({address})"));
        }
    }

    fn branch(&mut self) {
        let (rs1, rs2, target) = (self.source(), self.source(), self.writer.text.label());
        let operation = self.one_of(&BRANCHES);
        self.writer.text.line(format_args!("{operation} {rs1}, {rs2}, {target}"));
        self.filling(Register(0));
        self.writer.text.place(&target);
    }

    /// A register other than `other` and the links: a jump that writes it is not a call.
    fn plain(&mut self, other: Register) -> Register {
        loop {
            let register = self.scratch(other);
            if register != Register(1) && register != Register(5) {
                return register;
            }
        }
    }

    fn jump(&mut self) {
        let (link, target) = (self.plain(Register(0)), self.writer.text.label());
        self.writer.text.line(format_args!("jal {link}, {target}"));
        self.filling(Register(0));
        self.writer.text.place(&target);
    }

    /// A word that is fetched ahead but never executed: an instruction, or almost one, which would exit, halt, store
    /// or wait.
    fn never(&mut self) {
        let opcode = self.one_of(&OPCODES);
        let mut word = self.writer.rng.u32(..) << 7 | opcode;
        if self.writer.rng.bool() {
            word &= 0x01ff_ffff;
        }
        self.writer.text.line(format_args!(".word {word:#x}"));
    }

    /// Jumps through a register over a word that is never executed, and in some lanes over an instruction.
    fn jump_register(&mut self) {
        let (source, next) = (self.source(), self.writer.text.label());
        let link = self.plain(Register(0));
        let target = self.plain(link);
        let odd = self.writer.rng.u32(0..2);
        self.writer.text.line(format_args!("andi {target}, {source}, 4"));
        self.writer.text.line(format_args!("la {link}, {next}"));
        self.writer.text.line(format_args!("add {target}, {target}, {link}"));
        self.writer.text.line(format_args!("jalr {link}, {}({target})", 4 + odd));
        self.writer.text.place(&next);
        self.never();
        self.arithmetic();
    }

    fn call(&mut self) {
        let link = if self.writer.rng.bool() { Register(1) } else { Register(5) };
        if self.kept.contains(&link) {
            return;
        }
        let (function, out) = (self.writer.text.label(), self.writer.text.label());
        self.writer.text.line(format_args!("jal {link}, {function}"));
        self.writer.text.line(format_args!("j {out}"));
        self.writer.text.place(&function);
        self.filling(link);
        self.writer.text.line(format_args!("jr {link}"));
        for _ in 0..self.writer.rng.u32(0..3) {
            self.never();
        }
        self.writer.text.place(&out);
    }
}
