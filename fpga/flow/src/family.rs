//! Families of FPGAs: how Yosys maps for them, and what their cells are called.

use std::collections::BTreeMap;

use crate::cells::Cells;

/// Parts with the same cells.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// What its maker calls it.
    pub name: &'static str,
    pub lut_inputs: u32,
    /// What a carry cell is called, if Yosys counts any apart from LUTs.
    pub carry: Option<&'static str>,
    /// Whether LUTs can be memory.
    pub has_lutram: bool,
    /// Whether the chains of carry cells are counted: each then takes LUT sites of its own.
    pub has_chains: bool,
    /// Whether nextpnr places it.
    pub places: bool,
    /// Whether `--target-mhz` changes the mapping.
    pub maps_for_frequency: bool,
    /// Commands before synthesis.
    pub(crate) before: &'static str,
    /// The command that maps.
    pub(crate) synthesis: &'static str,
    /// What makes it flatten, if it does not by itself.
    pub(crate) flatten: &'static str,
    /// Commands behind it, before cells are counted.
    pub(crate) after: &'static str,
    /// LUT sites that a carry cell, a chain and a LUT RAM take.
    sites: [u64; 3],
    /// Cells by the beginning of their names, the first that matches, and how many of what they are.
    cells: &'static [(&'static str, Resource, u64)],
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    Lut,
    Carry,
    /// The first cell of a chain.
    FirstCarry,
    LutRam,
    FlipFlop,
    BlockRam,
    Multiplier,
}

use Resource::{BlockRam, Carry, FirstCarry, FlipFlop, Lut, LutRam, Multiplier};

/// What the script calls a carry cell that begins a chain.
const FIRST_CARRY: &str = "CCU2C_FIRST";

/// Marks the carry cells whose carry does not come from another one. Selections follow whole wires, which are cut into bits.
const MARK_CHAINS: &str = "splitnets -ports
select -set carries t:CCU2C
select -set following @carries %co1:+[COUT] @carries %d %co1:+CCU2C[CIN] @carries %i
chtype -set CCU2C_FIRST @carries @following %d
";

/// Memories of LUT RAM are that, also those of so few bits that Yosys would build registers.
const LUTRAM: &str = "setattr -set ram_style \"distributed\" a:RAM_STYLE=distributed\n";

/// Memories that a family without LUT RAM cannot have as such become what it has.
const NO_LUTRAM: &str = "setattr -unset ram_style m:*\n";

/// Lattice ECP5.
pub static ECP5: Family = Family {
    name: "ECP5",
    lut_inputs: 4,
    carry: Some("CCU2C"),
    has_lutram: true,
    has_chains: true,
    places: true,
    maps_for_frequency: true,
    before: LUTRAM,
    synthesis: "synth_ecp5",
    flatten: "",
    after: MARK_CHAINS,
    sites: [2, 4, 6],
    cells: &[
        ("LUT4", Lut, 1),
        (FIRST_CARRY, FirstCarry, 1),
        ("CCU2C", Carry, 1),
        ("TRELLIS_DPR16X4", LutRam, 1),
        ("TRELLIS_FF", FlipFlop, 1),
        ("DP16KD", BlockRam, 1),
        ("PDPW16KD", BlockRam, 1),
        ("MULT18X18D", Multiplier, 1),
    ],
};

/// Lattice iCE40 HX.
pub static ICE40: Family = Family {
    name: "iCE40",
    carry: Some("SB_CARRY"),
    has_lutram: false,
    before: NO_LUTRAM,
    synthesis: "synth_ice40 -device hx",
    // A carry cell stands in the site of the LUT beside it.
    sites: [0, 0, 0],
    cells: &[
        ("SB_LUT4", Lut, 1),
        ("SB_CARRY", Carry, 1),
        ("SB_DFF", FlipFlop, 1),
        ("SB_RAM40_4K", BlockRam, 1),
        ("SB_MAC16", Multiplier, 1),
    ],
    ..SYNTHESIS_ONLY
};

/// Gowin GW2A.
pub static GOWIN: Family = Family {
    name: "GW2A",
    carry: Some("ALU"),
    synthesis: "synth_gowin -family gw2a -noiopads",
    sites: [1, 0, 4],
    cells: &[
        ("LUT", Lut, 1),
        ("INV", Lut, 1),
        ("ALU", Carry, 1),
        ("RAM16S", LutRam, 1),
        ("DFF", FlipFlop, 1),
        ("SDP", BlockRam, 1),
        ("DP", BlockRam, 1),
        ("SP", BlockRam, 1),
        ("MULT36X36", Multiplier, 4),
        ("MULT", Multiplier, 1),
    ],
    ..SYNTHESIS_ONLY
};

/// Lattice Nexus.
pub static NEXUS: Family = Family {
    name: "Nexus",
    carry: Some("CCU2"),
    synthesis: "synth_nexus -noiopad",
    sites: [2, 0, 6],
    cells: &[
        ("LUT4", Lut, 1),
        ("WIDEFN9", Lut, 2),
        ("INV", Lut, 1),
        ("CCU2", Carry, 1),
        ("DPR16X4", LutRam, 1),
        ("FD1P3", FlipFlop, 1),
        ("PDP", BlockRam, 1),
        ("DP16K", BlockRam, 1),
        ("SP16K", BlockRam, 1),
        ("MULT36X36", Multiplier, 4),
        ("MULT18X36", Multiplier, 2),
        ("MULT", Multiplier, 1),
    ],
    ..SYNTHESIS_ONLY
};

/// Xilinx 7 series.
pub static XILINX7: Family = Family {
    name: "7 series",
    lut_inputs: 6,
    carry: Some("CARRY4"),
    synthesis: "synth_xilinx -family xc7 -noiopad -noclkbuf",
    flatten: " -flatten",
    // LUT RAM is counted in LUTs.
    sites: [0, 0, 1],
    cells: &[
        ("LUT", Lut, 1),
        ("INV", Lut, 1),
        ("CARRY4", Carry, 1),
        ("RAMB18", BlockRam, 1),
        ("RAMB36", BlockRam, 2),
        ("RAM32M", LutRam, 4),
        ("RAM64M", LutRam, 4),
        ("RAM128X1D", LutRam, 4),
        ("RAM32X1D", LutRam, 2),
        ("RAM64X1D", LutRam, 2),
        ("SRL", LutRam, 1),
        ("FD", FlipFlop, 1),
        ("DSP48", Multiplier, 1),
    ],
    ..SYNTHESIS_ONLY
};

/// Intel Cyclone IV E.
pub static CYCLONE4: Family = Family {
    name: "Cyclone IV E",
    // Arithmetic is a mode of its LUTs.
    carry: None,
    has_lutram: false,
    before: NO_LUTRAM,
    synthesis: "synth_intel -family cycloneive",
    // It leaves inverters of whole words.
    after: "simplemap t:$not\n",
    sites: [0, 0, 0],
    cells: &[
        ("cycloneive_lcell_comb", Lut, 1),
        ("$_NOT_", Lut, 1),
        ("dffeas", FlipFlop, 1),
        ("altsyncram", BlockRam, 1),
        ("cycloneive_mac_mult", Multiplier, 1),
    ],
    ..SYNTHESIS_ONLY
};

/// What families that are only synthesised for have in common.
const SYNTHESIS_ONLY: Family = Family {
    name: "",
    lut_inputs: 4,
    carry: None,
    has_lutram: true,
    has_chains: false,
    places: false,
    maps_for_frequency: false,
    before: LUTRAM,
    synthesis: "",
    flatten: "",
    after: "",
    sites: [0, 0, 0],
    cells: &[],
};

impl Family {
    /// The LUT sites that cells take. For the ECP5 what nextpnr will report as TRELLIS_COMB: LUT4 + 2 · CCU2C +
    /// 4 · chains + 6 · TRELLIS_DPR16X4. A carry cell takes two sites, and each chain has a cell more at either end; a LUT
    /// RAM takes four for its words, and its write port blocks two more. For a whole design nextpnr reports up to two more, the
    /// sources of the constants 0 and 1. For other families it is an estimate.
    pub fn packed(&self, cells: &Cells) -> u64 {
        let [carry, chain, lutram] = self.sites;
        cells.lut + carry * cells.carry + chain * cells.chains + lutram * cells.lutram
    }

    /// The cells of these types.
    pub(crate) fn cells(&self, types: &BTreeMap<String, u64>) -> Cells {
        let mut cells = Cells::default();
        for (kind, number) in types {
            let Some((_, resource, weight)) = self.cells.iter().find(|(start, ..)| kind.starts_with(start)) else {
                continue;
            };
            let number = number * weight;
            match resource {
                Lut => cells.lut += number,
                Carry => cells.carry += number,
                FirstCarry => {
                    cells.carry += number;
                    cells.chains += number;
                }
                LutRam => cells.lutram += number,
                FlipFlop => cells.ff += number,
                BlockRam => cells.bram += number,
                Multiplier => cells.dsp += number,
            }
        }
        cells
    }

    /// Whether cells of a type that Yosys has for itself are known here.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.cells.iter().any(|(start, ..)| kind.starts_with(start))
    }
}

#[cfg(test)]
mod tests;
