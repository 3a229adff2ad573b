//! Areas: cells of an ECP5 after technology mapping.

use std::iter::Sum;
use std::ops::{Add, Mul};

use weft_config::Config;

/// How many cells of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// LUTs of four inputs.
    pub lut4: u64,
    /// Carry cells of two bits (CCU2C).
    pub ccu2c: u64,
    /// Chains that the carry cells form.
    pub chains: u64,
    /// LUT RAMs of 16 words of 4 bits (TRELLIS_DPR16X4).
    pub lutram: u64,
    /// Flip-flops (TRELLIS_FF).
    pub ff: u64,
    /// Block RAMs of 18 kbit (DP16KD).
    pub bram: u64,
    /// Multipliers of 18 × 18 bits (MULT18X18D).
    pub dsp: u64,
}

impl Cells {
    /// The TRELLIS_COMB sites that nextpnr-ecp5 will report after packing: LUT4 + 2 · CCU2C + 4 · chains +
    /// 6 · TRELLIS_DPR16X4. A carry cell takes two sites, and each chain has a cell more at either end; a LUT RAM takes
    /// four for its words, and its write port blocks two more.
    ///
    /// For a whole design it reports up to two more, the sources of the constants 0 and 1.
    pub fn packed(&self) -> u64 {
        self.lut4 + 2 * self.ccu2c + 4 * self.chains + 6 * self.lutram
    }
}

impl Add for Cells {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            lut4: self.lut4 + other.lut4,
            ccu2c: self.ccu2c + other.ccu2c,
            chains: self.chains + other.chains,
            lutram: self.lutram + other.lutram,
            ff: self.ff + other.ff,
            bram: self.bram + other.bram,
            dsp: self.dsp + other.dsp,
        }
    }
}

impl Mul<u64> for Cells {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            lut4: self.lut4 * times,
            ccu2c: self.ccu2c * times,
            chains: self.chains * times,
            lutram: self.lutram * times,
            ff: self.ff * times,
            bram: self.bram * times,
            dsp: self.dsp * times,
        }
    }
}

impl Sum for Cells {
    fn sum<I: Iterator<Item = Self>>(cells: I) -> Self {
        cells.fold(Self::default(), Add::add)
    }
}

/// One module of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleArea {
    /// Its name in the Verilog.
    pub name: String,
    /// How many of it there are in the whole.
    pub instances: u64,
    /// The cells of one instance, without those of the modules below it.
    pub cells: Cells,
}

/// What a core, or a part of one, takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// The configuration of the core, its trace port off.
    pub config: Config,
    /// The module that was synthesised, with all below it.
    pub top: String,
    /// The clock frequency that logic was mapped for, in MHz; `None`: the highest that each path can have.
    pub target_mhz: Option<u32>,
    /// The cells of the flattened whole; `None` if only the modules were synthesised. It is less than their sum, since
    /// logic is shared and simplified across them.
    pub flattened: Option<Cells>,
    /// The modules, each synthesised by itself, that which takes most LUTs first.
    pub modules: Vec<ModuleArea>,
    /// The Yosys that counted.
    pub yosys: String,
}

impl Area {
    /// The cells of all instances of all modules.
    pub fn sum(&self) -> Cells {
        self.modules.iter().map(|module| module.cells * module.instances).sum()
    }

    /// The cells of the whole: flattened, or else the sum.
    pub fn total(&self) -> Cells {
        self.flattened.unwrap_or_else(|| self.sum())
    }
}
