"""One path in a row. A branch pushes two rows; a path that arrives at the reconvergence point of its row is popped."""

from drawing import FAINT, Canvas
from stacks import graph

# Title, what happens, rows from the top (pc, mask, rpc).
STEPS = [
    ("1  A runs", "one row", [("0x100", "11111111", "none")]),
    (
        "2  the branch commits",
        "two rows pushed",
        [("0x110", "00000111", "0x150"), ("0x130", "11111000", "0x150"), ("0x150", "11111111", "none")],
    ),
    ("3  B arrives at 0x150", "popped", [("0x130", "11111000", "0x150"), ("0x150", "11111111", "none")]),
    ("4  C arrives at 0x150", "popped: all run D", [("0x150", "11111111", "none")]),
]


def draw():
    c = Canvas(930, 400, "The pdom-stack", __doc__)
    graph(c, 28, 52)
    for position, (title, what, rows) in enumerate(STEPS):
        x = 262 + position * 167
        c.text(x + 77, 30, title, size=11.5, bold=True)
        c.text(x + 77, 47, what, size=10.8, color=FAINT)
        c.table(
            x,
            88 + (3 - len(rows)) * 30,
            [46, 64, 46],
            rows,
            height=30,
            size=10.6,
            header=["pc", "mask", "rpc"],
            kinds={0: "active"},
        )
    c.text(262, 196, "the top row runs, those below it wait", size=10.8, align="left", color=FAINT)

    # Where the rows are.
    c.group(254, 218, 662, 168, "where the rows of a warp are")
    top = c.box(274, 246, 196, 48, "top row", ["LUT RAM (hot_path, tops)"], kind="active")
    following = c.box(274, 320, 196, 48, "next row", ["LUT RAM (nexts)"], kind="storage")
    under = c.box(
        640, 320, 256, 48, "rows under it", ["block RAM, two banks (rows_even, rows_odd)"], kind="storage", small=10.6
    )
    c.arrow(top.bottom(0.3), following.top(0.3), label="push", at=(326, 309), align="right")
    c.arrow(following.top(0.7), top.bottom(0.7), label="pop", at=(418, 309), align="left")
    c.arrow(following.right(0.32), under.left(0.32), label="push: the covered row is written", at=(555, 326))
    c.arrow(under.left(0.72), following.right(0.72), label="pop: read in S7, moved up in S8", at=(555, 366))
    c.lines(
        492,
        258,
        ["At most 2 T − 1 rows, and no overflow: of the masks", "any two are nested or disjoint."],
        size=11,
        color=FAINT,
        align="left",
        step=16,
    )
    return c
