#!/usr/bin/env python3
"""Prints the table of bitstreams of docs/manual/boards.md from the answers of `weft --json synth --board`.

    scripts/board_table.py RESULT.json ...     with the options of the core in RESULT.core next to each
"""

import json
import pathlib
import sys

from markdown import table
from versions import version

OUTCOMES = {"does-not-fit": "does not fit", "not-routed": "not routed", "given-up": "timed out", "out-of-memory": "out of memory"}


def row(path):
    core, answer = path.with_suffix(".core").read_text().strip(), json.loads(path.read_text())
    size = f"{answer['config']['warps']} × {answer['config']['threads']}"
    counts = [answer[name] for name in ("packed", "ff", "bram", "dsp")]
    if answer["fmax_mhz_median"] is None:
        speed = [OUTCOMES[answer["outcome"]], ""]
    else:
        speed = [f"{answer['fmax_mhz_median']:.1f} MHz", f"{answer['margin_mhz']:+.1f} MHz"]
    return [f"`{core}`", size, *counts, *speed]


def main(paths):
    answers = [json.loads(path.read_text()) for path in paths]
    headings = ["core", "size", "LUT sites", "FF", "block RAM", "DSP", "fmax", f"beyond {answers[0]['target_mhz']} MHz"]
    print("\n".join(table(headings, [row(path) for path in paths], left=1)))
    tools = {name: said for answer in answers for name, said in answer["tools"].items()}
    print(f"\n{', '.join(map(version, tools.values()))}.")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main([pathlib.Path(name) for name in sys.argv[1:]])
