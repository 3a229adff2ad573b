"""The results of a comparison: read from results/ and failed/, summarised, and written as JSON and CSV."""

import csv
import io
import json
import statistics
from pathlib import Path

RUN = [
    "outcome", "cycles", "ipc", "lane_utilisation", "avg_path", "idle_cycles", "warp_instructions", "issues",
    "thread_instructions", "thread_instructions_per_cycle", "replays", "divergent_branches", "high_water",
]
CELLS = ["lut4", "ccu2c", "chains", "lutram", "packed", "ff", "bram", "dsp"]
CORE = ["outcome", "reason", "fits", "flattened", *CELLS, "fmax_mhz", "fmax_mhz_median"]
# The control of the cold context table: insert, extract, sort.
CCT_CONTROL = ["cct", "cct_sorter"]
PASSED = 0
# How a run ends whose threads wait for each other for ever: with a proof, or at --max-cycles.
HANGS = ("deadlock", "limit")
# Classes of kernels by their control flow, as `weft kernels build` gives them.
LOCKING = "locking"
CLASSES = ("structured", "early-exit", "irreducible", LOCKING)


def read(folder):
    """Reads the comparison in a folder."""
    folder = Path(folder)
    plan = json.loads((folder / "plan.json").read_text())
    classes = {kernel["name"]: kernel.get("class") for kernel in built(folder)}
    runs, cores, failed, missing = [], [], [], []
    for step in plan["steps"]:
        path = folder / "results" / f"{step['name']}.json"
        failure = folder / "failed" / f"{step['name']}.json"
        given, error = load(path, "answer"), load(failure, "error")
        try:
            if given:
                if step["name"].startswith("core/"):
                    cores.append(core(step, given))
                elif "kernel" in step:
                    runs.append(run(step, given))
            elif error:
                failed.append({"name": step["name"], **point(step), "error": error["error"]})
            else:
                missing.append({"name": step["name"], **point(step)})
        except (AttributeError, KeyError, TypeError, ValueError) as odd:
            message = f"its result is not one that weft gives ({type(odd).__name__}: {odd})"
            failed.append({"name": step["name"], **point(step), "error": {"kind": "odd-result", "message": message}})
    comparison = {
        **plan["identity"],
        "warps": plan["warps"],
        "target": plan["target"],
        "units": plan["units"],
        "kernels": [{**kernel, "class": classes.get(kernel["name"])} for kernel in plan["kernels"]],
        "runs": runs,
        "cores": cores,
        "not_passed": [run for run in runs if run["status"] != PASSED and not run["hangs"]],
        "hangs": [run for run in runs if run["hangs"]],
        "failed": failed,
        "missing": missing,
        "left_out": plan["left_out"],
    }
    comparison["compared_kernels"] = compared_kernels(comparison)
    comparison["summary"] = summary(comparison)
    comparison["beside"] = beside(comparison)
    comparison["uses"] = uses(comparison)
    comparison["stacks"] = stacks(comparison)
    return comparison


def built(folder):
    """Returns what the build of the kernels said of each."""
    given = load(folder / "results" / "kernels.json", "answer")
    return given["answer"].get("kernels", []) if given else []


def load(path, key):
    """Returns the JSON of a step's file, or None if it is missing or damaged."""
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get(key), dict) else None


def point(step):
    keys = ["unit", "threads", "kernel", "latency", "isa"]
    return {key: step[key] for key in keys if key in step} | {"command": " ".join(step["command"])}


def series(step):
    return step["name"].split("/")[0]


def run(step, given):
    figures = {key: given["answer"].get(key) for key in RUN}
    if given["status"] == PASSED:
        for key in ("cycles", "thread_instructions", "lane_utilisation"):
            positive(key, figures[key])
    figures["thread_instructions_per_cycle"] = ratio(figures["thread_instructions"], figures["cycles"])
    # Only where threads wait for each other and the unit takes no turns: elsewhere a deadlock is an error.
    hangs = step.get("may_hang", False) and given["status"] != PASSED and figures["outcome"] in HANGS
    return {"series": series(step), **point(step), "status": given["status"], **figures, "hangs": hangs}


def positive(key, value):
    if not isinstance(value, (int, float)) or value <= 0:
        raise ValueError(f"{key} is {value}")


def core(step, given):
    answer = given["answer"]
    for key in ("lut4", "packed"):
        positive(key, answer[key])
    modules = answer["modules"].values()
    whole = {f"{cell}_of_modules": sum(module["instances"] * module[cell] for module in modules) for cell in CELLS}
    slowest = [module["fmax_mhz_median"] for module in modules if module.get("fmax_mhz_median") is not None]
    control = [answer["modules"][name]["lut4"] for name in CCT_CONTROL if name in answer["modules"]]
    return {
        "series": "core", **point(step), "status": given["status"], **{key: answer.get(key) for key in CORE}, "reason": reason(answer), **whole,
        # The slowest of the modules placed separately bounds the frequency of the whole core.
        "fmax_mhz_at_most": min(slowest) if slowest else None,
        "cct_control_lut4": sum(control) if control else None,
        "critical_path": critical_path(answer),
        # The time of this run: cached results take none.
        "seconds": given["seconds"],
    }


def reason(answer):
    """Returns the reason for a missing frequency; for a core placed by modules, of the first module without one."""
    placings = [answer.get("placing"), *(module.get("placing") for module in answer["modules"].values())]
    return next((placing["reason"] for placing in placings if placing and placing.get("reason")), None)


def critical_path(answer):
    """Returns the ends of the critical path of the seed nearest to the median."""
    seeds = (answer.get("placing") or {}).get("seeds") or []
    if not seeds or answer.get("fmax_mhz_median") is None:
        return None
    path = min(seeds, key=lambda seed: abs(seed["fmax_mhz"] - answer["fmax_mhz_median"]))["critical_path"]
    ends = [f"{path[end]['stage']}: {path[end]['name']}" for end in ("from", "to") if path.get(end)]
    return " → ".join(ends)


def passed(comparison, kind="run"):
    return [run for run in comparison["runs"] if run["series"] == kind and run["status"] == PASSED and run["cycles"]]


def compared_kernels(comparison):
    """Returns the kernels that passed with every unit at every number of threads: the means are over these."""
    points = {(unit, threads) for unit in comparison["request"]["units"] for threads in comparison["request"]["threads"]}
    ran = {}
    for run in passed(comparison):
        ran.setdefault(run["kernel"], set()).add((run["unit"], run["threads"]))
    return [kernel["name"] for kernel in comparison["kernels"] if ran.get(kernel["name"]) == points]


def geometric_mean(values):
    values = list(values)
    return statistics.geometric_mean(values) if values else None


def mean(values):
    values = list(values)
    return statistics.fmean(values) if values else None


def least_work(comparison):
    """Returns the work of each kernel and number of threads: the fewest thread instructions that any unit executes for it. Any
    more instructions of another unit are waiting, as for a lock."""
    work = {}
    for run in passed(comparison):
        place = (run["kernel"], run["threads"])
        work[place] = min(run["thread_instructions"], work.get(place, run["thread_instructions"]))
    return work


def reference_unit(comparison):
    """Returns the reference unit, whose cycles are the divisor for the others."""
    units = comparison["request"]["units"]
    return "sorted-table" if "sorted-table" in units else units[0]


def ratio(a, b):
    return a / b if a is not None and b else None


def summary(comparison):
    """Returns for each unit and number of threads: the core, the means over the compared kernels, and their ratios."""
    kernels = set(comparison["compared_kernels"])
    cores = {(core["unit"], core["threads"]): core for core in comparison["cores"] if core["isa"] == "rv32ima"}
    runs, work = {}, least_work(comparison)
    for run in passed(comparison):
        if run["kernel"] in kernels:
            runs.setdefault((run["unit"], run["threads"]), []).append(run)
    rows = []
    for threads in comparison["request"]["threads"]:
        reference = geometric_mean(run["cycles"] for run in runs.get((reference_unit(comparison), threads), []))
        for unit in comparison["request"]["units"]:
            own, core = runs.get((unit, threads), []), cores.get((unit, threads), {})
            cycles = geometric_mean(run["cycles"] for run in own)
            # The value does not depend on how a kernel divides its work among more threads.
            throughput = geometric_mean(work[run["kernel"], threads] / run["cycles"] for run in own)
            # A sum of modules and a flattened core cannot be compared, nor can values divided by them.
            area = core.get("packed") if core.get("flattened") else None
            speed = throughput * core["fmax_mhz_median"] if throughput and core.get("fmax_mhz_median") else None
            rows.append({
                "unit": unit, "threads": threads,
                "cycles": cycles, "cycles_over_reference": ratio(cycles, reference),
                "lane_utilisation": mean(run["lane_utilisation"] for run in own),
                "thread_instructions_per_cycle": geometric_mean(run["thread_instructions_per_cycle"] for run in own),
                "work_per_cycle": throughput,
                "work_per_cycle_per_1000_luts": ratio(throughput, area and area / 1000),
                "million_work_per_second": speed,
                "work_per_second_per_lut": ratio(speed and speed * 1e6, area),
            })
    return rows


def beside(comparison):
    """Returns for each number of threads and unit its area, frequency and cycles over those of the reference unit.

    A value is None if either unit has no figure: no clock without place and route, no area for a sum of modules.
    """
    reference = reference_unit(comparison)
    summed = {(row["unit"], row["threads"]): row for row in comparison["summary"]}
    cores = {(core["isa"], core["unit"], core["threads"]): core for core in comparison["cores"]}

    def over(key, isa, unit, threads):
        own, other = (cores.get((isa, name, threads), {}) for name in (unit, reference))
        if key == "packed" and not (own.get("flattened") and other.get("flattened")):
            return None
        return ratio(own.get(key), other.get(key))

    rows = []
    for threads in comparison["request"]["threads"]:
        for unit in comparison["request"]["units"]:
            if unit == reference:
                continue
            own, other = summed[unit, threads], summed[reference, threads]
            rows.append({
                "threads": threads, "unit": unit,
                "cycles": own["cycles_over_reference"],
                "luts": over("packed", "rv32ima", unit, threads),
                "frequency": over("fmax_mhz_median", "rv32ima", unit, threads),
                "work_per_second": ratio(own["million_work_per_second"], other["million_work_per_second"]),
                "work_per_second_per_lut": ratio(own["work_per_second_per_lut"], other["work_per_second_per_lut"]),
                "rv32i_luts": over("packed", "rv32i", unit, threads),
                "rv32i_frequency": over("fmax_mhz_median", "rv32i", unit, threads),
            })
    return rows


def uses(comparison):
    """Returns for each number of threads, latency and unit the cycles over those of the reference unit by class of kernels.

    The mean of a class is over the kernels that passed with every unit which can run them, and None if the unit does not
    pass all of these. Units that take no turns cannot run the kernels with locks: `hangs` names those that hang.
    """
    points = {}
    for run in comparison["runs"]:
        if run["series"] in ("run", "slow"):
            points.setdefault((run["threads"], run["latency"]), {})[run["unit"], run["kernel"]] = run
    classes = {kernel["name"]: kernel["class"] for kernel in comparison["kernels"]}
    rows = []
    for (threads, latency), runs in sorted(points.items()):
        common = common_kernels(comparison["units"], classes, runs)
        free = [kernel for kernel in common if classes[kernel] != LOCKING]
        for unit in comparison["units"]:
            own = [runs[unit, kernel] for kernel in free]
            rows.append({
                "threads": threads, "latency": latency, "unit": unit,
                "cycles_over_reference": over_reference(comparison, runs, unit, free),
                **{name: over_reference(comparison, runs, unit, [k for k in common if classes[k] == name]) for name in CLASSES},
                "thread_instructions_per_cycle": geometric_mean(run["thread_instructions_per_cycle"] for run in own),
                "lane_utilisation": mean(run["lane_utilisation"] for run in own),
                "kernels": {name: sum(classes[kernel] == name for kernel in common) for name in CLASSES},
                "hangs": [kernel for kernel in classes if runs.get((unit, kernel), {}).get("hangs")],
            })
    return rows


def common_kernels(units, classes, runs):
    """Returns the kernels that passed with every unit that can run them, if there is one."""
    turns = [unit for unit, facts in units.items() if facts["takes_turns"]]
    able = {kernel: turns if name == LOCKING else list(units) for kernel, name in classes.items()}
    passes = {place for place, run in runs.items() if run["status"] == PASSED}
    return [kernel for kernel, names in able.items() if names and all((unit, kernel) in passes for unit in names)]


def over_reference(comparison, runs, unit, kernels):
    """Returns the geometric mean of cycles over those of the reference unit, if both passed all of the kernels."""
    both = [(runs.get((unit, kernel)), runs.get((reference_unit(comparison), kernel))) for kernel in kernels]
    if not all(run and run["status"] == PASSED for pair in both for run in pair):
        return None
    return geometric_mean(run["cycles"] / other["cycles"] for run, other in both)


def stacks(comparison):
    """Returns the cycles of the single-path stack over those of the dual-path one, by threads, latency and kind of kernel."""
    kinds = {kernel["name"]: kernel["comparison"] for kernel in comparison["kernels"]}
    cycles = {}
    for run in passed(comparison, "latency"):
        cycles.setdefault((run["threads"], run["latency"], run["kernel"]), {})[run["unit"]] = run["cycles"]
    ratios = {
        place: both["pdom-stack"] / both["dual-path"] for place, both in cycles.items() if {"pdom-stack", "dual-path"} <= both.keys()
    }
    # All latencies have the same kernels, so that a line has one meaning.
    points = {place[:2] for place in ratios}
    everywhere = {
        (t, kernel) for t, _, kernel in ratios if all((t, latency, kernel) in ratios for threads, latency in points if threads == t)
    }
    rows = []
    for threads, latency in sorted(points):
        for kind in ["interleavable", "not-interleavable"]:
            own = {
                kernel: value for (t, l, kernel), value in ratios.items()
                if (t, l, kinds[kernel]) == (threads, latency, kind) and (t, kernel) in everywhere
            }
            if own:
                rows.append({
                    "threads": threads, "latency": latency, "kind": kind, "kernels": own,
                    "mean": geometric_mean(own.values()), "least": min(own.values()), "most": max(own.values()),
                })
    return rows


def as_csv(comparison):
    """Returns all runs and cores, one per line; fields that do not apply are empty."""
    columns = ["series", "isa", "unit", "threads", "kernel", "latency", "status"]
    records = [*comparison["runs"], *comparison["cores"]]
    records += [{"series": "failed", **record, "outcome": record["error"]["message"]} for record in comparison["failed"]]
    others = [key for key in dict.fromkeys([*RUN, *CORE, *(key for record in records for key in record)])]
    columns += [key for key in others if key not in columns and key not in ("command", "error", "name")] + ["command"]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({key: cell(value) for key, value in record.items()})
    return text.getvalue()


def cell(value):
    if isinstance(value, list):
        return " ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
