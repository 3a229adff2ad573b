#!/usr/bin/env python3
"""Prints a table of the results of `weft --json cosim` or `weft --json run`, one file per kernel.

    scripts/kernel_table.py [--markdown] RESULT.json ...
"""

import json
import pathlib
import sys

from markdown import table

HEADINGS = ["kernel", "outcome", "cycles", "IPC", "lane utilisation", "divergent branches"]


def row(path):
    """Returns the cells of one result; a run without a result shows the reason."""
    name = path.stem
    try:
        result = json.loads(path.read_text())
    except (OSError, ValueError):
        return [name, "no result", "", "", "", ""]
    if "error" in result:
        return [name, "error: " + result["error"].get("kind", "?"), "", "", "", ""]

    def cell(key, form):
        value = result.get(key)
        return "-" if value is None else form.format(value)

    return [
        name,
        result.get("outcome", "?"),
        cell("cycles", "{}"),
        cell("ipc", "{:.3f}"),
        cell("lane_utilisation", "{:.3f}"),
        cell("divergent_branches", "{}"),
    ]


def main(arguments):
    markdown = "--markdown" in arguments
    paths = [pathlib.Path(a) for a in arguments if a != "--markdown"]
    if not paths or any(a.startswith("-") for a in map(str, paths)):
        sys.exit(__doc__.strip())
    rows = [row(path) for path in paths]
    if markdown:
        print("\n".join(table(HEADINGS, rows, left=2)))
        return
    widths = [max(len(cells[i]) for cells in [HEADINGS, *rows]) for i in range(len(HEADINGS))]
    for cells in [HEADINGS, *rows]:
        padded = [c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        print("  ".join(padded).rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
