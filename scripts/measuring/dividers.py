"""What the units of the divider take in area, and what they gain on the bundled kernels."""

from measuring import coalescers, cores
from measuring.markdown import mean, spaced, table
from measuring.table import Table

# Threads, the numbers of units, and the default.
SIZES = ((4, (1, 2, 4), 4), (8, (2, 4, 8), 4))
WARPS, UNIT = 8, "sorted-table"


def measurements(weft):
    for threads, units, _ in SIZES:
        for number in units:
            core = cores.Core("rv32im", WARPS, threads, UNIT)
            yield coalescers.measurement(weft, core, f"dividers/{core.size}-{number}", f"divider.units={number}")


def rows(shown):
    results = {tuple(result.name.partition("/")[2].split("-")): result for result in shown.all()}
    lines = []
    for threads, units, default in SIZES:
        size = cores.Core("rv32im", WARPS, threads, UNIT).size
        plain = results.get((size, str(default)))
        for number in units:
            result = results.get((size, str(number)))
            if plain is None or result is None:
                continue
            ratios = {kernel: taken / plain.values["cycles"][kernel] for kernel, taken in result.values["cycles"].items()}
            worst = max(ratios, key=ratios.get)
            cycles, sites = mean(list(ratios.values())), result.values["packed"]
            lines.append([
                size.replace("x", " × ") + shown.mark(result.name), f"{number}" + (" (default)" if number == default else ""), sites,
                f"{cycles:.3f}", f"{ratios[worst]:.2f} ({spaced(worst)})", f"{plain.values['packed'] / sites / cycles:.3f}",
            ])
    return table(["core", "units", "LUT sites", "cycles", "most cycles", "work per cycle and site"], lines)


TABLES = [Table("dividers", ["dividers/*"], rows, "RV32IM, `sorted-table`, next to the default. Cycles are of the RTL, a geometric mean over all bundled kernels.", partial=True)]
