"""Every bundled kernel in lock step: on a core of 8 x 4, and on cores of 8 x 8 with each divergence unit."""

from measuring import cores, tools
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import STANDING, Measurement
from measuring.table import Table
from measuring.weft import sets

WARPS = 8
FIGURES = ("cycles", "issues", "thread_instructions", "lane_utilisation", "divergent_branches")


def measurements(weft):
    for threads, unit in [(4, "sorted-table"), *((8, unit) for unit in weft.units())]:
        yield measurement(weft, cores.Core("rv32ima", WARPS, threads, unit))


def measurement(weft, core):
    settings = (*cores.size_of(core.warps, core.threads), *cores.unit_of(core.unit))
    return Measurement(
        name=f"kernels/{core.size}-{core.unit}",
        set=STANDING,
        estimate=150,
        command=" ".join(["weft", "--json", "cosim", "KERNEL.elf", *sets(settings)]),
        depends=lambda: depends(weft, settings, core.unit, runnable(weft, core.unit)),
        measure=lambda: (run_all(weft, settings, core.unit), tools.for_runs()),
    )


def runnable(weft, unit):
    """The kernels that a divergence unit can run: the stacks take no turns, which some need."""
    return [name for name, kernel in weft.kernels().items() if unit in kernel["units"]]


def depends(weft, settings, unit, kernels):
    """Digests of what the cycles of kernels depend on."""
    found = {"verilog": weft.verilog(settings), "kernels": weft.programs(kernels)}
    if weft.reconverges(unit):
        found["analysis"] = weft.analysis(kernels)
    return found


def run_all(weft, settings, unit):
    return {name: figures(lock_step(weft, name, settings)) for name in runnable(weft, unit)}


def lock_step(weft, kernel, settings):
    answer = weft.ask("cosim", weft.elf(kernel), *sets([*settings, *weft.kernels()[kernel]["settings"]]), accept=(0, 1))
    if answer.get("outcome") not in ("exited", "pass"):
        raise Failure(f"kernel {kernel}: outcome {answer.get('outcome')}")
    return answer


def figures(answer):
    taken = {key: answer[key] for key in FIGURES}
    return {**taken, "lane_utilisation": round(taken["lane_utilisation"], 6)}


def ipc_of_warps(run):
    """Instructions a cycle, whatever the number of their threads."""
    return run["issues"] / run["cycles"]


def ipc_of_threads(run):
    """Thread instructions a cycle."""
    return run["thread_instructions"] / run["cycles"]


def kernel_rows(shown):
    (result,) = shown.all()
    rows = []
    for name, run in sorted(result.values.items()):
        rows.append([
            name, run["cycles"], f"{ipc_of_warps(run):.3f}", f"{ipc_of_threads(run):.2f}",
            f"{run['lane_utilisation']:.3f}", run["divergent_branches"],
        ])
    headings = ["kernel", "cycles", "IPC of warps", "IPC of threads", "lane utilisation", "divergent branches"]
    return table([headings[0] + shown.mark(result.name), *headings[1:]], rows)


def cycle_rows(shown):
    results = shown.all()
    kernels = sorted({kernel for result in results for kernel in result.values})
    headings = ["kernel", *(result.name.partition("-")[2] + shown.mark(result.name) for result in results)]
    return table(headings, [
        [kernel, *(result.values[kernel]["cycles"] if kernel in result.values else "-" for result in results)]
        for kernel in kernels
    ])


TABLES = [
    Table("kernels", ["kernels/8x4-sorted-table"], kernel_rows, "8 warps of 4 threads, sorted table, RTL and golden model in lock step, "
          "memory latency 1. Every kernel passed."),
    Table("cycles", ["kernels/8x8-*"], cycle_rows, "Cycles of 8 warps of 8 threads in lock step, memory latency 1. `-`: the kernel "
          "needs time slices, which the unit does not have."),
]
