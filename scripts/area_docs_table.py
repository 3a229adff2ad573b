#!/usr/bin/env python3
"""Prints the tables of docs/area.md from the results of `scripts/area.sh --json`, one file a number of threads, named
THREADS.json. The table of modules is that of four threads.

    scripts/area_docs_table.py RESULT.json ...
"""

import json
import pathlib
import sys

from area_table import CELLS
from markdown import table

PER_MODULE = 4


def sites(cells):
    """Sites for a LUT4 that nextpnr-ecp5 would fill: a carry cell takes two, a 16 x 4 bit LUT RAM four for its words
    and two for its write port."""
    return cells["LUT4"] + 2 * cells["CCU2C"] + 6 * cells["TRELLIS_DPR16X4"]


def main(paths):
    results = {int(path.stem): json.loads(path.read_text()) for path in paths}
    versions = {result["yosys"] for result in results.values()}
    if len(versions) != 1:
        sys.exit(f"results of several versions of Yosys: {', '.join(sorted(versions))}")

    rows = []
    for threads, result in sorted(results.items()):
        cells = result["flat"] or result["sum"]
        how = "flattened" if result["flat"] else "sum of modules"
        rows.append([threads, how, *(cells[cell] for cell in CELLS), sites(cells)])
    print("\n".join(table(["threads", "synthesised", *CELLS, "LUT sites, estimate"], rows)))

    if PER_MODULE in results:
        result = results[PER_MODULE]
        modules = sorted(result["modules"].items(), key=lambda item: -item[1]["LUT4"] * item[1]["instances"])
        rows = [[name, cells["instances"], *(cells[cell] for cell in CELLS)] for name, cells in modules]
        rows.append(["all instances", "", *(result["sum"][cell] for cell in CELLS)])
        rows.append(["flattened", "", *(result["flat"][cell] for cell in CELLS)])
        print(f"\nModules with {PER_MODULE} threads, each line one instance without what stands below it:\n")
        print("\n".join(table(["module", "instances", *CELLS], rows)))
    print(f"\n{versions.pop()}.")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
