"""The single-path against the dual-path reconvergence stack: cycles over warps, threads and memory latencies."""

from measuring import timed, tools
from measuring.kernels import lock_step
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

WARPS = (1, 2, 4, 8)
THREADS = (8, 32)
LATENCIES = (1, 20, 100, 300)
# Where lock step counts paths: one warp, most threads, slow memory.
COUNTED = (1, 32, 300)
COUNTS = ("avg_path", "lane_utilisation", "high_water")


def measurements(weft):
    for threads in THREADS:
        for warps in WARPS:
            for unit in timed.STACKS:
                yield cycles(weft, warps, threads, unit)
    for unit in timed.STACKS:
        yield counts(weft, unit)


def cycles(weft, warps, threads, unit):
    core = timed.settings(warps, threads, unit)

    def measure():
        values = {}
        for kernel in weft.compared():
            runs = [timed.run(weft, kernel, core, latency, "rtl") for latency in LATENCIES]
            values[kernel] = {
                "group": weft.kernels()[kernel]["comparison"], "cycles": [run["cycles"] for run in runs],
                "idle": [run["idle_cycles"] for run in runs],
            }
        return values, tools.for_runs()

    return Measurement(
        name=f"stacks/{warps}x{threads}-{unit}", set=NIGHTLY, estimate=180, command=timed.command(core, "rtl"),
        depends=lambda: timed.depends(weft, core, unit, weft.compared()), measure=measure,
    )


def counts(weft, unit):
    warps, threads, latency = COUNTED
    core = timed.settings(warps, threads, unit, [f"memory.latency={latency}"])

    def measure():
        values = {}
        for kernel in weft.compared():
            answer = lock_step(weft, kernel, core)
            values[kernel] = {"group": weft.kernels()[kernel]["comparison"], **{key: round(answer[key], 6) for key in COUNTS}}
        return values, tools.for_runs()

    return Measurement(
        name=f"stacks/paths-{unit}", set=NIGHTLY, estimate=60,
        command=" ".join(["weft", "--json", "cosim", "KERNEL.elf", *sets(core)]),
        depends=lambda: timed.depends(weft, core, unit, weft.compared()), measure=measure,
    )


def pairs(shown):
    """By threads, warps and latency: of each kernel the figures of both units."""
    found = {}
    for result in shown.all():
        size, _, unit = result.name.partition("/")[2].partition("-")
        if size == "paths":
            continue
        warps, threads = map(int, size.split("x"))
        for kernel, figures in result.values.items():
            for index, latency in enumerate(LATENCIES):
                point = found.setdefault((threads, warps, latency), {}).setdefault(kernel, {})
                point[unit] = figures["cycles"][index], figures["idle"][index], figures["group"]
    both = set(timed.STACKS)
    return {
        point: {kernel: pair for kernel, pair in kernels.items() if set(pair) == both}
        for point, kernels in sorted(found.items())
        if any(set(pair) == both for pair in kernels.values())
    }


def gain(pair):
    """Cycles of the single path by those of the dual path."""
    single, dual = (pair[unit][0] for unit in timed.STACKS)
    return single / dual


def rows(shown):
    by_point = pairs(shown)
    if not by_point:
        return ["One of the two units has no result yet."]
    mark = shown.mark(*(result.name for result in shown.results))
    return [
        "Cycles of `pdom-stack` ÷ cycles of `dual-path`: more than 1 is a gain of the dual path. Means are geometric." + mark,
        "", *means(by_point), *by_group(by_point), "", "{1} threads, {0} warp, latency {2}, in lock step:".format(*COUNTED), "",
        *path_rows(shown),
    ]


def means(by_point):
    lines = []
    for point, kernels in by_point.items():
        gains = {kernel: gain(pair) for kernel, pair in kernels.items()}
        chosen = [kernel for kernel, pair in kernels.items() if pair["dual-path"][2] == "interleavable"]
        worst = min(gains, key=gains.get)
        idle = mean([kernels[kernel]["dual-path"][1] / kernels[kernel]["pdom-stack"][1] for kernel in chosen])
        lines.append([
            *point, f"{mean(gains.values()):.3f}", f"{mean([gains[kernel] for kernel in chosen]):.3f}",
            f"{gains[worst]:.3f} {spaced(worst)}", f"{100 * (idle - 1):+.0f} %",
        ])
    headings = ["threads", "warps", "latency", "all kernels", "interleavable", "least of all", "idle cycles, interleavable"]
    return table(headings, lines, left=0)


def by_group(by_point):
    """One table for each group of kernels."""
    groups = sorted({pair["dual-path"][2] for kernels in by_point.values() for pair in kernels.values()})
    for group in groups:
        members = sorted({k for kernels in by_point.values() for k, pair in kernels.items() if pair["dual-path"][2] == group})
        lines = []
        for point, kernels in by_point.items():
            gains = [gain(kernels[kernel]) if kernel in kernels else None for kernel in members]
            known = [value for value in gains if value]
            lines.append([*point, *("-" if value is None else f"{value:.3f}" for value in [mean(known), min(known), *gains])])
        # Six names of kernels leave no room for more than letters.
        headings = ["T", "W", "L", "mean", "least", *map(spaced, members)]
        yield from ["", f"Kernels that are {group.replace('-', ' ')}, with T threads, W warps, latency L:", ""]
        yield from table(headings, lines, left=0)


def path_rows(shown):
    by_unit = {unit: shown.get(f"stacks/paths-{unit}") for unit in timed.STACKS}
    single, dual = (result.values if result else {} for result in by_unit.values())
    lines = []
    for kernel in sorted(set(single) & set(dual), key=lambda kernel: (dual[kernel]["group"], kernel)):
        lines.append([
            spaced(kernel), dual[kernel]["group"], f"{dual[kernel]['avg_path']:.3f}",
            *(f"{values[kernel]['lane_utilisation']:.4f}" for values in (single, dual)),
            *(values[kernel]["high_water"] for values in (single, dual)),
        ])
    headings = ["kernel", "group", "AvgPath", "lane utilisation, single", "dual", "rows, single", "dual"]
    return table(headings, lines, left=2)


TABLES = [Table("stacks", ["stacks/*"], rows, "RTL, 128 loads in flight.")]
