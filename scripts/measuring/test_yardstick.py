"""The yardstick: its arithmetic, what it leaves out, and the programs and areas of the scalar cores."""

import unittest

from measuring import yardstick
from measuring.failure import Failure
from measuring.fake import Folder
from measuring.project import Project
from measuring.result import Result
from measuring.scalar import cores, flow, programs
from measuring.table import Shown


def result(name, values):
    return Result(name, "abc", "2026-01-01", 1.0, {}, {}, "command", values)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


# Four scalar cores in the area of Weft, each ten times as many cycles at latency 1, at 5/4 of the clock: 10 / (5/4) / 4 = 2.
WEFT = {"packed": 1000, "bram": 50, "dsp": 0, "cycles": {"gcd": [100, 100, 100], "scan": [100, 200, 400]}}
SCALAR = {
    "packed": 250, "bram": 2, "dsp": 0, "fmax_mhz_median": 100.0, "harts": {"gcd": 64, "scan": 1},
    "left_out": {"spin_lock": "atomic operations"},
    "cycles": {"gcd": [1000, 1000, 1000], "scan": [4000, 4000, 4000]},
}
CLOCK = {"outcome": "placed", "fmax_mhz_median": 80.0}


def shown(*scalars, isa="rv32i", clock=True):
    results = [result(f"yardstick/weft-{isa}", WEFT), *(result(f"yardstick/{name}", SCALAR) for name in scalars)]
    return Shown(results + ([result(f"clock/{isa}-8x8-sorted-table", CLOCK)] if clock else []), set())


class Arithmetic(unittest.TestCase):
    def test_a_gain_counts_cycles_clocks_and_sites(self):
        self.assertEqual(yardstick.gains(WEFT, 80.0, SCALAR, 0), {"gcd": 2.0, "scan": 8.0})
        self.assertEqual(yardstick.gains(WEFT, 80.0, SCALAR, 2), {"gcd": 2.0, "scan": 2.0})

    def test_the_row_of_a_core_has_geometric_means(self):
        lines = yardstick.rows(shown("vexriscv-min"))
        self.assertEqual(cells(lines[2])[:7], ["RV32I", "Weft 8 × 8", "1000", "50", "0", "80.0", "1"])
        self.assertEqual(
            cells(lines[3]), ["RV32I", "VexRiscv min", "250", "2", "0", "100.0", "4.0", "4.00", "2.83", "2.00", "2.00 to 8.00"]
        )

    def test_a_core_that_is_not_placed_has_the_clock_of_older_hardware(self):
        lines = yardstick.rows(shown("vexriscv-min", clock=False))
        self.assertEqual(cells(lines[2])[5], "82.3 \\*")
        self.assertIn("\\* Older hardware", "\n".join(lines))

    def test_kernels_stand_next_to_the_best_core(self):
        lines = yardstick.kernel_rows(shown("vexriscv-lite", isa="rv32im"))
        self.assertEqual(lines[0], "VexRiscv lite / Weft RV32IM 8 × 8:")
        self.assertEqual(cells(lines[4]), ["gcd", "64", "1000 / 100", "1000 / 100", "1000 / 100", "2.00", "2.00", "2.00"])


class LeftOut(unittest.TestCase):
    def test_a_missing_core_is_named_and_the_others_are_shown(self):
        text = "\n".join(yardstick.rows(shown("vexriscv-min")))
        self.assertIn("| VexRiscv min", text)
        self.assertIn("not installed or not measured: PicoRV32, PicoRV32 with M, VexRiscv lite, VexRiscv", text)
        self.assertIn("Kernels left out: 1 with atomic operations (spin lock).", text)

    def test_without_any_core_there_is_a_table_of_weft(self):
        lines = yardstick.rows(shown())
        self.assertIn("Cores left out", lines[-2])
        self.assertEqual(yardstick.kernel_rows(shown(isa="rv32im")), ["Not measured yet."])

    def test_a_core_that_is_not_installed_says_how_to_install_it(self):
        folder = Folder()
        self.addCleanup(folder.close)
        with self.assertRaisesRegex(Failure, r"VexRiscv lite is not installed: ./scripts/setup.sh --yardstick"):
            next(core for core in cores.SCALARS if core.name == "vexriscv-lite").files(folder.weft().project)

    def test_each_package_has_a_version_in_the_script_that_installs_it(self):
        project = Project()
        for core in cores.SCALARS:
            self.assertRegex(cores.version(project, core.package), r"^pythondata-cpu-\w+ \d")


class Programs(unittest.TestCase):
    def test_reads_of_sizes_are_constants_and_the_hart_is_in_tp(self):
        # Encodings by the assembler: csrr a0, mhartid; csrr t3, 0xcc0; csrr t2, 0xcc1; csrw 0x801, zero; ecall; addi a0, a0, 1.
        before = [0xF1402573, 0xCC002E73, 0xCC1023F3, 0x80101073, 0x00000073, 0x00150513]
        # mv a0, tp; li t3, 4; li t2, 8; nop; the others as they are.
        after = [0x00020513, 0x00400E13, 0x00800393, 0x00000013, 0x00000073, 0x00150513]
        self.assertEqual([programs.instead(word, 8, 4) for word in before], after)

    def test_other_csrs_are_refused(self):
        for word in (0xCC302173, 0x80051073, 0xB0002573, 0xF1403573):
            with self.assertRaises(programs.LeftOut):
                programs.instead(word, 1, 1)

    def test_the_options_are_those_of_the_bundled_kernels(self):
        found = programs.options(Project())
        self.assertEqual(found[:3], ["-misa-spec=2.2", "-mabi=ilp32", "-O2"])
        self.assertIn("-Wl,-Tlink.ld", found)


class Area(unittest.TestCase):
    def test_sites_are_counted_as_those_of_weft(self):
        types = {"LUT4": 100, "CCU2C": 10, "CCU2C_FIRST": 2, "TRELLIS_DPR16X4": 3, "TRELLIS_FF": 50, "PDPW16KD": 1, "PFUMX": 9}
        found = flow.counts({"modules": {"\\scalar": {"num_cells_by_type": types}}})
        # 100 + 2 · 12 + 4 · 2 + 6 · 3
        self.assertEqual((found["packed"], found["ccu2c"], found["chains"], found["ff"], found["bram"]), (150, 12, 2, 50, 1))

    def test_the_steps_are_those_of_weft(self):
        flow_of_weft = Project().root / "fpga/flow/src"
        family = (flow_of_weft / "family.rs").read_text(encoding="utf-8")
        marks = [line for line in flow.SCRIPT.splitlines() if line.startswith(("splitnets", "select", "chtype"))]
        self.assertEqual(len(marks), 4)
        self.assertIn("\n".join(marks), family)
        self.assertIn("sites: [2, 4, 6]", family)
        placing = (flow_of_weft / "nextpnr.rs").read_text(encoding="utf-8")
        for option in ("CABGA381", "--speed", "--freq", "--timing-allow-fail", "--placer"):
            self.assertIn(f'"{option}"', placing)
            self.assertIn(option, flow.PLACING)
