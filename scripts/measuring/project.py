"""The repository in which is measured: its folders, its commit, digests of its sources."""

import datetime
import hashlib
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = "docs/notebook/results"

# What the cycles and the mutants of the RTL depend on: hardware and its defaults, analysis, kernels, test bench.
HARDWARE = (
    "cores/src", "common/rtl/src", "common/config", "sim/src/control_flow", "testbench/kernels", "testbench/runtime",
    "testbench/bench/src", "Cargo.lock",
)
MODEL = ("sim/src", "common/config")


class Project:
    def __init__(self, root=ROOT):
        self.root = pathlib.Path(root)

    def git(self, *arguments):
        ended = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        return ended.stdout if ended.returncode == 0 else ""

    def commit(self):
        """The present commit in short, with `+dirty` if a file outside of the documentation differs from it."""
        short = self.git("rev-parse", "--short", "HEAD").strip() or "unknown"
        return short + ("+dirty" if self.git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs") else "")

    def sources(self, paths):
        """A digest of the files below some paths as they are in the working tree."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths)
        digest = hashlib.sha256()
        for name in sorted(filter(None, set(listed.split("\0")))):
            path = self.root / name
            digest.update(name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"") + b"\0")
        return digest.hexdigest()[:12]


def today():
    return str(datetime.datetime.now(datetime.UTC).date())
