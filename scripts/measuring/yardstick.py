"""The yardstick: scalar cores in the area of one Weft core, next to that core, in work per second."""

import textwrap

from measuring import area, clock, cores, kernels, tools
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.scalar import cores as scalars
from measuring.scalar import flow, machine, programs
from measuring.table import Table
from measuring.weft import sets

UNIT = "sorted-table"
WEFTS = {isa: cores.Core(isa, programs.WARPS, programs.THREADS, UNIT) for isa in ("rv32i", "rv32im")}
# Medians of older hardware in MHz, of area.md, for a core that is not placed.
OLDER_MHZ = {"rv32i": 82.3, "rv32im": 78.7}
# Estimated seconds.
WEFT, SCALAR = 600, 180


def measurements(weft):
    for isa, core in WEFTS.items():
        yield of_weft(weft, isa, core)
    for scalar in scalars.SCALARS:
        yield of_scalar(weft, scalar)


def of_weft(weft, isa, core):
    settings = (
        *cores.size_of(core.warps, core.threads), *cores.unit_of(core.unit), *cores.ISAS[isa],
        f"memory.fetch_latency={machine.FETCH_LATENCY}",
    )
    synthesis = ["synth", "--target", area.TARGET, *sets(core.settings)]

    def run(kernel):
        return [kernels.lock_step(weft, kernel, (*settings, f"memory.latency={latency}"))["cycles"] for latency in machine.LATENCIES]

    def measure():
        cells, versions = area.synthesise(weft, synthesis)
        cycles = {kernel: run(kernel) for kernel in programs.of_isa(weft, isa)}
        return {key: cells[key] for key in area.CELLS} | {"cycles": cycles}, {**versions, **tools.for_runs()}

    return Measurement(
        name=weft_name(isa), set=NIGHTLY, estimate=WEFT,
        command=" ".join(["weft", "--json", "cosim", "KERNEL.elf", *sets([*settings, "memory.latency=LATENCY"])]),
        depends=lambda: {
            "verilog": weft.verilog(settings), "synthesised": weft.verilog(core.settings), "kernels": weft.programs(candidates(weft)),
        },
        measure=measure,
    )


def of_scalar(weft, scalar):
    def measure():
        scalars.install(weft.project)
        values, versions = flow.implement(weft, scalar)
        found, left_out = programs.tasks(weft)
        values |= {
            "harts": {kernel: found[kernel].harts for kernel in programs.of_isa(weft, scalar.isa)},
            "cycles": machine.cycles(weft, scalar), "left_out": left_out,
        }
        return values, {**versions, **tools.for_runs(), "core": scalars.version(weft.project, scalar.package)}

    return Measurement(
        name=f"yardstick/{scalar.name}", set=NIGHTLY, estimate=SCALAR, command=f"scripts/measure run yardstick/{scalar.name}",
        depends=lambda: {
            "core": scalars.version(weft.project, scalar.package), "bench": weft.project.sources([scalars.FOLDER]),
            "kernels": weft.programs(candidates(weft)),
        },
        measure=measure,
    )


def candidates(weft):
    return [name for name, kernel in weft.kernels().items() if "isa.a=true" not in kernel["settings"]]


def weft_name(isa):
    return f"yardstick/weft-{WEFTS[isa].isa}"


def clock_name(isa):
    return f"clock/{WEFTS[isa].name}"


def gains(weft, weft_mhz, scalar, latency):
    """By kernel: the work per second of the Weft core, over the work per second of the scalar cores in the same area.

    Both do the same tasks, so that work per second is tasks per second.
    """
    number, clocks = weft["packed"] / scalar["packed"], weft_mhz / scalar["fmax_mhz_median"]
    return {
        kernel: cycles[latency] / weft["cycles"][kernel][latency] * clocks / number
        for kernel, cycles in scalar["cycles"].items() if kernel in weft["cycles"]
    }


def at_latencies(weft, weft_mhz, scalar):
    return [gains(weft, weft_mhz, scalar, index) for index in range(len(machine.LATENCIES))]


def average(gains_of_kernels):
    return mean(list(gains_of_kernels.values()))


def mhz_of(shown, isa):
    """The clock of the Weft core, and a mark if it is that of older hardware."""
    result = shown.get(clock_name(isa))
    mhz = result and clock.median(result.values)
    return (mhz, "") if mhz else (OLDER_MHZ[isa], " \\*")


def found_scalars(shown, isa=None):
    """The scalar cores that are measured, with their results."""
    of_isa = [scalar for scalar in scalars.SCALARS if isa in (None, scalar.isa)]
    return [(scalar, result) for scalar in of_isa if (result := shown.get(f"yardstick/{scalar.name}"))]


def rows(shown):
    lines, older = [], False
    for isa in WEFTS:
        weft = shown.get(weft_name(isa))
        if not weft:
            continue
        mhz, mark = mhz_of(shown, isa)
        older |= bool(mark)
        stale = shown.mark(weft.name, clock_name(isa))
        lines.append([isa.upper(), "Weft 8 × 8" + stale, *cells_of(weft.values), f"{mhz:.1f}{mark}", "1", *[""] * 4])
        for scalar, result in found_scalars(shown, isa):
            number = weft.values["packed"] / result.values["packed"]
            by_latency = at_latencies(weft.values, mhz, result.values)
            lines.append([
                isa.upper(), scalar.title + shown.mark(result.name), *cells_of(result.values), f"{result.values['fmax_mhz_median']:.1f}",
                f"{number:.1f}", *(f"{average(of):.2f}" for of in by_latency),
                f"{min(by_latency[0].values()):.2f} to {max(by_latency[0].values()):.2f}",
            ])
    headings = ["ISA", "core", "LUT sites", "BRAM", "DSP", "MHz", "N", *latencies(), "kernels, latency 1"]
    said = [line for note in notes(shown, older) for line in textwrap.wrap(note, 120)]
    return [*table(headings, lines, left=2), "", *said]


def latencies():
    return [f"latency {latency}" for latency in machine.LATENCIES]


def cells_of(values):
    return [values[key] for key in ("packed", "bram", "dsp")]


def notes(shown, older):
    """What the table leaves out, and which clocks are older."""
    present = found_scalars(shown)
    missing = [scalar.title for scalar in scalars.SCALARS if scalar not in [found for found, _ in present]]
    missing += [f"Weft {isa.upper()}" for isa in WEFTS if not shown.get(weft_name(isa))]
    reasons = {}
    for kernel, reason in (present[0][1].values["left_out"] if present else {}).items():
        reasons.setdefault(reason, []).append(spaced(kernel))
    kernels_of = [f"{len(names)} with {reason} ({', '.join(names)})" for reason, names in reasons.items()]
    return [
        *(["\\* Older hardware: the median of area.md."] if older else []),
        *([f"Cores left out, because not installed or not measured: {', '.join(missing)}."] if missing else []),
        *([f"Kernels left out: {'; '.join(kernels_of)}."] if kernels_of else []),
    ]


def kernel_rows(shown):
    """Kernel by kernel, next to the best scalar core with M."""
    isa = "rv32im"
    weft = shown.get(weft_name(isa))
    if not weft or not found_scalars(shown, isa):
        return ["Not measured yet."]
    mhz, _ = mhz_of(shown, isa)
    scalar, result = min(found_scalars(shown, isa), key=lambda found: average(gains(weft.values, mhz, found[1].values, 0)))
    by_latency = at_latencies(weft.values, mhz, result.values)
    lines = []
    for kernel in by_latency[0]:
        cycles = zip(result.values["cycles"][kernel], weft.values["cycles"][kernel])
        lines.append([
            spaced(kernel), result.values["harts"][kernel], *(f"{own} / {of_weft}" for own, of_weft in cycles),
            *(f"{of[kernel]:.2f}" for of in by_latency),
        ])
    lines.append(["geometric mean", *[""] * (1 + len(by_latency)), *(f"{average(of):.2f}" for of in by_latency)])
    headings = ["kernel", "harts", *(f"cycles, {latency}" for latency in latencies()), *latencies()]
    return [f"{scalar.title} / Weft RV32IM 8 × 8:", "", *table([headings[0] + shown.mark(weft.name, result.name), *headings[1:]], lines)]


SOURCES = ["yardstick/*", *map(clock_name, WEFTS)]
NOTE = (
    "N scalar cores have the LUT sites of the Weft core above them. By memory latency: the work per second of the Weft core over that of "
    "N scalar cores, a geometric mean over kernels; more than 1 where Weft does more. Last column: the least and the most of single "
    "kernels. Weft has 8 warps of 8 threads and the sorted table. ECP5-85k, speed grade 6, medians of three or five seeds."
)
OF_KERNELS = "Harts: 1 if the threads of Weft share fixed work, else the harts that the scalar core runs in turn."
TABLES = [
    Table("yardstick", SOURCES, rows, NOTE, partial=True),
    Table("yardstick-kernels", SOURCES, kernel_rows, OF_KERNELS, partial=True),
]
