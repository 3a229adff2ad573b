use super::*;

#[test]
fn each_resource_alone_decides() {
    let part = find("ecp5-25k").unwrap();
    let full = Cells { lut: 24_288 - 2 - 4 - 6, carry: 1, chains: 1, lutram: 1, ff: 24_288, bram: 56, dsp: 28 };
    assert!(part.holds(&full));
    for beyond in [
        Cells { lut: full.lut + 1, ..full },
        Cells { carry: 2, ..full },
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

#[test]
fn parts_that_are_placed_have_a_name_in_nextpnr() {
    let devices: Vec<String> = PARTS.iter().filter(|part| part.family.places).map(Part::device).collect();
    assert_eq!(devices, ["--85k", "--45k", "--25k"]);
}
