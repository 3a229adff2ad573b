//! Campaigns: with every unit, resumed, with the files of a failure, and with bad folders.

use std::fs;
use std::path::Path;

use fuzz::build::Assembler;
use fuzz::campaign::{self, CampaignError, Manner, Request, Summary};
use fuzz::reference::Reference;

fn request(count: u64) -> Request {
    Request {
        seed: 20_261_122,
        count,
        profile: None,
        units: weft_config::Unit::names_in_hardware().into_iter().map(str::to_owned).collect(),
        sizes: vec![(2, 4)],
        points: 4,
        made_by: "a test".into(),
    }
}

fn run(
    request: &Request,
    folder: &Path,
    resume: bool,
    reference: Option<&Reference>,
) -> Result<Summary, CampaignError> {
    let manner = Manner { folder: folder.into(), resume, jobs: 2, counters: None };
    campaign::run(request, &manner, reference, &mut |_, _| {})
}

#[test]
fn a_hundred_programs_of_each_unit_agree() {
    let folder = tempfile::tempdir().unwrap();
    let assembler = Assembler::find().unwrap();
    let reference = Reference::find(&assembler).unwrap();
    let path = folder.path().join("campaign");
    // Two parts, of which the second resumes: a line of the file is truncated, as in an interrupted write.
    let request = request(400);
    let summary = run(&request, &path, false, Some(&reference)).unwrap();
    assert_eq!((summary.programs, summary.agree), (400, 400), "{summary:?}");
    assert!(summary.units.iter().all(|(_, programs, failed)| (*programs, *failed) == (100, 0)), "{summary:?}");
    assert_eq!(summary.referenced + summary.excluded, 400);
    assert!(summary.referenced > 200, "{summary:?}");

    let lines = fs::read_to_string(path.join("programs.jsonl")).unwrap();
    let kept = lines.len() - lines.len() / 20;
    fs::write(path.join("programs.jsonl"), &lines[..kept]).unwrap();
    let again = run(&request, &path, true, Some(&reference)).unwrap();
    assert!((1..60).contains(&again.run_now), "{again:?}");
    assert_eq!(
        (again.programs, again.agree, again.referenced, again.cycles),
        (400, 400, summary.referenced, summary.cycles)
    );
}

#[test]
fn programs_with_locks_agree_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let reference = Reference::find(&Assembler::find().unwrap()).unwrap();
    let units = vec!["sorted-table".into(), "arbiter".into()];
    let request = Request { profile: Some("locks".into()), units, points: 2, ..request(100) };
    let summary = run(&request, &folder.path().join("campaign"), false, Some(&reference)).unwrap();
    assert_eq!((summary.programs, summary.agree), (100, 100), "{summary:?}");
    assert!(summary.referenced > 60, "{summary:?}");
}

#[test]
fn folders_that_hold_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campaign");
    let message = |request: &Request, resume| run(request, &path, resume, None).unwrap_err().to_string();
    assert!(message(&request(1), true).ends_with("holds no campaign to resume; start one without --resume"));
    fs::create_dir(&path).unwrap();
    fs::write(path.join("notes"), "mine").unwrap();
    assert!(message(&request(1), false).contains("holds files that do not belong to a campaign"));
    assert_eq!(fs::read_to_string(path.join("notes")).unwrap(), "mine");
    fs::remove_file(path.join("notes")).unwrap();
    run(&request(1), &path, false, None).unwrap();
    assert!(message(&request(1), false).contains("holds a campaign; continue it with --resume"));
    assert!(message(&request(2), true).contains("holds another campaign (count 1, not 2)"));
    let programs = path.join("programs.jsonl");
    let line = fs::read_to_string(&programs).unwrap();
    fs::write(&programs, "nonsense\n").unwrap();
    assert!(message(&request(1), true).contains("programs.jsonl: line 1 is damaged"));
    fs::write(&programs, [0xff, b'\n']).unwrap();
    assert!(message(&request(1), true).contains("programs.jsonl: line 1 is damaged"));
    fs::write(&programs, line.repeat(2)).unwrap();
    assert!(message(&request(1), true).contains("line 2 is damaged: program 0 has a line already"));
    fs::write(&programs, line.replace("\"program\":0", "\"program\":7")).unwrap();
    assert!(message(&request(1), true).contains("line 1 is damaged: there is no program 7"));
    fs::write(&programs, &line).unwrap();
    let other = fs::OpenOptions::new().append(true).open(&programs).unwrap();
    other.lock().unwrap();
    assert!(message(&request(1), true).contains("a campaign is running there"));
    drop(other);
    assert_eq!(run(&request(1), &path, true, None).unwrap().run_now, 0);
}

/// A resumed campaign names earlier failures again.
#[test]
fn failures_of_an_earlier_call_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campaign");
    run(&request(1), &path, false, None).unwrap();
    let programs = path.join("programs.jsonl");
    let line = fs::read_to_string(&programs).unwrap();
    assert!(line.contains("\"agrees\""));
    fs::write(&programs, line.replace("\"agrees\"", "\"fails\"")).unwrap();
    fs::create_dir(path.join("failure-0")).unwrap();
    let summary = run(&request(1), &path, true, None).unwrap();
    assert_eq!((summary.failures, summary.folders), (1, vec![path.join("failure-0")]));
}
