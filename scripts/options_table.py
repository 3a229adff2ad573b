#!/usr/bin/env python3
"""Prints the effect of options of the dual-path stack against the plain one, from results of `weft --json run`, named
`run-OPTION-POINT.json` (the RTL) and `model-OPTION-POINT.json` (the golden model). The environment variable `weft` names
the command line, which lists the groups of the kernels.

    scripts/options_table.py RESULT.json ...
"""

import json
import pathlib
import sys

from markdown import table
from stacks_table import groups, mean

COLUMNS = {
    ("model", "optimistic"): "optimistic",
    ("model", "forwarding"): "forwarding",
    ("model", "both"): "both",
    ("model", "constrained"): "constrained",
    ("run", "constrained"): "constrained, RTL",
}


def load(paths):
    """Returns (engine, option) → (warps, latency, kernel) → cycles."""
    results = {}
    for path in paths:
        result = json.loads(path.read_text())
        if result["outcome"] not in ("exited", "pass"):
            sys.exit(f"{path}: outcome {result['outcome']}")
        engine, option = path.name.split("-")[:2]
        config = result["config"]
        point = config["warps"], int(config["memory"]["latency"]), pathlib.Path(result["program"]).stem
        results.setdefault((engine, option), {})[point] = result["cycles"]
    return results


def gains(results, column, kernels, point):
    """Divides the cycles of the plain unit by those with the option, for some kernels at one number of warps and latency."""
    engine, _ = column
    points = [(*point, kernel) for kernel in kernels]
    missing = [point for point in points if point not in results[column] or point not in results[engine, "plain"]]
    if missing:
        sys.exit(f"no result at {missing[0]}, {column}")
    return [results[engine, "plain"][point] / results[column][point] for point in points]


def main(paths):
    results = load(paths)
    group = groups()
    everything = sorted({point[2] for point in results["model", "plain"]})
    kinds = {
        "interleavable": [kernel for kernel in everything if group[kernel] == "interleavable"],
        "not interleavable": [kernel for kernel in everything if group[kernel] == "not-interleavable"],
        **{kernel.replace("_", " "): [kernel] for kernel in everything if not group[kernel]},
    }
    rows = []
    for name, kernels in kinds.items():
        for point in sorted({point[:2] for point in results["model", "plain"]}):
            cells = []
            for column in COLUMNS:
                values = gains(results, column, kernels, point)
                cells.append(f"{mean(values):.3f}")
            rows.append([name, *point, *cells])
    lines = [
        "Cycles of `dual-path` ÷ cycles with the option: more than 1 is a gain of the option. Means are geometric; all by the golden "
        "model but for the last column.",
        "",
        *table(["kernels", "warps", "latency", *COLUMNS.values()], rows, left=1),
    ]
    every = [gains(results, ("model", "optimistic"), [point[2]], point[:2])[0] for point in results["model", "plain"]]
    lines += ["", f"The optimistic scoreboard alone: {min(every):.3f} to {max(every):.3f} on single kernels."]
    print("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
