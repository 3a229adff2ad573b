//! The supported boards.

#[derive(Debug)]
pub struct Board {
    /// Value of `--board`.
    pub name: &'static str,
    pub title: &'static str,
    /// The FPGA, in the notation of its vendor's tools.
    pub part: &'static str,
    pub clock: Clock,
    pub reset: Button,
    /// The port of the serial line, from the FPGA to the computer.
    pub transmit: &'static str,
    /// The port of the serial line, from the computer to the FPGA, over which a program is loaded.
    pub receive: Option<Receiver>,
    /// The port of the eight lights, lit by 1: see [`LIGHTS`](crate::LIGHTS).
    pub lights: &'static str,
    /// Outputs that are always 1.
    pub high: &'static [&'static str],
    /// Names and texts of the files with pins and clock.
    pub constraints: &'static [(&'static str, &'static str)],
    pub tools: Tools,
}

/// The clock pin and the clock of the core.
#[derive(Debug)]
pub struct Clock {
    pub port: &'static str,
    /// The frequency of the pin, in MHz.
    pub mhz: u32,
    /// The frequency of the core, in MHz. A PLL makes it if it differs.
    pub core_mhz: u32,
}

#[derive(Debug)]
pub struct Button {
    pub port: &'static str,
    /// Whether a pressed button gives 0.
    pub active_low: bool,
    pub label: &'static str,
}

/// A port that only cores with a control port have, and the lines about it that then end the first file of constraints.
#[derive(Debug)]
pub struct Receiver {
    pub port: &'static str,
    pub constraints: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Yosys, nextpnr-ecp5 and ecppack. `target` is the name of the part for `weft synth --target`; package and speed grade are
    /// in the notation of nextpnr.
    Trellis { target: &'static str, package: &'static str, speed: &'static str },
    /// Intel Quartus, which Weft does not run.
    Quartus { family: &'static str },
    /// AMD Vivado, which Weft does not run.
    Vivado,
}

/// The boards. The first is the one that Weft builds.
pub static BOARDS: [Board; 4] = [ULX3S, DE2_115, ARTY_A7_35T, ARTY_A7_100T];

const ULX3S: Board = Board {
    name: "ulx3s",
    title: "ULX3S (85F)",
    part: "LFE5U-85F-6BG381C",
    clock: Clock { port: "clk_25mhz", mhz: 25, core_mhz: 25 },
    reset: Button { port: "btn_fire1", active_low: false, label: "FIRE 1 (B1)" },
    transmit: "ftdi_rxd",
    receive: Some(Receiver { port: "ftdi_txd", constraints: include_str!("../../../constraints/ulx3s-receive.lpf") }),
    lights: "led",
    // While this is 1, the ESP32 next to the FPGA runs its own flash program and leaves the board alone.
    high: &["wifi_gpio0"],
    constraints: &[("ulx3s.lpf", include_str!("../../../constraints/ulx3s.lpf"))],
    tools: Tools::Trellis { target: "ecp5-85k", package: "CABGA381", speed: "6" },
};

const DE2_115: Board = Board {
    name: "de2-115",
    title: "Terasic DE2-115",
    part: "EP4CE115F29C7",
    clock: Clock { port: "CLOCK_50", mhz: 50, core_mhz: 50 },
    reset: Button { port: "KEY0", active_low: true, label: "KEY0" },
    transmit: "UART_TXD",
    receive: None,
    lights: "LEDG",
    high: &[],
    constraints: &[
        ("de2-115.qsf", include_str!("../../../constraints/de2-115.qsf")),
        ("de2-115.sdc", include_str!("../../../constraints/de2-115.sdc")),
    ],
    tools: Tools::Quartus { family: "Cyclone IV E" },
};

const ARTY_A7_35T: Board = Board {
    name: "arty-a7-35t",
    title: "Digilent Arty A7-35T",
    part: "xc7a35ticsg324-1L",
    clock: Clock { port: "CLK100MHZ", mhz: 100, core_mhz: 50 },
    reset: Button { port: "ck_rst", active_low: true, label: "RESET" },
    transmit: "uart_rxd_out",
    receive: None,
    lights: "led",
    high: &[],
    constraints: &[("arty-a7.xdc", include_str!("../../../constraints/arty-a7.xdc"))],
    tools: Tools::Vivado,
};

const ARTY_A7_100T: Board =
    Board { name: "arty-a7-100t", title: "Digilent Arty A7-100T", part: "xc7a100tcsg324-1", ..ARTY_A7_35T };

pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().find(|board| board.name == name)
}

/// The boards that load a program over the serial line, for messages.
pub(crate) fn receivers() -> String {
    let names: Vec<&str> = BOARDS.iter().filter(|board| board.receive.is_some()).map(|board| board.name).collect();
    names.join(", ")
}

impl Board {
    /// Returns the name of the top module, which is also the stem of its files, with the prefix of the core's modules.
    pub fn top(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.name.replace('-', "_"))
    }

    /// Returns names and texts of the files of constraints. Those of a core that is loaded over the serial line have a
    /// further port.
    pub fn constraint_files(&self, is_loaded: bool) -> Vec<(&'static str, String)> {
        let mut files: Vec<_> = self.constraints.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        if let (Some(receive), Some((_, text)), true) = (&self.receive, files.first_mut(), is_loaded) {
            *text += &format!("\n{}", receive.constraints);
        }
        files
    }

    pub fn is_built_here(&self) -> bool {
        matches!(self.tools, Tools::Trellis { .. })
    }
}
