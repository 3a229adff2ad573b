"""The kernels of grids at SIMTight's sizes, next to SIMTight's figures: thread instructions a cycle inside the launches."""

from measuring import cores, tools
from measuring.failure import Failure
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

WARPS, THREADS, UNIT = 64, 32, "sorted-table"
SCRATCHPAD = 128 << 10
LATENCIES = (1, 100)
SETTINGS = (
    *cores.size_of(WARPS, THREADS), *cores.unit_of(UNIT), f"scratchpad.bytes={SCRATCHPAD}",
    f"memory.ram_bytes={64 << 20}",
)
# Of its paper (ICCD 2024), 64 warps of 32 lanes.
SIMTIGHT = {
    "grid_vector_add": 29.5, "grid_histogram": 30.8, "grid_reduce": 31.2, "grid_scan": 30.2, "grid_transpose": 31.2,
    "grid_matrix_vector": 28.6, "grid_matrix_multiply": 31.2, "grid_bitonic_sort_small": 26.0, "grid_bitonic_sort_large": 24.7,
    "grid_sparse_matrix_vector": 5.2, "grid_blocked_stencil": 23.7, "grid_striped_stencil": 30.2, "grid_vector_gcd": 3.9,
    "grid_motion_estimation": 27.3,
}
# Its gathers depend on the matrix, so that the mean leaves it out.
LEFT_OUT = "grid_sparse_matrix_vector"
# The region of launches.
LAUNCHES = 1
LIMIT = 100_000_000
# Estimated seconds of a kernel.
MODEL, RTL = 15, 1800


def measurements(weft):
    for kernel in SIMTIGHT:
        for engine, estimate in (("model", MODEL), ("rtl", RTL)):
            yield measurement(weft, kernel, engine, estimate)


def measurement(weft, kernel, engine, estimate):
    words = ["run", "--engine", engine, "--max-cycles", LIMIT, *sets(SETTINGS)]

    def run(latency):
        answer = weft.ask(*words, *sets([f"memory.latency={latency}"]), elf(weft, kernel), accept=(0, 1))
        launches = [region for region in answer.get("regions") or [] if region["region"] == LAUNCHES]
        if answer.get("outcome") != "exited" or any(answer["exit_codes"]) or not launches:
            raise Failure(f"kernel {kernel} at latency {latency}: outcome {answer.get('outcome')}")
        return {key: launches[0][key] for key in ("cycles", "issues", "warp_instructions", "thread_instructions")}

    return Measurement(
        name=f"grids/{engine}-{kernel}", set=NIGHTLY, estimate=estimate,
        command=" ".join(map(str, ["weft", "--json", *words, "KERNEL.elf"])),
        depends=lambda: {"verilog": weft.verilog(SETTINGS), "program": weft.digest(elf(weft, kernel))},
        measure=lambda: ({str(latency): run(latency) for latency in LATENCIES}, tools.for_runs()),
    )


def elf(weft, kernel):
    return weft.large_elf(kernel, SCRATCHPAD)


def rate(launch):
    return launch["thread_instructions"] / launch["cycles"]


def rows(shown):
    found = {}
    for result in shown.all():
        engine, _, kernel = result.name.partition("/")[2].partition("-")
        found[kernel, engine] = result
    columns = [(engine, latency) for engine in ("rtl", "model") for latency in LATENCIES]
    lines, ratios = [], {column: [] for column in columns}
    for kernel, other in SIMTIGHT.items():
        cells = []
        for engine, latency in columns:
            result = found.get((kernel, engine))
            if result is None:
                cells.append("")
                continue
            own = rate(result.values[str(latency)])
            cells.append(f"{own:.1f} ({own / other:.2f})" + shown.mark(result.name))
            if kernel != LEFT_OUT:
                ratios[engine, latency].append(own / other)
        lines.append([spaced(kernel.removeprefix("grid_")), f"{other:.1f}", *cells])
    means = [f"{mean(of):.2f} of {len(of)}" if (of := ratios[column]) else "" for column in columns]
    lines.append(["geometric mean of the ratios", "", *means])
    headings = [f"{'RTL' if engine == 'rtl' else 'model'}, latency {latency}" for engine, latency in columns]
    return table(["kernel", "SIMTight", *headings], lines)


TABLES = [Table("grids", ["grids/*"], rows, "Thread instructions a cycle inside the launches, and the ratio to SIMTight's; its sizes. "
                "64 warps of 32 threads, sorted table, coalescer `line`, scratchpad of 128 KiB. The kernels are our own, not its sources. "
                "The mean leaves out sparse matrix vector. Empty: not measured yet.", partial=True)]
