"""The tables that hold more than their results: clocks, accuracy, gains, named configurations."""

import unittest

from measuring import accuracy, area, catalogue, clock, comparison, mutants, named, options, stacks
from measuring.fake import Folder
from measuring.result import Result
from measuring.table import Shown


def result(name, values):
    return Result(name, "abc", "2026-01-01", 1.0, {}, {}, "command", values)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def answer(outcome, mhz):
    """What `weft synth --json` prints of a core with these seeds; the path of each has a level more than the one before."""
    def path(levels):
        ends = {"from": {"stage": "s8", "name": "a"}, "to": {"stage": "weft_core", "name": "b"}}
        return {**ends, "delay_ns": 12.5, "routing_ns": 8.0, "levels": levels}

    seeds = [{"fmax_mhz": value, "critical_path": path(levels)} for levels, value in enumerate(mhz, 11)]
    median = sorted(mhz)[len(mhz) // 2] if mhz else None
    return {"outcome": outcome, "fmax_mhz": mhz, "fmax_mhz_median": median, "placing": {"seeds": seeds}}


class Clock(unittest.TestCase):
    def row(self, outcome, mhz):
        given = answer(outcome, mhz)
        values = {"lut4": 1, "packed": 2, "ff": 3, "bram": 4, "reason": None, "slowest": clock.slowest(given), **given}
        return cells(clock.frequency_rows(Shown([result("clock/core", values)], set()))[2])

    def test_a_row_has_the_median_and_the_path_of_its_seed(self):
        self.assertEqual(self.row("placed", [80.72, 79.44, 79.49])[5:], ["80.7, 79.4, 79.5", "79.5", "s8 → ports, 13"])

    def test_of_more_seeds_than_usual_a_row_has_the_least_and_the_most(self):
        row = self.row("placed", [76.4, 79.52, 77.46, 80.15, 74.82])
        self.assertEqual(row[5:], ["74.8 to 80.2 (5)", "77.5", "s8 → ports, 13"])

    def test_of_a_core_that_timed_out_there_is_no_median(self):
        self.assertEqual(self.row("given-up", [81.0])[5:7], ["81.0, timed out", "-"])

    def test_what_timed_out_never_replaces_what_was_placed(self):
        measurement = next(iter(clock.measurements(None)))
        placed, late, lost = ({"outcome": outcome} for outcome in ("placed", "given-up", "not-routed"))
        self.assertTrue(measurement.prefers(placed, late))
        self.assertFalse(measurement.prefers(late, late) or measurement.prefers(placed, lost))


class Others(unittest.TestCase):
    def test_the_errors_of_the_model(self):
        values = {"gcd": {"rtl": [100, 200, 400, 1000], "model": [101, 200, 400, 980]}}
        lines = accuracy.rows(Shown([result("accuracy/4x8-arbiter", values)], set()))
        self.assertEqual(cells(lines[2]), ["arbiter", "4", "4", "0.50 %", "-2.0 % gcd, 4 warps, latency 300"])

    def test_the_gain_of_the_dual_path(self):
        def cycles(all_of):
            return {"scan": {"group": "interleavable", "cycles": all_of, "idle": [10, 10, 10, 10]}}

        results = [result("stacks/1x8-pdom-stack", cycles([120, 130, 140, 150])), result("stacks/1x8-dual-path", cycles([100] * 4))]
        shown = Shown(results, set())
        text = stacks.rows(shown)
        self.assertEqual(cells(text[4]), ["8", "1", "1", "1.200", "1.200", "1.200 scan", "+0 %"])
        self.assertIn("Kernels that are interleavable, with T threads, W warps, latency L:", text)
        self.assertEqual(stacks.rows(Shown(shown.results[:1], set())), ["One of the two units has no result yet."])

    def test_the_gain_of_an_option(self):
        def values(cycles):
            return {"scan": {"group": "interleavable", "model": [cycles] * 3, "rtl": [cycles] * 3}}

        shown = Shown([result("options/1x8-plain", values(100)), result("options/1x8-optimistic", values(80))], set())
        text = options.rows(shown)
        self.assertEqual(cells(text[4]), ["interleavable", "1", "20", "1.250", "-", "-", "-", "-"])
        self.assertIn("1.250 to 1.250", text[-1])

    def test_scores_leave_out_modules_tried_in_part(self):
        counts = {"a": [9, 4, 4, 3, 0, 1, 0, 0], "b": [9, 4, 2, 2, 0, 0, 0, 0]}
        text = mutants.rows(Shown([result("mutants/scores", counts)], set()))
        self.assertEqual(cells(text[2]), ["a", "9", "4", "3", "0", "1", "0", "0", "100.0 %", "75.0 %"])
        self.assertIn("Tried in part: b (2 of 4).", text)

    def test_a_further_lane(self):
        def values(lut4):
            return dict.fromkeys(area.CELLS, 1) | {"lut4": lut4, "flattened": True, "modules": {}}

        shown = Shown([result(f"area/rv32i-8x{threads}-sorted-table", values(lut4)) for threads, lut4 in [(4, 100), (8, 500)]], set())
        self.assertEqual(cells(area.lane_rows(shown)[3])[6:], ["100", "0"])

    def test_a_named_configuration_without_results_has_dashes(self):
        runs = {"gcd": {"cycles": 100, "issues": 50, "thread_instructions": 150}}
        lines = named.rows(Shown([result("kernels/8x4-sorted-table", runs)], set()))
        self.assertEqual(cells(lines[2])[2:], ["-", "-", "-", "0.50", "1.50", "1 kernels"])
        self.assertEqual(cells(lines[5])[2:], ["-"] * 6)

    def test_the_comparison_is_cut_to_what_the_tables_show(self):
        core = dict.fromkeys(comparison.CORE) | {"isa": "rv32ima", "unit": "arbiter", "threads": 4, "lut4": 10, "flattened": True}
        core |= {"outcome": "placed", "fmax_mhz_median": 52.64}
        work = {"unit": "arbiter", "threads": 4, "cycles_over_reference": 1.00004, "work_per_cycle_per_1000_luts": None,
                "work_per_second_per_lut": 14000.0}
        beside = dict.fromkeys(comparison.BESIDE) | {"unit": "arbiter", "threads": 4, "cycles": 1.05}
        values, tools = comparison.measured(comparison.values, {
            "cores": [core], "summary": [work], "beside": [beside], "request": {"units": ["arbiter"]}, "compared_kernels": ["gcd"],
            "tools": {"yosys": "Yosys 0.70 (git)", "gcc": "12"}, "weft": {"version": "0.1.0", "git": "abc"},
        })
        self.assertEqual(list(tools.values()), ["weft compare 0.1.0 (git abc)", "Yosys 0.70"])
        shown = Shown([result("comparison/units", values)], set())
        self.assertEqual(cells(comparison.core_rows(shown)[2])[7:], ["52.6", "1.000", "-", "14.0"])
        self.assertEqual(comparison.beside_rows(shown)[-1], "| 4       | arbiter |  1.050 |")

    def test_a_unit_has_a_row_by_use_and_says_how_many_kernels_hang(self):
        kernels = [{"name": "gcd", "class": "structured"}, {"name": "spin_lock", "class": "locking"}]
        row = dict.fromkeys(comparison.USE) | {"threads": 8, "cycles_over_reference": 1.2, "structured": 1.25, "hangs": []}
        row |= {"thread_instructions_per_cycle": 3.0, "kernels": {name: 1 for name in comparison.CLASSES}}
        values = comparison.use_values({
            "request": {"units": ["arbiter", "pdom-stack"]}, "cores": [{"unit": "arbiter", "packed": 900}], "kernels": kernels,
            "units": {"arbiter": {"reconverges": False}, "pdom-stack": {"reconverges": True}},
            "uses": [row | {"latency": 1, "unit": "arbiter", "locking": 1.0}, row | {"latency": 1, "unit": "pdom-stack", "hangs": ["spin_lock"]},
                     row | {"latency": 20, "unit": "arbiter"}],
        })
        shown = Shown([result("uses/8x8", values)], set())
        arbiter, stack = comparison.use_rows(shown)[2:4]
        self.assertEqual(cells(arbiter), ["arbiter", "900", "1.250", "-", "-", "1.000", "no", "no"])
        self.assertEqual(cells(stack), ["pdom-stack", "-", "1.250", "-", "-", "1 of 1 hang", "yes", "yes"])
        self.assertEqual(cells(comparison.latency_rows(shown)[-1]), ["20", "arbiter", "1.200", "1.250", "-", "-", "-", "3.00"])


class Catalogue(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)
        self.measurements = catalogue.measurements(self.folder.weft())

    def test_names_are_unique_and_every_one_feeds_a_table(self):
        names = [measurement.name for measurement in self.measurements]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([name for name in names if not any(table.has(name) for table in catalogue.TABLES)], [])

    def test_every_source_of_a_table_is_a_measurement(self):
        names = {measurement.name for measurement in self.measurements}
        for table in catalogue.TABLES:
            for source in table.sources:
                self.assertTrue(any(type(table)("", [source], None).has(name) for name in names), source)
