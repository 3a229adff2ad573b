//! The top of a board: a core, its clock and reset, the serial line, and lights.

use cores::Core;
use rtl::{Builder, ElaborationError, Expr, Instance, clog2, concat, increment, lit, select};

use weft_config::Config;

use crate::board::{Board, receivers};
use crate::{loader, pll, uart};

pub const BAUD: u32 = 115_200;

/// Most bytes of RAM of a core that is loaded over the serial line. The largest part has 416 KiB of block RAM, of which
/// the core takes some.
const LOADED_BYTES: u32 = 1 << 18;

/// The meaning of each light, the lowest first.
pub const LIGHTS: [&str; 8] = [
    "blinks while there is a clock",
    "done: all threads have ended; with a control port: its interrupt",
    "error: the core has halted on a fault, or an exit code is not 0",
    "the serial line is busy",
    "error cause or exit code, bit 0",
    "error cause or exit code, bit 1",
    "error cause or exit code, bit 2",
    "error cause or exit code, bit 3",
];

/// Length of reset after the last press or bounce of the button, in milliseconds.
const RESET_MS: u64 = 10;

/// Maximum relative error of a bit's length. A receiver samples in the middle of bits. It allows twice this error over ten
/// bits, and the same error again in its own clock.
const BAUD_TOLERANCE: f64 = 0.02;

#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    #[error(
        "--board {board}: the core has a port `{port}` that the board cannot serve; expected memory.kind = \"bram\", as in \
         --preset bram-4x4, or control.port, as in --preset accelerator"
    )]
    Port { board: &'static str, port: String },
    #[error(
        "--baud {baud}: {mhz} MHz divided by a whole number is at best {nearest} baud; expected a rate with an error \
         of at most 2 %, such as {BAUD}"
    )]
    Baud {
        baud: u32,
        /// The clock, in MHz.
        mhz: u32,
        nearest: u64,
    },
    #[error(
        "--board {board}: a core with a control port is loaded over the serial line, and no pin receives here; expected \
         --board {}, or memory.kind = \"bram\"",
        receivers()
    )]
    NoReceiver { board: &'static str },
    #[error(
        "--board {board}: memory.ram_bytes = {bytes}; a core with a control port has its RAM in block RAM here; expected at most {LOADED_BYTES}"
    )]
    Ram { board: &'static str, bytes: u32 },
    #[error(
        "--board {board}: memory.base = {base:#010x}; the control port is at {:#010x} on the serial line",
        loader::CONTROL
    )]
    Base { board: &'static str, base: u32 },
    #[error(transparent)]
    Elaboration(#[from] ElaborationError),
}

/// What the lights show.
pub(crate) struct Shown {
    pub busy: Expr,
    pub done: Expr,
    pub failed: Expr,
    /// Four bits.
    pub code: Expr,
}

/// Puts a core behind the pins of a board, with `baud` bits per second on the serial line. A core with a control port gets
/// block RAM, and is loaded over the line; another has its memory in it, and the line is its console.
///
/// # Errors
/// If the core has ports for memory or a trace, if the board has no pin or too little RAM to load it, or if the clock
/// does not divide to `baud`.
pub fn elaborate(board: &Board, config: &Config, core: &Core, baud: u32) -> Result<Core, BoardError> {
    let is_loaded = config.control.port;
    if is_loaded && config.memory.ram_bytes > LOADED_BYTES {
        return Err(BoardError::Ram { board: board.name, bytes: config.memory.ram_bytes });
    }
    if let Some(port) = core.ports().into_iter().find(|port| !is_served(&port.name, is_loaded)) {
        return Err(BoardError::Port { board: board.name, port: port.name });
    }
    let base = config.memory.base;
    if is_loaded && base >> 28 == loader::CONTROL >> 28 {
        return Err(BoardError::Base { board: board.name, base });
    }
    let divisor = divisor(board, baud, if is_loaded { 4 } else { 2 })?;
    let line = if is_loaded { "loaded over the serial line" } else { "its console on the serial line" };
    let m = Builder::new(&board.top(""), &format!("{}: a core, {line} ({baud} baud, 8N1), lights.", board.title));
    let (clk, rst) = (m.own_clock(), m.own_reset());
    let pin = m.input(board.clock.port, 1);
    let button = m.input(board.reset.port, 1);
    m.output_port(board.transmit, 1);
    m.output_port(board.lights, LIGHTS.len());
    for port in board.high {
        m.output(port, &rtl::ones(1));
    }
    let locked = pll::drive(&m, board, &pin, &clk);

    m.comment(
        "Reset lasts from configuration or a press of the button until the button is stable for 10 ms.\n\
         Two registers synchronise the button to the clock.",
    );
    let pressed = if board.reset.active_low { !button } else { button };
    let pressed = locked.map_or_else(|| pressed.clone(), |locked| &pressed | !locked);
    let first = m.register("button_first", 1);
    first.next(&pressed).starts_at(0);
    let second = m.register("button", 1);
    second.next(&first).starts_at(0);
    let cycles = RESET_MS * 1000 * u64::from(board.clock.core_mhz);
    let quiet = m.register("quiet_cycles", clog2(cycles as usize) + 1);
    let released = m.wire("released", &quiet.bit(quiet.width() - 1));
    quiet.next(&increment(&quiet, 1).when(&!&*second)).enable(&(&*second | !&released)).starts_at(0);
    m.drive(&rst, &!&released);

    let shown =
        if is_loaded { loader::connect(&m, board, config, core, divisor)? } else { console(&m, board, core, divisor)? };

    m.comment("Lights.");
    let half_second = 1_000_000 * u64::from(board.clock.core_mhz) / 2;
    let heartbeat = m.register("heartbeat", clog2(half_second as usize) + 1);
    heartbeat.next(&increment(&heartbeat, 1)).starts_at(0);
    let Shown { busy, done, failed, code } = shown;
    let lights = [&code, &busy, &failed, &done, &heartbeat.bit(heartbeat.width() - 1)];
    m.output(board.lights, &m.delay("lights", &concat(lights)));
    Ok(core.within(m.finish()?))
}

/// A core with its memory in it: the line is its console, and says how a run failed.
fn console(m: &Builder, board: &Board, core: &Core, divisor: u64) -> Result<Shown, BoardError> {
    m.comment("The core, and its console on the serial line.");
    let weft = m.instance("core", core.module());
    let uart = m.instance("uart", &uart::transmitter(divisor)?);
    let ready = m.forward("console_ready", 1);
    weft.input("console_ready", &ready);
    let (console, error) = (weft.output("console_valid"), weft.output("error_valid"));
    let exit = m.wire("fails", &(weft.output("exit_valid") & weft.output("exit_code").any()));
    let (line, byte) = last_line(m, &weft, [&error, &exit], &(&ready & !&console));
    uart.input("valid", &(&console | line)).input("data", &console.mux(&weft.output("console_data"), &byte));
    uart.output_to("ready", &ready);
    m.output(board.transmit, &uart.output("txd"));
    let code = error.mux(&weft.output("error_cause"), &weft.output("exit_code").slice(0, 4).when(&exit));
    Ok(Shown { busy: !&ready, done: weft.output("done"), failed: &error | &exit, code })
}

/// Returns whether the top connects this port of a core.
fn is_served(port: &str, is_loaded: bool) -> bool {
    let groups: &[&str] = if is_loaded { &["s_axil_", "m_axi_"] } else { &["console_", "error_", "exit_"] };
    let single: &[&str] = if is_loaded { &["irq"] } else { &["done"] };
    groups.iter().any(|group| port.starts_with(group)) || ["clk", "rst"].contains(&port) || single.contains(&port)
}

/// The line that says how a run failed, if it has: whether there is a byte of it, and the byte, taken at `ready`.
fn last_line(m: &Builder, core: &Instance, [error, exit]: [&Expr; 2], ready: &Expr) -> (Expr, Expr) {
    m.comment("The line that says how a run failed, one byte after the other.");
    let fault = concat([&core.output("error_cause"), &core.output("error_pc")]);
    let texts = [("\nfault #: pc ########\n", fault), ("\nexit code = ########\n", core.output("exit_code"))];
    let [fault, code] = texts.map(|(template, value)| {
        let mut digits = value.lanes(4);
        // Bit 7 marks a digit.
        let mut byte = |letter| match letter {
            b'#' => concat([&lit(4, 8), &digits.pop().expect("a digit")]),
            _ => lit(8, letter.into()),
        };
        template.bytes().map(&mut byte).collect::<Vec<_>>()
    });
    let at = m.register("line_at", clog2(fault.len() + 1));
    let bytes: Vec<Expr> = fault.iter().zip(&code).map(|(fault, exit)| error.mux(fault, exit)).collect();
    let byte = m.wire("line_byte", &select(&at, &bytes));
    let digit = byte.slice(0, 4);
    let letter = m.wire("line_letter", &(digit.extend(8) + lit(8, u64::from(b'a') - 10)));
    let hexadecimal = digit.lt(&lit(4, 10)).mux(&concat([&lit(4, 3), &digit]), &letter);
    let sends = m.wire("line_sends", &((error | (core.output("done") & exit)) & !at.is(fault.len() as u64)));
    at.next(&increment(&at, 1)).enable(&(&sends & ready)).reset(0);
    (sends, byte.bit(7).mux(&hexadecimal, &byte))
}

fn divisor(board: &Board, baud: u32, least: u64) -> Result<u64, BoardError> {
    let hertz = 1_000_000 * u64::from(board.clock.core_mhz);
    let wanted = hertz as f64 / f64::from(baud);
    let divisor = (wanted.round() as u64).max(least);
    if (divisor as f64 / wanted - 1.0).abs() > BAUD_TOLERANCE {
        return Err(BoardError::Baud { baud, mhz: board.clock.core_mhz, nearest: hertz / divisor });
    }
    Ok(divisor)
}
