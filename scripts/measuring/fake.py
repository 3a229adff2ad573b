"""For the tests: a folder like the repository, a stand-in for `weft`, and measurements that need neither."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import textwrap

from measuring import cli, grids
from measuring.measurement import STANDING, Measurement
from measuring.project import Project
from measuring.weft import Weft

WEFT = '''\
import json, pathlib, sys

here = pathlib.Path(__file__).parent
words = sys.argv[2:]
sets = dict(word.split("=", 1) for option, word in zip(words, words[1:]) if option == "--set")
with open(here / "calls", "a") as calls:
    print(" ".join(words), file=calls)


STACKS = ("pdom-stack", "dual-path")


def answer(status=0, **fields):
    print(json.dumps(fields))
    sys.exit(status)


match words[0]:
    case "kernels":
        if words[1] == "list":
            answer(kernels=[
                {"name": "gcd", "settings": [], "units": ["arbiter", "sorted-table", *STACKS], "comparison": None, "grid": False,
                 "benchmark": None},
                {"name": "spin_lock", "settings": ["divergence.fair_after=50"], "units": ["arbiter", "sorted-table"],
                 "comparison": None, "grid": False, "benchmark": None},
                {"name": "papers_viterbi", "settings": [], "units": ["sorted-table"], "comparison": None, "grid": False,
                 "benchmark": "HMMer"},
            ])
        folder = pathlib.Path(words[words.index("--out") + 1])
        folder.mkdir()
        for name in json.loads((here / "grids").read_text()) if "--large" in words else ("gcd", "spin_lock"):
            (folder / f"{name}.elf").write_text((here / "program").read_text() + name)
        answer(written=2)
    case "emit":
        folder = pathlib.Path(words[words.index("--out") + 1])
        folder.mkdir()
        port = "input imem_rsp_reconvergence" if sets["divergence.unit"] in STACKS else ""
        (folder / "weft_core.v").write_text((here / "verilog").read_text() + port + str(sorted(sets.items())))
        answer(written=1)
    case "analyze":
        answer(program=words[1], table=(here / "table").read_text())
    case "cosim":
        if (here / "broken").exists():
            answer(1, outcome="mismatch")
        cycles = int((here / "cycles").read_text())
        answer(outcome="exited", cycles=cycles, issues=50, thread_instructions=150, lane_utilisation=0.75, divergent_branches=3)
    case "synth":
        cells = {"lut4": int((here / "lut4").read_text()), "ccu2c": 1, "chains": 1, "lutram": 2, "packed": 30, "ff": 4, "bram": 1, "dsp": 0}
        modules = {"start": {"instances": 1, **cells}}
        answer(outcome="synthesised", fits=True, flattened=True, modules=modules, tools={"yosys": "Yosys 9.99 (git)"}, **cells)
'''


class Folder:
    """A repository of its own, with a stand-in for `weft` whose answers the test changes."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name, "repository")
        self.root.mkdir()
        self.weft_folder = pathlib.Path(self._folder.name, "weft")
        self.weft_folder.mkdir()
        program = self.weft_folder / "weft"
        program.write_text(f"#!{sys.executable} -B\n{WEFT}", encoding="utf-8")
        program.chmod(0o755)
        answers = {"verilog": "// first\nmodule m; endmodule\n", "program": "a", "table": "t", "cycles": "100", "lut4": "20", "grids": json.dumps(list(grids.SIMTIGHT))}
        for name, text in answers.items():
            self.set(name, text)

        self._wefts = []

    def close(self):
        for weft in self._wefts:
            weft.close()
        self._folder.cleanup()

    def set(self, name, text):
        (self.weft_folder / name).write_text(text, encoding="utf-8")

    def calls(self, command):
        path = self.weft_folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [line for line in lines if line.startswith(command)]

    def weft(self):
        self._wefts.append(Weft(Project(self.root), self.weft_folder / "weft"))
        return self._wefts[-1]

    def page(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def measure(self, *words, measurements=None, tables=None):
        """Calls `scripts/measure`; answers status, stdout and stderr."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = cli.main(["--weft", str(self.weft_folder / "weft"), *words], self.root, measurements, tables)
            except SystemExit as ended:
                status = ended.code
        return status, output.getvalue(), errors.getvalue()


class Counter:
    """A measurement that counts its runs, and depends on a digest that the test changes."""

    def __init__(self, name, of_set=STANDING, estimate=1.0, act=None, alone=False):
        self.runs = 0
        self.digest = "old"
        self.act = act or (lambda: {"value": self.runs})
        self.measurement = Measurement(name, of_set, estimate, f"measure {name}", lambda: {"verilog": self.digest}, self.measure, alone)

    def measure(self):
        self.runs += 1
        return self.act(), {"yosys": "Yosys 9.99"}
