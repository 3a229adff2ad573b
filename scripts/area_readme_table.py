#!/usr/bin/env python3
"""Prints the table of area and frequency from the results.json of `weft compare`; with --rows the rows for the README.

    scripts/area_readme_table.py [--rows] RESULTS.json
"""

import datetime
import json
import pathlib
import sys

from markdown import table
from versions import version

# The tools behind these figures; the compilers do not affect them.
SHOWN = ("yosys", "nextpnr", "verilator")
# Numbers of threads in the README.
SHORT_THREADS = (2, 4, 8, 16)
OUTCOMES = {"does-not-fit": "does not fit", "not-routed": "not routed", "given-up": "timed out", "out-of-memory": "out of memory"}


def frequency(core):
    """Returns the median of the seeds; for a core placed by modules, of the slowest module."""
    if core["fmax_mhz_median"] is not None:
        return f"{core['fmax_mhz_median']:.1f}"
    slowest = f"slowest module {core['fmax_mhz_at_most']:.1f}" if core["fmax_mhz_at_most"] is not None else ""
    return ", ".join(filter(None, [OUTCOMES.get(core["outcome"]), slowest])) or "not placed"


def written(comparison):
    """Returns the line with program, date and tools."""
    tools = ", ".join(version(said) for tool, said in comparison["tools"].items() if tool in SHOWN)
    weft = comparison["weft"]
    return (
        f"Written by `scripts/readme-area.sh` on {datetime.date.today()}, from `weft compare` {weft['version']} (git {weft['git']}), "
        f"with {tools}."
    )


def main(path, short):
    comparison = json.loads(pathlib.Path(path).read_text())
    cores = [core for core in comparison["cores"] if core["isa"] == "rv32ima"]
    if not cores:
        sys.exit(f"{path}: no area of any core")
    summary = {(row["unit"], row["threads"]): row for row in comparison["summary"]}
    units = comparison["request"]["units"]
    rows = []
    for core in sorted(cores, key=lambda core: (core["threads"], units.index(core["unit"]))):
        work = summary[core["unit"], core["threads"]]
        cycles, per_lut, at_own_clock = (
            work[key] for key in ("cycles_over_reference", "work_per_cycle_per_1000_luts", "work_per_second_per_lut")
        )
        rows.append([
            core["threads"], core["unit"], f"{core['lut4']}{'' if core['flattened'] else ' *'}", core["packed"], core["ff"], core["bram"],
            core["dsp"], frequency(core), f"{cycles:.3f}" if cycles else "", f"{per_lut:.3f}" if per_lut else "",
            f"{at_own_clock / 1000:.1f}" if at_own_clock else "",
        ])
    # The reference unit of results.py.
    reference = "sorted-table" if "sorted-table" in units else units[0]
    if short:
        headings = ["threads", "LUT4", "LUT sites", "DSP", "block RAM", "MHz"]
        chosen = [row for row in rows if row[1] == reference and row[0] in SHORT_THREADS]
        print("\n".join(table(headings, [[row[0], row[2], row[3], row[6], row[5], row[7]] for row in chosen])))
        print(f"\n{written(comparison)}")
        return
    headings = ["threads", "unit", "LUT4", "LUT sites", "FF", "block RAM", "DSP", "MHz", f"cycles ÷ {reference}", "work / cycle / 1000 sites",
                "1000 work / s / site"]
    print("\n".join(table(headings, rows, left=2)))
    seeds = sorted({len(core["fmax_mhz"]) for core in cores if core["fmax_mhz_median"] is not None})
    placed = "not placed"
    if seeds:
        placed = "one seed" if seeds == [1] else f"median of {' or '.join(map(str, seeds))} seeds"
    flattened = "" if all(core["flattened"] for core in cores) else " \\* sum of modules, not to be compared with flattened cores."
    estimated = "" if comparison["request"]["engine"] == "rtl" else " (as the golden model estimates them)"
    print(
        f"\n{comparison['warps']} warps, RV32IMA, {comparison['target']}, {placed}; cycles{estimated}: geometric mean of "
        f"{len(comparison['compared_kernels'])} kernels.{flattened} {written(comparison)}"
    )


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--rows"]
    if len(arguments) != 1:
        sys.exit(__doc__.strip())
    main(arguments[0], short="--rows" in sys.argv)
