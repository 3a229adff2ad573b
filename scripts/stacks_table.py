#!/usr/bin/env python3
"""Prints the gain of the dual-path stack over the single-path stack, from the results of `weft --json run`: for each kernel
and size and latency a result of each. One of the points also needs a result of `weft --json cosim`. The environment
variable `weft` names the command line, which lists the groups of the kernels.

    scripts/stacks_table.py RESULT.json ...
"""

import json
import math
import os
import pathlib
import subprocess
import sys

from markdown import table

UNITS = ("pdom-stack", "dual-path")


def groups():
    listing = subprocess.run([os.environ["weft"], "--json", "kernels", "list"], check=True, capture_output=True)
    return {kernel["name"]: kernel["comparison"] for kernel in json.loads(listing.stdout)["kernels"]}


def mean(values):
    """Returns the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def load(paths):
    """Returns results by (threads, warps, latency), kernel and unit: of the RTL alone, and in lock step."""
    results = {}
    for path in paths:
        result = json.loads(path.read_text())
        if result["outcome"] not in ("exited", "pass"):
            sys.exit(f"{path}: outcome {result['outcome']}")
        config = result["config"]
        latency = config["memory"]["latency"]
        point = config["threads"], config["warps"], latency["min"] if isinstance(latency, dict) else int(latency)
        kernel = pathlib.Path(result["program"]).stem
        of_engine = results.setdefault(result["engine"], {})
        of_engine.setdefault(point, {}).setdefault(kernel, {})[config["divergence"]["unit"]] = result
    for engine, points in results.items():
        for point, kernels in points.items():
            for kernel, pair in kernels.items():
                if set(pair) != set(UNITS):
                    sys.exit(f"{kernel} at {point}, {engine}: one of the two results is missing")
    return results["rtl"], results["cosim"]


def gain(pair):
    """Divides the cycles of the single path by those of the dual path."""
    return pair["pdom-stack"]["cycles"] / pair["dual-path"]["cycles"]


def ratios(results, kernels):
    """Returns the lines of the table of ratios for some kernels."""
    headings = ["threads", "warps", "latency", "mean", "least", *(name.replace("_", " ") for name in kernels)]
    rows = []
    for point, pairs in sorted(results.items()):
        gains = [gain(pairs[kernel]) for kernel in kernels]
        rows.append([*point, *(f"{value:.3f}" for value in [mean(gains), min(gains), *gains])])
    return table(headings, rows, left=0)


def means(results, group):
    """Returns the lines of the table of means over all kernels."""
    interleavable = [kernel for kernel, kind in group.items() if kind == "interleavable"]
    headings = ["threads", "warps", "latency", "all kernels", "interleavable", "least of all", "idle cycles, interleavable"]
    rows = []
    for point, pairs in sorted(results.items()):
        gains = {kernel: gain(pair) for kernel, pair in pairs.items()}
        chosen = [kernel for kernel in interleavable if kernel in gains]
        worst = min(gains, key=gains.get)
        idle = mean([pairs[k]["dual-path"]["idle_cycles"] / pairs[k]["pdom-stack"]["idle_cycles"] for k in chosen])
        rows.append([
            *point,
            f"{mean(gains.values()):.3f}",
            f"{mean([gains[kernel] for kernel in chosen]):.3f}",
            f"{gains[worst]:.3f} {worst.replace('_', ' ')}",
            f"{100 * (idle - 1):+.0f} %",
        ])
    return table(headings, rows, left=0)


def properties(results, group):
    """Returns the lines of the table of lock-step counts, at the largest number of threads."""
    point = max(results)
    headings = ["kernel", "group", "AvgPath", "lane utilisation, single", "dual", "rows, single", "dual"]
    rows = []
    for kernel, pair in sorted(results[point].items(), key=lambda item: (group[item[0]], item[0])):
        single, dual = (pair[unit] for unit in UNITS)
        rows.append([
            kernel.replace("_", " "),
            group[kernel],
            f"{dual['avg_path']:.3f}",
            *(f"{result['lane_utilisation']:.4f}" for result in (single, dual)),
            *(result["high_water"] for result in (single, dual)),
        ])
    return [f"At {point[1]} × {point[0]}, latency {point[2]}:", "", *table(headings, rows, left=2)]


def main(paths):
    results, counted = load(paths)
    group = {kernel: kind for kernel, kind in groups().items() if kind}
    kernels = {kernel for pairs in results.values() for kernel in pairs}
    lines = [
        "Cycles of `pdom-stack` ÷ cycles of `dual-path`: more than 1 is a gain of the dual path. Means are geometric.",
        "",
        *means(results, group),
    ]
    for kind in sorted(set(group.values())):
        members = [kernel for kernel in sorted(kernels) if group.get(kernel) == kind]
        if members:
            lines += ["", f"Kernels that are {kind.replace('-', ' ')}:", "", *ratios(results, members)]
    print("\n".join([*lines, "", *properties(counted, group)]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
