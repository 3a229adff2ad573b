"""Tables in Markdown, columns aligned, and what their cells have in common."""

import statistics


def table(headings, rows, left=1):
    """Returns the lines of a table. The first `left` columns are aligned to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [headings, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]

    def line(row):
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return [line(cells[0]), rule, *map(line, cells[1:])]


def mean(values):
    """Geometric mean."""
    return statistics.geometric_mean(values)


def spaced(name):
    """The name of a kernel as text."""
    return name.replace("_", " ")
