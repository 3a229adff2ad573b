"""The plots of a comparison, as SVG in the colours of the page, light and dark."""

import html
import io
import math
import re

import matplotlib

matplotlib.use("svg")

from matplotlib import lines, pyplot, ticker  # noqa: E402 (the backend comes first)

# Each colour stands for a variable of the page's style sheet.
COLOURS = {"#010101": "var(--ink)", "#020202": "var(--faint)", "#030303": "var(--page)", "#040404": "var(--published)"}
INK, FAINT, PAGE, PUBLISHED = COLOURS
# Mark and its size. Where units coincide, the larger marks are behind the smaller ones.
UNITS = {"arbiter": ("o", 9), "arbiter:1": ("p", 8.5), "arbiter:2": ("h", 8), "sorted-table": ("s", 7), "pdom-stack": ("^", 5.5), "dual-path": ("D", 3.5)}
# Kinds of kernels, in plots of one ratio of two units. They look different from the units.
KINDS = {"interleavable": ("P", 8), "not-interleavable": ("X", 7)}
# Looks of units in Verilog, which this file does not know; the fourth looks like the first.
OTHERS = {"other-1": ("v", 6), "other-2": ("<", 6), "other-3": (">", 6)}
LOOKS = UNITS | KINDS | OTHERS
COLOURS |= {f"#0505{number:02}": f"var(--{name.replace(':', '-')})" for number, name in enumerate(LOOKS)}

pyplot.rcParams.update({
    "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10, "axes.titlesize": 10.5, "axes.titlelocation": "left",
    "axes.titleweight": "bold", "axes.edgecolor": FAINT, "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK,
    "xtick.color": INK, "ytick.color": INK, "grid.color": FAINT, "grid.linewidth": 0.5, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False, "figure.facecolor": "none", "axes.facecolor": "none",
    "lines.linewidth": 1.5,
})


others = []


def looks_of(unit):
    """Returns the key for the looks of a unit or kind; unknown ones follow in the order of their first use."""
    if unit in LOOKS:
        return unit
    if unit not in others:
        others.append(unit)
    return list(OTHERS)[others.index(unit) % len(OTHERS)]


def colour(unit):
    return f"#0505{list(LOOKS).index(looks_of(unit)):02}"


def mark(unit):
    return LOOKS[looks_of(unit)]


class Plot:
    """One plot with its legend above it, in the size of a phone: wide pages show several next to each other."""

    def __init__(self, title, x, y, x_values, log=False, y_format=None):
        self.name, self.texts, self.x_values = title, {}, x_values
        # The meaning of hollow marks, and whether there are any.
        self.hollow_is, self.hollow = "sum of modules", False
        # Whether the plot has marks that no line joins.
        self.marked = False
        self.figure, self.axes = pyplot.subplots(figsize=(4.7, 3.7), layout="constrained")
        self.figure.get_layout_engine().set(h_pad=0.07)
        self.axes.set_title(title, pad=10)
        self.axes.set_xlabel(x)
        self.axes.set_ylabel(y)
        self.axes.grid(axis="y")
        self.axes.tick_params(length=3)
        self.axes.set_xscale("log", base=2)
        self.axes.set_xticks(x_values, [str(value) for value in x_values])
        self.axes.xaxis.set_minor_locator(ticker.NullLocator())
        self.axes.set_xlim(x_values[0] / 1.25, x_values[-1] * 1.25)
        if log:
            self.axes.set_yscale("log")
            self.axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
            self.axes.yaxis.set_minor_locator(ticker.NullLocator())
        self.axes.yaxis.set_major_formatter(y_format or ticker.FuncFormatter(short))

    def line(self, label, points, unit=None, style="-", hollow=False, show="{:.4g}"):
        """Draws a line through points (x, y). Each shows its value under the pointer."""
        points = sorted((x, y) for x, y in points if y is not None)
        if not points:
            return
        # A missing value interrupts the line.
        whole = [(x, dict(points).get(x, math.nan)) for x in self.x_values]
        drawn, (marker, size) = (colour(unit), mark(unit)) if unit else (PUBLISHED, ("o", 4))
        self.hollow |= hollow
        self.axes.plot(*zip(*whole), style, color=drawn, marker=marker, markersize=size, label="_" if hollow else label,
                       markerfacecolor=PAGE if hollow else drawn, markeredgecolor=drawn, zorder=2)
        for x, y in points:
            name = f"point-{len(self.texts)}"
            # An invisible mark for the pointer, larger than the visible one.
            self.axes.plot([x], [y], marker="o", markersize=13, color=drawn, alpha=0, gid=name, zorder=3)
            self.texts[name] = f"{label}, {x:g}: {show.format(y)}"

    def dots(self, points, unit):
        """Draws single measurements behind a median."""
        if points:
            self.marked = True
            self.axes.plot(*zip(*points), ".", color=colour(unit), alpha=0.45, markersize=4, zorder=1)

    def level(self, y, text):
        """Draws a value to compare with."""
        self.axes.axhline(y, color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)), zorder=0)
        # The text is next to the plot, where no line passes.
        self.axes.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
                           ha="left", va="center", fontsize=8.5)

    def absent(self, points):
        """Marks values (x, unit, why) that are missing, at the foot of the plot; several at one x are next to each other."""
        for x in self.x_values:
            here = [(unit, why) for at, unit, why in points if at == x]
            for place, (unit, why) in enumerate(here):
                self.marked = True
                name, beside = f"point-{len(self.texts)}", 7 * (place - (len(here) - 1) / 2)
                self.axes.annotate("×", (x, 0), xycoords=("data", "axes fraction"), xytext=(beside, 3), textcoords="offset points",
                                   color=colour(unit), ha="center", fontsize=12, fontweight="bold", gid=name)
                self.texts[name] = f"{unit}, {x:g}: {why}"

    def svg(self):
        """Returns the plot for a page. It is empty if nothing is drawn."""
        handles, labels = self.axes.get_legend_handles_labels()
        if not handles and not self.hollow and not self.marked:
            pyplot.close(self.figure)
            return ""
        if self.hollow:
            handles.append(lines.Line2D([], [], linestyle="", marker="o", markerfacecolor=PAGE, markeredgecolor=INK))
            labels.append(self.hollow_is)
        self.figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=9, handlelength=2.4, columnspacing=1.2,
                           borderpad=0, labelspacing=0.3)
        matplotlib.rcParams["svg.hashsalt"] = self.name
        text = io.StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(self.figure)
        return self.for_page(text.getvalue())

    def for_page(self, text):
        text = text[text.index("<svg"):]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        # The inner style sheet would affect the whole page.
        text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
        # An HTML page does not need the namespaces.
        text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href", "href")
        text = re.sub(r' (width|height)="[0-9.]+pt"', "", text, count=2)
        text = text.replace("<svg ", f'<svg role="img" aria-label="{self.name}" stroke-linejoin="round" ', 1)
        text = re.sub(r"font: ([0-9.]+)px [^;\"]*", r"font-size: \1px", text)
        text = re.sub(r' id="(figure|axes|patch|line2d|text|xtick|ytick|matplotlib|legend)[._0-9a-z]*"', "", text)
        for placeholder, variable in COLOURS.items():
            text = text.replace(placeholder, variable)
        for name, said in self.texts.items():
            text = text.replace(f'<g id="{name}">', f"<g><title>{html.escape(said)}</title>", 1)
        return text


def short(value, _=None):
    """Formats 1200 as 1.2 k, 3 000 000 as 3 M."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def percent(value, _=None):
    return f"{100 * value:g} %"
