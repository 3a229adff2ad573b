//! Families of FPGAs: their mapping by Yosys, and the names of their cells.

use std::collections::BTreeMap;

use crate::cells::Cells;

#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The name from the vendor.
    pub name: &'static str,
    pub lut_inputs: u32,
    /// The name of a carry cell, if Yosys counts carry cells apart from LUTs.
    pub carry: Option<&'static str>,
    pub has_lutram: bool,
    /// Whether chains of carry cells are counted, because each needs LUT sites of its own.
    pub has_chains: bool,
    pub places: bool,
    /// Whether `--target-mhz` changes the mapping.
    pub maps_for_frequency: bool,
    /// Commands before synthesis.
    pub(crate) before: &'static str,
    /// The command that maps.
    pub(crate) synthesis: &'static str,
    /// The option that flattens, if it is not the default.
    pub(crate) flatten: &'static str,
    /// Commands after synthesis, before the count of cells.
    pub(crate) after: &'static str,
    /// LUT sites of a carry cell, of a chain and of a LUT RAM.
    sites: [u64; 3],
    /// Cell kinds by name prefix: the first match counts, times the given number.
    cells: &'static [(&'static str, Resource, u64)],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    Lut,
    Carry,
    FirstCarry,
    LutRam,
    FlipFlop,
    BlockRam,
    Multiplier,
}

use Resource::{BlockRam, Carry, FirstCarry, FlipFlop, Lut, LutRam, Multiplier};

/// The name in the script for the first carry cell of a chain.
const FIRST_CARRY: &str = "CCU2C_FIRST";

/// Marks the carry cells without a carry input from another cell. The wires are split into bits for the selections.
const MARK_CHAINS: &str = "splitnets -ports
select -set carries t:CCU2C
select -set following @carries %co1:+[COUT] @carries %d %co1:+CCU2C[CIN] @carries %i
chtype -set CCU2C_FIRST @carries @following %d
";

/// Keeps LUT RAM even for memories so small that Yosys would build registers.
const LUTRAM: &str = "setattr -set ram_style \"distributed\" a:RAM_STYLE=distributed\n";

/// Lets Yosys choose the memory in a family without LUT RAM.
const NO_LUTRAM: &str = "setattr -unset ram_style m:*\n";

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

pub static ICE40: Family = Family {
    name: "iCE40",
    carry: Some("SB_CARRY"),
    has_lutram: false,
    before: NO_LUTRAM,
    synthesis: "synth_ice40 -device hx",
    // A carry cell shares the site of the LUT next to it.
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

pub static CYCLONE4: Family = Family {
    name: "Cyclone IV E",
    // Arithmetic is a mode of the LUTs.
    carry: None,
    has_lutram: false,
    before: NO_LUTRAM,
    synthesis: "synth_intel -family cycloneive",
    // The synthesis leaves inverters of whole words.
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

/// The common fields of families without place and route.
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
    /// Returns the LUT sites that cells need. For the ECP5 this is TRELLIS_COMB in the report of nextpnr: LUT4 + 2 · CCU2C +
    /// 4 · chains + 6 · TRELLIS_DPR16X4. For other families it is an estimate.
    ///
    /// A carry cell needs two sites, and each chain has one more cell at either end. A LUT RAM needs four sites for its words,
    /// and its write port blocks two more. nextpnr reports up to two more for a whole design: the constants 0 and 1.
    pub fn packed(&self, cells: &Cells) -> u64 {
        let [carry, chain, lutram] = self.sites;
        cells.lut + carry * cells.carry + chain * cells.chains + lutram * cells.lutram
    }

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

    /// Returns whether the family counts cells of this internal type of Yosys.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.cells.iter().any(|(start, ..)| kind.starts_with(start))
    }
}

#[cfg(test)]
mod tests;
