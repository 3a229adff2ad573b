use std::collections::BTreeSet;

use weft_config::Unit;

use super::*;

#[test]
fn the_claims_have_what_they_need() {
    let papers = all().expect("claims without a mistake");
    let counts: Vec<usize> = papers.iter().map(|paper| paper.claims.len()).collect();
    assert!(counts.iter().all(|count| *count >= 7), "{counts:?}");
}

#[test]
fn every_figure_and_table_with_a_number_has_a_claim() {
    let papers = all().expect("claims");
    let ids: Vec<&str> = papers.iter().flat_map(|paper| &paper.claims).map(|claim| claim.id.as_str()).collect();
    let figures = |paper: &str, numbers: &[u32]| {
        numbers.iter().map(|number| format!("{paper}.figure-{number}.")).collect::<Vec<_>>()
    };
    let needed = [
        figures("simty", &[1, 4]),
        figures("dual-path", &[2, 3, 4, 8, 10, 11, 12, 13]),
        figures("warp-formation", &[1, 5, 6, 8, 9, 12, 13, 14, 15, 16, 17]),
        figures("minority-first", &[4]),
    ];
    let others = [
        "simty.section-3-3.cct",
        "dual-path.figure-14a.",
        "dual-path.figure-14b.",
        "dual-path.figure-14c.",
        "dual-path.table-1.",
        "dual-path.table-2.",
        "dual-path.overhead.row-bits",
        "dual-path.overhead.scoreboard",
        "dual-path.overhead.depth",
        "warp-formation.table-1.",
        "warp-formation.table-2.",
        "minority-first.bound.",
    ];
    for needed in needed.concat().iter().map(String::as_str).chain(others) {
        assert!(ids.iter().any(|id| id.starts_with(needed)), "no claim of {needed}");
    }
}

#[test]
fn every_setup_has_a_unit_that_exists() {
    let papers = all().expect("claims");
    let units = papers.iter().flat_map(|paper| paper.setups.values()).map(|setup| setup.unit.as_str());
    let missing: BTreeSet<&str> = units.filter(|unit| Unit::find(unit).is_err()).collect();
    assert_eq!(missing, BTreeSet::new());
}

/// Returns the mistake of the claims with one text replaced.
fn broken(paper: usize, text: &str, by: &str) -> String {
    let (name, file) = FILES[paper];
    assert!(file.contains(text), "{name} has no {text}");
    match parse(name, &file.replacen(text, by, 1)) {
        Err(error) => error.to_string(),
        Ok(paper) => check::check(&paper, std::slice::from_ref(&paper)).expect_err("a mistake"),
    }
}

#[test]
fn mistakes_in_the_data_are_found() {
    let expected = [
        (r#"kernels = ["interleavable"]"#, r#"kernels = ["interleaveable"]"#, "no kernel `interleaveable`"),
        (r#"setup = "dual""#, r#"setup = "duall""#, "no setup duall"),
        (r#"machines = ["fermi"]"#, r#"machines = ["fermy"]"#, "no machine fermy"),
        ("dws.threshold=10\"", "dws.treshold=10\"", "unknown key `dws.treshold`"),
        ("dws.threshold=100\"", "dws.threshold=50\"", "has the keys of another one"),
        (
            "id = \"dual-path.figure-10.dws100-mean\"",
            "id = \"dual-path.figure-10.dual-mean\"",
            "another claim has this id",
        ),
        ("id = \"dual-path.table-1", "id = \"dual.table-1", "does not begin with the name of its paper"),
        ("tolerance = 0.10", "tolerance = -0.10", "a tolerance is not negative"),
        ("test = \"more\"", "test = \"mroe\"", "unknown variant `mroe`"),
        (
            "claims = [\"dual-path.figure-13.least\"]",
            "claims = [\"dual-path.none\"]",
            "dual-path.none, which does not exist",
        ),
    ];
    for (text, by, message) in expected {
        let mistake = broken(1, text, by);
        assert!(mistake.contains(message), "{by}: {mistake}");
    }
}

#[test]
fn cases_become_claims_of_their_own() {
    let papers = all().expect("claims");
    let case =
        papers.iter().flat_map(|paper| &paper.claims).find(|claim| claim.id == "warp-formation.figure-14.pdom.lu");
    let case = case.expect("a claim");
    assert_eq!(case.value, Some(0.0008));
    let Measure::Runs(runs) = &case.measure else { panic!("{:?}", case.measure) };
    assert_eq!(runs.kernels, ["lu_decomposition"]);
}
