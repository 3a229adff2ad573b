"""`scripts/measure run`, `list`, `stale` and `against` with a stand-in for `weft`."""

import json
import os
import unittest
from unittest import mock

from measuring.fake import Folder

CORE = "area/rv32i-8x4-sorted-table"
KERNELS = "kernels/8x4-sorted-table"
# Programs that print something where tools print their version.
TOOLS = {name: "/bin/echo" for name in ("WEFT_VERILATOR", "WEFT_RISCV_GCC", "WEFT_YOSYS", "WEFT_NEXTPNR", "WEFT_ECPPACK")}


@mock.patch.dict(os.environ, TOOLS)
class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)

    def entry(self, name):
        status, output, _ = self.folder.measure("list", "--json", name)
        self.assertEqual(status, 0)
        return json.loads(output)[0]

    def result(self, name):
        return json.loads((self.folder.root / f"docs/notebook/results/{name}.json").read_text(encoding="utf-8"))

    def test_a_result_is_missing_then_fresh_then_stale(self):
        self.assertEqual(self.entry(CORE)["state"], "missing")
        self.assertEqual(self.folder.measure("run", CORE)[0], 0)
        self.assertEqual(self.entry(CORE)["state"], "fresh")
        self.assertEqual(self.result(CORE)["values"]["lut4"], 20)
        self.assertEqual(self.result(CORE)["tools"], {"yosys": "Yosys 9.99"})
        self.folder.set("verilog", "module other; endmodule\n")
        entry = self.entry(CORE)
        self.assertEqual((entry["state"], entry["why"]), ("stale", "changed: verilog"))

    def test_cycles_are_stale_with_another_program(self):
        self.folder.measure("run", KERNELS)
        self.assertEqual(self.result(KERNELS)["values"]["gcd"]["cycles"], 100)
        self.folder.set("program", "b")
        self.assertEqual(self.entry(KERNELS)["why"], "changed: kernels")

    def test_fresh_results_are_measured_only_if_asked_for(self):
        for words, runs in (["run", CORE], 1), (["run", CORE], 1), (["run", "--again", CORE], 2):
            self.assertEqual(self.folder.measure(*words)[0], 0)
            self.assertEqual(len(self.folder.calls("synth")), runs)

    def test_a_failed_measurement_does_not_stop_the_others(self):
        self.folder.set("broken", "")
        status, _, errors = self.folder.measure("run", KERNELS, CORE)
        self.assertEqual(status, 1)
        self.assertIn(f"Failed: {KERNELS}", errors)
        self.assertIn("kernel gcd: outcome mismatch", errors)
        self.assertEqual((self.entry(KERNELS)["state"], self.entry(CORE)["state"]), ("missing", "fresh"))

    def test_an_unknown_name_is_answered_with_the_nearest(self):
        status, output, errors = self.folder.measure("run", "kernels/8x4-sorted-tabel")
        self.assertEqual((status, output), (2, ""))
        self.assertIn("no measurement is named 'kernels/8x4-sorted-tabel'; the nearest: kernels/8x4-sorted-table", errors)
        self.assertIn("scripts/measure list", errors)
        self.assertEqual(self.folder.measure("table", "kernls")[0], 2)
        self.assertEqual(self.folder.measure("run", "--budget", "soon")[0], 2)
        self.assertEqual(self.folder.measure("run", "area/*", "nothing/*")[0], 2)

    def test_patterns_groups_and_sets_name_measurements(self):
        def names(*words):
            return [entry["name"] for entry in json.loads(self.folder.measure("list", "--json", *words)[1])]

        units = ("sorted-table", "arbiter", "pdom-stack", "dual-path")
        self.assertEqual(names("area/rv32i-8x4-*"), [f"area/rv32i-8x4-{unit}" for unit in units])
        self.assertEqual(names("mutants"), ["mutants/scores"])
        self.assertEqual(sorted(names()), sorted(names("standing", "nightly")))

    def test_every_help_has_examples(self):
        for words in [], ["list"], ["run"], ["stale"], ["table"], ["tables"], ["against"]:
            status, output, _ = self.folder.measure(*words, "--help")
            self.assertEqual(status, 0)
            self.assertIn("examples:\n  scripts/measure ", output)

    def test_stored_cycles_and_areas_are_compared(self):
        self.assertEqual(self.folder.measure("against")[0], 1, "nothing to compare with")
        self.folder.measure("run", KERNELS, CORE)
        status, _, errors = self.folder.measure("against")
        self.assertEqual(status, 0, errors)
        self.assertIn("the same Verilog", errors)
        self.folder.set("cycles", "101")
        status, _, errors = self.folder.measure("against", "--what", "cycles")
        self.assertEqual(status, 1)
        self.assertIn(f"{KERNELS}: gcd: 100 cycles measured, 101 now", errors)
        self.folder.set("verilog", "module other; endmodule\n")
        self.folder.set("lut4", "21")
        status, _, errors = self.folder.measure("against", "--what", "lut4")
        self.assertEqual(status, 1)
        self.assertIn("20 LUT4 measured, 21 now, +5.0%", errors)
        self.assertEqual(self.result(CORE)["values"]["lut4"], 20, "the stored result stays")
