"""Area of whole cores against threads for each divergence unit: LUT4 after synthesis for the ECP5, RV32IMA, eight warps."""

from plots import COMPARISON, FAINT, PAGE, REFERENCE, THREADS, UNITS, Plot, against_threads, pyplot, rows, ticker

DATA = COMPARISON


def draw():
    cores = {(row["unit"], int(row["threads"])): row for row in rows("core", isa="rv32ima")}
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.3, 4.5), layout="constrained")
    against_threads(left, "LUT4 of the core", "LUT4")
    left.set_yscale("log")
    left.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
    left.yaxis.set_minor_locator(ticker.NullLocator())
    left.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
    against_threads(right, f"LUT4 ÷ LUT4 with {REFERENCE}", "ratio")
    right.yaxis.set_major_formatter(ticker.FormatStrFormatter("%.1f"))
    for unit, (name, looks) in UNITS.items():
        at = {threads: cores[unit, threads] for threads in THREADS}
        flat = [threads for threads in THREADS if at[threads]["flattened"] == "yes"]
        summed = [threads for threads in THREADS if at[threads]["flattened"] == "no"]
        lut4 = {threads: float(at[threads]["lut4"]) for threads in THREADS}
        left.plot(flat, [lut4[threads] for threads in flat], label=name, **looks)
        left.plot(summed, [lut4[threads] for threads in summed], linestyle="", markerfacecolor=PAGE, **looks)
        reference = {threads: float(cores[REFERENCE, threads]["lut4"]) for threads in flat}
        right.plot(flat, [lut4[threads] / reference[threads] for threads in flat], **looks)
    figure.legend(loc="outside upper left", ncols=5, fontsize=9.5, handlelength=2, columnspacing=1.4)
    figure.supxlabel(
        "hollow: sum of modules, not comparable with a whole core; only whole cores on the right",
        fontsize=9.5,
        color=FAINT,
        x=0.01,
        ha="left",
    )
    return Plot(figure, "Area of the cores against threads", __doc__)
