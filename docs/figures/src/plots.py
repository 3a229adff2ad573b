"""Plots of docs/notebook/measured/comparison.csv with matplotlib, in the looks of the other figures."""

import csv
import io
from pathlib import Path

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot, ticker  # noqa: E402 (the backend comes first)

from drawing import FAINT, INK, PAGE  # noqa: E402

COMPARISON = "docs/notebook/measured/comparison.csv"
REFERENCE = "sorted-table"
THREADS = [2, 4, 8, 16, 32, 64]
# Name and looks of each unit, in the colours of the report of `weft compare`. Where units coincide, the larger mark is behind.
UNITS = {
    "arbiter": ("arbiter", {"color": "#c2570c", "marker": "o", "markersize": 9}),
    "arbiter:2": ("arbiter, 2 pipeline stages", {"color": "#7a4a2b", "marker": "h", "markersize": 7}),
    "sorted-table": ("sorted-table", {"color": "#0f6cbd", "marker": "s", "markersize": 6}),
    "pdom-stack": ("pdom-stack", {"color": "#2f7d32", "marker": "^", "markersize": 6}),
    "dual-path": ("dual-path", {"color": "#a3218e", "marker": "D", "markersize": 5}),
}
pyplot.rcParams.update(
    {
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.sans-serif": ["Inter", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"],
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "grid.color": "#d5d9e0",
        "grid.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "figure.facecolor": PAGE,
        "axes.facecolor": PAGE,
        "lines.linewidth": 1.6,
        "lines.markersize": 6,
        "axes.axisbelow": True,
    }
)


def rows(series, **wanted):
    """The rows of a series of the comparison, with numbers where there are some."""
    root = Path(__file__).resolve().parents[3]
    with open(root / COMPARISON, newline="", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["series"] == series]
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def against_threads(axes, title, y_label):
    """Axes of something against the number of threads."""
    axes.set_title(title, pad=10)
    axes.set_xlabel("threads of a warp")
    axes.set_ylabel(y_label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(THREADS, [str(value) for value in THREADS])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlim(THREADS[0] / 1.2, THREADS[-1] * 1.2)
    axes.grid(axis="y")


class Plot:
    """A figure of matplotlib as the text of an SVG."""

    def __init__(self, figure, title, description):
        self.figure, self.title, self.description = figure, title, description

    def svg(self):
        matplotlib.rcParams["svg.hashsalt"] = self.title
        text = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Title": self.title, "Description": self.description}
        self.figure.savefig(text, format="svg", metadata=metadata)
        pyplot.close(self.figure)
        found = text.getvalue()
        return "\n".join(line.rstrip() for line in found[found.index("<svg") :].splitlines()) + "\n"
