"""What is read from `weft`: units, kernels, digests."""

import unittest

from measuring import kernels
from measuring.fake import Folder


class Digests(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)

    def test_units_are_those_that_run_kernels(self):
        self.assertEqual(self.folder.weft().units(), ["arbiter", "sorted-table", "pdom-stack", "dual-path"])

    def test_a_comment_does_not_change_the_digest_of_verilog(self):
        core = ("divergence.unit=arbiter", "threads=4")
        first = self.folder.weft().verilog(core)
        self.folder.set("verilog", "// second\n/* of two\n lines */\n  module m; endmodule // end\n")
        self.assertEqual(self.folder.weft().verilog(core), first)
        self.folder.set("verilog", "module n; endmodule\n")
        self.assertNotEqual(self.folder.weft().verilog(core), first)

    def test_the_analysis_counts_for_units_that_read_its_table(self):
        for unit, reads in ("arbiter", False), ("pdom-stack", True):
            settings = (f"divergence.unit={unit}",)
            self.folder.set("table", "t")
            before = kernels.depends(self.folder.weft(), settings, unit, ["gcd"])
            self.folder.set("table", "u")
            after = kernels.depends(self.folder.weft(), settings, unit, ["gcd"])
            self.assertEqual(before != after, reads, unit)

    def test_a_kernel_runs_on_the_units_of_its_list(self):
        weft = self.folder.weft()
        self.assertEqual(kernels.runnable(weft, "arbiter"), ["gcd", "spin_lock"])
        self.assertEqual(kernels.runnable(weft, "pdom-stack"), ["gcd"])
