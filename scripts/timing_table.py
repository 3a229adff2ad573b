#!/usr/bin/env python3
"""Prints the error of the golden model's cycles against the RTL, from the results `run-POINT.json` of the RTL and
`model-POINT.json` of the model, as `weft --json run` gives them.

    scripts/timing_table.py RESULT.json ...
"""

import json
import pathlib
import statistics
import sys

from markdown import table
from stacks_table import mean

UNITS = ("arbiter", "sorted-table", "pdom-stack", "dual-path")


def load(paths):
    """Returns (unit, warps, latency, kernel) → cycles, of the model and of the RTL."""
    cycles = {"run": {}, "model": {}}
    for path in paths:
        result = json.loads(path.read_text())
        if result["outcome"] not in ("exited", "pass"):
            sys.exit(f"{path}: outcome {result['outcome']}")
        config = result["config"]
        kernel = pathlib.Path(result["program"]).stem
        point = config["divergence"]["unit"], config["warps"], int(config["memory"]["latency"]), kernel
        cycles[path.name.split("-")[0]][point] = result["cycles"]
    missing = set(cycles["model"]) ^ set(cycles["run"])
    if missing:
        sys.exit(f"one of the two results is missing: {sorted(missing)[0]}")
    return cycles["model"], cycles["run"]


def summary(errors):
    """Returns cells with the errors by point."""
    worst = max(errors, key=lambda point: abs(errors[point]))
    _, warps, latency, kernel = worst
    median = statistics.median(map(abs, errors.values()))
    kernel = kernel.replace("_", " ")
    return [len(errors), f"{median:.2f} %", f"{errors[worst]:+.1f} % {kernel}, {warps} warps, latency {latency}"]


def main(paths):
    model, rtl = load(paths)
    errors = {point: 100 * (model[point] / rtl[point] - 1) for point in rtl}
    rows = []
    for unit in UNITS:
        for warps in sorted({point[1] for point in errors}):
            chosen = {point: error for point, error in errors.items() if point[:2] == (unit, warps)}
            if chosen:
                rows.append([unit, warps, *summary(chosen)])
    rows.append(["all", "", *summary(errors)])
    lines = table(["unit", "warps", "runs", "median of the errors", "worst"], rows, left=1)

    gains = [
        (model[point] / model[other]) / (rtl[point] / rtl[other])
        for point in rtl
        if point[0] == "pdom-stack" and (other := ("dual-path", *point[1:])) in rtl
    ]
    if gains:
        off = 100 * (mean(gains) - 1)
        extremes = f"{100 * (min(gains) - 1):+.1f} to {100 * (max(gains) - 1):+.1f} %"
        lines += ["", f"The gain of `dual-path` over `pdom-stack` is {off:+.2f} % off on the geometric mean of {len(gains)} "
                  f"points, {extremes} on single ones."]
    print("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
