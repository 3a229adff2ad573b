//! The FPGAs that can be synthesised for.

use crate::area::Cells;

/// An FPGA: its name as a target, and what it holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Value of `--target`.
    pub name: &'static str,
    /// Sites for a LUT of four inputs (TRELLIS_COMB), which carry cells and LUT RAM take as well.
    pub lut_sites: u64,
    /// Flip-flops (TRELLIS_FF).
    pub ff: u64,
    /// Block RAMs of 18 kbit (DP16KD).
    pub bram: u64,
    /// Multipliers of 18 × 18 bits (MULT18X18D).
    pub dsp: u64,
}

/// The parts, the default of the documentation first. The counts are those that nextpnr-ecp5 reports.
pub static PARTS: [Part; 3] = [
    Part { name: "ecp5-85k", lut_sites: 83_640, ff: 83_640, bram: 208, dsp: 156 },
    Part { name: "ecp5-45k", lut_sites: 43_848, ff: 43_848, bram: 108, dsp: 72 },
    Part { name: "ecp5-25k", lut_sites: 24_288, ff: 24_288, bram: 56, dsp: 28 },
];

/// The part of a name.
pub fn find(name: &str) -> Option<&'static Part> {
    PARTS.iter().find(|part| part.name == name)
}

impl Part {
    /// Whether these cells fit, by [`Cells::packed`] and the counts of the others. Routing may still fail.
    pub fn holds(&self, cells: &Cells) -> bool {
        cells.packed() <= self.lut_sites && cells.ff <= self.ff && cells.bram <= self.bram && cells.dsp <= self.dsp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_resource_alone_decides() {
        let part = find("ecp5-25k").unwrap();
        let full = Cells { lut4: 24_288 - 2 - 4 - 6, ccu2c: 1, chains: 1, lutram: 1, ff: 24_288, bram: 56, dsp: 28 };
        assert!(part.holds(&full));
        for beyond in [
            Cells { lut4: full.lut4 + 1, ..full },
            Cells { ccu2c: 2, ..full },
            Cells { chains: 2, ..full },
            Cells { lutram: 2, ..full },
            Cells { ff: full.ff + 1, ..full },
            Cells { bram: 57, ..full },
            Cells { dsp: 29, ..full },
        ] {
            assert!(!part.holds(&beyond), "{beyond:?}");
            assert!(find("ecp5-45k").unwrap().holds(&beyond));
        }
        assert_eq!(find("ecp5"), None);
    }
}
