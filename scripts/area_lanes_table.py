#!/usr/bin/env python3
"""Prints the table of a lane's area, of docs/notebook/area.md, from results of `weft synth --json`, named
stock-THREADS.json and mapped-THREADS.json.

    scripts/area_lanes_table.py FOLDER
"""

import sys

from area_cells import one_yosys, read
from markdown import table

CELLS = ["lut4", "packed", "ff", "bram"]


def main(folder):
    results = read(folder)
    rows = []
    for mapping in "stock", "mapped":
        cores = {threads: core for (threads, which), core in results.items() if which == mapping}
        before = None
        for threads, core in cores.items():
            mhz = core["target_mhz"]
            more = []
            for cell in "lut4", "packed":
                added = (core[cell] - cores[before][cell]) / (threads - before) if before else None
                more.append("" if added is None else f"{added:.0f}")
            rows.append([f"{mhz:g} MHz" if mhz else "the shortest delay", threads, *(core[cell] for cell in CELLS), *more])
            before = threads
    headings = ["mapped for", "T", "LUT4", "packed", "FF", "BRAM", "LUT4 a further lane", "packed a further lane"]
    print("\n".join(table(headings, rows)))
    print(f"\n{one_yosys(results.values())}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
