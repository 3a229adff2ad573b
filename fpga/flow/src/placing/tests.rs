use super::*;

fn median(frequencies: &[f64], outcome: Outcome) -> Option<f64> {
    let nowhere = || crate::path::Place { stage: String::new(), name: String::new() };
    let seed = |fmax_mhz: &f64| Seed {
        seed: 1,
        fmax_mhz: *fmax_mhz,
        critical_path: CriticalPath {
            delay_ns: 0.0,
            logic_ns: 0.0,
            routing_ns: 0.0,
            levels: 0,
            from: nowhere(),
            to: nowhere(),
            modules: Vec::new(),
            steps: Vec::new(),
        },
    };
    let placing = Placing {
        outcome,
        seeds: frequencies.iter().map(seed).collect(),
        utilisation: BTreeMap::new(),
        around: Cells::default(),
        nextpnr: String::new(),
        placer: Placer::default(),
        folder: None,
    };
    placing.median_mhz()
}

#[test]
fn the_median_is_the_frequency_in_the_middle() {
    let of = |frequencies: &[f64]| median(frequencies, Outcome::Placed);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[50.0]), Some(50.0));
    assert_eq!(of(&[80.0, 50.0, 60.0]), Some(60.0));
    assert_eq!(of(&[80.0, 50.0, 60.0, 90.0]), Some(70.0));
}

#[test]
fn some_of_the_seeds_have_no_median() {
    for outcome in [Outcome::NotRouted(String::new()), Outcome::GivenUp(String::new()), Outcome::OutOfMemory] {
        assert_eq!(median(&[80.0, 50.0], outcome), None);
    }
}
