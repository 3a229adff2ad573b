"""Two paths in a row, each in a slot of its own. A branch pushes one row; the row is popped when both sides are empty."""

from drawing import FAINT, Canvas
from stacks import graph

EMPTY = ("", "")
# Title, what happens, rows from the top: left pc and mask, right pc and mask, rpc.
STEPS = [
    ("1  A runs", "in the left slot", [(("0x100", "11111111"), EMPTY, "none")]),
    (
        "2  the branch commits",
        "one row pushed, both slots run",
        [(("0x110", "00000111"), ("0x130", "11111000"), "0x150"), (("0x150", "11111111"), EMPTY, "none")],
    ),
    (
        "3  B arrives at 0x150",
        "its side is emptied",
        [(EMPTY, ("0x130", "11111000"), "0x150"), (("0x150", "11111111"), EMPTY, "none")],
    ),
    ("4  C arrives at 0x150", "popped: all run D", [(("0x150", "11111111"), EMPTY, "none")]),
]
WIDTHS = [50, 66, 50, 66, 48]


def draw():
    c = Canvas(930, 470, "The dual-path stack", __doc__)
    graph(c, 28, 52)
    for position, (title, what, rows) in enumerate(STEPS):
        x, y = 276 + position % 2 * 326, 28 + position // 2 * 134
        c.text(x, y, title, size=11.5, bold=True, align="left")
        c.text(x + 280, y, what, size=10.8, color=FAINT, align="right")
        top = y + 40 + (2 - len(rows)) * 28
        for at, text in ((58, "left: slot 0"), (174, "right: slot 1"), (256, "rpc")):
            c.text(x + at, top - 9, text, size=10.5, color=FAINT)
        for number, (left, right, rpc) in enumerate(rows):
            place = top + number * 28
            for side, at in ((left, 0), (right, 116)):
                kind = "plain" if side == EMPTY else "active" if number == 0 else "storage"
                c.table(x + at, place, WIDTHS[:2], [side], height=28, size=10.6, kind=kind)
            c.table(x + 232, place, WIDTHS[4:], [(rpc,)], height=28, size=10.6)
    c.group(254, 296, 662, 160, "the two slots of a warp")
    slots = []
    for number, x in ((0, 274), (1, 600)):
        slots.append(
            c.box(
                x,
                326,
                296,
                54,
                f"slot {number}",
                ["fetch, instruction buffer and scoreboard entries", "of its own"],
                kind="active",
                small=10.6,
            )
        )
    c.arrow(slots[0].right(), slots[1].left(), both=True)
    c.lines(
        274,
        400,
        [
            "A shadow bit for each scoreboard entry: threads move from slot to slot when paths diverge or reconverge, and an",
            "instruction waits for the entries in use of its own slot and for the shadowed entries of the other slot.",
            "At most T rows; top row and next row in LUT RAM, the rows under them in block RAM.",
        ],
        size=11,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
