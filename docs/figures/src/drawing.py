"""The canvas of the figures: boxes, tables, arrows and text in pixels, y downwards, written as plain SVG.

A figure is a module with a function `draw()` that returns a `Canvas`. A text that does not fit into its box is an error, so
that nothing is cut in a figure that builds. Only the standard library is needed.
"""

from dataclasses import dataclass
from xml.sax.saxutils import escape

INK, FAINT, PAGE, ACCENT = "#1f2937", "#5b6472", "#ffffff", "#b42318"
# Kinds of boxes: fill, border. The same kind means the same thing in every figure.
KINDS = {
    "logic": ("#e7eefb", "#3457a6"),  # a stage, combinational logic
    "storage": ("#e4f3e8", "#2f7d4b"),  # registers, LUT RAM, block RAM
    "outside": ("#f1f2f4", "#5b6472"),  # outside of what is drawn
    "active": ("#fff1cc", "#a86e0c"),  # the active path, a transfer
    "alarm": ("#fde8e6", "#b42318"),  # squash, mismatch
    "plain": ("#ffffff", "#5b6472"),
}
SANS = "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "'JetBrains Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
# Widths of Helvetica's characters in thousandths of the size; all others are taken as 556.
WIDTHS = {
    width: characters
    for width, characters in (
        (222, "ijl"),
        (278, " !,./:;I[]ft|'"),
        (333, "()-r`"),
        (500, "ckJsvxyz"),
        (611, "FTZ"),
        (667, "ABEKPSVXY&"),
        (722, "CDHNRUw"),
        (778, "GOQ"),
        (833, "Mm"),
        (944, "W"),
        (584, "+=<>~"),
        (1000, "→←—≤≥×…"),
    )
}


class DoesNotFit(ValueError):
    """A text is wider than what it is in."""


def width_of(text, size, mono=False, bold=False):
    """About the width of a text in pixels."""
    if mono:
        return 0.602 * size * len(text)
    widths = {character: width for width, characters in WIDTHS.items() for character in characters}
    return sum(widths.get(character, 556) for character in text) / 1000 * size * (1.06 if bold else 1.0)


def number(value):
    """A coordinate."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Box:
    """A rectangle, with the points that arrows start from."""

    x: float
    y: float
    width: float
    height: float

    def top(self, part=0.5):
        return self.x + self.width * part, self.y

    def bottom(self, part=0.5):
        return self.x + self.width * part, self.y + self.height

    def left(self, part=0.5):
        return self.x, self.y + self.height * part

    def right(self, part=0.5):
        return self.x + self.width, self.y + self.height * part


class Canvas:
    """A white sheet of a given size, with a title and a description for readers who cannot see it."""

    def __init__(self, width, height, title, description):
        self.width, self.height, self.title, self.description = width, height, title, description
        # Layers from the back to the front: frames, boxes, lines, marks and text.
        self.layers = [[], [], [], []]

    def add(self, layer, tag, text=None, **attributes):
        written = " ".join(
            f'{name.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, (int, float)) else value}"'
            for name, value in attributes.items()
            if value is not None
        )
        self.layers[layer].append(f"<{tag} {written}/>" if text is None else f"<{tag} {written}>{escape(text)}</{tag}>")

    def rectangle(self, x, y, width, height, fill, border, line=1.4, dashed=False, radius=5, layer=1):
        dashes = "5 3.5" if dashed else None
        self.add(
            layer,
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            rx=radius or None,
            fill=fill,
            stroke=border,
            stroke_width=line,
            stroke_dasharray=dashes,
        )
        return Box(x, y, width, height)

    def polygon(self, corners, fill, border, line=1.4, layer=1):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
        self.add(layer, "polygon", points=points, fill=fill, stroke=border, stroke_width=line, stroke_linejoin="round")

    def text(
        self,
        x,
        y,
        text,
        size=12.5,
        align="center",
        color=INK,
        bold=False,
        mono=False,
        fits=None,
        halo=False,
        turned=False,
    ):
        """One line of text, y in its middle; `fits`: the width that it must not exceed; `halo`: a white rim over lines."""
        needed = width_of(text, size, mono, bold)
        if fits is not None and needed > fits:
            raise DoesNotFit(f"'{text}' needs {needed:.0f} pixels and has {fits:.0f}")
        left = x - {"left": 0, "center": needed / 2, "right": needed}[align]
        if not turned and (left < 0 or left + needed > self.width or not 0 <= y <= self.height):
            raise DoesNotFit(f"'{text}' leaves the sheet")
        middle = y + size * 0.355
        rim = {"stroke": PAGE, "stroke_width": 3.5, "stroke_linejoin": "round", "paint_order": "stroke"} if halo else {}
        self.add(
            3,
            "text",
            text,
            x=x,
            y=middle,
            font_family=MONO if mono else SANS,
            font_size=size,
            fill=color,
            text_anchor={"left": None, "center": "middle", "right": "end"}[align],
            font_weight="600" if bold else None,
            transform=f"rotate(-90 {number(x)} {number(y)})" if turned else None,
            **rim,
        )

    def lines(self, x, y, lines, size=12, step=None, **how):
        """Lines of text under each other; y is the middle of the first. A line in backquotes is in the font of code."""
        for position, line in enumerate(lines):
            code = len(line) > 2 and line[0] == line[-1] == "`"
            text = line[1:-1] if code else line
            self.text(
                x,
                y + position * (step or size * 1.3),
                text,
                size=size - 0.7 * code,
                **{**how, "mono": code or how.get("mono", False)},
            )

    def box(
        self,
        x,
        y,
        width,
        height,
        title="",
        lines=(),
        kind="logic",
        size=12.5,
        small=11.2,
        dashed=False,
        align="center",
        mono=False,
    ):
        """A box with a title in bold and lines under it, in its middle."""
        fill, border = KINDS[kind]
        box = self.rectangle(x, y, width, height, fill, border, dashed=dashed)
        step = small * 1.32
        heights = ([size * 1.4] if title else []) + [step] * len(lines)
        if sum(heights) > height + 2:
            raise DoesNotFit(f"the lines of '{title}' need {sum(heights):.0f} pixels and have {height:.0f}")
        at = x + width / 2 if align == "center" else x + 10
        top = y + (height - sum(heights)) / 2
        fits = width - (10 if align == "center" else 14)
        if title:
            self.text(at, top + size * 0.7, title, size=size, bold=True, fits=fits, align=align, mono=mono)
            top += size * 1.4
        self.lines(at, top + step / 2, lines, size=small, step=step, fits=fits, align=align)
        return box

    def group(self, x, y, width, height, title, color=FAINT, fill="none", align="left"):
        """A dashed frame around what belongs together, with its name in the upper corner."""
        box = self.rectangle(x, y, width, height, fill, color, line=1.1, dashed=True, radius=8, layer=0)
        at = {"left": x + 10, "right": x + width - 10, "center": x + width / 2}[align]
        self.text(at, y + 14, title, size=11.5, align=align, color=color, bold=True, fits=width - 16)
        return box

    def table(self, x, y, widths, rows, kind="storage", height=22, size=11.2, header=None, mono=True, kinds=None):
        """Rows of cells under a header; `kinds` gives single rows a kind of their own. Returns the boxes of the rows."""
        for at, width, text in zip(edges(x, widths), widths, header or []):
            self.text(at + width / 2, y - 9, text, size=10.5, color=FAINT, fits=width)
        boxes = []
        for position, row in enumerate(rows):
            fill, border = KINDS[(kinds or {}).get(position, kind)]
            top = y + position * height
            for at, width, text in zip(edges(x, widths), widths, row):
                self.rectangle(at, top, width, height, fill, border, line=1, radius=0)
                if text:
                    self.text(at + width / 2, top + height / 2, text, size=size, mono=mono, fits=width - 4)
            boxes.append(Box(x, top, sum(widths), height))
        return boxes

    def line(self, *points, color=INK, width=1.5, dashed=False, layer=2):
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.add(
            layer,
            "polyline",
            points=path,
            fill="none",
            stroke=color,
            stroke_width=width,
            stroke_dasharray="5 3.5" if dashed else None,
            stroke_linejoin="round",
        )

    def arrow(
        self,
        *points,
        label=None,
        at=None,
        color=INK,
        width=1.5,
        dashed=False,
        both=False,
        size=10.8,
        align="center",
        bold=False,
    ):
        """An arrow through the points, its head at the last; the lines of the label begin at `at`."""
        trimmed = list(points)
        for end, tip, before in [(-1, points[-1], points[-2])] + ([(0, points[0], points[1])] if both else []):
            trimmed[end], corners = arrow_head(tip, before)
            self.polygon(corners, color, color, line=0.5, layer=2)
        self.line(*trimmed, color=color, width=width, dashed=dashed)
        if label:
            x, y = at or ((points[0][0] + points[-1][0]) / 2, (points[0][1] + points[-1][1]) / 2 - 9)
            self.lines(x, y, label.split("\n"), size=size, color=color, align=align, step=13.5, bold=bold, halo=True)

    def dot(self, x, y, color=INK, radius=2.6):
        self.add(2, "circle", cx=x, cy=y, r=radius, fill=color)

    def circle(self, x, y, radius, kind="logic", text="", size=11):
        fill, border = KINDS[kind]
        self.add(3, "circle", cx=x, cy=y, r=radius, fill=fill, stroke=border, stroke_width=1.4)
        if text:
            self.text(x, y, text, size=size, bold=True)

    def svg(self):
        """The text of the SVG."""
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        body = "\n".join(element for layer in self.layers for element in layer)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(self.title)}</title>\n'
            f'<desc>{escape(self.description)}</desc>\n<rect width="{self.width}" height="{self.height}" rx="8" fill="{PAGE}"/>\n'
            f"{body}\n</svg>\n"
        )


def edges(x, widths):
    """The left edges of columns."""
    found = [x]
    for width in widths[:-1]:
        found.append(found[-1] + width)
    return found


def arrow_head(tip, before, length=8.5, half=3.8):
    """Where the line of an arrow ends, and the corners of its head."""
    (x, y), (x0, y0) = tip, before
    distance = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5 or 1
    dx, dy = (x - x0) / distance, (y - y0) / distance
    back = (x - dx * length, y - dy * length)
    return back, [tip, (back[0] - dy * half, back[1] + dx * half), (back[0] + dy * half, back[1] - dx * half)]
