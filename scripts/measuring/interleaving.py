"""What stacks interleaved between lanes save, on three kernels that live on their stacks."""

from measuring import cores, kernels, tools
from measuring.markdown import spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

WARPS = 4
THREADS = (8, 32)
KERNELS = ("mandelbrot", "quicksort", "recursion")
UNIT = "sorted-table"
FIGURES = ("cycles", "issues")


def measurements(weft):
    for threads in THREADS:
        yield measurement(weft, threads)


def measurement(weft, threads):
    core = (*cores.size_of(WARPS, threads), *cores.unit_of(UNIT))

    def measure():
        values = {}
        for kernel in KERNELS:
            values[kernel] = {}
            for name, interleaved in ("plain", "false"), ("interleaved", "true"):
                answer = kernels.lock_step(weft, kernel, [*core, f"memory.stack_interleave={interleaved}"])
                values[kernel][name] = {key: answer[key] for key in FIGURES}
        return values, tools.for_runs()

    return Measurement(
        name=f"interleaving/{WARPS}x{threads}", set=NIGHTLY, estimate=120,
        command=" ".join(["weft", "--json", "cosim", "KERNEL.elf", *sets([*core, "memory.stack_interleave=INTERLEAVED"])]),
        depends=lambda: kernels.depends(weft, core, UNIT, KERNELS), measure=measure,
    )


def rows(shown):
    lines = []
    for result in shown.all():
        threads = result.name.partition("x")[2]
        for kernel, ways in result.values.items():
            line = [spaced(kernel) + shown.mark(result.name), threads]
            for figure in FIGURES:
                plain, interleaved = ways["plain"][figure], ways["interleaved"][figure]
                line += [plain, interleaved, f"{plain / interleaved:.2f}"]
            lines.append(line)
    return table(["kernel", "threads", "cycles, plain", "interleaved", "ratio", "issues, plain", "interleaved", "ratio"], lines)


NOTE = f"{WARPS} warps in lock step, memory latency 1; mandelbrot computes in soft float."
TABLES = [Table("interleaving", ["interleaving/*"], rows, NOTE)]
