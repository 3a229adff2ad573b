"""The clock frequency that cores reach, placed and routed by `weft synth --pnr`."""

from measuring import cores, tools
from measuring.area import TARGET, WARPS
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, STANDING, Measurement
from measuring.table import Table
from measuring.weft import sets

SEEDS = 3
MINUTES = 25
# From so many threads, rows of the part are left to wires: without them the router does not end.
SPREAD = 8
# The cores of the named configurations of the README.
NAMED = [
    cores.Core("rv32im", WARPS, 4, "sorted-table"), cores.Core("rv32im", WARPS, 8, "sorted-table"),
    cores.Core("rv32im", WARPS, 8, "pdom-stack"), cores.Core("rv32i", WARPS, 4, "sorted-table"),
]
# Cores whose aim is a median of five seeds.
AIMED = NAMED[:2]
WIDE_THREADS = (2, 4, 8)
# The units whose RV32I cores stand next to those of the original Simty, which has these two.
SIMTY_UNITS = ("sorted-table", "arbiter")
FIGURES = ("outcome", "lut4", "packed", "ff", "bram", "dsp", "fmax_mhz", "fmax_mhz_median")
# Outcomes that say more of the machine and the time limit than of the core.
PASSING = ("given-up", "out-of-memory")
OUTCOMES = {"does-not-fit": "does not fit", "not-routed": "not routed", "given-up": "timed out", "out-of-memory": "out of memory"}


def measurements(weft):
    for core in NAMED:
        yield measurement(weft, core, STANDING)


def wide(weft):
    kinds = [("rv32i", SIMTY_UNITS), ("rv32im", [*weft.units(), *cores.VARIANTS])]
    plain = [cores.Core(isa, WARPS, threads, unit) for isa, units in kinds for threads in WIDE_THREADS for unit in units]
    for core in [*plain, *(cores.Core("rv32im", WARPS, 8, "sorted-table", memory) for memory in cores.MEMORIES)]:
        if core not in NAMED:
            yield measurement(weft, core, NIGHTLY)


def measurement(weft, core, of_set):
    placer = "spread" if core.threads >= SPREAD else "static"
    seeds = 5 if core in AIMED else SEEDS
    options = ("--pnr", "--placer", placer, "--seeds", seeds, "--minutes", MINUTES)
    words = ["synth", "--target", TARGET, *options, *sets(core.settings)]
    return Measurement(
        name=f"clock/{core.name}",
        set=of_set,
        estimate=seeds * 40 * core.threads,
        command=" ".join(map(str, ["weft", "--json", *words])),
        depends=lambda: {"verilog": weft.verilog(core.settings)},
        measure=lambda: place(weft, words),
        prefers=lambda old, new: old["outcome"] == "placed" and new["outcome"] in PASSING,
    )


def place(weft, words):
    """What frequency the core reaches. One that does not fit or is not routed is a result, too."""
    tools.for_synthesis(weft.project.root)
    answer = weft.ask(*words, accept=(0, 1))
    if "outcome" not in answer:
        raise Failure(f"no frequency: {answer}")
    placing = answer["placing"] or {}
    mhz = [round(value, 2) for value in answer["fmax_mhz"]]
    median = answer["fmax_mhz_median"]
    values = {key: answer[key] for key in FIGURES} | {"fmax_mhz": mhz, "fmax_mhz_median": median and round(median, 2)}
    values |= {"placer": placing.get("placer"), "reason": placing.get("reason"), "slowest": slowest(answer)}
    return values, tools.versions(answer["tools"])


def slowest(answer):
    """The critical path of the seed nearest to the median."""
    seeds = (answer["placing"] or {}).get("seeds") or []
    if not seeds or answer["fmax_mhz_median"] is None:
        return None
    path = min(seeds, key=lambda seed: abs(seed["fmax_mhz"] - answer["fmax_mhz_median"]))["critical_path"]
    ends = {end: f"{path[end]['stage']}: {path[end]['name']}" for end in ("from", "to")}
    return ends | {"delay_ns": round(path["delay_ns"], 2), "routing_ns": round(path["routing_ns"], 2), "levels": path["levels"]}


def stage(end):
    """The stage of one end of a path; an end that is in no stage is next to the ports."""
    return end.partition(":")[0].replace("weft_core", "ports")


def median(values):
    """The median of all seeds: one that was not placed may well be slower."""
    return None if values["outcome"] in OUTCOMES else values["fmax_mhz_median"]


def of_seeds(frequencies):
    """What a table says of the frequencies by seed: of more than usual, the least and the most."""
    if len(frequencies) > SEEDS:
        return [f"{min(frequencies):.1f} to {max(frequencies):.1f} ({len(frequencies)})"]
    return [f"{mhz:.1f}" for mhz in frequencies]


def frequency_rows(shown):
    rows = []
    for result in shown.all():
        values = result.values
        outcome = OUTCOMES.get(values["outcome"])
        by_seed = ", ".join([*of_seeds(values["fmax_mhz"]), *filter(None, [outcome])])
        path = values["slowest"]
        rows.append([
            result.name.partition("/")[2] + shown.mark(result.name), *(values[key] for key in ("lut4", "packed", "ff", "bram")),
            by_seed, f"{median(values):.1f}" if median(values) else "-",
            f"{stage(path['from'])} → {stage(path['to'])}, {path['levels']}" if path else (values["reason"] or "-")[:80],
        ])
    return table(["core", "LUT4", "LUT sites", "FF", "BRAM", "MHz by seed", "median", "critical path, levels"], rows)


TABLES = [
    Table("clock", ["clock/*"], frequency_rows, f"{TARGET}, speed grade 6, without trace port, placed with {SEEDS} seeds or five, from "
          f"{SPREAD} threads with free rows. The critical path is the one of the seed nearest to the median.", partial=True),
]
