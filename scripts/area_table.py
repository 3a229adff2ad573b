#!/usr/bin/env python3
"""Prints the cells of a core from the `stat -json` reports of Yosys: one with its hierarchy, one flattened (if any).

    scripts/area_table.py [--json] YOSYS_VERSION MODULES.json [FLAT.json]
"""

import json
import re
import sys

CELLS = ["LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD", "MULT18X18D"]
TOP = "weft_core"


def counts(path):
    """Of each module, how many cells of each type stand in it, instances of other modules among them."""
    with open(path) as report:
        # Yosys 0.23 leaves a comma behind the last module.
        modules = json.loads(re.sub(r",\s*}", "}", report.read()))["modules"]
    return {name.lstrip("\\"): module["num_cells_by_type"] for name, module in modules.items()}


def instances(modules):
    """How many instances of each module the whole core has."""
    found = dict.fromkeys(modules, 0)

    def walk(name, times):
        found[name] += times
        for cell, number in modules[name].items():
            if cell in modules:
                walk(cell, times * number)

    walk(TOP, 1)
    return found


def area(version, modules_path, flat_path=None):
    """The area of a core: what `--json` prints."""
    modules = counts(modules_path)
    times = instances(modules)
    cells = {name: {cell: modules[name].get(cell, 0) for cell in CELLS} for name in modules if times[name]}
    result = {
        "yosys": version,
        "modules": {name: {"instances": times[name], **cells[name]} for name in sorted(cells)},
        "sum": {cell: sum(times[name] * cells[name][cell] for name in cells) for cell in CELLS},
        "flat": None,
    }
    if flat_path:
        (flat,) = counts(flat_path).values()
        result["flat"] = {cell: flat.get(cell, 0) for cell in CELLS}
    return result


def main(arguments):
    as_json = "--json" in arguments
    arguments = [argument for argument in arguments if argument != "--json"]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__.strip())
    result = area(*arguments)
    if as_json:
        print(json.dumps(result))
        return
    rows = [(name, module["instances"], module) for name, module in result["modules"].items()]
    rows.append(("all instances", "", result["sum"]))
    if result["flat"]:
        rows.append(("flattened", "", result["flat"]))
    print(f"{'module':22}{'instances':>10}" + "".join(f"{cell:>17}" for cell in CELLS))
    for name, number, cells in rows:
        print(f"{name:22}{number:>10}" + "".join(f"{cells[cell]:17}" for cell in CELLS))
    print(result["yosys"])


if __name__ == "__main__":
    main(sys.argv[1:])
