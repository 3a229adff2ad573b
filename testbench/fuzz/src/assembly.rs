//! Prints a program as assembler text. Binutils encodes it, so the encoding does not rely on a table of this project.
//!
//! Memory layout of the program, from `results_begin` to `results_end`:
//!
//! - 512 private bytes per thread: 256 for statements, then up to 128 for copied code, and in the last 128 the final
//!   registers;
//! - rows of words with one column per thread;
//! - 64 words that all threads share, and behind them locks with the words that they guard.

mod lock;

use kernels::assembly::Text;

use crate::program::fixed::{COLUMN, COUNTERS, FUEL, HART, PRIVATE, RA, SCRATCH, SHARED, SP};
use crate::program::{Block, DATA, End, Exit, Function, Loop, Program, Register, Statement, Test};

/// Private bytes that statements use.
pub const PRIVATE_BYTES: u32 = 256;
/// Distance between the private bytes of two threads.
const PRIVATE_STRIDE: u32 = 512;
/// Offset of the copied code.
const COPIES_AT: u32 = PRIVATE_BYTES;
/// Maximum number of copied instructions, without the return.
pub const COPIED_INSTRUCTIONS: usize = 7;
/// Offset of the final registers.
const REGISTERS_AT: u32 = 384;
pub const SHARED_WORDS: u32 = 64;
/// Bytes of a function's frame that statements use, from the stack pointer.
pub const FRAME_BYTES: u32 = 28;
/// Offsets of the loop counters and of the link in the frame, and its size.
const FRAME: [u32; 3] = [28, 44, 48];

pub fn rows(harts: u32) -> u32 {
    (2048 / (4 * harts)).clamp(1, 8)
}

/// Returns the text. `comment` is put before it, each line as a comment.
pub fn print(program: &Program, comment: &str) -> String {
    let links = program.functions.iter().map(|function| function.link).collect();
    let mut printer =
        Printer { text: Text::default(), tables: Text::default(), loops: Vec::new(), place: Place::Main, links };
    for line in comment.lines() {
        printer.text.raw(format_args!("# {line}"));
    }
    printer.text.raw("    .option norelax\n    .text\n    .globl _start");
    printer.main(program);
    let called = called(program);
    for (number, function) in program.functions.iter().enumerate().skip(1).filter(|(number, _)| called[*number]) {
        printer.function(number, function);
    }
    printer.data(program);
    printer.text.to_string()
}

fn called(program: &Program) -> Vec<bool> {
    fn mark(body: &[Statement], called: &mut [bool]) {
        for statement in body {
            if let Statement::Call { callees, .. } = statement {
                callees.iter().for_each(|callee| called[*callee] = true);
            }
            statement.bodies().into_iter().for_each(|body| mark(body, called));
        }
    }
    let mut called = vec![false; program.functions.len()];
    program.functions.iter().for_each(|function| mark(&function.body, &mut called));
    called
}

/// How the current function returns.
#[derive(Clone, Copy)]
enum Place {
    Main,
    Function { number: usize, link: Register },
}

struct Printer {
    text: Text,
    tables: Text,
    /// Labels of the enclosing loops: of the next iteration, and after the loop.
    loops: Vec<[String; 2]>,
    place: Place,
    /// By function.
    links: Vec<Register>,
}

impl Printer {
    fn main(&mut self, program: &Program) {
        self.text.raw("    .type _start, @function\n_start:");
        let [scratch, _] = SCRATCH;
        self.lines(&format!("csrr x{HART}, mhartid; csrr x{SP}, 0xcc3; addi x{SP}, x{SP}, -{}", FRAME[2]));
        for (register, symbol, shift) in [(PRIVATE, "private", PRIVATE_STRIDE.ilog2()), (COLUMN, "columns", 2)] {
            self.lines(&format!(
                "la x{register}, {symbol}; slli x{scratch}, x{HART}, {shift}
                 add x{register}, x{register}, x{scratch}"
            ));
        }
        self.lines(&format!("la x{SHARED}, shared; andi x{FUEL}, x{HART}, 3; addi x{FUEL}, x{FUEL}, {}", program.fuel));
        for (index, (register, value)) in DATA.iter().zip(&program.values).enumerate() {
            let Some(value) = value else { continue };
            self.text.line(format_args!("li x{register}, {value:#x}"));
            match index % 4 {
                0 => self.text.line(format_args!("add x{register}, x{register}, x{HART}")),
                1 => self.text.line(format_args!("xor x{register}, x{register}, x{HART}")),
                2 => self.text.line(format_args!("sll x{register}, x{register}, x{HART}")),
                _ => {}
            }
        }
        if let Some(level) = program.level {
            self.text.line(format_args!("csrwi 0x802, {level}"));
        }
        self.place = Place::Main;
        self.body(&program.functions[0].body);
        self.text.raw("end:");
        self.ends();
        self.text.raw("    .size _start, . - _start");
    }

    fn function(&mut self, number: usize, function: &Function) {
        self.text.raw(format_args!("    .type f{number}, @function\nf{number}:"));
        self.place = Place::Function { number, link: function.link };
        self.text.line(format_args!("addi x{SP}, x{SP}, -{}", FRAME[2]));
        for (level, counter) in COUNTERS.iter().enumerate() {
            self.text.line(format_args!("sw x{counter}, {}(x{SP})", FRAME[0] + 4 * level as u32));
        }
        if function.link == RA {
            self.text.line(format_args!("sw x{RA}, {}(x{SP})", FRAME[1]));
        }
        self.body(&function.body);
        self.text.raw(format_args!(".Lreturn{number}:"));
        self.returns(function.link);
        self.text.raw(format_args!("    .size f{number}, . - f{number}"));
    }

    fn returns(&mut self, link: Register) {
        for (level, counter) in COUNTERS.iter().enumerate() {
            self.text.line(format_args!("lw x{counter}, {}(x{SP})", FRAME[0] + 4 * level as u32));
        }
        if link == RA {
            self.text.line(format_args!("lw x{RA}, {}(x{SP})", FRAME[1]));
        }
        self.lines(&format!("addi x{SP}, x{SP}, {}; jr x{link}", FRAME[2]));
    }

    fn ends(&mut self) {
        for register in 1..32 {
            self.text.line(format_args!("sw x{register}, {}(x{PRIVATE})", REGISTERS_AT + 4 * register));
        }
        self.text.line("csrw 0x800, x0");
    }

    /// Lines, or several instructions of a line with semicolons.
    fn lines(&mut self, text: &str) {
        text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).for_each(|line| self.text.line(line));
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Code(lines) => lines.iter().for_each(|line| self.text.line(line)),
            Statement::If { test, then, otherwise } => self.sides(*test, then, otherwise),
            Statement::Loop(repeated) => self.repeated(repeated),
            Statement::Switch { selector, arms, falls } => self.switch(*selector, arms, *falls),
            Statement::Graph(blocks) => self.graph(blocks),
            Statement::Call { selector, callees } => self.call(*selector, callees),
            Statement::Copied { selector, routines } => self.copied(*selector, routines),
            Statement::Rewritten { instructions } => self.rewritten(instructions),
            Statement::Leave { test, to } => self.leave(*test, *to),
            Statement::Barrier => self.text.line("csrw 0x801, x0"),
            Statement::Lock(lock) => self.lock(lock),
        }
    }

    fn branch(&mut self, Test { mnemonic, left, right }: Test, to: &str) {
        self.text.line(format_args!("{mnemonic} x{left}, x{right}, {to}"));
    }

    fn sides(&mut self, test: Test, then: &[Statement], otherwise: &[Statement]) {
        let (other, end) = (self.text.label(), self.text.label());
        self.branch(test.inverse(), if otherwise.is_empty() { &end } else { &other });
        self.body(then);
        if !otherwise.is_empty() {
            self.text.line(format_args!("j {end}"));
            self.text.place(&other);
            self.body(otherwise);
        }
        self.text.place(&end);
    }

    fn repeated(&mut self, Loop { level, trips, most, tested_first, one_exit, body }: &Loop) {
        let (head, again, end) = (self.text.label(), self.text.label(), self.text.label());
        let counter = COUNTERS[*level];
        let [one, two] = SCRATCH;
        match trips {
            Some(register) => self.text.line(format_args!("andi x{counter}, x{register}, {most}")),
            None => self.text.line(format_args!("li x{counter}, {most}")),
        }
        self.text.place(&head);
        if *tested_first {
            self.text.line(format_args!("blez x{counter}, {end}"));
        }
        self.loops.push([again.clone(), end.clone()]);
        self.body(body);
        self.loops.pop();
        self.text.place(&again);
        self.lines(&format!("addi x{counter}, x{counter}, -1; addi x{FUEL}, x{FUEL}, -1"));
        if *one_exit {
            self.lines(&format!(
                "slt x{one}, x0, x{counter}; slt x{two}, x0, x{FUEL}; and x{one}, x{one}, x{two}; bnez x{one}, {head}"
            ));
        } else {
            self.text.line(format_args!("blez x{FUEL}, {end}"));
            self.text.line(if *tested_first { format!("j {head}") } else { format!("bgtz x{counter}, {head}") });
        }
        self.text.place(&end);
    }

    /// Puts the address of a table entry into the first scratch register, and that of the table, which begins here,
    /// into the second. The low bits of another register select the entry.
    fn entry(&mut self, selector: Register, entries: usize, bytes: usize) {
        let table = self.text.label();
        let [one, two] = SCRATCH;
        self.lines(&format!(
            "andi x{one}, x{selector}, {}; slli x{one}, x{one}, {}; la x{two}, {table}; add x{one}, x{one}, x{two}",
            entries - 1,
            bytes.ilog2()
        ));
        self.tables.place(&table);
    }

    /// Jumps to one of these labels, selected by the low bits of a register.
    fn jump(&mut self, selector: Register, labels: &[String]) {
        let [one, two] = SCRATCH;
        self.entry(selector, labels.len(), 4);
        self.lines(&format!("lw x{one}, 0(x{one}); add x{one}, x{one}, x{two}; jr x{one}"));
        for (number, label) in labels.iter().enumerate() {
            self.tables.line(format_args!(".word {label} - . + {}", 4 * number));
        }
    }

    fn switch(&mut self, selector: Register, arms: &[Vec<Statement>], falls: bool) {
        let labels: Vec<String> = arms.iter().map(|_| self.text.label()).collect();
        let end = self.text.label();
        self.jump(selector, &labels);
        for (arm, label) in arms.iter().zip(&labels) {
            self.text.place(label);
            self.body(arm);
            if !falls {
                self.text.line(format_args!("j {end}"));
            }
        }
        self.text.place(&end);
    }

    fn graph(&mut self, blocks: &[Block]) {
        let labels: Vec<String> = (0..=blocks.len()).map(|_| self.text.label()).collect();
        let end = &labels[blocks.len()];
        for (number, block) in blocks.iter().enumerate() {
            self.text.place(&labels[number]);
            self.body(&block.code);
            let targets = match &block.end {
                End::To(to) => vec![*to],
                End::Either(_, one, other) => vec![*one, *other],
                End::Any(_, targets) => targets.clone(),
            };
            if targets.iter().any(|target| *target <= number) {
                self.lines(&format!("addi x{FUEL}, x{FUEL}, -1; bltz x{FUEL}, {end}"));
            }
            match &block.end {
                End::To(to) => self.go_on(&labels, number, *to),
                End::Either(test, one, other) => {
                    self.branch(*test, &labels[*one]);
                    self.go_on(&labels, number, *other);
                }
                End::Any(selector, targets) => {
                    let labels: Vec<String> = targets.iter().map(|target| labels[*target].clone()).collect();
                    self.jump(*selector, &labels);
                }
            }
        }
        self.text.place(end);
    }

    fn go_on(&mut self, labels: &[String], from: usize, to: usize) {
        if to != from + 1 {
            self.text.line(format_args!("j {}", labels[to]));
        }
    }

    fn call(&mut self, selector: Register, callees: &[usize]) {
        let after = self.text.label();
        let [one, _] = SCRATCH;
        self.lines(&format!("addi x{FUEL}, x{FUEL}, -1; bltz x{FUEL}, {after}"));
        if let [callee] = callees {
            self.text.line(format_args!("jal x{}, f{callee}", self.links[*callee]));
        } else {
            self.entry(selector, callees.len(), 4);
            self.lines(&format!("lw x{one}, 0(x{one}); jalr x{RA}, x{one}"));
            for callee in callees {
                self.tables.line(format_args!(".word f{callee}"));
            }
        }
        self.text.place(&after);
    }

    /// The link register is free, because functions keep it in their frames.
    fn copied(&mut self, selector: Register, routines: &[Vec<String>]) {
        let [one, two] = SCRATCH;
        let longest = routines.iter().map(Vec::len).max().unwrap_or(0);
        let words = (longest + 1).next_power_of_two();
        self.entry(selector, routines.len(), 4 * words);
        for word in 0..=longest as u32 {
            self.lines(&format!("lw x{two}, {}(x{one}); sw x{two}, {}(x{PRIVATE})", 4 * word, COPIES_AT + 4 * word));
        }
        self.lines(&format!("fence.i; jalr x{RA}, {COPIES_AT}(x{PRIVATE})"));
        for routine in routines {
            let returns = vec![format!("jr x{RA}"); words - routine.len()];
            for line in routine.iter().chain(&returns) {
                self.tables.line(format_args!("{line}"));
            }
        }
    }

    fn rewritten(&mut self, instructions: &[[String; 2]]) {
        let (there, table) = (self.text.label(), self.text.label());
        let [one, two] = SCRATCH;
        for at in (0..instructions.len()).map(|word| 4 * word) {
            self.lines(&format!(
                "la x{two}, {table}; lw x{one}, {at}(x{two}); la x{two}, {there}; sw x{one}, {at}(x{two})"
            ));
        }
        self.text.line("fence.i");
        self.text.place(&there);
        self.tables.place(&table);
        for [before, after] in instructions {
            self.text.line(before);
            self.tables.line(format_args!("{after}"));
        }
    }

    fn leave(&mut self, test: Test, to: Exit) {
        // Shrinking may have removed the loop that is left.
        let nth = |loops: &[[String; 2]], levels: usize, which: usize| {
            loops.len().checked_sub(levels + 1).map(|index| loops[index][which].clone())
        };
        let label = match (to, self.place) {
            (Exit::Continue(levels), _) => nth(&self.loops, levels, 0),
            (Exit::Break(levels), _) => nth(&self.loops, levels, 1),
            (Exit::End { own: false }, _) | (Exit::Return { .. }, Place::Main) => Some("end".into()),
            (Exit::End { own: true }, _) => return self.where_it_holds(test, |printer| printer.ends()),
            (Exit::Return { own: false }, Place::Function { number, .. }) => Some(format!(".Lreturn{number}")),
            (Exit::Return { own: true }, Place::Function { link, .. }) => {
                return self.where_it_holds(test, |printer| printer.returns(link));
            }
        };
        if let Some(label) = label {
            self.branch(test, &label);
        }
    }

    /// Emits code that only threads reach for which the test holds.
    fn where_it_holds(&mut self, test: Test, then: impl FnOnce(&mut Self)) {
        let after = self.text.label();
        self.branch(test.inverse(), &after);
        then(self);
        self.text.place(&after);
    }

    fn data(&mut self, program: &Program) {
        self.text.raw("    .section .rodata\n    .balign 4");
        self.text.append(&self.tables);
        self.text.raw("table:");
        for words in program.table.chunks(8) {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            self.text.line(format_args!(".word {}", words.join(", ")));
        }
        let harts = program.harts;
        self.text.raw("    .bss\n    .balign 256\n    .globl results_begin, results_end\nresults_begin:");
        self.text.raw(format_args!("private: .zero {}", PRIVATE_STRIDE * harts));
        self.text.raw(format_args!("columns: .zero {}", 4 * rows(harts) * harts));
        self.text.raw(format_args!("shared:  .zero {}", 4 * SHARED_WORDS + lock::BYTES));
        self.text.raw("results_end:");
    }
}
