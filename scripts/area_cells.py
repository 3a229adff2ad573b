"""Results of `weft synth --json`, as the scripts that print areas read them."""

import json
import pathlib
import sys

from versions import version

CELLS = ["lut4", "ccu2c", "chains", "lutram", "packed", "ff", "bram", "dsp"]
HEADINGS = ["LUT4", "CCU2C", "chains", "LUT RAM", "packed", "FF", "BRAM", "DSP"]


def read(folder):
    """Results by number of threads and unit, of files named UNIT-THREADS.json."""
    results = {}
    for path in pathlib.Path(folder).glob("*.json"):
        unit, threads = path.stem.rsplit("-", 1)
        results[int(threads), unit] = json.loads(path.read_text())
    return dict(sorted(results.items()))


def sum_of_modules(result):
    """The cells of all instances of all modules, each module synthesised by itself."""
    modules = result["modules"].values()
    return {cell: sum(module["instances"] * module[cell] for module in modules) for cell in CELLS}


def one_yosys(results):
    """Name and version of the Yosys that all results come from."""
    versions = {result["tools"]["yosys"] for result in results}
    if len(versions) != 1:
        sys.exit(f"results of several versions of Yosys: {', '.join(sorted(versions))}")
    return version(versions.pop())
