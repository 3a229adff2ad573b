"""Runs tasks on a scalar core that Verilator has built, behind the memory of harness.cpp."""

import json
import os

from measuring import processes
from measuring.failure import Failure
from measuring.scalar import cores, programs

FETCH_LATENCY = 1
LATENCIES = (1, 20, 100)
MOST_CYCLES = 100_000_000


def build(weft, scalar):
    """The program that simulates a core."""
    return weft.once(("scalar", scalar.name), lambda: verilate(weft, scalar))


def verilate(weft, scalar):
    folder = weft.work / "scalar" / scalar.name
    folder.mkdir(parents=True, exist_ok=True)
    processes.run([
        os.environ.get("WEFT_VERILATOR", "verilator"), "--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style",
        "--top-module", "scalar", "--Mdir", str(folder), "-o", "harness", "-CFLAGS", "-O2", *scalar.defines,
        *map(str, scalar.files(weft.project)), str(weft.project.root / cores.FOLDER / "harness.cpp"),
    ])
    return folder / "harness"


def cycles(weft, scalar):
    """The cycles of all tasks of the core's instruction set, at each latency."""
    harness = build(weft, scalar)
    return {
        kernel: [run(harness, kernel, programs.image(weft, task), latency) for latency in LATENCIES]
        for kernel, task in programs.of_isa(weft, scalar.isa).items()
    }


def run(harness, kernel, image, latency):
    answer = json.loads(processes.run([str(harness), *map(str, (image, FETCH_LATENCY, latency, MOST_CYCLES))]).stdout)
    if answer["code"] != 0:
        raise Failure(f"kernel {kernel} at latency {latency}: exit code {answer['code']} after {answer['cycles']} cycles")
    return answer["cycles"]
