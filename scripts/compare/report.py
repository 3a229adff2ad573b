"""Writes report.html, results.csv and results.json of the comparison in the working directory.

    report.py
"""

import json
import os
from datetime import datetime, timezone
from pathlib import Path

import jinja2
import matplotlib

import results
from figures import Plot, percent

# The original Simty in VHDL (RV32I, eight warps) by Yosys 0.70 with stock mapping and nextpnr, ECP5-85k of grade 6: LUT4,
# flip-flops and MHz by unit and threads.
SIMTY = {
    "arbiter": {2: (4527, 1983, 67.1), 4: (8187, 2951, 59.1), 8: (15165, 4889, 45.5)},
    "sorted-table": {2: (5178, 2477, 61.7), 4: (9233, 3794, 52.7), 8: (16686, 6690, 45.4)},
}
OUTCOMES = {
    "synthesised": "fits, not placed", "placed": "fits", "does-not-fit": "does not fit", "not-routed": "not routed",
    "out-of-memory": "out of memory",
}
NONE = "–"


def number(value, digits=0):
    """Formats a number with a thin space at each thousand."""
    return NONE if value is None else f"{value:,.{digits}f}".replace(",", "\u2009")


def share(value):
    return NONE if value is None else f"{100 * value:.1f} %"


class Report:
    """Returns the sections of the page."""

    def __init__(self, comparison):
        self.comparison = comparison
        self.units = comparison["request"]["units"]
        self.threads = comparison["request"]["threads"]
        self.cores = {(core["isa"], core["unit"], core["threads"]): core for core in comparison["cores"]}
        self.summary = {(row["unit"], row["threads"]): row for row in comparison["summary"]}
        self.failed = {(step.get("isa"), step.get("unit"), step.get("threads")): step for step in comparison["failed"]}

    def core(self, unit, threads, isa="rv32ima"):
        return self.cores.get((isa, unit, threads))

    def plot(self, title, y, **options):
        return Plot(title, "threads a warp (T)", y, self.threads, **options)

    def cells_plot(self, title, cell, isa="rv32ima", **options):
        """Plots cells of flattened cores as lines, and sums of modules as hollow marks."""
        plot = self.plot(title, options.pop("y", "cells"), **options)
        for unit in self.units:
            of_unit = [core for (i, u, _), core in self.cores.items() if (i, u) == (isa, unit)]
            plot.line(unit, [(core["threads"], core[cell]) for core in of_unit if core["flattened"]], unit, show="{:.0f}")
        for unit in self.units:
            of_unit = [core for (i, u, _), core in self.cores.items() if (i, u) == (isa, unit)]
            apart = [(core["threads"], core[cell]) for core in of_unit if not core["flattened"]]
            plot.line(f"{unit}, sum of modules", apart, unit, style="", hollow=True, show="{:.0f}")
        return plot

    def frequency_plot(self, title, isa):
        plot = self.plot(title, "MHz")
        plot.hollow_is = "slowest module"
        absent = []
        for unit in self.units:
            of_unit = [core for (i, u, _), core in self.cores.items() if (i, u) == (isa, unit)]
            plot.line(unit, [(core["threads"], core["fmax_mhz_median"]) for core in of_unit], unit, show="{:.1f} MHz")
            plot.dots([(core["threads"], mhz) for core in of_unit for mhz in core["fmax_mhz"]], unit)
            absent += [(core["threads"], unit, self.outcome(core)) for core in of_unit if core["outcome"] not in ("placed", "synthesised")]
        for unit in self.units:
            of_unit = [core for (i, u, _), core in self.cores.items() if (i, u) == (isa, unit)]
            slowest = [(core["threads"], core["fmax_mhz_at_most"]) for core in of_unit if core["fmax_mhz_at_most"]]
            plot.line(f"{unit}, slowest module", slowest, unit, style="", hollow=True, show="{:.1f} MHz, by itself")
        plot.absent(absent)
        return plot

    def ratio_plot(self):
        """Plots LUTs over those of the reference unit, for flattened cores only."""
        reference = results.reference_unit(self.comparison)
        plot = self.plot(f"LUTs over those of {reference}", f"LUT4 ÷ {reference}")
        for unit in self.units:
            both = [(threads, self.core(unit, threads), self.core(reference, threads)) for threads in self.threads]
            flattened = [(t, a, b) for t, a, b in both if a and b and a["flattened"] and b["flattened"]]
            plot.line(unit, [(t, a["lut4"] / b["lut4"]) for t, a, b in flattened], unit, show="{:.3f}")
        return plot

    def summary_plot(self, title, key, y, **options):
        show = options.pop("show", "{:.4g}")
        plot = self.plot(title, y, **options)
        for unit in self.units:
            plot.line(unit, [(threads, self.summary[unit, threads][key]) for threads in self.threads], unit, show=show)
        return plot

    def sum_over_flattened(self):
        """Says how many more LUTs the separate modules have than the flattened cores."""
        both = [core["lut4_of_modules"] / core["lut4"] - 1 for core in self.comparison["cores"] if core["flattened"] and core["lut4_of_modules"]]
        if not both:
            return "come to more LUTs"
        least, most = (f"{100 * share:.0f}" for share in (min(both), max(both)))
        return f"come to {least} % more LUTs" if least == most else f"come to {least} to {most} % more LUTs where both were counted"

    def each(self, cells):
        """Returns a row for each number of threads and unit."""
        return [[threads, unit, *cells(unit, threads)] for threads in self.threads for unit in self.units]

    def core_cells(self, unit, threads, isa="rv32ima"):
        core = self.core(unit, threads, isa)
        if core is None:
            failed = self.failed.get((isa, unit, threads))
            why = "failed: " + last_line(failed["error"]["message"])[:90] if failed else "no result"
            return [NONE] * 8 + [why]
        median, at_most = core["fmax_mhz_median"], core["fmax_mhz_at_most"]
        mhz = number(median, 1) if median else f"slowest module {number(at_most, 1)}" if at_most else NONE
        how = "flattened" if core["flattened"] else "sum of modules"
        cells = [number(core[cell]) for cell in ("lut4", "packed", "ff", "bram", "dsp")]
        seeds = ", ".join(number(mhz, 1) for mhz in core["fmax_mhz"]) or NONE
        return [*cells, mhz, seeds, how, self.outcome(core)]

    def outcome(self, core):
        """Returns whether the part holds the core. For a core that timed out, returns when and at which step."""
        if core["outcome"] == "given-up":
            return core["reason"] or "timed out"
        if core["outcome"] in ("synthesised", "placed") and core["fits"] is None:
            return "not known"
        return OUTCOMES.get(core["outcome"], core["outcome"])

    CORE_HEADINGS = [
        "T", "unit", "LUT4", "packed", "FF", "block RAM", "DSP", "MHz, median", "MHz by seed", "synthesised",
        "on the ECP5-85k",
    ]

    BESIDE = {
        "cycles": "cycles", "luts": "LUT sites", "frequency": "clock", "work_per_second": "work a second",
        "work_per_second_per_lut": "work a second and site", "rv32i_luts": "RV32I: LUT sites", "rv32i_frequency": "RV32I: clock",
    }

    def beside(self):
        """Returns the summary of the comparison in one table."""
        rows, reference = self.comparison["beside"], results.reference_unit(self.comparison)
        keys = [key for key in self.BESIDE if any(row[key] is not None for row in rows)]
        if not keys:
            return None
        return section(
            "beside", f"Units over {reference}",
            f"Each figure is a ratio: the unit over <code>{reference}</code> with the same number of threads. Low cycles and "
            "LUT sites are good, and "
            "so are high clock and work. A figure is missing if one of the two cores was not placed, or if only its modules "
            "were counted.",
            None, ["T", "unit", *(self.BESIDE[key] for key in keys)],
            [[row["threads"], row["unit"], *(number(row[key], 3) for key in keys)] for row in rows],
            "The ratios come from the tables below. Cores are RV32IMA where the heading has no other. Clocks are medians of "
            "the seeds in the table "
            "of area, and seeds differ by several per cent.",
        )

    CLASSES = {"structured": "structured", "early-exit": "early exit", "irreducible": "irreducible", "locking": "locking"}

    def class_cells(self, row):
        """Returns the cycles by class; for kernels with locks that hang, their number."""
        hangs, lock_kernels = len(row["hangs"]), sum(kernel["class"] == results.LOCKING for kernel in self.comparison["kernels"])
        cells = {name: number(row[name], 3) for name in self.CLASSES}
        return list((cells | ({results.LOCKING: f"{hangs} of {lock_kernels} hang"} if hangs else {})).values())

    def uses(self):
        """Answers which unit suits which use: one row for each unit, at the size with slow memory or the largest."""
        rows = self.comparison["uses"]
        threads = next((row["threads"] for row in rows if row["latency"] > 1), self.threads[-1])
        rows = [row for row in rows if (row["threads"], row["latency"]) == (threads, 1)]
        if not rows:
            return None

        def cells(row):
            core, facts = self.core(row["unit"], threads) or {}, self.comparison["units"][row["unit"]]
            area = core.get("packed") if core.get("flattened") else None
            return [
                row["unit"], number(area), number(core.get("fmax_mhz_median"), 1), *self.class_cells(row),
                number(row["thread_instructions_per_cycle"], 2), "yes" if facts["reconverges"] else "no",
                "yes" if row["hangs"] else "no" if facts["takes_turns"] else "may",
            ]

        reference, counts = results.reference_unit(self.comparison), rows[0]["kernels"]
        classes = ", ".join(f"{counts[name]} {said}" for name, said in self.CLASSES.items())
        return section(
            "uses", "Which unit for which use",
            f"Cores of {threads} threads a warp. Cycles are those of the unit over those of <code>{reference}</code>, memory latency 1, "
            f"geometric means of kernels that passed with each unit that can run them ({classes}). <i>Structured</i>: each loop has "
            "one entry and one exit. <i>Early exit</i>: a loop is left at several blocks. <i>Irreducible</i>: a loop has several entries. "
            "<i>Locking</i>: threads of a warp wait for each other.",
            None,
            ["unit", "LUT sites", "MHz", *self.CLASSES.values(), "thread instructions a cycle", "needs the analysis", "deadlocks"],
            [cells(row) for row in rows],
            "The class follows from the machine code (<code>weft kernels build --json</code>), except for locks, which the list of kernels "
            "names. MHz only where the core was placed. Thread instructions: without kernels with locks, in which waiting counts. A "
            "deadlock is proved, or the run has not ended after ten million cycles.", left=1,
        )

    def slow(self):
        """Returns the same by memory latency, for the sizes that ran with slow memory."""
        sizes = {row["threads"] for row in self.comparison["uses"] if row["latency"] > 1}
        rows = [row for row in self.comparison["uses"] if row["threads"] in sizes]
        if not rows:
            return None
        reference, plots = results.reference_unit(self.comparison), []
        for threads in sorted(sizes):
            latencies = sorted({row["latency"] for row in rows if row["threads"] == threads})
            plot = Plot(f"Cycles over those of {reference}, T = {threads}", "memory latency (cycles)", f"cycles ÷ {reference}", latencies)
            for unit in self.units:
                own = [row for row in rows if (row["threads"], row["unit"]) == (threads, unit)]
                plot.line(unit, [(row["latency"], row["cycles_over_reference"]) for row in own], unit, show="{:.3f}")
            plots.append(plot)
        return section(
            "slow", "Slow memory",
            f"Cycles over those of <code>{reference}</code> at the same memory latency: all kernels without locks, then by class.",
            plots,
            ["T", "latency", "unit", "all", *self.CLASSES.values(), "thread instructions a cycle", "lane utilisation"],
            [[row["threads"], row["latency"], row["unit"], number(row["cycles_over_reference"], 3), *self.class_cells(row),
              number(row["thread_instructions_per_cycle"], 2), share(row["lane_utilisation"])] for row in rows],
            "<code>weft run --set memory.latency=…</code>, with the default number of loads in flight.", left=3,
        )

    def area(self):
        plots = [
            self.cells_plot("LUTs against threads", "lut4", y="LUT4", log=True),
            self.ratio_plot(),
            self.cells_plot("Flip-flops against threads", "ff", y="flip-flops", log=True),
            self.cells_plot("Block RAMs against threads", "bram", y="block RAMs of 18 kbit", log=True),
            self.frequency_plot("Clock frequency against threads", "rv32ima"),
        ]
        return section(
            "area", "Area and frequency",
            "Whole cores of eight warps with RV32IMA, the instructions that the kernels need. A line joins flattened cores. Hollow marks "
            f"are sums of modules synthesised separately, which {self.sum_over_flattened()} and cannot be compared "
            "with flattened cores. Packed also counts the LUT sites of carry chains and LUT RAM. Seeds of place and route "
            "differ by several per cent, so a smaller difference between two medians has no meaning. Axes begin near the "
            "least value, not at zero.",
            plots, self.CORE_HEADINGS, self.each(self.core_cells),
            "<code>weft synth --target ecp5-85k</code>, stock mapping for the shortest delay; frequency by nextpnr, speed grade 6, "
            "with <code>--placer static</code>, the median of the seeds. Each dot is a seed. The slowest module was placed "
            "separately: its frequency is an estimate of the maximum for the whole core, not a bound, because placings differ. "
            "A × at the foot of "
            "the plot is a core that does not fit, is not routed within the time limit, or needs more memory than the tools have.",
        )

    def cycles(self):
        reference, compared = results.reference_unit(self.comparison), self.comparison["compared_kernels"]
        plots = [
            self.summary_plot("Cycles against threads", "cycles", "cycles, geometric mean"),
            self.summary_plot(f"Cycles over those of {reference}", "cycles_over_reference", f"cycles ÷ {reference}", show="{:.3f}"),
            self.summary_plot("Lane utilisation against threads", "lane_utilisation", "lanes in use", y_format=percent,
                              show="{:.3f}"),
        ]

        def cells(unit, threads):
            row = self.summary[unit, threads]
            return [
                number(row["cycles"]), number(row["cycles_over_reference"], 3), share(row["lane_utilisation"]),
                number(row["thread_instructions_per_cycle"], 2),
            ]

        engine = self.comparison["request"]["engine"]
        how = "the Verilog in Verilator" if engine == "rtl" else "the golden model, which estimates cycles"
        return section(
            "cycles", "Cycles and lane utilisation",
            f"Means over {kernels_text(compared, self.comparison)}: those that passed with every unit at every T. Some kernels divide a "
            "fixed amount of work among the threads, others give each thread the same work: compare units at one T, not one T with "
            "another.",
            plots, ["T", "unit", "cycles", f"÷ {reference}", "lane utilisation", "thread instructions a cycle"], self.each(cells),
            f"<code>weft run</code> on {how}: eight warps, memory latency 1, from first fetch to last exit. A kernel that needs "
            "another value of a key runs on a core with that value, which its command shows. Cycles and thread "
            "instructions: geometric means. Lane utilisation (thread instructions ÷ issues ÷ T): arithmetic mean.",
        )

    def performance(self):
        plots = [
            self.summary_plot("Performance per LUT at one clock", "work_per_cycle_per_1000_luts", "work / cycle / 1000 LUT sites"),
            self.summary_plot("Performance per LUT at its own clock", "work_per_second_per_lut", "work / s / LUT site"),
        ]

        def cells(unit, threads):
            row = self.summary[unit, threads]
            return [
                number(row["work_per_cycle"], 2), number(row["work_per_cycle_per_1000_luts"], 3),
                number(row["million_work_per_second"], 0), number(row["work_per_second_per_lut"], 0),
            ]

        return section(
            "performance", "Performance per LUT",
            "Performance is work per time. The work of a kernel at a T is its thread instructions with the unit that needs the fewest, "
            "so iterations of a waiting loop do not count. Unlike cycles, performance can be compared between numbers of "
            "threads. LUT sites are the packed count. Block RAMs, in which units differ too, are in none of these figures. "
            "Performance at one clock ignores the frequency of each core; at its own clock it is multiplied by the median "
            "frequency of the placed core.",
            plots,
            ["T", "unit", "work a cycle", "per cycle per 1000 LUT sites", "million a second", "per second per LUT site"],
            self.each(cells),
            "From the two tables above, for flattened cores only; the last two columns are for placed cores. Work is in thread "
            "instructions.",
        )

    def published(self):
        units = self.comparison["request"]["rv32i_units"]
        if not units:
            return None
        lut, mhz = self.cells_plot("LUTs of RV32I cores", "lut4", "rv32i", y="LUT4", log=True), self.frequency_plot(
            "Clock frequency of RV32I cores", "rv32i")
        for unit, cores in SIMTY.items():
            style = "-" if unit == "sorted-table" else ":"
            own = {threads: figures for threads, figures in cores.items() if threads in self.threads}
            lut.line(f"Simty, {unit}", [(t, figures[0]) for t, figures in own.items()], style=style, show="{:.0f}")
            mhz.line(f"Simty, {unit}", [(t, figures[2]) for t, figures in own.items()], style=style, show="{:.1f} MHz")
        mhz.level(50, "target of\nthe paper")
        rows = []
        for threads in self.comparison["request"]["rv32i_threads"]:
            for unit in units:
                rows.append([threads, unit, *self.core_cells(unit, threads, "rv32i"), self.control(unit, threads)])
                if threads in SIMTY.get(unit, {}):
                    luts, ffs, frequency = SIMTY[unit][threads]
                    rows.append([threads, f"Simty, {unit}", number(luts), NONE, number(ffs), "0", NONE, number(frequency, 1), NONE,
                                 "flattened", "fits", NONE])
        return section(
            "simty", "Without multiplication, compared with Simty",
            "The counterpart of figure 4 of the Simty report (Collange and Brunie, <i>Path list traversal</i>): area and "
            "frequency against threads, eight "
            "warps. Simty's cores have no multiplication, so these have none (RV32I), and Simty has only the arbiter and the "
            "sorted table. The lines "
            "named Simty are the original VHDL in the tools used here. The list below has the figures that the report prints, because "
            "its plot has no numbers.",
            [lut, mhz], [*self.CORE_HEADINGS, "LUT4 of CCT control"], rows,
            "<code>weft synth --preset rv32i-8x4</code>. Simty: Yosys 0.70, nextpnr with its own default placer (HeAP, not static), the "
            "same part and grade, measured once, not by this comparison. Its packed count includes cells that nextpnr adds, "
            "and is left out. CCT control is the modules <code>cct</code> and <code>cct_sorter</code>, out of the sum of all modules. "
            "With two threads a sorted table has no CCT here.",
            [
                "Published, Cyclone IV EP4CE115, after place and route, target 50 MHz:",
                "control of the cold context table: 316 logic elements (6 % of the core) at T = 2, 633 (1 %) at T = 64;",
                "the arbiter's overhead is significant from T = 8, and its frequency falls below 50 MHz;",
                "place and route of the arbiter fails at T = 64, at an estimated 91\u2009000 logic elements.",
                "A logic element is a LUT of four inputs with a flip-flop, so the two counts cannot be compared.",
            ],
        )

    def control(self, unit, threads):
        core = self.core(unit, threads, "rv32i")
        if not core or core["cct_control_lut4"] is None:
            return NONE
        return f"{number(core['cct_control_lut4'])} ({share(core['cct_control_lut4'] / core['lut4_of_modules'])})"

    def stacks(self):
        rows = self.comparison["stacks"]
        if not rows:
            return None
        latencies = self.comparison["request"]["latencies"]
        plots = []
        for threads in sorted({row["threads"] for row in rows}):
            plot = Plot(f"Two paths over one, T = {threads}", "memory latency (cycles)", "cycles, single ÷ dual path", latencies)
            for kind in ("interleavable", "not-interleavable"):
                own = [row for row in rows if (row["threads"], row["kind"]) == (threads, kind)]
                plot.line(f"{kind.replace('-', ' ')}, mean", [(row["latency"], row["mean"]) for row in own], kind, show="{:.3f}")
                plot.dots([(row["latency"], value) for row in own for value in row["kernels"].values()], kind)
            plot.level(1, "no\ngain")
            plots.append(plot)
        cells = [
            [row["threads"], row["latency"], row["kind"].replace("-", " "), len(row["kernels"]), number(row["mean"], 3),
             number(row["least"], 3), number(row["most"], 3)] for row in rows
        ]
        return section(
            "stacks", "Two paths in flight over one",
            "Cycles of <code>pdom-stack</code> ÷ cycles of <code>dual-path</code>, against the latency of memory: more than 1 is a gain "
            "of the second path. Eight warps hide latency too; docs/notebook/stacks.md has results with fewer warps. Each dot "
            "is a kernel. The paper on "
            "dual-path execution reports 14.9 % more instructions a cycle on its seven interleavable benchmarks, at most 42 %, at worst "
            "−1.1 %, with 32 threads a warp, caches, and memory of hundreds of cycles.",
            plots, ["T", "latency", "kernels", "number", "geometric mean", "least", "most"], cells,
            "<code>weft run --set memory.latency=… --set memory.outstanding=128</code>: 128 loads in flight.", left=3,
        )

    def kernels(self):
        """Returns the cycles of each kernel with each unit."""
        cycles = {(run["kernel"], run["unit"], run["threads"]): run for run in self.comparison["runs"] if run["series"] == "run"}
        failed = {(step.get("kernel"), step.get("unit"), step.get("threads")) for step in self.comparison["failed"] if step["name"].startswith("run/")}
        rows = []
        for kernel in self.comparison["kernels"]:
            for unit in self.units:
                cells = []
                for threads in self.threads:
                    run = cycles.get((kernel["name"], unit, threads))
                    if run is None and (kernel["name"], unit, threads) in failed:
                        cells.append("failed")
                    elif run is None:
                        cells.append("no result")
                    else:
                        cells.append(number(run["cycles"]) if run["status"] == results.PASSED else run["outcome"])
                rows.append([kernel["name"], unit, *cells])
        return {"headings": ["kernel", "unit", *(f"T = {threads}" for threads in self.threads)], "rows": rows, "left": 2}

    def page(self):
        comparison = self.comparison
        sections = [
            self.uses(), self.beside(), self.area(), self.cycles(), self.slow(), self.performance(), self.published(), self.stacks(),
        ]
        folder = Path(__file__).parent
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )
        commands = [*comparison["runs"], *comparison["cores"], *comparison["failed"], *comparison["missing"]]
        return environment.get_template("report.html.j2").render(
            comparison=comparison, units=self.units, threads=", ".join(map(str, self.threads)),
            sections=[section for section in sections if section], kernels=self.kernels(),
            date=datetime.now(timezone.utc).strftime("%Y-%m-%d"), matplotlib=matplotlib.__version__,
            commands=[command["command"] for command in commands],
        )


def kernels_text(compared, comparison):
    """Says how many kernels, and names them, or the missing ones, if these are few."""
    number = f"{len(compared)} of {len(comparison['kernels'])} kernels"
    if 0 < len(compared) <= 12:
        return f"{number} ({', '.join(compared)})"
    others = [kernel["name"] for kernel in comparison["kernels"] if kernel["name"] not in compared]
    return f"{number} (not {', '.join(others)})" if 0 < len(others) <= 6 else number


def last_line(message):
    """Returns the last line of a tool's message, which says most; the log of a step has the rest."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[-1] if lines else message


def section(name, title, text, plots, headings, rows, caption, notes=(), left=2):
    """A section of the page; `plots` is None for a table alone."""
    svgs = [svg for svg in (plot.svg() for plot in plots or []) if svg]
    table = {"headings": headings, "rows": rows, "left": left}
    return {
        "name": name, "title": title, "text": text, "plotted": plots is not None, "plots": svgs, "table": table, "caption": caption, "notes": notes,
    }


def write(path, text):
    part = Path(f"{path}.{os.getpid()}.part")
    try:
        part.write_text(text)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def main():
    comparison = results.read(".")
    page = Report(comparison).page()
    write("results.csv", results.as_csv(comparison))
    write("results.json", json.dumps(comparison, indent=1) + "\n")
    write("report.html", page)


if __name__ == "__main__":
    main()
