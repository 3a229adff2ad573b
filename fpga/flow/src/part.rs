//! The FPGAs that can be targets.

use crate::cells::Cells;
use crate::family::{CYCLONE4, ECP5, Family, GOWIN, ICE40, NEXUS, XILINX7};

#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Value of `--target`.
    pub name: &'static str,
    pub family: &'static Family,
    /// Sites for a LUT. The family defines which other cells use them too.
    pub lut_sites: u64,
    pub ff: u64,
    pub bram: u64,
    /// Size of a block RAM, in kbit.
    pub bram_kbit: u64,
    /// Multipliers of 18 × 18 bits; in the 7 series, 25 × 18.
    pub dsp: u64,
}

/// The parts. The first is the one of the documentation. The counts of the ECP5 come from nextpnr-ecp5, the others from
/// data sheets.
pub static PARTS: [Part; 8] = [
    part("ecp5-85k", &ECP5, [83_640, 83_640, 208, 18, 156]),
    part("ecp5-45k", &ECP5, [43_848, 43_848, 108, 18, 72]),
    part("ecp5-25k", &ECP5, [24_288, 24_288, 56, 18, 28]),
    part("ice40-hx8k", &ICE40, [7_680, 7_680, 32, 4, 0]),
    part("gw2a-18", &GOWIN, [20_736, 15_552, 46, 18, 48]),
    part("lifcl-40", &NEXUS, [32_256, 32_256, 84, 18, 56]),
    part("xc7a100t", &XILINX7, [63_400, 126_800, 270, 18, 240]),
    part("cyclone4-ep4ce115", &CYCLONE4, [114_480, 114_480, 432, 9, 266]),
];

const fn part(name: &'static str, family: &'static Family, holds: [u64; 5]) -> Part {
    let [lut_sites, ff, bram, bram_kbit, dsp] = holds;
    Part { name, family, lut_sites, ff, bram, bram_kbit, dsp }
}

pub fn find(name: &str) -> Option<&'static Part> {
    PARTS.iter().find(|part| part.name == name)
}

impl Part {
    /// Returns whether these cells fit, by [`Family::packed`] and the other counts. Routing may still fail.
    pub fn holds(&self, cells: &Cells) -> bool {
        let packed = self.family.packed(cells);
        packed <= self.lut_sites && cells.ff <= self.ff && cells.bram <= self.bram && cells.dsp <= self.dsp
    }

    /// Returns the option of nextpnr for a part that it places, such as `--85k`.
    pub(crate) fn device(&self) -> String {
        format!("--{}", self.name.rsplit('-').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
