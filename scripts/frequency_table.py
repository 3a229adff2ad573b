#!/usr/bin/env python3
"""The store of placed cores of scripts/frequency.sh: it looks up a core, keeps an answer of `weft synth`, prints the table.

    scripts/frequency_table.py knows STORE ISA UNIT THREADS SEEDS VERILOG PLACER YOSYS NEXTPNR     status 0 if it does
    scripts/frequency_table.py keep STORE ISA UNIT THREADS VERILOG SYNTH.json
    scripts/frequency_table.py cores STORE
    scripts/frequency_table.py table STORE PRESENT

VERILOG is a digest of the core's Verilog. YOSYS and NEXTPNR are the version lines of the tools. PRESENT has a line
"ISA UNIT THREADS VERILOG" of each core in its present state.
"""

import datetime
import json
import pathlib
import sys

from markdown import table
from versions import version

ISAS = ["rv32i", "rv32im", "rv32ima"]
UNITS = ["arbiter", "arbiter:1", "arbiter:2", "sorted-table", "pdom-stack", "dual-path"]
FIGURES = ["outcome", "lut4", "packed", "ff", "bram", "dsp", "fmax_mhz", "fmax_mhz_median"]
OUTCOMES = {"does-not-fit": "does not fit", "not-routed": "not routed", "given-up": "timed out", "out-of-memory": "out of memory"}
# Outcomes that another run does not change.
FINAL = ["does-not-fit", "not-routed"]
# Outcomes that depend on the machine and the time limit.
PASSING = ["given-up", "out-of-memory"]
KEY = ["isa", "unit", "threads"]


def read(store):
    path = pathlib.Path(store)
    return json.loads(path.read_text()) if path.exists() else []


def key(core):
    return [core[name] for name in KEY]


def order(core):
    return ISAS.index(core["isa"]), core["threads"], UNITS.index(core["unit"])


def knows(store, isa, unit, threads, seeds, verilog, placer, *tools):
    tools = [version(said) for said in tools]
    for core in read(store):
        if key(core) == [isa, unit, int(threads)] and core["verilog"] == verilog and core["placer"] in (placer, None) and core["tools"] == tools:
            # A core that timed out may succeed with a longer limit.
            return core["outcome"] in FINAL or core["outcome"] == "placed" and len(core["fmax_mhz"]) >= int(seeds)
    return False


def slowest(answer):
    """Returns the critical path of the seed nearest to the median: its ends, and the share of wires."""
    placing = answer["placing"]
    seeds = placing["seeds"] if placing else []
    if not seeds or answer["fmax_mhz_median"] is None:
        return None
    seed = min(seeds, key=lambda seed: abs(seed["fmax_mhz"] - answer["fmax_mhz_median"]))
    path = seed["critical_path"]
    ends = {end: f"{path[end]['stage']}: {path[end]['name']}" for end in ("from", "to")}
    return {**ends, **{name: path[name] for name in ("delay_ns", "routing_ns", "levels")}}


def keep(store, isa, unit, threads, verilog, answered):
    answer = json.loads(pathlib.Path(answered).read_text())
    core = dict(zip(KEY, [isa, unit, int(threads)])) | {"verilog": verilog, "date": str(datetime.date.today())}
    placing = answer["placing"] or {}
    core |= {"placer": placing.get("placer"), "reason": placing.get("reason")} | {name: answer[name] for name in FIGURES} | {"slowest": slowest(answer), "tools": [version(said) for said in answer["tools"].values()]}
    of_key = [other for other in read(store) if key(other) == key(core)]
    if core["outcome"] in PASSING and any(other["outcome"] == "placed" and other["verilog"] == verilog for other in of_key):
        return
    cores = [other for other in read(store) if key(other) != key(core)]
    text = json.dumps(sorted([*cores, core], key=order), indent=1)
    path = pathlib.Path(store)
    part = path.with_suffix(".part")
    part.write_text(text + "\n")
    part.rename(path)


def stage(place):
    """Returns the stage of a register; a register outside the stages is next to the ports of the core."""
    return place.split(":")[0].replace("weft_core", "ports")


def row(core, present):
    mark = "" if present.get(tuple(key(core))) == core["verilog"] else " †"
    outcome = OUTCOMES.get(core["outcome"])
    frequencies = ", ".join([*(f"{mhz:.1f}" for mhz in core["fmax_mhz"]), *filter(None, [outcome])])
    # The median needs all seeds: a failed one may be slower.
    median = None if outcome else core["fmax_mhz_median"]
    path = core["slowest"]
    unit, _, stages = core["unit"].partition(":")
    unit += f", {stages} stage{'s'[:int(stages) - 1]}" if stages else ""
    return [
        core["isa"].upper(), unit + mark, core["threads"], core["lut4"], core["packed"], core["ff"], core["bram"], core["placer"] or "",
        frequencies, f"{median:.1f}" if median else "",
        f"{stage(path['from'])} → {stage(path['to'])}, {path['levels']} levels" if path else core.get("reason") or "",
    ]


def print_table(store, present):
    lines = (line.split() for line in pathlib.Path(present).read_text().splitlines())
    present = {(isa, unit, int(threads)): verilog for isa, unit, threads, verilog in lines}
    cores = read(store)
    headings = ["cores", "unit", "T", "LUT4", "packed", "FF", "BRAM", "placer", "MHz by seed", "median", "slowest path"]
    print("\n".join(table(headings, [row(core, present) for core in cores], left=2)))
    old = any(present.get(tuple(key(core))) != core["verilog"] for core in cores)
    tools = {", ".join(core["tools"]) for core in cores}
    dates = sorted({core["date"] for core in cores})
    print(
        f"\nEight warps, no trace port.{' † The Verilog of this core has changed since.' if old else ''} "
        f"Written by `scripts/frequency.sh`, measured {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, with {'; '.join(sorted(tools))}."
    )


def main(arguments):
    match arguments:
        case ["knows", *given] if len(given) == 9:
            sys.exit(0 if knows(*given) else 1)
        case ["keep", *given] if len(given) == 6:
            keep(*given)
        case ["cores", store]:
            for core in read(store):
                print(*key(core))
        case ["table", store, present]:
            print_table(store, present)
        case _:
            sys.exit(__doc__.strip())


if __name__ == "__main__":
    main(sys.argv[1:])
