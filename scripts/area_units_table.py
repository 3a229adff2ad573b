#!/usr/bin/env python3
"""Prints the tables of divergence units of docs/notebook/area.md from results of `weft synth --json`, named
UNIT-THREADS.json: units alone in one folder, whole cores in the other.

    scripts/area_units_table.py UNITS CORES
"""

import sys

from area_cells import CELLS, HEADINGS, one_yosys, read, sum_of_modules
from markdown import table

# The control of the cold context table: insert, extract, sort.
CONTROL = ["cct", "cct_sorter"]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if part and whole else ""


def main(units_folder, cores_folder):
    units, cores = read(units_folder), read(cores_folder)
    rows = [[threads, unit, *(result[cell] for cell in CELLS)] for (threads, unit), result in units.items()]
    print("\n".join(table(["threads", "unit", *HEADINGS], rows, left=2)))

    rows = []
    for (threads, unit), core in cores.items():
        modules, flattened = sum_of_modules(core)["lut4"], core["lut4"] if core["flattened"] else None
        of_unit = sum_of_modules(units[threads, unit])["lut4"]
        of_control = sum(core["modules"][name]["lut4"] for name in CONTROL if name in core["modules"])
        row = [threads, unit, modules, flattened or ""]
        for part in of_unit, of_control:
            row += [part or "", share(part, modules)]
        rows.append(row)
    headings = ["threads", "unit", "all modules", "flattened core"]
    for part in "unit", "CCT control":
        headings += [part, "of all modules"]
    print("\nLUT4 of the core, of the unit in it and of the control of its cold context table, `cct` and `cct_sorter`; but for the flattened "
          "core each is a sum of modules, synthesised by themselves:\n")
    print("\n".join(table(headings, rows, left=2)))
    print(f"\n{one_yosys([*units.values(), *cores.values()])}.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
