"""What becomes of mutants of every module of the Verilog: the scores that the test `mutants` writes."""

import json
import os
import textwrap

from measuring import cores, processes, tools
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

MUTANTS = 60
SEED = 1
COUNTS = ("mutants", "drawn", "tried", "found", "equivalent")
LISTS = ("other_cycles", "explained", "missed")
SIZE = (3, 4)
TESTS = "testbench/bench/tests/integration"
PROGRAMS = (
    *(f"{TESTS}/{name}" for name in ("mutants", "assembly", "support", "groups.rs", "places.rs", "stacks/programs.rs")),
    "testbench/fuzz/src/generate", "testbench/kernels", "testbench/tests/words/src",
)
TEST = ("cargo", "test", "--locked", "-p", "weft-testbench", "--test", "integration", "--", "--ignored", "--nocapture")


def measurements(weft):
    command = [f"WEFT_MUTANTS_A_MODULE={MUTANTS}", f"WEFT_MUTANT_SEED={SEED}", *TEST, "modules_have_their_scores"]
    yield Measurement(
        name="mutants/scores", set=NIGHTLY, estimate=6 * 3600, command=" ".join(command),
        depends=lambda: depends(weft), measure=lambda: (score(weft), verilator()),
    )


def depends(weft):
    """Digests of the core of each unit, and of the programs that run on its mutants."""
    cores_of = {unit: weft.verilog((*cores.size_of(*SIZE), *cores.unit_of(unit))) for unit in weft.units()}
    return {**{f"verilog of {unit}": digest for unit, digest in cores_of.items()}, "programs": weft.project.sources(PROGRAMS)}


def verilator():
    return {"verilator": tools.for_runs()["verilator"]}


def score(weft):
    """The counts of each module. The test fails if too few mutants are found; its scores are a result all the same."""
    path, log = weft.work / "mutants.json", weft.project.root / "out/measure/mutants.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    settings = {"WEFT_MUTANTS_A_MODULE": str(MUTANTS), "WEFT_MUTANT_SEED": str(SEED), "WEFT_MUTATION_SCORES": str(path)}
    with log.open("w", encoding="utf-8") as output:
        processes.run(
            [*TEST, "modules_have_their_scores"], accept=None, cwd=weft.project.root, env={**os.environ, **settings}, stdout=output,
            stderr=output,
        )
    if not path.exists():
        raise Failure(f"no scores: see {log.relative_to(weft.project.root)}")
    scores = sorted(json.loads(path.read_text(encoding="utf-8")), key=lambda module: module["module"])
    return {s["module"]: [*(s[key] for key in COUNTS), *(len(s[key]) for key in LISTS)] for s in scores}


def percent(found, others):
    return f"{100 * found / (found + others):.1f} %" if found + others else "-"


def rows(shown):
    (result,) = shown.all()
    modules = {name: dict(zip(COUNTS + LISTS, counts)) for name, counts in result.values.items()}
    done = {name: counts for name, counts in modules.items() if counts["tried"] == counts["drawn"]}
    everything = {key: sum(counts[key] for counts in done.values()) for key in COUNTS + LISTS}
    lines = []
    for name, counts in [*done.items(), ("all", everything)]:
        found, missed, other = counts["found"], counts["missed"], counts["other_cycles"] + counts["explained"]
        shown_counts = [counts[key] for key in COUNTS + LISTS if key != "tried"]
        lines.append([name, *shown_counts, percent(found, missed), percent(found, missed + other)])
    headings = ["module" + shown.mark(result.name), "mutants", "drawn", "found", "equivalent", "only cycles", "explained", "missed"]
    text = table([*headings, "score", "strict score"], lines)
    partly = [f"{name} ({c['tried']} of {c['drawn']})" for name, c in modules.items() if 0 < c["tried"] < c["drawn"]]
    never = [name for name, counts in modules.items() if not counts["tried"]]
    for what, names in ("Tried in part", partly), ("Not yet tried", never):
        if names:
            text += ["", *textwrap.wrap(f"{what}: {'; '.join(names)}.", 120, break_on_hyphens=False)]
    return text


TABLES = [Table("mutants", ["mutants/scores"], rows, f"Up to {MUTANTS} of each module, seed {SEED}.")]
