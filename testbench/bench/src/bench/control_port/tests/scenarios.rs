//! What a host does with a core.

use cores::control::CONSOLE_BYTES;
use cores::control::registers::{Access, ID, REGISTERS};
use sim::Program;

use super::host::{Host, compile};
use crate::memory::RAM_BASE;

pub type Scenario = fn(&mut Host) -> Result<(), String>;

/// Each thread adds its argument to its result n times, with n = argument mod 8 + 1, and counts all its rounds in one
/// word. Threads that start at `twice` add it twice.
const WORK: &str = "
    .globl main, twice, results, rounds
main:
    li      a2, 1
    j       1f
twice:
    csrr    a0, mhartid
    li      a2, 2
1:  csrr    a1, 0xcc7
    la      a3, results
    slli    a4, a0, 2
    add     a3, a3, a4
    la      a4, rounds
    andi    a5, a1, 7
    addi    a5, a5, 1
2:  mv      a6, a2
3:  lw      a7, (a3)
    add     a7, a7, a1
    sw      a7, (a3)
    addi    a6, a6, -1
    bnez    a6, 3b
    li      a6, 1
    amoadd.w a6, a6, (a4)
    addi    a5, a5, -1
    bnez    a5, 2b
    csrw    0x800, zero
    .data
    .balign 64
results: .zero 64
rounds: .zero 4
";

pub fn work(host: &Host) -> Program {
    compile("work.S", WORK, &host.config)
}

fn is_worked(host: &Host, program: &Program, times: u32, argument: u32) -> Result<(), String> {
    let rounds = argument % 8 + 1;
    let harts = host.config.warps * host.config.threads;
    let wanted = times.wrapping_mul(argument).wrapping_mul(rounds);
    let [results, counter] = ["results", "rounds"].map(|name| program.symbol(name).unwrap());
    for hart in 0..harts {
        let found = host.word(results + 4 * hart);
        if found != wanted {
            return Err(format!("thread {hart} has {found:#x}, expected {wanted:#x} for argument {argument:#x}"));
        }
    }
    let found = host.word(counter);
    if found == harts * rounds { Ok(()) } else { Err(format!("{found} rounds, expected {}", harts * rounds)) }
}

pub fn expect(what: &str, found: u32, wanted: u32) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:#x}, expected {wanted:#x}")) }
}

pub fn two_kernels_run_one_after_the_other(host: &mut Host) -> Result<(), String> {
    host.write("interrupt", 1)?;
    for name in ["gcd", "vector_add", "gcd"] {
        let folder = tempfile::tempdir().unwrap();
        let elf = kernels::build(kernels::find(name).unwrap(), folder.path()).unwrap();
        let program = Program::load(name, &std::fs::read(elf).unwrap(), &host.config).unwrap();
        host.load(&program);
        host.run(program.entry, 0).map_err(|message| format!("{name}: {message}"))?;
        expect("irq", host.model.get(host.irq) as u32, 1)?;
        let instructions = host.read("instructions")?;
        if instructions == 0 || host.read("cycles")? < instructions || host.read("parts")? < instructions {
            return Err(format!("{name}: {instructions} instructions"));
        }
        host.write("interrupt", 3)?;
        expect("irq", host.model.get(host.irq) as u32, 0)?;
    }
    Ok(())
}

pub fn a_program_reads_its_argument_from_any_entry(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    let twice = program.symbol("twice").unwrap();
    for (entry, times, argument) in [(program.entry, 1, 0x1234_5677), (twice, 2, 0xffff_fff1), (twice, 2, 0)] {
        host.load(&program);
        host.run(entry, argument)?;
        is_worked(host, &program, times, argument)?;
    }
    Ok(())
}

pub fn a_thousand_runs_start_and_stop_at_random(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    let entries = [(program.entry, 1), (program.symbol("twice").unwrap(), 2)];
    let (mut ended, mut stopped) = (0, 0);
    for run in 0..1000 {
        let (entry, times) = entries[host.rng.usize(0..2)];
        let argument = host.rng.u32(..);
        host.load(&program);
        host.start(entry, argument)?;
        let pause = if host.rng.bool() { host.rng.u64(0..200) } else { host.rng.u64(200..1500) };
        host.wait(pause)?;
        let status = if host.rng.u8(0..4) > 0 { host.stop()? } else { host.until_stopped(false)? };
        match status {
            4 => {
                ended += 1;
                is_worked(host, &program, times, argument).map_err(|message| format!("run {run}: {message}"))?;
            }
            0 => stopped += 1,
            status => return Err(format!("run {run}: status {status:#x}")),
        }
    }
    if ended < 100 || stopped < 100 { Err(format!("{ended} runs ended, {stopped} were stopped")) } else { Ok(()) }
}

pub fn commands_at_the_wrong_time_are_refused(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    host.load(&program);
    // A stop of a core that has stopped, and a start together with a stop.
    host.write("control", 2)?;
    host.is("status", 0)?;
    host.write("control", 3)?;
    host.field_is("status", "refused", 1)?;
    host.field_is("status", "running", 0)?;
    host.start(program.entry, 7)?;
    host.field_is("status", "refused", 0)?;
    // The run goes on with its own entry and argument.
    host.write("control", 1)?;
    host.field_is("status", "refused", 1)?;
    host.write("entry", 0)?;
    host.write("argument", 3)?;
    host.is("entry", program.entry)?;
    host.is("argument", 7)?;
    expect("status", host.until_stopped(false)?, 0x104)?;
    is_worked(host, &program, 1, 7)?;
    let cycles = host.read("cycles")?;
    host.is("cycles", cycles)?;
    // At once after a stop: the start is refused, or the core has stopped already.
    for _ in 0..20 {
        host.load(&program);
        host.start(program.entry, 7)?;
        let pause = host.rng.u64(150..400);
        host.wait(pause)?;
        host.port.write("control", 2);
        host.write("control", 1)?;
        if host.field("status", "refused")? == 0 {
            expect("status", host.until_stopped(false)?, 4)?;
            is_worked(host, &program, 1, 7).or_else(|_| host.field_is("status", "done", 1))?;
        } else {
            host.until_stopped(true)?;
        }
    }
    Ok(())
}

pub fn a_stop_at_a_fault_keeps_the_report(host: &mut Host) -> Result<(), String> {
    let text = "
    .globl main, fault
main:
    csrr    a0, mhartid
    li      a1, 3
    bne     a0, a1, 1f
    li      a2, 0x40000004
fault:
    sw      a0, (a2)
1:  j       1b
";
    let program = compile("fault.S", text, &host.config);
    let work = work(host);
    for stops in [false, true] {
        host.load(&program);
        host.start(program.entry, 0)?;
        host.wait(2000)?;
        let status = if stops { host.stop()? } else { host.until_stopped(false)? };
        expect("status", status, 8)?;
        host.is("fault_cause", 7)?;
        host.is("fault_pc", program.symbol("fault").unwrap())?;
        host.field_is("fault_thread", "warp", 1)?;
        host.field_is("fault_thread", "lane", 1)?;
        host.is("fault_address", 0x4000_0004)?;
        host.load(&work);
        host.run(work.entry, 5)?;
        is_worked(host, &work, 1, 5)?;
        host.is("fault_pc", 0)?;
    }
    Ok(())
}

pub fn an_entry_that_is_no_instruction_is_a_fault(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    host.load(&program);
    host.write("interrupt", 1)?;
    for (entry, cause) in [(program.entry + 2, 0), (0x1000, 1), (RAM_BASE + (1 << 18), 1), (program.entry + 1, 0)] {
        host.start(entry, 0)?;
        expect("status", host.until_stopped(false)?, 8)?;
        host.is("fault_cause", cause)?;
        host.is("fault_pc", entry)?;
        host.field_is("interrupt", "pending", 1)?;
        host.is("exit_code", 0)?;
        host.run(program.entry, 1)?;
        host.load(&program);
    }
    // The first word that is no code.
    host.start(program.symbol("rounds").unwrap(), 0)?;
    expect("status", host.until_stopped(false)?, 8)?;
    host.is("fault_cause", 2)
}

pub fn registers_follow_the_table(host: &mut Host) -> Result<(), String> {
    host.is("id", ID)?;
    host.is("shape", host.config.threads << 8 | host.config.warps)?;
    host.is("isa", 3)?;
    for (register, letters) in [("unit_0", b"sort"), ("unit_1", b"ed-t"), ("unit_2", b"able"), ("unit_3", &[0; 4])] {
        host.is(register, u32::from_le_bytes(*letters))?;
    }
    host.is("entry", RAM_BASE)?;
    // Writes change only what can be written, and every other offset reads 0.
    let known = |offset: u32| REGISTERS.iter().find(|register| register.offset == offset);
    for offset in (0..0x200).step_by(4).chain([0x400, 0xfff8, 0x4_0000, 0x4_0034, 0xf_fffc]) {
        let before = host.read_at(offset)?;
        if known(offset).is_some_and(|register| register.access == Access::Write) {
            expect("a command", before, 0)?;
            continue;
        }
        host.write_at(offset, 0xa5a5_a5a5, 0xf)?;
        let after = host.read_at(offset)?;
        let wanted = match known(offset) {
            None => 0,
            Some(register) if register.name.starts_with("table_") => 0,
            Some(register) if register.access == Access::WhileStopped => 0xa5a5_a5a5,
            Some(register) if register.name == "interrupt" => 1,
            Some(_) => before,
        };
        expect(&format!("offset {offset:#x}"), after, wanted)?;
        expect("an offset without a register", if known(offset).is_none() { before } else { 0 }, 0)?;
    }
    for strobes in 0..16 {
        host.write_at(0x34, 0x1122_3344, 0xf)?;
        host.write_at(0x34, 0xaabb_ccdd, strobes)?;
        let byte =
            |place: u32| if strobes >> place & 1 == 1 { 0xaabb_ccdd_u32 } else { 0x1122_3344 } & 0xff << (8 * place);
        host.is("argument", (0..4).map(byte).sum())?;
    }
    // Without the strobe of its byte a command is none.
    host.write_at(0x20, 1, 0b1110)?;
    host.is("status", 0)
}

pub fn a_reservation_ends_with_its_run(host: &mut Host) -> Result<(), String> {
    let text = "
    .globl main, conditional, word
main:
    la      a1, word
    lr.w    a2, (a1)
    csrw    0x800, zero
conditional:
    la      a1, word
    sc.w    a0, a1, (a1)
    csrw    0x800, a0
    .data
word: .word 5
";
    let program = compile("reservation.S", text, &host.config);
    host.load(&program);
    host.run(program.entry, 0)?;
    host.start(program.symbol("conditional").unwrap(), 0)?;
    expect("status", host.until_stopped(false)?, 0x84)?;
    host.is("exit_code", 1)?;
    expect("the word", host.word(program.symbol("word").unwrap()), 5)
}

pub fn a_full_console_waits_and_a_stop_ends_the_wait(host: &mut Host) -> Result<(), String> {
    let text = "
    .globl main
main:
    csrr    a0, mhartid
    bnez    a0, 2f
    li      a1, 0x10000000
    li      a2, 40
1:  sb      a2, (a1)
    addi    a2, a2, -1
    bnez    a2, 1b
2:  csrw    0x800, zero
";
    let program = compile("console.S", text, &host.config);
    host.load(&program);
    host.start(program.entry, 0)?;
    host.wait(3000)?;
    host.is("status", 1)?;
    for byte in (1..=40).rev() {
        host.is("console", 0x100 | byte)?;
        host.wait(30)?;
    }
    expect("status", host.until_stopped(false)?, 4)?;
    host.is("console", 0)?;
    host.load(&program);
    host.start(program.entry, 0)?;
    host.wait(3000)?;
    expect("status", host.stop()?, 0)?;
    // The bytes that the core has written stay, and those of the next run follow.
    host.load(&program);
    host.start(program.entry, 0)?;
    for byte in (0..CONSOLE_BYTES as u32).map(|number| 40 - number).chain((1..=40).rev()) {
        host.wait(100)?;
        host.is("console", 0x100 | byte)?;
    }
    expect("status", host.until_stopped(false)?, 4)
}

pub fn an_error_of_the_bus_ends_the_run(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    // The two reads of a refill with table are seldom apart when an error comes.
    let runs = if host.config.unit().unwrap().reconverges { 300 } else { 50 };
    for _ in 0..runs {
        host.load(&program);
        host.start(program.entry, 7)?;
        let pause = host.rng.u64(0..600);
        host.wait(pause)?;
        host.fails = true;
        let status = host.until_stopped(false)?;
        if status & 0x18 == 8 && host.config.icache.exists() {
            // The answer to a refill was an error.
            expect("fault_cause", host.read("fault_cause")?, 1)?;
        } else if status & 0x10 == 0 {
            expect("status", status, 4)?;
        } else {
            let may_fault = if host.config.icache.exists() { 8 } else { 0 };
            expect("done and fault", status & 0xc & !may_fault, 0)?;
            let address = host.read("bus_error_address")?;
            expect("a line of RAM", address >> 18, RAM_BASE >> 18)?;
        }
        // The answers that the master has dropped are forgotten with the start.
        host.write("argument", 0)?;
        host.load(&program);
        host.write("control", 1)?;
        host.fails = false;
        host.until_stopped(false)?;
        host.load(&program);
        host.run(program.entry, 5)?;
        is_worked(host, &program, 1, 5)?;
    }
    Ok(())
}
