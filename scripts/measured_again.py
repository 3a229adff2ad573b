#!/usr/bin/env python3
"""Runs commands of a comparison again and compares their results.

    scripts/measured_again.py WEFT FOLDER COMPARISON.csv all|cycles|lut4 THREADS

FOLDER has the kernels. Ends with status 1 if cycles differ, or if the mean of the LUT4 changes by more than 2 %.
"""

import csv
import json
import pathlib
import shlex
import subprocess
import sys

# The maximum change of the mean.
LITTLE = 0.02
LANES = ("2", "4", "8", "16")


def again(weft, folder, row):
    """Returns the present answer to the command of a row."""
    words = shlex.split(row["command"])[1:]
    if "--pnr" in words:
        words = words[: words.index("--pnr")]
    ended = subprocess.run([weft, *words], cwd=folder, capture_output=True, text=True, check=False)
    return json.loads(ended.stdout)


def cycles(weft, folder, rows, threads):
    """Compares the cycles of every run with this number of threads, and returns how many differ."""
    runs = [row for row in rows if row["series"] == "run" and row["threads"] == threads and row["latency"] == "1"]
    differ = 0
    for row in runs:
        now = again(weft, folder, row)["cycles"]
        if str(now) != row["cycles"]:
            differ += 1
            print(f"{row['kernel']} with {row['unit']}: {row['cycles']} cycles measured, {now} now")
    print(f"{len(runs)} runs with {threads} threads: {differ} differ in cycles")
    return differ if runs else 1


def lut4(weft, folder, rows):
    """Compares the LUT4 of the sorted table with RV32I, and returns the mean change."""
    found = {row["threads"]: row for row in rows if (row["series"], row["isa"], row["unit"]) == ("core", "rv32i", "sorted-table")}
    changes = []
    for threads in LANES:
        now = again(weft, folder, found[threads])
        changes.append(now["lut4"] / int(found[threads]["lut4"]) - 1)
        print(f"8 x {threads}: {found[threads]['lut4']} LUT4 measured, {now['lut4']} now, {changes[-1]:+.1%} ({now['tools']['yosys'].split(' (')[0]})", flush=True)
    mean = sum(changes) / len(changes)
    print(f"mean {mean:+.1%}")
    return mean


def main(weft, folder, comparison, what, threads):
    rows = list(csv.DictReader(pathlib.Path(comparison).open(encoding="utf-8")))
    weft = str(pathlib.Path(weft).resolve())
    failed = what != "lut4" and cycles(weft, folder, rows, threads) > 0
    failed = (what != "cycles" and abs(lut4(weft, folder, rows)) > LITTLE) or failed
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
