"""Order, budget, failure and interruption of runs."""

import os
import pathlib
import tempfile
import time
import unittest

from measuring import processes
from measuring.fake import Counter, Folder
from measuring.failure import Failure
from measuring.measurement import NIGHTLY, Measurement


class Order(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)
        self.order = []

    def counters(self, *entries):
        made = []
        for name, estimate in entries:
            counter = Counter(name, estimate=estimate)
            counter.act = lambda name=name: self.order.append(name) or {"value": 1}
            made.append(counter)
        return made

    def run_all(self, counters, *words):
        return self.folder.measure("run", "--jobs", "1", *words, measurements=[c.measurement for c in counters], tables=[])

    def test_the_most_important_come_first_and_the_budget_holds(self):
        counters = self.counters(("a/first", 60), ("a/too-long", 7200), ("a/second", 60), ("a/third", 3500))
        status, _, errors = self.run_all(counters, "--budget", "1h")
        self.assertEqual((status, self.order), (0, ["a/first", "a/second", "a/third"]))
        self.assertIn("Left, as the budget of 60 min does not allow them: a/too-long", errors)

    def test_without_a_name_the_budget_is_an_hour(self):
        counters = self.counters(("a/long", 3700), ("a/short", 5))
        self.run_all(counters)
        self.assertEqual(self.order, ["a/short"])
        self.run_all(counters, "a/long")
        self.assertEqual(self.order, ["a/short", "a/long"], "what is named has no budget")

    def test_the_estimate_is_the_time_of_the_last_run(self):
        (counter,) = self.counters(("a/one", 0.01))
        counter.act = lambda: time.sleep(0.2) or {"value": 1}
        self.run_all([counter], "a/one")
        counter.digest = "new"
        status, _, errors = self.run_all([counter], "--budget", "0.1s")
        self.assertEqual((status, counter.runs), (0, 1))
        self.assertIn("Left", errors)

    def test_an_interruption_loses_nothing(self):
        counters = self.counters(("a/first", 1), ("a/second", 1), ("a/third", 1))

        def interrupt():
            raise KeyboardInterrupt

        counters[1].act = interrupt
        status, _, errors = self.run_all(counters, "a")
        self.assertEqual((status, self.order), (1, ["a/first"]))
        self.assertIn("the same command goes on", errors)
        counters[1].act = lambda: self.order.append("a/second") or {"value": 1}
        self.assertEqual(self.run_all(counters, "a")[0], 0)
        self.assertEqual(self.order, ["a/first", "a/second", "a/third"])

    def test_an_interruption_ends_the_programs_that_run(self):
        with tempfile.TemporaryDirectory() as folder:
            pid = pathlib.Path(folder, "pid")
            sleeper = Counter("a/sleeper")
            sleeper.act = lambda: processes.run(["sh", "-c", f"echo $$ >{pid}; sleep 60"], accept=None) and {"value": 1}
            interrupting = Counter("a/interrupting")

            def interrupt():
                while not (pid.exists() and pid.read_text(encoding="utf-8").endswith("\n")):
                    time.sleep(0.01)
                raise KeyboardInterrupt

            interrupting.act = interrupt
            start = time.monotonic()
            both = [sleeper.measurement, interrupting.measurement]
            status, *_ = self.folder.measure("run", "a", "--jobs", "2", measurements=both, tables=[])
            self.assertEqual(status, 1)
            self.assertLess(time.monotonic() - start, 30)
            self.assertFalse((self.folder.root / "docs/notebook/results/a/sleeper.json").exists(), "what was ended is no result")
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read_text(encoding="utf-8")), 0)

    def test_an_unexpected_answer_fails_alone(self):
        counters = self.counters(("a/first", 1), ("a/second", 1))
        counters[0].act = lambda: {}["missing"]
        status, _, errors = self.run_all(counters, "a")
        self.assertEqual((status, self.order), (1, ["a/second"]))
        self.assertIn("a/first: FAILED: KeyError: 'missing'", errors)

    def test_what_measures_time_runs_alone(self):
        running, most = [], []

        def busy(name):
            running.append(name)
            time.sleep(0.05)
            most.append((name, len(running)))
            running.remove(name)
            return {"value": 1}

        counters = [Counter(f"a/{i}", alone=i == 1) for i in range(4)]
        for i, counter in enumerate(counters):
            counter.act = lambda i=i: busy(i)
        status, *_ = self.folder.measure("run", "a", "--jobs", "3", measurements=[c.measurement for c in counters], tables=[])
        self.assertEqual(status, 0)
        self.assertEqual([count for name, count in most if name == 1], [1])

    def test_a_preferred_old_result_stays(self):
        values = iter([{"outcome": "placed"}, {"outcome": "given-up"}])
        measurement = Measurement(
            "clock/a", NIGHTLY, 1, "place", lambda: {"verilog": "v"}, lambda: (next(values), {}),
            prefers=lambda old, new: new["outcome"] == "given-up",
        )
        words = ["run", "--again", "clock"]
        self.assertEqual(self.folder.measure(*words, measurements=[measurement], tables=[])[0], 0)
        self.assertEqual(self.folder.measure(*words, measurements=[measurement], tables=[])[0], 1)
        text = (self.folder.root / "docs/notebook/results/clock/a.json").read_text(encoding="utf-8")
        self.assertIn('"outcome": "placed"', text)

    def test_stale_fails_for_the_standing_set_alone(self):
        nightly, standing = Counter("b/night", NIGHTLY), Counter("a/day")
        self.run_all([standing], "a")
        both = [standing.measurement, nightly.measurement]
        self.assertEqual(self.folder.measure("stale", measurements=both, tables=[])[0], 0)
        standing.digest = "new"
        status, output, _ = self.folder.measure("stale", measurements=both, tables=[])
        self.assertEqual(status, 1)
        self.assertIn("changed: verilog", output)

    def test_an_unknown_dependence_is_stale(self):
        (counter,) = self.counters(("a/one", 1))
        self.run_all([counter], "a")

        def unknown():
            raise Failure("weft refuses")

        broken = Measurement("a/one", "standing", 1, "measure a/one", unknown, counter.measure)
        self.assertIn("unknown: weft refuses", self.folder.measure("stale", measurements=[broken], tables=[])[1])
