"""The cycles that the timing model counts against those of the RTL."""

import statistics

from measuring import cores, kernels as bundled, timed, tools
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

WARPS = (1, 4, 8)
THREADS = 8
LATENCIES = (1, 20, 100, 300)
ENGINES = ("rtl", "model")
# Cores on which every bundled kernel runs, with the default memory.
EVERY, EVERY_UNIT, EVERY_LATENCIES = ((8, 8), (2, 32)), "sorted-table", (1, 20)
# Kernels that every unit runs; units with a reconvergence table run those of the comparison of stacks as well.
COMMON = ("division64", "gcd", "histogram", "matrix_multiply", "quicksort", "recursion")


def measurements(weft):
    for unit in weft.units():
        for warps in WARPS:
            yield measurement(weft, warps, unit)
    for warps, threads in EVERY:
        yield of_every_kernel(weft, warps, threads)


def measurement(weft, warps, unit):
    core = timed.settings(warps, THREADS, unit)

    def kernels():
        return [*COMMON, *(weft.compared() if weft.reconverges(unit) else [])]

    return of_kernels(weft, f"accuracy/{warps}x{THREADS}-{unit}", core, unit, kernels, LATENCIES, 180)


def of_every_kernel(weft, warps, threads):
    core = (*cores.size_of(warps, threads), *cores.unit_of(EVERY_UNIT))

    def kernels():
        return bundled.runnable(weft, EVERY_UNIT)

    return of_kernels(weft, f"accuracy-every/{warps}x{threads}", core, EVERY_UNIT, kernels, EVERY_LATENCIES, 900)


def of_kernels(weft, name, core, unit, kernels, latencies, estimate):
    """The cycles of kernels by both engines, at each latency."""

    def measure():
        return {
            kernel: {engine: [timed.run(weft, kernel, core, latency, engine)["cycles"] for latency in latencies] for engine in ENGINES}
            for kernel in kernels()
        }, tools.for_runs()

    return Measurement(
        name=name, set=NIGHTLY, estimate=estimate, command=timed.command(core, "rtl"),
        depends=lambda: timed.depends(weft, core, unit, kernels(), model=True), measure=measure,
    )


def every_rows(shown):
    lines = []
    for result in shown.all():
        size = result.name.partition("/")[2]
        for number, latency in enumerate(EVERY_LATENCIES):
            errors = {kernel: 100 * (cycles["model"][number] / cycles["rtl"][number] - 1) for kernel, cycles in result.values.items()}
            worst = max(errors, key=lambda kernel: abs(errors[kernel]))
            median = statistics.median(map(abs, errors.values()))
            core = size.replace("x", " × ") + shown.mark(result.name)
            lines.append([core, latency, len(errors), f"{median:.2f} %", f"{errors[worst]:+.1f} % {spaced(worst)}"])
    return table(["core", "latency", "kernels", "median of the errors", "worst"], lines)


def points(shown):
    """Of each unit, number of warps, kernel and latency the cycles of the RTL and of the model."""
    found = {}
    for result in shown.all():
        size, _, unit = result.name.partition("/")[2].partition("-")
        for kernel, cycles in result.values.items():
            for latency, *both in zip(LATENCIES, cycles["rtl"], cycles["model"]):
                found[unit, int(size.partition("x")[0]), kernel, latency] = both
    return found


def summary(errors):
    """The cells for errors by point."""
    worst = max(errors, key=lambda point: abs(errors[point]))
    _, warps, kernel, latency = worst
    median = statistics.median(map(abs, errors.values()))
    return [len(errors), f"{median:.2f} %", f"{errors[worst]:+.1f} % {spaced(kernel)}, {warps} warp{'s' * (warps > 1)}, latency {latency}"]


def rows(shown):
    found = points(shown)
    errors = {point: 100 * (model / rtl - 1) for point, (rtl, model) in found.items()}
    lines = []
    for result in shown.all():
        size, _, unit = result.name.partition("/")[2].partition("-")
        warps = int(size.partition("x")[0])
        chosen = {point: error for point, error in errors.items() if point[:2] == (unit, warps)}
        lines.append([unit + shown.mark(result.name), warps, *summary(chosen)])
    lines.append(["all", "", *summary(errors)])
    text = table(["unit", "warps", "runs", "median of the errors", "worst"], lines)
    single, dual = timed.STACKS
    gains = [
        (found[point][1] / found[dual, *point[1:]][1]) / (found[point][0] / found[dual, *point[1:]][0])
        for point in found
        if point[0] == single and (dual, *point[1:]) in found
    ]
    if gains:
        text += ["", f"The gain of `{dual}` over `{single}` is {100 * (mean(gains) - 1):+.2f} % off on the geometric mean of {len(gains)} "
                 f"points, {100 * (min(gains) - 1):+.1f} to {100 * (max(gains) - 1):+.1f} % on single ones."]
    return text


TABLES = [
    Table("accuracy", ["accuracy/*"], rows, "8 threads a warp, 128 loads in flight, latencies 1, 20, 100 and 300."),
    Table("accuracy-every", ["accuracy-every/*"], every_rows, "RV32IMA, sorted table, the default memory.", partial=True),
]
