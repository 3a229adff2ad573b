"""The order in which each unit runs the blocks of `if (A && B) C; else D; E;` for four threads."""

from drawing import FAINT, Canvas

ORDERS = [
    ("sorted-table, arbiter", "minimum pc", "A1111 B1011 C1000 D0111 E1111"),
    ("path-stack", "depth first", "A1111 B1011 C1000 D0111 E1111"),
    ("pdom-stack, multi-path", "post-dominators", "A1111 B1011 C1000 D0011 D0100 E1111"),
    ("minority-first", "fork and join", "A1111 D0100 B1011 C1000 D0011 E1111"),
    ("multi-path", "breadth first", "A1111 B1011 D0100 C1000 D0011 E1111"),
    ("dual-path", "two at once", "A1111 B1011 C1000|D0011 D0100 E1111"),
]


def draw():
    c = Canvas(930, 484, "Orders of traversal", __doc__)
    c.text(120, 34, "unit", size=12, bold=True)
    c.text(320, 34, "class", size=12, bold=True)
    c.text(660, 34, "blocks, with the threads that run them, thread 0 on the left", size=12, bold=True)
    for number, (unit, kind, order) in enumerate(ORDERS):
        y = 52 + 64 * number
        c.text(120, y + 26, unit, size=12)
        c.text(320, y + 26, kind, size=12)
        for step, blocks in enumerate(order.split()):
            for row, text in enumerate(blocks.split("|")):
                both = "|" in blocks
                c.box(
                    410 + 84 * step,
                    y + (30 * row if both else 0),
                    76,
                    26 if both else 48,
                    f"{text[0]} {text[1:]}",
                    [],
                    kind="active",
                    size=12,
                )
    c.lines(
        24,
        450,
        ["Thread 0 takes A B C E, thread 1 takes A D E, threads 2 and 3 take A B D E. A test runs this on every unit."],
        size=11.2,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
