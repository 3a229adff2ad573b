//! `weft compare`: requests, the folder, and small runs by Snakemake, with the golden model and a stand-in for Yosys.

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::stand_in::StandIn;
use common::{Ended, Workspace, entries};
use serde_json::{Value, json};

/// One core with one kernel that it runs and one in which it hangs.
const SMALL: [&str; 14] = [
    "compare",
    "--units",
    "pdom-stack",
    "--threads",
    "2",
    "--kernels",
    "gcd,spin_lock",
    "--engine",
    "model",
    "--seeds",
    "0",
    "--quick",
    "--out",
    "comparison",
];
const CELLS: &str = r#""LUT4": 10, "TRELLIS_FF": 4, "DP16KD": 1"#;

/// Finds the Snakemake of `WEFT_SNAKEMAKE`, of `PATH`, or of the repository's virtual environment, as Weft does.
pub fn snakemake() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = std::env::var_os("WEFT_SNAKEMAKE").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("snakemake"));
    let candidates = named.into_iter().chain(on_path).chain([repository.join(".venv/bin/snakemake")]);
    let found = candidates.into_iter().find(|program| program.is_file());
    found.expect("Snakemake: scripts/setup.sh --comparison installs it").canonicalize().expect("a path")
}

fn command(tools: &StandIn, snakemake: &Path, arguments: &[&str]) -> Command {
    let mut command = tools.workspace.command(arguments);
    command.env("WEFT_SNAKEMAKE", snakemake).env("WEFT_YOSYS", tools.workspace.join("yosys"));
    command.env("WEFT_NEXTPNR", tools.workspace.join("nextpnr"));
    command.env("WEFT_CACHE", tools.workspace.join("cache"));
    command
}

fn compare(tools: &StandIn, arguments: &[&str]) -> Ended {
    Ended::of(command(tools, &snakemake(), arguments).output().expect("weft starts"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn requests_that_cannot_be_met() {
    let workspace = Workspace::new();
    let none = [("PATH", ""), ("VIRTUAL_ENV", ""), ("WEFT_SNAKEMAKE", "")];
    let compare = |more: &[&str]| workspace.refused_with(&[&["compare", "--out", "comparison"], more].concat(), &none);
    let messages = [
        workspace.refused(&["compare"]),
        compare(&["--units", "arbiter,sorted-tabel"]),
        compare(&["--units", "warp-split"]),
        compare(&["--threads", "2,5"]),
        compare(&["--threads", "1"]),
        compare(&["--threads", "many"]),
        compare(&["--kernels", "gcd,quiksort"]),
        compare(&["--seeds", "101"]),
        compare(&["--jobs", "0"]),
        compare(&["--jobs", "3", "--profile", "slurm"]),
        compare(&["--engine", "cosim"]),
        compare(&[]),
    ];
    insta::assert_snapshot!(messages.join("\n----\n"));
}

#[test]
fn a_small_sweep_gives_a_report_and_is_done_once() {
    let tools = StandIn::that_reports(CELLS);
    let ended = compare(&tools, &SMALL).succeeded();
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("comparison/report.html: 3 of 3 results\n", ""));

    let folder = tools.workspace.join("comparison");
    let page = read(&folder.join("report.html"));
    for part in ["<svg role=\"img\"", "<title>pdom-stack, 2: ", "<td class=\"left\">gcd</td>", "1 of 1 hang"] {
        assert!(page.contains(part), "the report has no {part}");
    }
    for outside in ["http:", "https:", "<script", "<link", "url(//", "@import"] {
        assert!(!page.contains(outside), "the report has {outside}");
    }
    let results: Value = serde_json::from_str(&read(&folder.join("results.json"))).expect("JSON");
    let [run, hung] = &results["runs"].as_array().expect("runs")[..] else { panic!("{results:#}") };
    let own = command(&tools, &snakemake(), &["--json", "run", "comparison/kernels/gcd.elf", "--engine", "model"])
        .args(["--set", "divergence.unit=pdom-stack", "--set", "warps=8", "--set", "threads=2"])
        .output()
        .expect("weft starts");
    assert_eq!(run["cycles"], Ended::of(own).succeeded().object()["cycles"]);
    let cores = results["cores"].as_array().expect("cores");
    let isas: Vec<&Value> = cores.iter().map(|core| &core["isa"]).collect();
    assert_eq!((isas, &cores[0]["lut4"]), (vec![&json!("rv32ima")], &json!(10)));
    // The stack takes no turns: its deadlock is a result, and the comparison succeeds.
    assert_eq!((&hung["kernel"], &hung["outcome"]), (&json!("spin_lock"), &json!("deadlock")));
    assert_eq!((&results["not_passed"], &results["hangs"]), (&json!([]), &json!([hung])));
    let use_of = &results["uses"][0];
    let facts = (&use_of["hangs"], &use_of["structured"], &use_of["locking"]);
    assert_eq!(facts, (&json!(["spin_lock"]), &json!(1.0), &Value::Null));

    let table = read(&folder.join("results.csv"));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(lines[0].starts_with("series,isa,unit,threads,kernel,latency,status,outcome,cycles,"), "{}", lines[0]);
    assert!(lines[1].starts_with(&format!("run,,pdom-stack,2,gcd,1,0,exited,{},", run["cycles"])), "{}", lines[1]);

    let before = tools.calls();
    let again = compare(&tools, &[&SMALL[..], &["--json"]].concat()).succeeded().object();
    assert_eq!(tools.calls(), before, "nothing is done twice");
    assert_eq!((&again["steps"], &again["done"], &again["failed"]), (&json!(3), &json!(3), &json!([])));
    assert_eq!(again["report"], "comparison/report.html");
}

#[test]
fn a_unit_in_verilog_is_compared_and_its_file_kept() {
    let yosys = tools::find(tools::Tool::Yosys).expect("a Yosys");
    let yosys = yosys.canonicalize().expect("a path");
    // The real Yosys reads the ports.
    let tools = StandIn::that_does(&format!(
        "if head -n 1 script.ys | grep -q -e -lib; then exec '{}' \"$@\"; fi\n\
         top=$(sed -n 's/^synth_ecp5 -top //p' script.ys)\n\
         echo '{{\"modules\":{{\"'$top'\":{{\"num_cells_by_type\":{{{CELLS}}}}}}}}}' >result.json",
        yosys.display()
    ));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/unit/lowest_lane.v");
    let text = read(&example);
    let own = tools.workspace.write("own.v", &text);
    let small = ["--kernels", "gcd,spin_lock", "--quick", "--threads", "2", "--seeds", "0", "--out", "comparison"];
    let with = |units: &str| compare(&tools, &[&["compare", "--units", units], &small[..]].concat());
    with("own.v:lowest_lane").succeeded();

    let folder = tools.workspace.join("comparison");
    assert_eq!(read(&folder.join("units/lowest_lane.v")), text);
    let results: Value = serde_json::from_str(&read(&folder.join("results.json"))).expect("JSON");
    let [run, lock] = &results["runs"].as_array().expect("runs")[..] else { panic!("{results:#}") };
    assert_eq!((&run["unit"], &run["kernel"], &run["status"]), (&json!("lowest_lane"), &json!("gcd"), &json!(0)));
    // It takes no turns, so the lock may hang. It does not: the lowest lane comes to the lock first, and leaves it.
    assert_eq!((&lock["kernel"], &lock["status"], &lock["hangs"]), (&json!("spin_lock"), &json!(0), &json!(false)));
    assert_eq!(results["units"]["lowest_lane"], json!({ "takes_turns": false, "reconverges": false }));
    assert!(read(&folder.join("report.html")).contains("<code>lowest_lane</code> is a module in Verilog"));

    let before = entries(&folder);
    fs::write(&own, text.clone() + "// changed\n").expect("a file");
    let ended = with("own.v:lowest_lane");
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("it compares sources "), "{}", ended.stderr);
    let refused: Vec<String> = ["own.v", "none.v", "own.v:lowest", "own.v:lowest_lane,own.v:lowest_lane", "own.v:a b"]
        .map(|units| {
            let ended = with(units);
            assert_eq!(ended.status, 2, "{}", ended.stderr);
            ended.stderr
        })
        .to_vec();
    insta::assert_snapshot!(refused.concat());
    assert_eq!(entries(&folder), before);
}

#[test]
fn a_step_that_fails_is_told_and_tried_again() {
    let tools = StandIn::that_does(&format!(
        "test -e \"$test/mended\" || {{ echo 'ERROR: no such luck' >&2; exit 1; }}\n\
         top=$(sed -n 's/^synth_ecp5 -top //p' script.ys)\n\
         echo '{{\"modules\":{{\"'$top'\":{{\"num_cells_by_type\":{{{CELLS}}}}}}}}}' >result.json"
    ));
    let ended = compare(&tools, &SMALL);
    assert_eq!(ended.status, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.starts_with("comparison/report.html: 2 of 3 results\n1 step failed; "), "{}", ended.stdout);
    let folder = tools.workspace.join("comparison");
    assert!(read(&folder.join("report.html")).contains("no such luck"));
    assert!(read(&folder.join("results.csv")).contains("no such luck"));

    tools.workspace.write("mended", "");
    compare(&tools, &SMALL).succeeded();
    assert!(!read(&folder.join("report.html")).contains("no such luck"));
    assert!(entries(&folder.join("failed/core")).is_empty());
}

#[test]
fn results_that_were_damaged_are_done_again() {
    let tools = StandIn::that_reports(CELLS);
    compare(&tools, &SMALL).succeeded();
    let folder = tools.workspace.join("comparison");
    let run = folder.join("results/run/pdom-stack-2-gcd.json");
    let (whole, table) = (read(&run), read(&folder.join("results.csv")));
    let cycles = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["answer"]["cycles"].as_u64();
    assert!(cycles(&whole).is_some());
    let core = folder.join("results/core/rv32ima-pdom-stack-2.json");
    let core_before = read(&core);
    fs::write(&run, &whole[..whole.len() / 2]).expect("a file");
    fs::remove_file(folder.join("kernels/gcd.elf")).expect("the kernel");
    let ended = compare(&tools, &SMALL).succeeded();
    let named = ["run/pdom-stack-2-gcd", "kernels"]
        .map(|name| format!("comparison/results/{name}.json: damaged; its step is done again\n"));
    assert_eq!(ended.stderr, named.concat());
    assert_eq!(cycles(&read(&run)), cycles(&whole));
    assert_eq!(read(&core), core_before, "what was whole stays");
    assert_eq!(read(&folder.join("results.csv")), table);

    // A result of another command under this name does not count.
    fs::write(&core, core_before.replace("threads=2", "threads=4")).expect("a file");
    let ended = compare(&tools, &SMALL).succeeded();
    assert!(
        ended.stderr.starts_with("comparison/results/core/rv32ima-pdom-stack-2.json: damaged;"),
        "{}",
        ended.stderr
    );
    let step = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["step"].clone();
    assert_eq!(step(&read(&core)), step(&core_before));

    // A result of the same command may be invalid: the report names it, and the next run repeats the step.
    let mut odd: Value = serde_json::from_str(&core_before).expect("JSON");
    odd["answer"]["lut4"] = json!(0);
    fs::write(&core, odd.to_string()).expect("a file");
    let ended = compare(&tools, &SMALL);
    let expected = "comparison/report.html: 2 of 3 results\n1 step failed; the same command tries again:\n  core/rv32ima-pdom-stack-2: its result is not one that weft gives (ValueError: lut4 is 0)\n";
    assert_eq!((ended.status, ended.stdout.as_str()), (1, expected));
    compare(&tools, &SMALL).succeeded();
    assert_eq!(step(&read(&core)), step(&core_before));
}

#[test]
fn a_core_that_was_given_up_is_tried_again_for_longer() {
    let tools = StandIn::that_does(
        r#"
count() { echo '{"modules":{"'$1'":{"num_cells_by_type":{"LUT4":10,"TRELLIS_FF":'$2'}}}}'; }
count $(sed -n 's/^synth_ecp5 -top //p' script.ys | head -1) 4 >result.json
count pins 5 >pins.json
count pins 9 >both.json
echo '{"modules":{"pins":{"cells":{},"netnames":{}}}}' >netlist.json
"#,
    );
    let tools = tools.and_nextpnr("echo 'ERROR: Failed to route arc 0.0' >&2; exit 1");
    let placed = SMALL.map(|word| if word == "0" { "1" } else { word });
    let with = |minutes: &str| {
        let ended = compare(&tools, &[&placed[..], &["--minutes", minutes]].concat()).succeeded();
        assert_eq!(ended.stdout, "comparison/report.html: 3 of 3 results\n");
        ended.stderr
    };
    with("1");
    let file = "comparison/results/core/rv32ima-pdom-stack-2.json";
    let core = tools.workspace.join(file);
    let before = read(&core);
    let mut object: Value = serde_json::from_str(&before).expect("JSON");
    assert_eq!(object["answer"]["outcome"], "not-routed");
    assert_eq!((with("2"), read(&core)), (String::new(), before), "more time does not route it");

    object["answer"]["outcome"] = json!("given-up");
    fs::write(&core, object.to_string()).expect("a file");
    assert_eq!((with("1"), read(&core)), (String::new(), object.to_string()), "it is a result, of as much time");
    assert_eq!(with("3"), format!("{file}: timed out with a shorter limit; its step is done again\n"));
    assert!(read(&core).contains("not-routed"), "{}", read(&core));
}

#[test]
fn a_report_stays_until_there_is_another() {
    let tools = StandIn::that_reports(CELLS);
    compare(&tools, &SMALL).succeeded();
    let folder = tools.workspace.join("comparison");
    let before = read(&folder.join("report.html"));
    // A folder has the name of the table.
    fs::remove_file(folder.join("results.csv")).expect("the table");
    fs::create_dir_all(folder.join("results.csv/full")).expect("a folder");
    let ended = compare(&tools, &SMALL);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("logs/snakemake-report.log"), "{}", ended.stderr);
    assert_eq!(read(&folder.join("report.html")), before);
    let left: Vec<String> = entries(&folder).into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_interrupted_sweep_goes_on_where_it_was() {
    // A tool that ignores signals must be killed.
    let tools = StandIn::that_does(&format!(
        "trap '' INT TERM\n\
         echo $$ >>\"$test/pids\"\n\
         while ! test -e \"$test/go\"; do sleep 0.1; done\n\
         top=$(sed -n 's/^synth_ecp5 -top //p' script.ys)\n\
         echo '{{\"modules\":{{\"'$top'\":{{\"num_cells_by_type\":{{{CELLS}}}}}}}}}' >result.json"
    ));
    let folder = tools.workspace.join("comparison");
    let run = folder.join("results/run/pdom-stack-2-gcd.json");
    // One core waits in its Yosys, the other for their common module; the third job runs the kernel.
    let mut child = command(&tools, &snakemake(), &[&SMALL[..], &["--jobs", "3"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("weft starts");
    let pids = tools.workspace.join("pids");
    let begin = Instant::now();
    while !(pids.exists() && run.exists()) {
        assert!(begin.elapsed() < Duration::from_secs(120), "no Yosys was started, or no kernel run");
        thread::sleep(Duration::from_millis(50));
    }
    // A second comparison must not use the folder.
    let second = compare(&tools, &SMALL);
    assert_eq!(second.status, 2, "{}", second.stdout);
    assert!(second.stderr.contains("comparison: another comparison uses this folder"), "{}", second.stderr);

    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(interrupted.success());
    assert!(!child.wait().expect("weft ends").success());
    for pid in read(&pids).lines() {
        assert!(!Path::new("/proc").join(pid).exists(), "Yosys {pid} goes on");
    }
    assert!(!folder.join("report.html").exists());
    let written = || fs::metadata(&run).expect("a result").modified().expect("a time");
    let before = written();

    tools.workspace.write("go", "");
    compare(&tools, &SMALL).succeeded();
    assert_eq!(before, written(), "what was done stays");
}

/// A Snakemake that does nothing but leave an empty result.
fn idle_snakemake(tools: &StandIn) -> PathBuf {
    let text = "#!/bin/sh\necho '{\"failed\":[],\"not_passed\":[]}' >results.json\n";
    let path = tools.workspace.write("snakemake", text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable file");
    path
}

#[test]
fn a_folder_of_something_else_is_refused_and_kept() {
    let tools = StandIn::that_reports(CELLS).and_nextpnr("");
    let snakemake = idle_snakemake(&tools);
    let folder = tools.workspace.join("comparison");
    let run = |more: &[&str]| {
        let arguments = [&SMALL[..], more].concat();
        Ended::of(command(&tools, &snakemake, &arguments).output().expect("weft starts"))
    };
    let refused = |more: &[&str]| {
        let before: Vec<String> = entries(&folder);
        let ended = run(more);
        assert_eq!((ended.status, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
        assert_eq!(entries(&folder), before);
        ended.stderr
    };

    // The run leaves no results, so it fails.
    let goes_on = || {
        let ended = run(&[]);
        assert_eq!((ended.status, ended.stderr.as_str()), (1, ""));
        assert!(ended.stdout.contains("3 steps ended without a result (comparison/logs/"), "{}", ended.stdout);
    };

    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("notes.txt"), "mine").expect("a file");
    let foreign = refused(&[]);
    fs::remove_file(folder.join("notes.txt")).expect("the file");
    goes_on();

    let marker = folder.join("compare.json");
    let own = read(&marker);
    let with = |key: &str, name: &str, value: &str| {
        let mut identity: Value = serde_json::from_str(&own).expect("JSON");
        identity[key][name] = json!(value);
        fs::write(&marker, identity.to_string()).expect("the marker");
        refused(&[])
    };
    let mut later: Value = serde_json::from_str(&own).expect("JSON");
    later["schema"] = json!(3);
    fs::write(&marker, later.to_string()).expect("the marker");
    let schema = refused(&[]);
    let version = with("weft", "version", "0.0.9");
    let tool = with("tools", "yosys", "Yosys 0.23");
    fs::write(&marker, "not JSON").expect("the marker");
    let broken = refused(&[]);
    fs::write(&marker, r#"{"version": "0.0.9"}"#).expect("the marker");
    let nameless = refused(&[]);
    fs::write(&marker, &own).expect("the marker");
    let request = refused(&["--threads", "4"]);
    // Seeds need a nextpnr, but the folder is refused for its request first.
    let placed = SMALL.map(|word| if word == "0" { "1" } else { word });
    let seeds = Ended::of(command(&tools, &snakemake, &placed).output().expect("weft starts")).stderr;
    goes_on();

    let identity: Value = serde_json::from_str(&own).expect("JSON");
    let messages = [foreign, schema, version, tool, broken, nameless, request, seeds].join("----\n");
    let [git, build] = ["git", "build"].map(|key| identity["weft"][key].as_str().expect("text").to_owned());
    insta::assert_snapshot!(messages.replace(&git, "<git>").replace(&build, "<build>"));
}

#[test]
fn a_workflow_that_cannot_start_is_an_error_with_its_log() {
    let tools = StandIn::that_reports(CELLS);
    let snakemake = tools.workspace.write("snakemake", "#!/bin/sh\necho 'no matplotlib here' >&2\nexit 1\n");
    fs::set_permissions(&snakemake, fs::Permissions::from_mode(0o755)).expect("an executable file");
    let ended = Ended::of(command(&tools, &snakemake, &SMALL).output().expect("weft starts"));
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    let expected = "logs/snakemake-sweep.log; its last lines:\nno matplotlib here\n";
    assert!(ended.stderr.ends_with(expected), "{}", ended.stderr);
}

/// Fills a folder with possible results of two units and two numbers of threads.
fn canned(workspace: &Workspace) -> PathBuf {
    let folder = workspace.join("comparison");
    let mut steps = vec![json!({ "name": "kernels", "command": ["weft", "kernels"], "memory_mb": 1 })];
    let mut step = |series: &str, unit: &str, threads: u64, more: Value, answer: Value| {
        let last = more.as_object().and_then(|more| more.values().next()).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{series}/{last}-{unit}-{threads}");
        let mut step = json!({ "name": name, "command": ["weft", series], "unit": unit, "threads": threads });
        step.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let kept = |kind: &str, value: Value| {
            let path = folder.join(kind).join(format!("{name}.json"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, value.to_string()).expect("a file");
        };
        match answer {
            Value::Null => {}
            Value::String(message) => kept("failed", json!({ "error": { "kind": "synthesis", "message": message } })),
            answer => {
                let status = i32::from(answer["status"] == 1);
                kept("results", json!({ "status": status, "seconds": 1.0, "answer": answer }));
            }
        }
        steps.push(step);
    };
    let run = |cycles: u64, instructions: u64| json!({ "outcome": "exited", "cycles": cycles, "lane_utilisation": 0.5, "thread_instructions": instructions });
    let core = |lut4: u64, mhz: &[f64], outcome: &str| {
        let placed = !mhz.is_empty();
        let module = json!({ "instances": 2, "lut4": lut4, "ccu2c": 0, "chains": 0, "lutram": 0, "packed": lut4, "ff": 1, "bram": 1, "dsp": 0, "fmax_mhz_median": if placed { Value::Null } else { json!(30.5) } });
        json!({ "status": i32::from(outcome != "placed"), "outcome": outcome, "flattened": placed, "fits": placed, "lut4": lut4, "ccu2c": 0, "chains": 0, "lutram": 0, "packed": lut4, "ff": 7, "bram": 2, "dsp": 0, "fmax_mhz": mhz, "fmax_mhz_median": mhz.get(1), "modules": { "cct": module }, "placing": null })
    };
    let of = |kernel: &str, latency: u64| json!({ "kernel": kernel, "latency": latency });
    let (gcd, scan, isa) = (of("gcd", 1), of("scan", 1), json!({ "isa": "rv32ima" }));
    for (unit, threads, cycles, instructions) in [
        ("arbiter", 2, 1000, 4000),
        ("arbiter", 64, 400, 4000),
        ("sorted-table", 2, 2000, 6000),
        ("sorted-table", 64, 800, 4000),
    ] {
        step("run", unit, threads, gcd.clone(), run(cycles, instructions));
    }
    step("run", "arbiter", 2, scan.clone(), run(5, 10));
    step("run", "sorted-table", 2, scan.clone(), run(0, 10));
    let deadlock =
        json!({ "status": 1, "outcome": "deadlock", "cycles": 77, "lane_utilisation": 0.1, "thread_instructions": 3 });
    step("run", "arbiter", 64, scan, deadlock.clone());
    // The second of these deadlocks is expected.
    step("run", "arbiter", 2, json!({ "kernel": "spin_lock", "latency": 1, "may_hang": true }), deadlock);
    step("run", "sorted-table", 2, of("spin_lock", 1), run(500, 100));
    step("slow", "arbiter", 2, of("gcd", 20), run(3000, 6000));
    step("slow", "sorted-table", 2, of("gcd", 20), run(2000, 6000));
    step("core", "arbiter", 2, isa.clone(), core(2000, &[40.0, 50.0, 60.0], "placed"));
    step("core", "arbiter", 64, isa.clone(), core(90_000, &[], "does-not-fit"));
    let mut of_modules = core(90_000, &[], "placed");
    of_modules["fits"] = Value::Null;
    step("core", "arbiter", 64, json!({ "isa": "rv32i" }), of_modules);
    step("core", "sorted-table", 2, json!({ "isa": "rv32i" }), core(6000, &[], "not-routed"));
    step("core", "sorted-table", 2, isa.clone(), core(4000, &[60.0, 70.0, 80.0], "placed"));
    step("core", "sorted-table", 64, isa, json!("it takes more memory than Yosys has"));
    step("core", "sorted-table", 64, json!({ "isa": "rv32i" }), Value::Null);
    let mut given_up = core(5000, &[], "given-up");
    given_up["placing"] = json!({ "seeds": [], "reason": "timed out after 90 min, routing, 626 connections left" });
    step("core", "arbiter", 2, json!({ "isa": "rv32i" }), given_up);
    let names = [("gcd", "structured"), ("scan", "early-exit"), ("spin_lock", "locking")];
    let kernels = names.map(|(name, _)| json!({ "name": name, "summary": "", "comparison": null }));
    let built = names.map(|(name, class)| json!({ "name": name, "class": class }));
    fs::write(folder.join("results/kernels.json"), json!({ "answer": { "kernels": built } }).to_string())
        .expect("a file");
    let facts = |takes_turns: bool| json!({ "takes_turns": takes_turns, "reconverges": !takes_turns });
    let request = json!({ "quick": true, "units": ["arbiter", "sorted-table"], "rv32i_units": ["arbiter", "sorted-table"], "threads": [2, 64], "rv32i_threads": [2, 64], "latencies": [], "engine": "rtl" });
    let weft = json!({ "version": "0.0.1", "git": "abc", "build": "def" });
    let plan = json!({
        "identity": { "schema": 1, "weft": weft, "tools": { "yosys": "Yosys 9.99" }, "request": request },
        "warps": 8, "target": "ecp5-85k", "kernels": kernels, "steps": steps,
        "units": { "arbiter": facts(false), "sorted-table": facts(true) },
        "left_out": ["Kernels: all but two."],
    });
    fs::write(folder.join("plan.json"), plan.to_string()).expect("a plan");
    folder
}

#[test]
fn the_report_shows_every_result_and_what_has_none() {
    let workspace = Workspace::new();
    let folder = canned(&workspace);
    let python = snakemake().with_file_name("python3");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/compare/report.py");
    let ended =
        Ended::of(Command::new(python).arg("-B").arg(script).current_dir(&folder).output().expect("Python starts"));
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));

    insta::assert_snapshot!("results_csv", read(&folder.join("results.csv")));
    let results: Value = serde_json::from_str(&read(&folder.join("results.json"))).expect("JSON");
    assert_eq!(results["compared_kernels"], json!(["gcd"]), "scan did not pass everywhere");
    let row = |unit: &str, threads: u64| {
        let rows = results["summary"].as_array().expect("rows");
        rows.iter()
            .find(|row| (&row["unit"], &row["threads"]) == (&json!(unit), &json!(threads)))
            .expect("a row")
            .clone()
    };
    // The row has 4000 thread instructions in 1000 cycles, on 2000 LUTs at 50 MHz.
    let about = |value: &Value, expected: f64| {
        let value = value.as_f64().expect("a number");
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, not {expected}");
    };
    let arbiter = row("arbiter", 2);
    about(&arbiter["cycles_over_reference"], 0.5);
    about(&arbiter["thread_instructions_per_cycle"], 4.0);
    about(&arbiter["work_per_cycle"], 4.0);
    about(&arbiter["work_per_cycle_per_1000_luts"], 2.0);
    about(&arbiter["work_per_second_per_lut"], 1e5);
    // The unit executes half as many more instructions, which do not count as more work.
    about(&row("sorted-table", 2)["thread_instructions_per_cycle"], 3.0);
    about(&row("sorted-table", 2)["work_per_second_per_lut"], 35_000.0);
    assert_eq!(
        row("arbiter", 64)["work_per_cycle_per_1000_luts"],
        Value::Null,
        "a sum of modules is no area to divide by"
    );

    // The arbiter is compared with the sorted table, which has 2000 cycles on 4000 LUTs at 70 MHz. At 64 threads its
    // area is unknown.
    let [two, sixty_four] = &results["beside"].as_array().expect("rows")[..] else { panic!("{results:#}") };
    assert_eq!((&two["unit"], &two["threads"]), (&json!("arbiter"), &json!(2)));
    about(&two["cycles"], 0.5);
    about(&two["luts"], 0.5);
    about(&two["frequency"], 50.0 / 70.0);
    about(&two["work_per_second"], 2.0 * 50.0 / 70.0);
    about(&two["work_per_second_per_lut"], 4.0 * 50.0 / 70.0);
    about(&sixty_four["cycles"], 0.5);
    for unknown in ["luts", "frequency", "work_per_second", "rv32i_luts", "rv32i_frequency"] {
        assert_eq!(sixty_four[unknown], Value::Null, "{unknown}");
    }

    // Of the three deadlocks and failures of a run only those that the unit does not explain count.
    let not_passed: Vec<&Value> = results["not_passed"].as_array().expect("runs").iter().collect();
    assert!(not_passed.iter().all(|run| run["kernel"] == "scan") && not_passed.len() == 1, "{not_passed:?}");
    assert_eq!((&results["hangs"][0]["kernel"], &results["hangs"][1]), (&json!("spin_lock"), &Value::Null));
    let uses = results["uses"].as_array().expect("rows").iter();
    let uses = uses.map(|row| {
        let ratio = |class: &str| row[class].as_f64();
        let (threads, latency) = (row["threads"].as_u64(), row["latency"].as_u64());
        (
            threads.zip(latency).expect("numbers"),
            row["unit"].as_str().expect("a name"),
            ratio("structured"),
            ratio("locking"),
        )
    });
    let expected = [
        ((2, 1), "arbiter", Some(0.5), None),
        ((2, 1), "sorted-table", Some(1.0), Some(1.0)),
        ((2, 20), "arbiter", Some(1.5), None),
        ((2, 20), "sorted-table", Some(1.0), None),
        ((64, 1), "arbiter", Some(0.5), None),
        ((64, 1), "sorted-table", Some(1.0), None),
    ];
    assert_eq!(uses.collect::<Vec<_>>(), expected);
    assert_eq!(results["uses"][0]["hangs"], json!(["spin_lock"]));
    about(&results["uses"][2]["thread_instructions_per_cycle"], 2.0);

    let page = read(&folder.join("report.html"));
    let shown = [
        "does not fit",
        "not known",
        "its result is not one that weft gives (ValueError: cycles is 0)",
        "come to 100 % more LUTs",
        "timed out after 90 min, routing, 626 connections left",
        "slowest module 30.5",
        "failed: it takes more memory than Yosys has",
        "deadlock",
        "core/rv32i-sorted-table-64: no result yet",
        "Kernels: all but two.",
        "sorted-table, 20: 1.000",
        "1 structured, 0 early exit, 0 irreducible, 1 locking",
        "1 of 1 hang",
        "40.0, 50.0, 60.0",
        "Yosys 9.99",
        "arbiter, 2: 50.0 MHz",
        "1 of 3 kernels (gcd)",
    ];
    for part in shown {
        assert!(page.contains(part), "the report has no `{part}`");
    }
    for placeholder in ["#0101", "#0202", "#0505", "nan", "None", "{{", "class=\"\""] {
        assert!(!page.contains(placeholder), "the report has {placeholder}");
    }
    assert!(across(&page, "arbiter, 64: does not fit") > 0.75, "the cross of 64 threads is not at the right");
    let given_up = across(&page, "arbiter, 2: timed out after 90 min, routing, 626 connections left");
    assert!((0.0..0.4).contains(&given_up), "the cross of 2 threads is not at the left");
    // Two cores of one size are drawn next to each other, although no RV32I core has a frequency.
    let other = across(&page, "sorted-table, 2: not routed");
    assert!(given_up < other && other < given_up + 0.05, "{given_up} and {other}: not side by side");
}

/// Returns the position of the mark with title `said`, from the left edge of its plot (0) to the right edge (1).
fn across(page: &str, said: &str) -> f64 {
    let (before, mark) = page.split_once(&format!("<title>{said}</title>")).expect("a mark that says it");
    let number = |text: &str, key: &str| -> f64 {
        let (_, value) = text.split_once(key).expect("its key");
        let end = value.find(|letter: char| !letter.is_ascii_digit() && letter != '.').expect("an end");
        value[..end].parse().expect("a number")
    };
    let plot = &before[before.rfind("<svg").expect("a plot")..];
    number(mark, " x=\"") / number(plot, "viewBox=\"0 0 ")
}
