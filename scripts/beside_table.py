#!/usr/bin/env python3
"""Prints the table of units over the reference unit in docs/manual/compare.md from the results.json of `weft compare`.

    scripts/beside_table.py RESULTS.json
"""

import json
import pathlib
import sys

from markdown import table

COLUMNS = {
    "cycles": "cycles", "luts": "LUT sites", "frequency": "clock", "work_per_second": "work / s", "work_per_second_per_lut": "work / s / site",
    "rv32i_luts": "RV32I: sites", "rv32i_frequency": "RV32I: clock",
}


def main(path):
    comparison = json.loads(pathlib.Path(path).read_text())
    rows = comparison["beside"]
    keys = [key for key in COLUMNS if any(row[key] is not None for row in rows)]
    if not keys:
        sys.exit(f"{path}: two units have no common figure")
    cells = [[row["threads"], row["unit"], *("" if row[key] is None else f"{row[key]:.3f}" for key in keys)] for row in rows]
    print("\n".join(table(["threads", "unit", *(COLUMNS[key] for key in keys)], cells, left=2)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
