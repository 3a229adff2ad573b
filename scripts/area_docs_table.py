#!/usr/bin/env python3
"""Prints the table of cores of docs/notebook/area.md, and the table of the modules of one of them, from results of
`weft synth --json` in a folder, named UNIT-THREADS.json.

    scripts/area_docs_table.py FOLDER
"""

import sys

from area_cells import CELLS, HEADINGS, one_yosys, read, sum_of_modules
from markdown import table

PER_MODULE = 4, "sorted-table"

# The sum of modules may need too many LUTs although the flattened core fits: that is unknown.
FITS = {True: "yes", False: "no", None: "not known"}


def main(folder):
    results = read(folder)
    rows = []
    for (threads, unit), result in results.items():
        how = "flattened" if result["flattened"] else "sum of modules"
        rows.append([threads, unit, how, *(result[cell] for cell in CELLS), FITS[result["fits"]]])
    print("\n".join(table(["threads", "unit", "synthesised", *HEADINGS, "fits"], rows, left=2)))

    if PER_MODULE in results:
        result = results[PER_MODULE]
        rows = [[name, cells["instances"], *(cells[cell] for cell in CELLS)] for name, cells in result["modules"].items()]
        total = sum_of_modules(result)
        rows.append(["all instances", "", *(total[cell] for cell in CELLS)])
        rows.append(["flattened", "", *(result[cell] for cell in CELLS)])
        threads, unit = PER_MODULE
        print(f"\nModules with {threads} threads and {unit}, each row one instance without the modules below it:\n")
        print("\n".join(table(["module", "instances", *HEADINGS], rows)))
    print(f"\n{one_yosys(results.values())}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
