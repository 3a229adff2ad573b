"""The whole comparison of divergence units by `weft compare`: area, frequency, cycles, work per second and LUT site."""

import hashlib
import json
import pathlib

from measuring import processes, project, tools
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


def measurements(weft):
    yield Measurement(
        name="comparison/units", set=NIGHTLY, estimate=10 * 3600, command="weft compare --out DIR",
        depends=lambda: {"hardware": weft.project.sources(project.HARDWARE)}, measure=lambda: measure(weft),
    )


def measure(weft):
    """Runs the comparison in a folder of the build of Weft, where one that was interrupted goes on."""
    tools.for_synthesis(weft.project.root)
    processes.run([str(weft.project.root / "scripts/setup.sh"), "--comparison"], cwd=weft.project.root)
    build = hashlib.sha256(pathlib.Path(weft.program).read_bytes()).hexdigest()[:12]
    folder = weft.project.root / "out/comparison" / build
    processes.run([weft.program, "compare", "--out", str(folder)], cwd=weft.project.root, stdout=None, stderr=None)
    return values(json.loads((folder / "results.json").read_text(encoding="utf-8")))


def values(results):
    """What the tables show, one line for each core."""
    cores = [core for core in results["cores"] if core["isa"] == ISA]
    if not cores:
        raise Failure("the comparison has no area of any core")
    work = {(row["unit"], row["threads"]): row for row in results["summary"]}
    units = results["request"]["units"]
    found = {"kernels": len(results["compared_kernels"]), "reference": "sorted-table" if "sorted-table" in units else units[0]}
    for core in sorted(cores, key=lambda core: (core["threads"], units.index(core["unit"]))):
        figures = {key: core[key] for key in CORE} | {key: short(work[core["unit"], core["threads"]][key]) for key in WORK}
        found[f"core {core['threads']} {core['unit']}"] = figures
    for row in results["beside"]:
        found[f"beside {row['threads']} {row['unit']}"] = {key: short(row[key]) for key in BESIDE}
    said = {tool: tools.version(text) for tool, text in results["tools"].items() if tool in SHOWN}
    return found, {"weft": f"weft compare {results['weft']['version']} (git {results['weft']['git']})", **said}


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


TABLES = [
    Table("comparison", ["comparison/units"], core_rows, "8 warps, RV32IMA."),
    Table("beside", ["comparison/units"], beside_rows),
]
