#!/usr/bin/env python3
"""Prints the tables of divergence units of docs/area.md from results of `weft synth --json`, named UNIT-THREADS.json:
those of the units alone in one folder, those of whole cores, module by module, in the other.

    scripts/area_units_table.py UNITS CORES
"""

import json
import pathlib
import sys

from area_cells import CELLS, HEADINGS, one_yosys, sum_of_modules
from markdown import table

# What decides about the cold context table: insert, extract, sort.
CONTROL = ["cct", "cct_sorter"]


def read(folder):
    """Results by unit and number of threads."""
    results = {}
    for path in pathlib.Path(folder).glob("*.json"):
        unit, threads = path.stem.rsplit("-", 1)
        results[int(threads), unit] = json.loads(path.read_text())
    return dict(sorted(results.items()))


def share(part, whole):
    return f"{100 * part / whole:.1f} %"


def main(units_folder, cores_folder):
    units, cores = read(units_folder), read(cores_folder)
    rows = [[threads, unit, *(result[cell] for cell in CELLS)] for (threads, unit), result in units.items()]
    print("\n".join(table(["threads", "unit", *HEADINGS], rows, left=2)))

    rows = []
    for (threads, unit), core in cores.items():
        whole = sum_of_modules(core)["lut4"]
        of_unit = sum_of_modules(units[threads, unit])["lut4"]
        control = [core["modules"][name] for name in CONTROL if name in core["modules"]]
        of_control = sum(module["instances"] * module["lut4"] for module in control)
        columns = [of_control, share(of_control, whole)] if control else ["", ""]
        rows.append([threads, unit, whole, of_unit, share(of_unit, whole), *columns])
    print("\nLUT4 of the whole core and of the unit in it, each the sum of its modules:\n")
    print("\n".join(table(["threads", "unit", "core", "unit's", "share", "CCT control", "share"], rows, left=2)))
    print(f"\n{one_yosys([*units.values(), *cores.values()])}.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
