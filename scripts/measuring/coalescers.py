"""What each coalescer takes in area, and what it gains on the bundled kernels."""

from measuring import area, cores, kernels
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

SIZES = ((8, 8), (2, 32))
UNIT = "sorted-table"
COALESCERS = ("word", "line-loads", "line")


def measurements(weft):
    for warps, threads in SIZES:
        for coalescer in COALESCERS:
            core = cores.Core("rv32im", warps, threads, UNIT)
            yield measurement(weft, core, f"coalescers/{core.size}-{coalescer}", f"memory.coalescer={coalescer}")


def measurement(weft, core, name, key):
    """The area of a core with another value of a key, and the cycles of all kernels on it."""
    settings = (*core.settings, key)
    options = ("--per-module",) if core.threads > 16 else ()
    synth = ["synth", "--target", area.TARGET, *options, *sets(settings)]

    def cycles(kernel):
        return kernels.lock_step(weft, kernel, [*cores.size_of(core.warps, core.threads), *cores.unit_of(core.unit), key])["cycles"]

    def measure():
        counts, versions = area.synthesise(weft, synth)
        return {"packed": counts["packed"], "cycles": {name: cycles(name) for name in weft.kernels()}}, versions

    return Measurement(
        name=name, set=NIGHTLY, estimate=60 + 30 * core.threads,
        command=" ".join(map(str, ["weft", "--json", *synth])),
        depends=lambda: {"verilog": weft.verilog(settings), **kernels.depends(weft, settings, core.unit, list(weft.kernels()))},
        measure=measure,
    )


def rows(shown):
    results = {}
    for result in shown.all():
        size, _, coalescer = result.name.partition("/")[2].partition("-")
        results[size, coalescer] = result
    lines = []
    for (size, coalescer), result in results.items():
        plain = results[size, "word"].values
        ratios = {kernel: taken / plain["cycles"][kernel] for kernel, taken in result.values["cycles"].items()}
        best = min(ratios, key=ratios.get)
        cycles, sites = mean(list(ratios.values())), result.values["packed"] / plain["packed"]
        lines.append([
            size.replace("x", " × ") + shown.mark(result.name), coalescer, f"{sites:.3f}", f"{cycles:.3f}",
            f"{ratios[best]:.2f} ({spaced(best)})", f"{1 / cycles / sites:.3f}",
        ])
    return table(["core", "coalescer", "LUT sites", "cycles", "least cycles", "work per cycle and site"], lines)


TABLES = [Table("coalescers", ["coalescers/*"], rows, "RV32IM, `sorted-table`, next to `word`. Cycles are of the RTL, a geometric mean over all bundled kernels. Cores of 32 threads are counted by module.")]
