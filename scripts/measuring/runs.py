"""Prints a table of the results that `weft --json cosim` or `weft --json run` wrote, one file a kernel.

    PYTHONPATH=scripts python3 -m measuring.runs RESULT.json ...
"""

import json
import pathlib
import sys

HEADINGS = ["kernel", "outcome", "cycles", "IPC", "lane utilisation", "divergent branches"]


def row(path):
    """The cells of one result; a run that gave none shows why."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return [path.stem, "no result", "", "", "", ""]
    if "error" in result:
        return [path.stem, "error: " + result["error"].get("kind", "?"), "", "", "", ""]

    def cell(key, form):
        value = result.get(key)
        return "-" if value is None else form.format(value)

    return [
        path.stem, result.get("outcome", "?"), cell("cycles", "{}"), cell("ipc", "{:.3f}"), cell("lane_utilisation", "{:.3f}"),
        cell("divergent_branches", "{}"),
    ]


def main(paths):
    rows = [HEADINGS, *map(row, paths)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print("  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))).rstrip())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(name) for name in sys.argv[1:]])
