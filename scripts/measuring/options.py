"""What the options of the dual-path stack gain over the plain one, by the timing model; the constrained scheduler by the RTL too."""

from measuring import timed, tools
from measuring.markdown import mean, spaced, table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table

WARPS = (1, 4)
THREADS = 8
LATENCIES = (20, 100, 300)
UNIT = "dual-path"
# Kernels whose branches are out of balance.
UNBALANCED = ("interpreter", "mandelbrot", "string_search")
OPTIONS = {
    "plain": (),
    "constrained": ("divergence.scheduler=constrained",),
    "optimistic": ("model.scoreboard=optimistic",),
    "forwarding": ("model.path_forwarding=true",),
    "both": ("model.scoreboard=optimistic", "model.path_forwarding=true"),
}
# The others are in the golden model alone.
IN_HARDWARE = ("plain", "constrained")
COLUMNS = [("model", "optimistic"), ("model", "forwarding"), ("model", "both"), ("model", "constrained"), ("rtl", "constrained")]


def measurements(weft):
    for warps in WARPS:
        for option in OPTIONS:
            yield measurement(weft, warps, option)


def measurement(weft, warps, option):
    core = timed.settings(warps, THREADS, UNIT, OPTIONS[option])
    engines = ("model", "rtl") if option in IN_HARDWARE else ("model",)
    hardware = core if option in IN_HARDWARE else timed.settings(warps, THREADS, UNIT)

    def kernels():
        return [*weft.compared(), *UNBALANCED]

    def measure():
        values = {}
        for kernel in kernels():
            cycles = {engine: [timed.run(weft, kernel, core, latency, engine)["cycles"] for latency in LATENCIES] for engine in engines}
            values[kernel] = {"group": weft.kernels()[kernel]["comparison"], **cycles}
        return values, tools.for_runs()

    return Measurement(
        name=f"options/{warps}x{THREADS}-{option}", set=NIGHTLY, estimate=120 * len(engines),
        command=timed.command(core, engines[0]),
        depends=lambda: timed.depends(weft, hardware, UNIT, kernels(), model=True), measure=measure,
    )


def rows(shown):
    results = {}
    for result in shown.all():
        size, _, option = result.name.partition("/")[2].partition("-")
        results[int(size.partition("x")[0]), option] = result
    plain = {warps: result.values for (warps, option), result in results.items() if option == "plain"}
    lines, optimistic = [], []
    for name, kernels in kinds(plain).items():
        for warps in sorted(plain):
            for index, latency in enumerate(LATENCIES):
                cells = []
                for engine, option in COLUMNS:
                    other = results.get((warps, option))
                    gains = [plain[warps][k][engine][index] / other.values[k][engine][index] for k in kernels] if other else []
                    cells.append(f"{mean(gains):.3f}" if gains else "-")
                    optimistic += gains if option == "optimistic" else []
                lines.append([name, warps, latency, *cells])
    mark = shown.mark(*(result.name for result in shown.results))
    headings = ["kernels" + mark, "warps", "latency", *(option + (", RTL" if engine == "rtl" else "") for engine, option in COLUMNS)]
    text = [
        "Cycles of `dual-path` ÷ cycles with the option: more than 1 is a gain of the option. Means are geometric.", "",
        *table(headings, lines),
    ]
    if optimistic:
        text += ["", f"The optimistic scoreboard alone: {min(optimistic):.3f} to {max(optimistic):.3f} on single kernels."]
    return text


def kinds(plain):
    """The kernels of each group of rows."""
    group = {kernel: figures["group"] for values in plain.values() for kernel, figures in values.items()}
    of_groups = {kind: [kernel for kernel in group if group[kernel] == kind] for kind in sorted(set(filter(None, group.values())))}
    return {kind.replace("-", " "): kernels for kind, kernels in of_groups.items()} | {
        spaced(kernel): [kernel] for kernel in sorted(group) if not group[kernel]
    }


TABLES = [Table("options", ["options/*"], rows, "All by the golden model but for the last column; 8 threads a warp, 128 loads in flight.")]
