#!/usr/bin/env python3
"""Prints the table of scoreboards of docs/notebook/area.md from Yosys' `stat -json` of each, named THREADS-KIND.json.

    scripts/area_scoreboard_table.py FOLDER
"""

import json
import pathlib
import sys

from markdown import table

KINDS = ["single", "dual", "unshadowed"]
CELLS = {"LUT4": "LUT4", "LUT RAM": "TRELLIS_DPR16X4", "FF": "TRELLIS_FF"}


def cells(path):
    counts = json.loads(path.read_text())["design"]["num_cells_by_type"]
    return {heading: counts.get(cell, 0) for heading, cell in CELLS.items()}


def main(folder):
    counts = {path.stem: cells(path) for path in pathlib.Path(folder).glob("*.json")}
    rows = []
    for threads in sorted({int(stem.split("-")[0]) for stem in counts}):
        single, dual, unshadowed = (counts[f"{threads}-{kind}"] for kind in KINDS)
        for cell in CELLS:
            shadows = dual[cell] - unshadowed[cell]
            rows.append([
                threads, cell, single[cell], dual[cell], f"{dual[cell] / single[cell]:.2f}",
                shadows, f"{100 * shadows / dual[cell]:.1f} %",
            ])
    headings = ["threads", "cells", "one slot", "two slots", "ratio", "of shadow bits", "share"]
    print("\n".join(table(headings, rows, left=2)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
