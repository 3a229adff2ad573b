"""The area of scoreboards: with one slot, with two, and with two but without shadow bits."""

import json
import tempfile

from measuring import cores, processes, timed, tools
from measuring.area import WARPS
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

THREADS = (4, 8, 32)
CELLS = {"LUT4": "LUT4", "LUT RAM": "TRELLIS_DPR16X4", "FF": "TRELLIS_FF"}
SINGLE, DUAL = timed.STACKS
# Without shadow bits Yosys removes what writes and reads them.
KINDS = {"single": (SINGLE, ""), "dual": (DUAL, ""), "unshadowed": (DUAL, "cd s3_scoreboard; connect -set shadow 128'd0; cd ..;")}
# 50 MHz: stock mapping takes LUTs for speed, a third more or less.
PICOSECONDS = 20000


def measurements(weft):
    for threads in THREADS:
        yield measurement(weft, threads)


def measurement(weft, threads):
    def settings(unit):
        return cores.Core("rv32i", WARPS, threads, unit).settings

    def measure():
        tools.for_synthesis(weft.project.root)
        values = {name: count(weft, settings(unit), change) for name, (unit, change) in KINDS.items()}
        return values, {"yosys": tools.version(processes.run([tools.yosys(), "--version"]).stdout)}

    return Measurement(
        name=f"scoreboard/{WARPS}x{threads}", set=NIGHTLY, estimate=60,
        command=f"yosys -p '{script('weft_core.v', '', 'cells.json')}'",
        depends=lambda: {unit: weft.verilog(settings(unit)) for unit in timed.STACKS}, measure=measure,
    )


def script(core, change, out):
    return (f"read_verilog {core}; setattr -set ram_style \"distributed\" a:RAM_STYLE=distributed; hierarchy -top s3_scoreboard; proc; "
            f"{change} scratchpad -set abc9.D {PICOSECONDS}; synth_ecp5 -top s3_scoreboard; tee -q -o {out} stat -json")


def count(weft, settings, change):
    """The cells of the module `s3_scoreboard` of a core, by itself."""
    with tempfile.TemporaryDirectory(dir=weft.work) as folder:
        weft.ask("emit", *sets(settings), "--out", f"{folder}/core")
        # Yosys of WebAssembly sees the folder in which it starts.
        processes.run([tools.yosys(), "-q", "-p", script("core/weft_core.v", change, "cells.json")], cwd=folder)
        with open(f"{folder}/cells.json", encoding="utf-8") as file:
            cells = json.load(file)["design"]["num_cells_by_type"]
    return {heading: cells.get(cell, 0) for heading, cell in CELLS.items()}


def rows(shown):
    lines = []
    for result in shown.all():
        single, dual, unshadowed = (result.values[kind] for kind in KINDS)
        for cell in CELLS:
            shadows = dual[cell] - unshadowed[cell]
            lines.append([
                result.name.partition("x")[2] + shown.mark(result.name), cell, single[cell], dual[cell], f"{dual[cell] / single[cell]:.2f}",
                shadows, f"{100 * shadows / dual[cell]:.1f} %",
            ])
    return table(["threads", "cells", "one slot", "two slots", "ratio", "of shadow bits", "share"], lines, left=2)


TABLES = [Table("scoreboard", ["scoreboard/*"], rows, "The module `s3_scoreboard` by itself, eight warps, RV32I, mapped for 50 MHz.")]
