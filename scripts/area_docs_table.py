#!/usr/bin/env python3
"""Prints the table of cores of docs/area.md from results of `weft synth --json`, one file a number of threads, named
THREADS.json, and the table of the modules of the core with four threads.

    scripts/area_docs_table.py RESULT.json ...
"""

import json
import pathlib
import sys

from area_cells import CELLS, HEADINGS, one_yosys, sum_of_modules
from markdown import table

PER_MODULE = 4


def main(paths):
    results = {int(path.stem): json.loads(path.read_text()) for path in paths}
    rows = []
    for threads, result in sorted(results.items()):
        how = "flattened" if result["flattened"] else "sum of modules"
        rows.append([threads, how, *(result[cell] for cell in CELLS), "yes" if result["fits"] else "no"])
    print("\n".join(table(["threads", "synthesised", *HEADINGS, "fits"], rows)))

    if PER_MODULE in results:
        result = results[PER_MODULE]
        rows = [[name, cells["instances"], *(cells[cell] for cell in CELLS)] for name, cells in result["modules"].items()]
        total = sum_of_modules(result)
        rows.append(["all instances", "", *(total[cell] for cell in CELLS)])
        rows.append(["flattened", "", *(result[cell] for cell in CELLS)])
        print(f"\nModules with {PER_MODULE} threads, each line one instance without what stands below it:\n")
        print("\n".join(table(["module", "instances", *HEADINGS], rows)))
    print(f"\n{one_yosys(results.values())}.")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
