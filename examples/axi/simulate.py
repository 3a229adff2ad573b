"""Builds the core in $WEFT_OUT with Icarus and runs test_axi.py on it. Started by run.sh."""

import os
import sys

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

OUT, TOP = os.environ["WEFT_OUT"], "weft_core"
runner = get_runner("icarus")
runner.build(sources=[f"{OUT}/core/{TOP}.v"], hdl_toplevel=TOP, build_dir=f"{OUT}/simulator", timescale=("1ns", "1ps"))
tests, failed = get_results(runner.test(hdl_toplevel=TOP, test_module="test_axi", build_dir=f"{OUT}/simulator"))
sys.exit(failed > 0 or tests == 0)
