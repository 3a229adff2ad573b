#!/usr/bin/env python3
"""Prints the table of mutants of docs/notebook/mutants.md from the scores that the test `mutants` writes.

    scripts/mutation_table.py SCORES.json
"""

import json
import sys
import textwrap

from markdown import table

COUNTS = ["mutants", "drawn", "found", "equivalent"]
LISTS = ["other_cycles", "explained", "missed"]


def percent(found, others):
    return f"{100 * found / (found + others):.1f} %" if found + others else ""


def main(path):
    with open(path) as file:
        scores = json.load(file)
    scores.sort(key=lambda score: score["module"])
    in_part = [f"{s['module']} ({s['tried']} of {s['drawn']})" for s in scores if 0 < s["tried"] < s["drawn"]]
    not_tried = [s["module"] for s in scores if not s["tried"]]
    scores = [score for score in scores if score["tried"] == score["drawn"]]
    rows = [[s["module"], *(s[c] for c in COUNTS), *(len(s[k]) for k in LISTS)] for s in scores]
    rows.append(["all", *(sum(column) for column in list(zip(*rows))[1:])])
    for row in rows:
        _, _, _, found, _, other_cycles, explained, missed = row
        row += [percent(found, missed), percent(found, other_cycles + explained + missed)]
    headings = ["module", "mutants", "drawn", "found", "equivalent", "only cycles", "explained", "missed"]
    headings += ["score", "strict score"]
    print("\n".join(table(headings, rows)))
    for what, modules in [("Tried in part", in_part), ("Not yet tried", not_tried)]:
        if modules:
            print("\n" + textwrap.fill(f"{what}: {'; '.join(modules)}.", 120, break_on_hyphens=False))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
