"""Cycles of the kernels with each divergence unit over those with the sorted table: means against threads, single kernels at 32."""

import statistics

from plots import COMPARISON, FAINT, INK, REFERENCE, THREADS, UNITS, Plot, against_threads, pyplot, rows

DATA = COMPARISON
SINGLE = 32
OTHERS = [unit for unit in UNITS if unit != REFERENCE]


def draw():
    cycles = {
        (row["unit"], int(row["threads"]), row["kernel"]): float(row["cycles"]) for row in rows("run", status="0")
    }
    names = sorted({kernel for _, _, kernel in cycles})
    compared = [
        kernel for kernel in names if all((unit, threads, kernel) in cycles for unit in UNITS for threads in THREADS)
    ]

    def ratio(unit, threads, kernel):
        return cycles[unit, threads, kernel] / cycles[REFERENCE, threads, kernel]

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.3, 7.2), layout="constrained", width_ratios=(1, 1.15))
    against_threads(left, f"Geometric mean of {len(compared)} kernels", f"cycles ÷ cycles with {REFERENCE}")
    for unit, (name, looks) in UNITS.items():
        means = [statistics.geometric_mean(ratio(unit, threads, kernel) for kernel in compared) for threads in THREADS]
        left.plot(THREADS, means, label=name, **looks)

    right.set_title(f"Each kernel at {SINGLE} threads", pad=10)
    order = sorted(compared, key=lambda kernel: (ratio("pdom-stack", SINGLE, kernel), kernel))
    for place, kernel in enumerate(order):
        right.axhline(place, color="#eceef2", linewidth=0.8, zorder=0)
    for unit in OTHERS:
        looks = UNITS[unit][1]
        looks = {**looks, "markersize": looks["markersize"] * 0.8}
        right.plot([ratio(unit, SINGLE, kernel) for kernel in order], range(len(order)), linestyle="", **looks)
    right.axvline(1, color=INK, linewidth=1)
    right.set_yticks(range(len(order)), order, fontsize=8.5)
    right.set_ylim(-0.7, len(order) - 0.3)
    right.set_xlabel(f"cycles ÷ cycles with {REFERENCE}")
    right.tick_params(axis="y", length=0)
    right.spines["left"].set_visible(False)
    figure.legend(loc="outside upper left", ncols=5, fontsize=9.5, handlelength=2, columnspacing=1.4)
    figure.supxlabel(
        "less is better; eight warps, memory latency 1, the emitted Verilog in Verilator",
        fontsize=9.5,
        color=FAINT,
        x=0.01,
        ha="left",
    )
    return Plot(figure, "Cycles of the kernels over the sorted table", __doc__)
