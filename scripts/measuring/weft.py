"""The command line `weft`: what it knows of units and kernels, and digests of what it emits."""

import hashlib
import json
import os
import pathlib
import re
import tempfile
import threading

from measuring import processes
from measuring.failure import Failure


def sets(settings):
    """The options that set keys to values, each of the form KEY=VALUE."""
    return [word for setting in settings for word in ("--set", setting)]


def is_measured(kernel):
    """Whether figures include the kernel: not if it is one of grids or of papers."""
    return not kernel["grid"] and kernel["benchmark"] is None


class Weft:
    def __init__(self, project, program=None):
        """Takes the program that is named, or the one that WEFT names, or builds it when it is first needed."""
        self.project = project
        named = program or os.environ.get("WEFT")
        self._program = str(pathlib.Path(named).resolve()) if named else None
        self._folder = tempfile.TemporaryDirectory(prefix="measure-")
        self.work = pathlib.Path(self._folder.name)
        self._known = {}
        self._lock = threading.RLock()

    def close(self):
        self._folder.cleanup()

    def once(self, key, make):
        with self._lock:
            if key not in self._known:
                self._known[key] = make()
            return self._known[key]

    @property
    def program(self):
        return self._program or self.once("program", self._build)

    def _build(self):
        processes.run(
            ["cargo", "build", "--release", "--locked", "--package", "weft"], cwd=self.project.root, stdout=None, stderr=None
        )
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
        return str((self.project.root / target / "release/weft").resolve())

    def ask(self, *words, accept=(0,)):
        """The object that `weft --json` prints."""
        ended = processes.run([self.program, "--json", *map(str, words)], accept=accept, cwd=self.work)
        try:
            return json.loads(ended.stdout)
        except ValueError as error:
            raise Failure(f"weft {' '.join(map(str, words))} printed no JSON: {ended.stdout[:200]!r}") from error

    def units(self):
        """The names of the divergence units that need no file and are hardware: those that run bundled kernels."""
        return list(dict.fromkeys(unit for kernel in self.kernels().values() for unit in kernel["units"]))

    def kernels(self):
        """The bundled kernels that are measured, as `weft kernels list` describes them, by name."""
        return self.once("kernels", lambda: {k["name"]: k for k in self.ask("kernels", "list")["kernels"] if is_measured(k)})

    def compared(self):
        """The names of the kernels on which the stacks are compared."""
        return [name for name, kernel in self.kernels().items() if kernel["comparison"]]

    def elf(self, kernel):
        return self.once("elves", self._elves) / f"{kernel}.elf"

    def _elves(self):
        self.ask("kernels", "build", "--out", self.work / "kernels")
        return self.work / "kernels"

    def large_elf(self, kernel, scratchpad):
        """A kernel of grids at its large size, for a core with a scratchpad of so many bytes."""
        return self.once(("large", scratchpad), lambda: self._large_elves(scratchpad)) / f"{kernel}.elf"

    def _large_elves(self, scratchpad):
        folder = self.work / f"large-{scratchpad}"
        self.ask("kernels", "build", "--large", "--scratchpad-bytes", scratchpad, "--out", folder)
        return folder

    def digest(self, elf):
        """A digest of an executable file."""
        return hashlib.sha256(elf.read_bytes()).hexdigest()[:12]

    def programs(self, kernels):
        """A digest of kernels: of each its settings and its executable file."""
        digest = hashlib.sha256()
        for name in sorted(kernels):
            digest.update(repr((name, self.kernels()[name]["settings"])).encode() + self.elf(name).read_bytes())
        return digest.hexdigest()[:12]

    def analysis(self, kernels):
        """A digest of what the analysis finds in kernels."""
        digest = hashlib.sha256()
        for name in sorted(kernels):
            found = self.once(("analysis", name), lambda name=name: self.ask("analyze", self.elf(name)))
            digest.update(json.dumps({**found, "program": name}, sort_keys=True).encode())
        return digest.hexdigest()[:12]

    def emitted(self, settings):
        """The Verilog of a core, without comments and indentation."""
        return self.once(("emitted", *settings), lambda: self._emitted(settings))

    def _emitted(self, settings):
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            self.ask("emit", *sets(settings), "--out", f"{folder}/core")
            text = pathlib.Path(folder, "core/weft_core.v").read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
        return "\n".join(line for line in map(str.strip, text.splitlines()) if line)

    def verilog(self, settings):
        """A digest of the Verilog of a core."""
        return hashlib.sha256(self.emitted(settings).encode()).hexdigest()[:12]

    def reconverges(self, unit):
        """Whether cores with a unit read the reconvergence table that the analysis makes."""
        return "imem_rsp_reconvergence" in self.emitted([f"divergence.unit={unit}"])
