"""Reads results of `weft synth --json`, for the scripts that print areas."""

import json
import pathlib
import sys

from versions import version

CELLS = ["lut4", "ccu2c", "chains", "lutram", "packed", "ff", "bram", "dsp"]
HEADINGS = ["LUT4", "CCU2C", "chains", "LUT RAM", "packed", "FF", "BRAM", "DSP"]


def read(folder):
    """Returns results by number of threads and unit, from files named UNIT-THREADS.json."""
    results = {}
    for path in pathlib.Path(folder).glob("*.json"):
        unit, threads = path.stem.rsplit("-", 1)
        results[int(threads), unit] = json.loads(path.read_text())
    return dict(sorted(results.items()))


def sum_of_modules(result):
    """Returns the cells of all instances of all modules, each module synthesised alone."""
    modules = result["modules"].values()
    return {cell: sum(module["instances"] * module[cell] for module in modules) for cell in CELLS}


def one_yosys(results):
    """Returns name and version of the Yosys of all results."""
    versions = {result["tools"]["yosys"] for result in results}
    if len(versions) != 1:
        sys.exit(f"results of several versions of Yosys: {', '.join(sorted(versions))}")
    return version(versions.pop())
