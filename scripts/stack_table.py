#!/usr/bin/env python3
"""Prints the saving by interleaved stacks, from the results of `weft --json run`: for each kernel and number of threads one
result with memory.stack_interleave and one without.

    scripts/stack_table.py RESULT.json ...
"""

import json
import pathlib
import sys

from markdown import table

HEADINGS = ["kernel", "threads", "cycles, plain", "interleaved", "ratio", "issues, plain", "interleaved", "ratio"]


def main(paths):
    results = {}
    for path in paths:
        result = json.loads(path.read_text())
        if result["outcome"] != "exited":
            sys.exit(f"{path}: outcome {result['outcome']}")
        config = result["config"]
        key = pathlib.Path(result["program"]).stem, config["threads"]
        results.setdefault(key, {})[config["memory"]["stack_interleave"]] = result
    rows = []
    for (kernel, threads), pair in sorted(results.items()):
        if set(pair) != {False, True}:
            sys.exit(f"{kernel}, {threads} threads: one of the two results is missing")
        row = [kernel, threads]
        for figure in ("cycles", "issues"):
            plain, interleaved = pair[False][figure], pair[True][figure]
            row += [plain, interleaved, f"{plain / interleaved:.2f}"]
        rows.append(row)
    print("\n".join(table(HEADINGS, rows)))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(argument) for argument in sys.argv[1:]])
