use super::*;

fn cells(family: &Family, types: &[(&str, u64)]) -> Cells {
    family.cells(&types.iter().map(|(kind, number)| ((*kind).to_owned(), *number)).collect())
}

#[test]
fn cells_of_each_family_are_told_apart() {
    let nothing = Cells::default();
    type Row = (&'static Family, &'static [(&'static str, u64)], Cells);
    let table: [Row; 6] = [
        (
            &ECP5,
            &[("LUT4", 7), ("CCU2C", 5), ("CCU2C_FIRST", 2), ("PFUMX", 3), ("TRELLIS_DPR16X4", 6), ("DP16KD", 1)],
            Cells { lut: 7, carry: 7, chains: 2, lutram: 6, bram: 1, ..nothing },
        ),
        (
            &ICE40,
            &[("SB_LUT4", 9), ("SB_CARRY", 4), ("SB_DFF", 1), ("SB_DFFESR", 2), ("SB_RAM40_4KNW", 3)],
            Cells { lut: 9, carry: 4, ff: 3, bram: 3, ..nothing },
        ),
        (
            &GOWIN,
            &[
                ("LUT1", 1),
                ("LUT4", 2),
                ("MUX2_LUT5", 9),
                ("DFFRE", 5),
                ("RAM16SDP4", 2),
                ("SDPX9B", 4),
                ("MULT18X18", 3),
            ],
            Cells { lut: 3, lutram: 2, ff: 5, bram: 4, dsp: 3, ..nothing },
        ),
        (
            &NEXUS,
            &[("LUT4", 1), ("WIDEFN9", 3), ("FD1P3IX", 4), ("DPR16X4", 2), ("PDPSC16K", 1), ("VHI", 1)],
            Cells { lut: 7, lutram: 2, ff: 4, bram: 1, ..nothing },
        ),
        (
            &XILINX7,
            &[("LUT2", 1), ("LUT6", 2), ("MUXF7", 9), ("RAM32M", 2), ("RAMB18E1", 1), ("RAMB36E1", 1), ("FDRE", 8)],
            Cells { lut: 3, lutram: 8, ff: 8, bram: 3, ..nothing },
        ),
        (
            &CYCLONE4,
            &[("cycloneive_lcell_comb", 5), ("$_NOT_", 1), ("dffeas", 3), ("altsyncram", 2)],
            Cells { lut: 6, ff: 3, bram: 2, ..nothing },
        ),
    ];
    for (family, types, expected) in table {
        assert_eq!(cells(family, types), expected, "{}", family.name);
    }
}

#[test]
fn sites_are_what_the_packer_of_each_family_takes() {
    let some = Cells { lut: 100, carry: 10, chains: 3, lutram: 1, ..Cells::default() };
    let sites = [(&ECP5, 138), (&ICE40, 100), (&GOWIN, 114), (&NEXUS, 126), (&XILINX7, 101), (&CYCLONE4, 100)];
    for (family, expected) in sites {
        assert_eq!(family.packed(&some), expected, "{}", family.name);
    }
}
