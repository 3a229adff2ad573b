use super::*;
use clap::Parser;

use crate::arguments::CompareArguments;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    arguments: CompareArguments,
}

/// Returns name and seeds of each core of the comparison with these arguments.
fn cores(arguments: &[&str]) -> Vec<(String, String)> {
    let command = Command::parse_from([&["compare", "--out", "c", "--kernels", "gcd"], arguments].concat());
    let plan = Plan::of(&Request::of(&command.arguments).expect("a request"));
    let core = |step: Step| Some((step.name.strip_prefix("core/")?.to_owned(), step.command.last()?.to_owned()));
    plan.steps.into_iter().filter_map(core).collect()
}

#[test]
fn what_is_not_placed_is_said() {
    let said = |arguments: &[&str]| {
        let usual = ["compare", "--out", "c", "--threads", "8,16,64"];
        let command = Command::parse_from([&usual, arguments].concat());
        let left_out = Request::of(&command.arguments).expect("a request").left_out();
        left_out.into_iter().filter(|sentence| sentence.contains("placed") || sentence.starts_with("Seeds")).collect()
    };
    let (rv32ima, rv32i) = (
        "Frequency: RV32IMA cores that were not placed, of threads a warp: ",
        "Frequency: RV32I cores that were not placed, of threads a warp: ",
    );
    let one_seed = |of: &str| {
        format!("Seeds: 1 a core of {of} threads a warp, not 3; one differs from another by several per cent.")
    };
    let expected = |ima: &str, i: &str| [format!("{rv32ima}{ima}."), format!("{rv32i}{i}.")].to_vec();
    let whole: Vec<String> = said(&[]);
    let others = "Frequency: RV32I cores of arbiter:2, path-stack, pdom-stack, dual-path, minority-first, multi-path that were \
                  not placed, of threads a warp: 8, 16.";
    let usual = [format!("{rv32ima}64."), others.to_owned(), format!("{rv32i}64."), one_seed("16")];
    assert_eq!(whole, usual);
    assert_eq!(said(&["--seeds", "1"]), [format!("{rv32i}64."), one_seed("8, 16, 64")]);
    assert_eq!(said(&["--seeds", "0"]), expected("8, 16, 64", "8, 16, 64"));
    assert_eq!(said(&["--quick"]), [expected("16, 64", "8"), vec![one_seed("8")]].concat());
    assert_eq!(said(&["--without-rv32i"]), [format!("{rv32ima}64."), one_seed("16")]);
}

#[test]
fn units_whose_rv32i_cores_are_left_out_are_named() {
    let said = |arguments: &[&str]| {
        let usual = ["compare", "--out", "c", "--units", "arbiter,pdom-stack", "--threads", "2"];
        let command = Command::parse_from([&usual, arguments].concat());
        let left_out = Request::of(&command.arguments).expect("a request").left_out();
        left_out.into_iter().filter(|sentence| sentence.starts_with("Cores of RV32I, of units")).collect::<Vec<_>>()
    };
    assert!(said(&[]).is_empty());
    assert_eq!(said(&["--quick"]), ["Cores of RV32I, of units: pdom-stack."]);
    assert_eq!(said(&["--without-rv32i"]), ["Cores of RV32I, of units: arbiter, pdom-stack."]);
}

#[test]
fn slow_memory_takes_eight_threads_and_a_kernel_may_hang_where_no_turns_are_taken() {
    let plan = |threads: &str| {
        let arguments = ["compare", "--out", "c", "--kernels", "gcd,spin_lock", "--units", "arbiter:2,pdom-stack"];
        let command = Command::parse_from([&arguments[..], &["--threads", threads]].concat());
        let request = Request::of(&command.arguments).expect("a request");
        let said = request.left_out().into_iter().filter(|sentence| sentence.contains("of all units"));
        (said.collect::<Vec<_>>(), Plan::of(&request).steps)
    };
    let (said, steps) = plan("4,8");
    let slow: Vec<&Step> = steps.iter().filter(|step| step.name.starts_with("slow/")).collect();
    let point = |step: &&Step| (step.name.clone(), step.threads, step.latency);
    let expected =
        |name: &str, latency: u32| (format!("slow/{}", name.replace('L', &latency.to_string())), 8, Some(latency));
    let names = ["arbiter.2-8-L-gcd", "arbiter.2-8-L-spin_lock", "pdom-stack-8-L-gcd", "pdom-stack-8-L-spin_lock"];
    let all: Vec<_> = names.iter().flat_map(|name| [20, 100].map(|latency| expected(name, latency))).collect();
    assert_eq!(slow.iter().map(point).collect::<Vec<_>>(), all);
    assert!(slow[1].command.contains(&"memory.latency=100".to_owned()), "{:?}", slow[1].command);
    assert_eq!(said, [""; 0]);

    let may_hang = steps.iter().filter(|step| step.may_hang).map(|step| (&*step.unit, step.kernel));
    assert_eq!(may_hang.collect::<Vec<_>>(), [("pdom-stack", Some("spin_lock")); 4]);
    assert!(steps.iter().all(|step| step.may_hang == step.command.contains(&"--max-cycles".to_owned())));

    let (said, steps) = plan("4");
    assert!(steps.iter().all(|step| !step.name.starts_with("slow/")));
    assert_eq!(said, ["Memory latencies of all units, in cycles: 20, 100."]);
}

#[test]
fn no_two_steps_have_one_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.v");
    let text = include_str!("../../../../../examples/unit/lowest_lane.v").replace("lowest_lane", "arbiter_2");
    std::fs::write(&file, text).expect("a file");
    let units = format!("arbiter,arbiter:1,arbiter:2,sorted-table,pdom-stack,dual-path,{}:arbiter_2", file.display());
    let command = Command::parse_from(["compare", "--out", "c", "--units", &units]);
    let plan = Plan::of(&Request::of(&command.arguments).expect("a request"));
    let names: std::collections::BTreeSet<&str> = plan.steps.iter().map(|step| &step.name[..]).collect();
    assert_eq!(names.len(), plan.steps.len());
    assert!(names.contains("core/rv32i-arbiter.2-8") && names.contains("core/rv32i-arbiter_2-8"));
}

#[test]
fn large_cores_are_placed_once_and_without_m_and_a_as_well() {
    let [few, one] = ["3", "1"].map(str::to_owned);
    let both = ["--units", "sorted-table,dual-path", "--threads", "8,16"];
    let expected = [
        ("rv32ima-sorted-table-8", &few),
        ("rv32ima-sorted-table-16", &one),
        ("rv32i-sorted-table-8", &few),
        ("rv32i-sorted-table-16", &one),
        ("rv32ima-dual-path-8", &few),
        ("rv32ima-dual-path-16", &one),
        ("rv32i-dual-path-8", &few),
        ("rv32i-dual-path-16", &one),
    ];
    // RV32I cores of units that Simty does not have are only counted where the default core is placed.
    let counted = |name: &str| name.starts_with("rv32i-dual").then(|| name.replace("rv32i-dual-path-", "threads="));
    assert_eq!(cores(&both), expected.map(|(name, seeds)| (name.to_owned(), counted(name).unwrap_or(seeds.clone()))));
    let often = cores(&[&both[..], &["--seeds", "3"]].concat());
    assert_eq!(often, expected.map(|(name, _)| (name.to_owned(), few.clone())));
    let largest = |arguments: &[&str]| cores(&[&["--units", "arbiter", "--threads", "32,64"], arguments].concat());
    let counted = [
        ("rv32ima-arbiter-32", "threads=32"),
        ("rv32ima-arbiter-64", "--per-module"),
        ("rv32i-arbiter-32", "1"),
        ("rv32i-arbiter-64", "--per-module"),
    ];
    assert_eq!(largest(&[]), counted.map(|(name, last)| (name.to_owned(), last.to_owned())));
    let tried = [
        ("rv32ima-arbiter-32", "1"),
        ("rv32ima-arbiter-64", "1"),
        ("rv32i-arbiter-32", "1"),
        ("rv32i-arbiter-64", "--per-module"),
    ];
    assert_eq!(largest(&["--seeds", "1"]), tried.map(|(name, last)| (name.to_owned(), last.to_owned())));
    let without = cores(&[&both[..], &["--without-rv32i"]].concat());
    assert_eq!(without.iter().filter(|(name, _)| name.starts_with("rv32i-")).count(), 0, "{without:?}");
    assert_eq!(without.len(), 4);
    let staged = cores(&["--units", "arbiter:2", "--threads", "4"]);
    let expected = [("rv32ima-arbiter.2-4", &few[..]), ("rv32i-arbiter.2-4", "threads=4")];
    assert_eq!(staged, expected.map(|(name, last)| (name.to_owned(), last.to_owned())));
    let of_all = cores(&["--units", "arbiter:2,dual-path", "--threads", "32"]);
    let [_, arbiter, _, dual] = &of_all[..] else { panic!("{of_all:?}") };
    assert_eq!((&*arbiter.1, &*dual.1), ("1", "1"));
}
