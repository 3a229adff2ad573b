//! The PLL of the core's clock, if the pin has another frequency.

use rtl::Direction::{Input, Output};
use rtl::{Builder, Expr, Module, zeros};

use crate::board::Board;

/// Frequency of the PLL's oscillator in the 7 series, in MHz. The slowest grade allows 800 to 1600.
const OSCILLATOR_MHZ: u32 = 1000;

/// Drives `clk` from the clock pin. With a PLL of the 7 series, returns whether the clock is stable.
pub fn drive(m: &Builder, board: &Board, pin: &Expr, clk: &Expr) -> Option<Expr> {
    if board.clock.mhz == board.clock.core_mhz {
        m.drive(clk, pin);
        return None;
    }
    m.comment(&format!("From {} MHz to {} MHz.", board.clock.mhz, board.clock.core_mhz));
    let parameters = [
        ("CLKIN1_PERIOD", format!("{}.{:03}", 1000 / board.clock.mhz, 1_000_000 / board.clock.mhz % 1000)),
        ("CLKFBOUT_MULT", (OSCILLATOR_MHZ / board.clock.mhz).to_string()),
        ("CLKOUT0_DIVIDE", (OSCILLATOR_MHZ / board.clock.core_mhz).to_string()),
    ];
    let inputs = ["CLKIN1", "CLKFBIN", "RST", "PWRDWN"].map(|port| (port, 1, Input));
    let outputs = ["CLKOUT0", "CLKFBOUT", "LOCKED"].map(|port| (port, 1, Output));
    let pll = m.instance("pll", &Module::external("PLLE2_BASE", &parameters, &[&inputs[..], &outputs].concat()));
    pll.input("CLKIN1", pin)
        .input("CLKFBIN", &pll.output("CLKFBOUT"))
        .input("RST", &zeros(1))
        .input("PWRDWN", &zeros(1));
    let buffer = m.instance("buffer", &Module::external("BUFG", &[], &[("I", 1, Input), ("O", 1, Output)]));
    buffer.input("I", &pll.output("CLKOUT0")).output_to("O", clk);
    Some(pll.output("LOCKED"))
}
