#!/usr/bin/env python3
"""Prints the table of speeds from the figures that the tests recorded, one JSON object per line.

    scripts/speed_table.py FIGURES.jsonl
"""

import json
import sys

from markdown import table

SCATTERED = [1, 2, 4, 8]


def main(path):
    figures = {}
    with open(path) as lines:
        for line in lines:
            record = json.loads(line)
            figures[record["figure"]] = record["value"]

    def value(form, name):
        if name not in figures:
            sys.exit(f"{path}: no figure {name}")
        return form.format(figures[name])

    cycles = ", ".join(value("{:.0f}", f"scattered_load_cycles_{lines}") for lines in SCATTERED)
    million = {name: figures.get(f"{name}_cycles_per_second", 0) / 1e6 for name in ("bare_model", "lock_step")}
    rows = [
        ("straight ALU code, 8 × 4", value("IPC {:.3f}", "straight_ipc")),
        ("loads of one line each, 8 × 4, latency 1", value("IPC {:.3f}", "coalesced_ipc")),
        ("dependent chain, one warp", value("{:.2f} cycles an instruction", "chain_cycles_per_instruction")),
        ("one load over 1, 2, 4, 8 lines, one warp, latency 100", f"{cycles} cycles"),
        (
            "scattered loads, 8 × 4, latency 100, 128 in flight",
            value("{:.2f} transactions a cycle", "scattered_transactions_per_cycle"),
        ),
        (
            "the kernels that need no key of their own, 8 × 8, in lock step, beside the Verilog alone",
            value("{:.0%} of its cycles a second", "lock_step_ratio")
            + " ({lock_step:.2f} of {bare_model:.2f} million)".format(**million),
        ),
        (
            "golden model without timing, 32 threads a warp, beside the scalar simulator rrs-lib 0.1.0",
            value("{:.1f} times its thread-instructions a second", "model_over_rrs_lib"),
        ),
    ]
    print("\n".join(table(["what", "measured"], rows, left=2)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
