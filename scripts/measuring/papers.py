"""The claims of the papers: the verdicts of `weft papers`."""

import json

from measuring import processes, project, tools
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

NAME = "papers/claims"
SHORT = {"refuted: same direction, other size": "refuted (size)", "not decidable here": "not decidable"}
# The claims are data of the command; some are about areas, and read stored results.
CLAIMS = ("rtl-gen/src/commands/papers", "docs/notebook/results/area")


def measurements(weft):
    yield Measurement(
        name=NAME, set=NIGHTLY, estimate=60, command="weft papers --out DIR",
        depends=lambda: {
            "model": weft.project.sources(project.MODEL), "claims": weft.project.sources(CLAIMS), "kernels": weft.project.sources(["testbench/kernels"]),
        },
        measure=lambda: (claims(weft), tools.for_runs()),
    )


def claims(weft):
    folder = weft.work / "papers"
    processes.run([weft.program, "papers", "--out", folder], cwd=weft.project.root)
    counts = json.loads((folder / "report.json").read_text(encoding="utf-8"))["counts"]
    return {"counts": counts, "claims": list(reported((folder / "report.md").read_text(encoding="utf-8")))}


def reported(report):
    """The claims in the tables of a report: name, published, ours, verdict."""
    for line in report.splitlines():
        if line.startswith("| `"):
            claim, _, published, ours, verdict = (cell.strip() for cell in line.strip("|").split("|"))
            yield [claim, published, ours, SHORT.get(verdict, verdict)]


def rows(shown):
    (result,) = shown.all()
    counts, mark = result.values["counts"], shown.mark(result.name)
    refuted = counts["refuted"] + counts["refuted_in_size"]
    text = table(["claim" + mark, "published", "ours", "verdict"], result.values["claims"])
    return [
        *text, "", f"{counts['claims']} claims: {counts['shown']} shown, {refuted} refuted, {counts['refuted_in_size']} of them in size alone,",
        f"{counts['not_decidable']} not decidable.",
    ]


TABLES = [Table("claims", [NAME], rows)]
