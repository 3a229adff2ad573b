"""The size of the structures of dynamic warp formation as hardware: `cores/examples/warp_formation`."""

import json

from measuring import processes, tools
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.scalar import flow
from measuring.table import Table

SIZES = ((8, 8), (8, 16), (16, 16))
EXAMPLE = ("cargo", "run", "--quiet", "--locked", "--package", "weft-cores", "--example", "warp_formation", "--")
TOP = "warp_formation"


def measurements(weft):
    for warps, threads in SIZES:
        yield measurement(weft, warps, threads)


def measurement(weft, warps, threads):
    command = [*EXAMPLE, str(warps), str(threads)]

    def measure():
        tools.for_synthesis(weft.project.root)
        folder = weft.work / f"formation-{warps}x{threads}"
        folder.mkdir()
        verilog = processes.run(command, cwd=weft.project.root).stdout
        (folder / "structures.v").write_text(verilog, encoding="utf-8")
        (folder / "script.ys").write_text(flow.COUNT.format(defines="", files="structures.v", top=TOP), encoding="utf-8")
        processes.run([tools.yosys(), "-q", "script.ys"], cwd=folder)
        counted = flow.counts(json.loads((folder / "cells.json").read_text(encoding="utf-8")), TOP)
        return counted, {"yosys": tools.version(processes.run([tools.yosys(), "--version"]).stdout)}

    return Measurement(
        name=f"formation/{warps}x{threads}", set=NIGHTLY, estimate=10 * threads, command=" ".join(command) + " > structures.v",
        depends=lambda: {"structures": weft.project.sources(["cores/examples/warp_formation", "common/rtl/src"])}, measure=measure,
    )


def rows(shown):
    lines = []
    for result in shown.all():
        size, values = result.name.partition("/")[2], result.values
        lines.append([size.replace("x", " × ") + shown.mark(result.name), *(values[key] for key in ("lut4", "lutram", "ff", "packed"))])
    return table(["warps × threads", "LUT4", "LUT RAM", "FF", "LUT sites"], lines)


TABLES = [Table("formation", ["formation/*"], rows, "Mapped by Yosys for the ECP5, not placed.")]
