"""The whole comparison of divergence units by `weft compare`: area, frequency, cycles, work per second and LUT site."""

import hashlib
import json
import pathlib

from measuring import cores, kernels, processes, project, tools
from measuring.clock import OUTCOMES
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

# Of the tools; the compilers have no part in these figures.
SHOWN = ("yosys", "nextpnr", "verilator")
ISA = "rv32ima"
CORE = ("lut4", "packed", "ff", "bram", "dsp", "flattened", "outcome", "fmax_mhz_median", "fmax_mhz_at_most")
WORK = ("cycles_over_reference", "work_per_cycle_per_1000_luts", "work_per_second_per_lut")
BESIDE = {
    "cycles": "cycles", "luts": "LUT sites", "frequency": "clock", "work_per_second": "work / s",
    "work_per_second_per_lut": "work / s / site", "rv32i_luts": "RV32I: sites", "rv32i_frequency": "RV32I: clock",
}
# Threads of a warp where all units also run with slow memory.
THREADS = 8
CLASSES = {"structured": "structured", "early-exit": "early exit", "irreducible": "irreducible", "locking": "locking"}
USE = ("cycles_over_reference", *CLASSES, "thread_instructions_per_cycle")


def measurements(weft):
    yield Measurement(
        name="comparison/units", set=NIGHTLY, estimate=10 * 3600, command="weft compare --out DIR",
        depends=lambda: {"hardware": weft.project.sources(project.HARDWARE)}, measure=lambda: measured(values, compare(weft)),
    )
    options = ["--units", ",".join(weft.units()), "--threads", str(THREADS), "--without-rv32i", "--seeds", "0"]
    yield Measurement(
        name=f"uses/8x{THREADS}", set=NIGHTLY, estimate=3600, command=" ".join(["weft compare", *options, "--out DIR"]),
        depends=lambda: uses_depend_on(weft), measure=lambda: measured(use_values, compare(weft, *options)),
    )


def uses_depend_on(weft):
    """Digests by unit: all kernels run on each."""
    size = cores.size_of(8, THREADS)
    each = {unit: kernels.depends(weft, (*size, *cores.unit_of(unit)), unit, list(weft.kernels())) for unit in weft.units()}
    return {f"{unit} {key}": digest for unit, digests in each.items() for key, digest in digests.items()}


def compare(weft, *options):
    """Runs a comparison in a folder of the build of Weft, where one that was interrupted goes on."""
    tools.for_synthesis(weft.project.root)
    processes.run([str(weft.project.root / "scripts/setup.sh"), "--comparison"], cwd=weft.project.root)
    build = hashlib.sha256(pathlib.Path(weft.program).read_bytes()).hexdigest()[:12]
    folder = weft.project.root / "out/comparison" / "-".join([build, *(["uses"] if options else [])])
    processes.run([weft.program, "compare", *options, "--out", str(folder)], cwd=weft.project.root, stdout=None, stderr=None)
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def measured(values, results):
    """The values of a comparison, and the versions of its tools."""
    said = {tool: tools.version(text) for tool, text in results["tools"].items() if tool in SHOWN}
    built = "" if results["weft"]["git"] == "unknown" else f" (git {results['weft']['git']})"
    return values(results), {"weft": f"weft compare {results['weft']['version']}{built}", **said}


def reference(results):
    units = results["request"]["units"]
    return "sorted-table" if "sorted-table" in units else units[0]


def use_values(results):
    """What the tables of uses show, one line for each latency and unit."""
    area = {core["unit"]: core["packed"] for core in results["cores"]}
    facts, rows = results["units"], results["uses"]
    count = [kernel["class"] for kernel in results["kernels"]].count("locking")
    found = {"reference": reference(results), "kernels": rows[0]["kernels"], "lock kernels": count}
    for unit, fact in facts.items():
        found[f"unit {unit}"] = {"packed": area.get(unit), "reconverges": fact["reconverges"]}
    for row in rows:
        found[f"use {row['latency']} {row['unit']}"] = {key: short(row[key]) for key in USE} | {"hangs": len(row["hangs"])}
    return found


def values(results):
    """What the tables show, one line for each core."""
    cores = [core for core in results["cores"] if core["isa"] == ISA]
    if not cores:
        raise Failure("the comparison has no area of any core")
    work = {(row["unit"], row["threads"]): row for row in results["summary"]}
    units = results["request"]["units"]
    found = {"kernels": len(results["compared_kernels"]), "reference": reference(results)}
    for core in sorted(cores, key=lambda core: (core["threads"], units.index(core["unit"]))):
        figures = {key: core[key] for key in CORE} | {key: short(work[core["unit"], core["threads"]][key]) for key in WORK}
        found[f"core {core['threads']} {core['unit']}"] = figures
    for row in results["beside"]:
        found[f"beside {row['threads']} {row['unit']}"] = {key: short(row[key]) for key in BESIDE}
    return found


def short(value):
    return value if value is None else round(value, 4)


def frequency(core):
    """The median of the seeds; of a core that was placed by its modules the frequency of the slowest."""
    if core["fmax_mhz_median"] is not None:
        return f"{core['fmax_mhz_median']:.1f}"
    modules = f"modules {core['fmax_mhz_at_most']:.1f}" if core["fmax_mhz_at_most"] is not None else ""
    return ", ".join(filter(None, [OUTCOMES.get(core["outcome"]), modules])) or "not placed"


def entries(result, kind):
    """Threads, unit and figures of each entry of a kind."""
    for key, figures in result.values.items():
        words = key.split()
        if words[0] == kind:
            yield int(words[1]), words[2], figures


def number(value, form):
    return "-" if value is None else form.format(value)


def core_rows(shown):
    (result,) = shown.all()
    mark = shown.mark(result.name)
    lines = []
    for threads, unit, core in entries(result, "core"):
        at_own_clock = core["work_per_second_per_lut"]
        lines.append([
            threads, unit, f"{core['lut4']}{'' if core['flattened'] else ' *'}", core["packed"], core["ff"], core["bram"], core["dsp"],
            frequency(core), number(core["cycles_over_reference"], "{:.3f}"), number(core["work_per_cycle_per_1000_luts"], "{:.3f}"),
            number(at_own_clock and at_own_clock / 1000, "{:.1f}"),
        ])
    headings = ["threads" + mark, "unit", "LUT4", "LUT sites", "FF", "BRAM", "DSP", "MHz", "cycles", "work / cycle", "work / s"]
    return [
        *table(headings, lines, left=2), "",
        f"Cycles: over `{result.values['reference']}`, geometric mean of {result.values['kernels']} kernels.",
        "Work: per cycle and 1000 LUT sites; in thousands per second and site.",
        "\\* sum of modules, not to be compared with flattened cores.",
    ]


def beside_rows(shown):
    (result,) = shown.all()
    mark = shown.mark(result.name)
    found = list(entries(result, "beside"))
    keys = [key for key in BESIDE if any(row[key] is not None for *_, row in found)]
    lines = [[threads, unit, *(number(row[key], "{:.3f}") for key in keys)] for threads, unit, row in found]
    return table(["threads" + mark, "unit", *(BESIDE[key] for key in keys)], lines, left=2)


def class_cells(result, row):
    """The ratios by class; of kernels with locks that hang, their number."""
    cells = {name: number(row[name], "{:.3f}") for name in CLASSES}
    hang = {"locking": f"{row['hangs']} of {result.values['lock kernels']} hang"} if row["hangs"] else {}
    return list((cells | hang).values())


def use_rows(shown):
    (result,) = shown.all()
    lines = []
    for latency, unit, row in entries(result, "use"):
        if latency == 1:
            facts = result.values[f"unit {unit}"]
            analysis, deadlocks = ("yes" if fact else "no" for fact in (facts["reconverges"], row["hangs"]))
            lines.append([unit, number(facts["packed"], "{}"), *class_cells(result, row), analysis, deadlocks])
    counts = ", ".join(f"{result.values['kernels'][name]} {said}" for name, said in CLASSES.items())
    return [
        *table(["unit" + shown.mark(result.name), "LUT sites", *CLASSES.values(), "needs analysis", "deadlocks"], lines, left=1), "",
        f"Cycles over `{result.values['reference']}`, geometric means of kernels: {counts}.",
    ]


def latency_rows(shown):
    (result,) = shown.all()
    lines = [
        [latency, unit, number(row["cycles_over_reference"], "{:.3f}"), *class_cells(result, row),
         number(row["thread_instructions_per_cycle"], "{:.2f}")]
        for latency, unit, row in entries(result, "use")
    ]
    headings = ["latency" + shown.mark(result.name), "unit", "without locks", *CLASSES.values(), "thread instructions / cycle"]
    return table(headings, lines, left=2)


TABLES = [
    Table("comparison", ["comparison/units"], core_rows, "8 warps, RV32IMA."),
    Table("beside", ["comparison/units"], beside_rows),
    Table("uses", ["uses/8x8"], use_rows, "RV32IMA, 8 × 8, memory latency 1, Verilog."),
    Table("use-latencies", ["uses/8x8"], latency_rows, "The same cores and kernels."),
]
