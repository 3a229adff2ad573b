"""The named configurations of the README: what they take, how fast they are, and what was checked."""

from measuring import cores, kernels
from measuring.area import WARPS
from measuring.clock import median
from measuring.markdown import mean, table
from measuring.table import Table

# What is said of each core.
CONFIGURATIONS = {
    cores.Core("rv32i", WARPS, 4, "sorted-table"): "base integer (`--preset rv32i-8x4`)",
    cores.Core("rv32im", WARPS, 4, "sorted-table"): "with RV32M",
    cores.Core("rv32im", WARPS, 8, "sorted-table"): "with RV32M, 8 threads a warp",
    cores.Core("rv32im", WARPS, 8, "pdom-stack"): "the same, reconvergence stack",
}


def sources():
    for core in CONFIGURATIONS:
        yield from names(core)


def names(core):
    """The results of a configuration: area, clock, kernels."""
    return f"area/{core.name}", f"clock/{core.name}", f"kernels/{core.size}-{core.unit}"


def rows(shown):
    lines = []
    for core, what in CONFIGURATIONS.items():
        found = names(core)
        area, clock, runs = (result and result.values for result in map(shown.get, found))
        mhz = median(clock) if clock else None
        lines.append([
            core.name + shown.mark(*found), what, *((area["lut4"], area["packed"]) if area else "--"),
            f"{mhz:.1f}" if mhz else "-",
            f"{mean(map(kernels.ipc_of_warps, runs.values())):.2f}" if runs else "-",
            f"{mean(map(kernels.ipc_of_threads, runs.values())):.2f}" if runs else "-",
            f"{len(runs)} kernels" if runs else "-",
        ])
    return table(["name", "what", "LUT4", "LUT sites", "MHz", "IPC of warps", "IPC of threads", "checked"], lines, left=2)


NOTE = (
    "8 warps, ECP5-85F speed grade 6, without trace port; MHz is the median of three or five seeds. IPC is the geometric mean over the "
    "bundled kernels, at memory latency 1. Checked: so many kernels pass in lock step with the golden model, on the same core with "
    "M and A."
)
TABLES = [Table("rows", list(sources()), rows, NOTE, partial=True)]
