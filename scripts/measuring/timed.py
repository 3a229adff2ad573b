"""Runs of kernels over several memory latencies, with the RTL or the timing model: what the comparisons of stacks share."""

from measuring import cores, kernels, project
from measuring.failure import Failure
from measuring.weft import sets

# Enough loads in flight that latency alone limits.
MEMORY = ("memory.outstanding=128",)
STACKS = ("pdom-stack", "dual-path")


def settings(warps, threads, unit, more=()):
    return (*cores.size_of(warps, threads), *cores.unit_of(unit), *MEMORY, *more)


def command(core_settings, engine):
    return " ".join(["weft", "--json", "run", "KERNEL.elf", *sets(core_settings), "--set", "memory.latency=LATENCY", "--engine", engine])


def run(weft, kernel, core_settings, latency, engine):
    """The figures of one run."""
    own = weft.kernels()[kernel]["settings"]
    options = sets([*core_settings, f"memory.latency={latency}", *own])
    answer = weft.ask("run", weft.elf(kernel), *options, "--engine", engine, accept=(0, 1))
    if answer.get("outcome") not in ("exited", "pass"):
        raise Failure(f"kernel {kernel} at latency {latency}: outcome {answer.get('outcome')}")
    return answer


def depends(weft, core_settings, unit, of_kernels, model=False):
    found = kernels.depends(weft, core_settings, unit, of_kernels)
    return {**found, "model": weft.project.sources(project.MODEL)} if model else found
