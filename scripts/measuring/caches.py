"""What the caches save: every bundled kernel with memory of latency 1, and behind AXI4 at latency 100 with and without
caches. A run begins with empty caches."""

import statistics

from measuring import area, cores, kernels, project, timed, tools
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

WARPS, THREADS, UNIT = 8, 8, "sorted-table"
CORE = (*cores.size_of(WARPS, THREADS), *cores.unit_of(UNIT))
LATENCY = 100
BUS = ("memory.kind=axi4", f"memory.latency={LATENCY}")
INSTRUCTIONS, DATA, PREFETCH = "icache.bytes=8192", "dcache.bytes=16384", "icache.prefetch=true"
CONTROL = "control.port=true"
WAYS = {
    "near": (),
    "bus": (*BUS, f"memory.fetch_latency={LATENCY}"),
    "instructions": (*BUS, INSTRUCTIONS),
    "both": (*BUS, INSTRUCTIONS, DATA),
    "prefetch": (*BUS, INSTRUCTIONS, DATA, PREFETCH),
}
# The ways that the timing model is compared in.
CACHED = ("instructions", "both", "prefetch")
HEADINGS = {"near": "latency 1", "bus": "no caches", "instructions": "instruction cache", "both": "both caches",
            "prefetch": "prefetch too"}
FIGURES = ("cycles", "issues")
# Areas are those of RV32IM on AXI4: what is added, one after the other.
AREAS = {"AXI4": (), "instruction cache": (INSTRUCTIONS,), "both caches": (INSTRUCTIONS, DATA),
         "control port too": (INSTRUCTIONS, DATA, CONTROL), "prefetch too": (INSTRUCTIONS, DATA, CONTROL, PREFETCH),
         "the same, `pdom-stack`": (INSTRUCTIONS, DATA, CONTROL, PREFETCH, "divergence.unit=pdom-stack")}


def measurements(weft):
    settings = {way: (*CORE, *keys) for way, keys in WAYS.items()}
    names = kernels.runnable(weft, UNIT)

    def depends():
        return {**kernels.depends(weft, CORE, UNIT, names), "verilog of caches": weft.verilog(settings["prefetch"])}

    def run(kernel, keys):
        answer = kernels.lock_step(weft, kernel, keys)
        return {key: answer[key] for key in FIGURES}

    def measure():
        return {kernel: {way: run(kernel, keys) for way, keys in settings.items()} for kernel in names}, tools.for_runs()

    yield Measurement(
        name=f"caches/{WARPS}x{THREADS}", set=NIGHTLY, estimate=900,
        command=" ".join(["weft", "--json", "cosim", "KERNEL.elf", *sets(settings["prefetch"]), "...", *WAYS]),
        depends=depends, measure=measure,
    )

    def cycles(kernel, keys):
        """Of the RTL, and of the timing model."""
        return [timed.run(weft, kernel, keys, LATENCY, engine)["cycles"] for engine in ("rtl", "model")]

    def estimate():
        return {kernel: {way: cycles(kernel, settings[way]) for way in CACHED} for kernel in names}, tools.for_runs()

    yield Measurement(
        name=f"caches-model/{WARPS}x{THREADS}", set=NIGHTLY, estimate=600,
        command=" ".join(["weft", "--json", "run", "KERNEL.elf", "--engine", "model", *sets(settings["prefetch"]), "..."]),
        depends=lambda: {**depends(), "model": weft.project.sources(project.MODEL)}, measure=estimate,
    )

    core = (*CORE, "isa.a=false", "trace.port=false", BUS[0])
    words = {name: ["synth", "--target", area.TARGET, *sets([*core, *keys])] for name, keys in AREAS.items()}

    def synthesise():
        results = {name: area.synthesise(weft, command) for name, command in words.items()}
        return {name: {cell: values[cell] for cell in area.CELLS} for name, (values, _) in results.items()}, results["AXI4"][1]

    yield Measurement(
        name=f"caches-area/{WARPS}x{THREADS}", set=NIGHTLY, estimate=400,
        command=" ".join(map(str, ["weft", "--json", *words["prefetch too"], "..."])),
        depends=lambda: {"verilog": weft.verilog([*core, *AREAS["prefetch too"]])}, measure=synthesise,
    )


def area_rows(shown):
    (result,) = shown.all()
    shown_cells = ["packed", "lut4", "ff", "bram"]
    headings = ["core" + shown.mark(result.name), *(area.CELLS[cell] for cell in shown_cells)]
    return table(headings, [[name, *(cells[cell] for cell in shown_cells)] for name, cells in result.values.items()])


def rows(shown):
    (result,) = shown.all()
    lines, ratios = [], {way: [] for way in WAYS}
    for kernel, ways in sorted(result.values.items()):
        near = ways["near"]["cycles"]
        ratio = {way: run["cycles"] / near for way, run in ways.items()}
        for way, value in ratio.items():
            ratios[way].append(value)
        lines.append([spaced(kernel), near, *(f"{ratio[way]:.2f}" for way in list(WAYS)[1:])])
    lines.append(["**geometric mean**", "", *(f"{mean(ratios[way]):.2f}" for way in list(WAYS)[1:])])
    headings = list(HEADINGS.values())
    return table(["kernel" + shown.mark(result.name), f"cycles, {headings[0]}", *headings[1:]], lines)


def model_rows(shown):
    (result,) = shown.all()
    lines = []
    for way in CACHED:
        errors = {kernel: 100 * (ways[way][1] / ways[way][0] - 1) for kernel, ways in result.values.items()}
        worst = max(errors, key=lambda kernel: abs(errors[kernel]))
        median = statistics.median(map(abs, errors.values()))
        lines.append([HEADINGS[way] + shown.mark(result.name), len(errors), f"{median:.2f} %", f"{errors[worst]:+.1f} % {spaced(worst)}"])
    return table(["caches", "kernels", "median of the errors", "worst"], lines)


NOTE = (f"{WARPS} warps of {THREADS} threads in lock step. First the cycles with memory of latency 1 at its own ports; then, in multiples "
        "of it, AXI4 at latency 100: without caches, with an instruction cache of 8 KiB, with a data cache of 16 KiB too, and with prefetch of "
        "instructions. Caches are empty at the beginning.")
MODEL_NOTE = f"{WARPS} warps of {THREADS} threads, AXI4 at latency {LATENCY}, caches of 8 and 16 KiB, empty at the beginning."
AREA_NOTE = (f"RV32IM, {WARPS} warps of {THREADS} threads, sorted table, ECP5-85k: each row has what the row above has. The stack has "
             "its table in the instruction cache.")
TABLES = [Table("caches", ["caches/*"], rows, NOTE), Table("caches-model", ["caches-model/*"], model_rows, MODEL_NOTE),
          Table("caches-area", ["caches-area/*"], area_rows, AREA_NOTE)]
