"""The area of cores, of divergence units by themselves, and of what a further lane takes, counted by `weft synth`."""

from measuring import cores, tools
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, STANDING, Measurement
from measuring.table import Table
from measuring.weft import sets

TARGET = "ecp5-85k"
WARPS = 8
CELLS = {
    "lut4": "LUT4", "ccu2c": "CCU2C", "chains": "chains", "lutram": "LUT RAM", "packed": "LUT sites", "ff": "FF", "bram": "BRAM",
    "dsp": "DSP",
}
# Threads of the RV32I cores; those of PER_MODULE are not flattened, to spare time and memory.
THREADS = (4, 8, 2, 16, 1, 32, 64)
PER_MODULE = 64
# Threads of the RV32IM cores, of the units by themselves, and of the cores mapped for MHZ.
WITH_M = (4, 8)
UNIT_THREADS = (2, 4, 8, 16, 32, 64)
LANES = (4, 8, 16, 32)
MHZ = 40
REFERENCE = "sorted-table"
# The modules that decide about the cold context table: insert, extract, sort.
CONTROL = ("cct", "cct_sorter")
FITS = {True: "yes", False: "no", None: "not known"}


def measurements(weft):
    units = sorted(weft.units(), key=lambda unit: unit != REFERENCE)
    for threads in WITH_M:
        for unit in units:
            yield of_core(weft, cores.Core("rv32im", WARPS, threads, unit))
    for threads in THREADS:
        for unit in units:
            yield of_core(weft, cores.Core("rv32i", WARPS, threads, unit))


def wide(weft):
    """The measurements of the nightly set."""
    for threads in LANES:
        core = cores.Core("rv32i", WARPS, threads, REFERENCE)
        yield measurement(weft, f"lanes/{core.name}-{MHZ}-mhz", NIGHTLY, core, ("--target-mhz", MHZ))
    for threads in UNIT_THREADS:
        for unit in weft.units():
            core = cores.Core("rv32i", WARPS, threads, unit)
            yield measurement(weft, f"units/{core.size}-{unit}", NIGHTLY, core, ("--module", unit.replace("-", "_")))


def of_core(weft, core):
    options = ("--per-module",) if core.threads == PER_MODULE else ()
    return measurement(weft, f"area/{core.name}", STANDING, core, options)


def measurement(weft, name, of_set, core, options):
    words = ["synth", "--target", TARGET, *options, *sets(core.settings)]
    return Measurement(
        name=name,
        set=of_set,
        estimate=30 + 12 * core.threads,
        command=" ".join(map(str, ["weft", "--json", *words])),
        depends=lambda: {"verilog": weft.verilog(core.settings)},
        measure=lambda: synthesise(weft, words),
    )


def synthesise(weft, words):
    """What the core takes. One that does not fit has an area, too."""
    tools.for_synthesis(weft.project.root)
    answer = weft.ask(*words, accept=(0, 1))
    if "lut4" not in answer:
        raise Failure(f"no area: {answer}")
    modules = {
        name: [module[key] for key in ("instances", "lut4", "packed", "ff", "bram", "dsp")] for name, module in answer["modules"].items()
    }
    counts = {key: answer[key] for key in ("outcome", "fits", "flattened", *CELLS)}
    return {**counts, "modules": modules}, tools.versions(answer["tools"])


def core_of(result):
    """ISA, threads and unit of a result, of its name."""
    isa, size, unit = result.name.partition("/")[2].split("-", 2)
    return isa, int(size.partition("x")[2]), unit


def lut4_of_modules(values):
    """The LUT4 of all instances of all modules, each synthesised by itself."""
    return sum(instances * lut4 for instances, lut4, *_ in values["modules"].values())


def core_rows(shown):
    rows = []
    for result in sorted(shown.all(), key=lambda result: core_of(result)[:2]):
        isa, threads, unit = core_of(result)
        values = result.values
        how = "flattened" if values["flattened"] else "sum of modules"
        rows.append([
            isa.upper(), threads, unit + shown.mark(result.name), how, *(values[key] for key in CELLS), FITS[values["fits"]],
        ])
    return table(["ISA", "T", "unit", "synthesised", *CELLS.values(), "fits"], rows, left=4)


def module_rows(shown):
    (result,) = shown.all()
    modules = result.values["modules"]
    rows = [[f"`{name}`", *cells] for name, cells in modules.items()]
    total = [sum(cells[0] * cells[i] for cells in modules.values()) for i in range(1, 6)]
    rows.append(["all instances", "", *total])
    rows.append(["flattened", "", *(result.values[key] for key in ("lut4", "packed", "ff", "bram", "dsp"))])
    headings = ["module" + shown.mark(result.name), "instances", "LUT4", "LUT sites", "FF", "BRAM", "DSP"]
    return table(headings, rows)


def lane_rows(shown):
    rows = []
    for group, what in ("area/", "the shortest delay"), ("lanes/", f"{MHZ} MHz"):
        before = None
        for result in sorted(shown.all(group), key=lambda result: core_of(result)[1]):
            threads, values = core_of(result)[1], result.values
            row = [what, f"{threads}{shown.mark(result.name)}", *(values[key] for key in ("lut4", "packed", "ff", "bram"))]
            for key in ("lut4", "packed"):
                more = (values[key] - before[1][key]) / (threads - before[0]) if before else None
                row.append("" if more is None else f"{more:.0f}")
            rows.append(row)
            before = threads, values
    headings = ["mapped for", "T", "LUT4", "LUT sites", "FF", "BRAM", "LUT4 a further lane", "sites a further lane"]
    return table(headings, rows)


def unit_rows(shown):
    rows = []
    for result in shown.all("units/"):
        size, _, unit = result.name.partition("/")[2].partition("-")
        rows.append([size.partition("x")[2], unit + shown.mark(result.name), *(result.values[key] for key in CELLS)])
    return [
        *table(["T", "unit", *CELLS.values()], rows, left=2), "",
        "LUT4 of whole cores, and the share of the unit and of the control of its cold context table (`cct` and `cct_sorter`).",
        "But for the flattened core, each is a sum of modules, synthesised by themselves:", "",
        *share_rows(shown),
    ]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if part and whole else "-"


def share_rows(shown):
    rows = []
    for core in sorted(shown.all("area/"), key=lambda result: core_of(result)[1]):
        _, threads, unit = core_of(core)
        alone = shown.get(f"units/{WARPS}x{threads}-{unit}")
        if not alone:
            continue
        modules, of_unit = lut4_of_modules(core.values), lut4_of_modules(alone.values)
        control = sum(core.values["modules"][name][1] for name in CONTROL if name in core.values["modules"])
        row = [threads, unit + shown.mark(core.name, alone.name), modules, core.values["lut4"] if core.values["flattened"] else "-"]
        rows.append([*row, of_unit, share(of_unit, modules), control or "-", share(control, modules)])
    return table(["T", "unit", "all modules", "flattened", "unit", "share", "CCT control", "share"], rows, left=2)


TABLES = [
    Table("cores", ["area/*"], core_rows, f"Cores of {WARPS} warps without trace port, {TARGET}.", partial=True),
    Table("modules", [f"area/rv32i-8x4-{REFERENCE}"], module_rows, "RV32I, 8 x 4, sorted table. Each row is one instance, synthesised by "
          "itself, without the modules below it."),
    Table("lanes", [*(f"area/rv32i-8x{threads}-{REFERENCE}" for threads in LANES), "lanes/*"], lane_rows,
          "RV32I cores of eight warps with the sorted table."),
    Table("units", ["units/*", "area/rv32i-8x4-*", "area/rv32i-8x64-*"], unit_rows, "RV32I, eight warps."),
]
