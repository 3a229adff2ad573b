"""How fast the core issues, what the lock-step checker costs, and how fast the golden model is: figures that tests record."""

import json
import os
import pathlib

from measuring import processes, project, tools
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

COMMANDS = [
    ["cargo", "test", "--release", "--locked", "-p", "weft-testbench", "--test", "integration", "--", "issue_rate::", "throughput::",
     "--test-threads", "1"],
    ["cargo", "bench", "--locked", "-p", "weft-sim", "--bench", "throughput", "--", "--quick"],
]
SCATTERED = (1, 2, 4, 8)
# What each figure is, and how it is written.
FIGURES = [
    ("straight ALU code, 8 × 4", "IPC {straight_ipc:.3f}"),
    ("loads of one line each, 8 × 4, latency 1", "IPC {coalesced_ipc:.3f}"),
    ("dependent chain, one warp", "{chain_cycles_per_instruction:.2f} cycles an instruction"),
    ("one load over 1, 2, 4, 8 lines, one warp, latency 100",
     ", ".join(f"{{scattered_load_cycles_{lines}:.0f}}" for lines in SCATTERED) + " cycles"),
    ("scattered loads, 8 × 4, latency 100, 128 in flight", "{scattered_transactions_per_cycle:.2f} transactions a cycle"),
    ("all kernels without keys of their own, 8 × 8: lock step ÷ Verilog alone", "{lock_step_ratio:.0%} of its cycles a second"),
    ("the two, in million cycles a second", "{lock_step_million:.2f} and {bare_model_million:.2f}"),
    ("golden model without timing, 32 threads a warp ÷ rrs-lib 0.1.0 (scalar)",
     "{model_over_rrs_lib:.1f} × its thread instructions a second"),
]


def measurements(weft):
    yield Measurement(
        name="speed/figures", set=NIGHTLY, estimate=600, command=" && ".join(map(" ".join, COMMANDS)),
        depends=lambda: {"hardware": weft.project.sources((*project.HARDWARE, *project.MODEL))}, measure=lambda: measure(weft), alone=True,
    )


def measure(weft):
    path = weft.work / "figures.jsonl"
    path.unlink(missing_ok=True)
    for command in COMMANDS:
        processes.run(command, cwd=weft.project.root, env={**os.environ, "WEFT_FIGURES": str(path)})
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    values = {record["figure"]: record["value"] for record in records}
    for name in "bare_model", "lock_step":
        values[f"{name}_million"] = values.get(f"{name}_cycles_per_second", 0) / 1e6
    for what, form in FIGURES:
        try:
            form.format(**values)
        except KeyError as missing:
            raise Failure(f"no figure {missing}, for: {what}") from missing
    rust = processes.run(["rustc", "--version"]).stdout
    return values | {"processor": processor()}, {**tools.for_runs(), "rustc": tools.version(rust)}


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "an unknown processor")


def rows(shown):
    (result,) = shown.all()
    lines = [[what, form.format(**result.values)] for what, form in FIGURES]
    return [*table(["what" + shown.mark(result.name), "measured"], lines, left=2), "", f"On {result.values['processor']}."]


TABLES = [Table("speed", ["speed/figures"], rows, "Whole runs, first fetch to last exit.")]
