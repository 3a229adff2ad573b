"""Lock kernels: the default length of a time slice next to the best one."""

from measuring import cores, kernels, project, timed, tools
from measuring.failure import Failure
from measuring.markdown import spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

SIZES = ((4, 4), (8, 8), (1, 32))
UNITS = ("sorted-table", "arbiter")
KEY = "divergence.fair_after"
DEFAULT = "default"
TUNED = (1, 2, 3, 5, 8, 16, 30, 50, 100)


def measurements(weft):
    for warps, threads in SIZES:
        for unit in UNITS:
            yield measurement(weft, cores.Core("rv32ima", warps, threads, unit))


def locks(weft):
    """The kernels that only units with time slices run."""
    return [name for name, kernel in weft.kernels().items() if set(UNITS) <= set(kernel["units"]) and timed.STACKS[0] not in kernel["units"]]


def measurement(weft, core):
    settings = (*cores.size_of(core.warps, core.threads), *cores.unit_of(core.unit))

    def cycles(kernel, more):
        options = sets([*settings, *more, *weft.kernels()[kernel]["settings"]])
        answer = weft.ask("run", weft.elf(kernel), *options, "--engine", "model", accept=(0, 1))
        if answer.get("outcome") not in ("exited", "pass"):
            raise Failure(f"kernel {kernel} with {more or DEFAULT}: outcome {answer.get('outcome')}")
        return answer["cycles"]

    def measure():
        tries = [(DEFAULT, ()), *((str(commits), (f"{KEY}={commits}",)) for commits in TUNED)]
        return {kernel: {name: cycles(kernel, more) for name, more in tries} for kernel in locks(weft)}, tools.for_runs()

    return Measurement(
        name=f"locks/{core.size}-{core.unit}", set=NIGHTLY, estimate=30,
        command=" ".join(["weft", "--json", "run", "KERNEL.elf", "--engine", "model", *sets([*settings, f"{KEY}=COMMITS"])]),
        depends=lambda: {
            **kernels.depends(weft, settings, core.unit, locks(weft)), "model": weft.project.sources(project.MODEL),
        },
        measure=measure,
    )


def rows(shown):
    lines = []
    for result in shown.all():
        size, _, unit = result.name.partition("/")[2].partition("-")
        for kernel, taken in result.values.items():
            best = min(taken, key=taken.get)
            lines.append([
                size.replace("x", " × ") + shown.mark(result.name), unit, spaced(kernel), taken[DEFAULT], taken[best], best,
                f"{taken[DEFAULT] / taken[best]:.2f}",
            ])
    return table(["core", "unit", "kernel", "cycles by default", "least", f"{KEY} of it", "ratio"], lines)


TABLES = [Table("locks", ["locks/*"], rows, f"Lock kernels in the golden model. Tried are the default and {', '.join(map(str, TUNED))}.")]
