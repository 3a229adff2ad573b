"""The active path x, the front f, and the ring of paths behind it; one comparison with f."""

from drawing import ACCENT, FAINT, Canvas


def draw():
    c = Canvas(930, 500, "The path stack", __doc__)
    c.group(150, 14, 766, 396, "path-stack")

    # The tables.
    x = c.box(172, 60, 170, 66, "x", ["the active path", "W rows, LUT RAM"], kind="active")
    f = c.box(172, 280, 170, 66, "f", ["the path left last", "W rows, LUT RAM"], kind="storage")
    c.text(257, 140, "read in S6, written in S8", size=10.8, color=FAINT)
    c.text(257, 362, "read in S7, written in S9", size=10.8, color=FAINT)

    # S7 and what it makes of x.
    s7 = c.box(16, 60, 104, 66, "S7", ["validates", "and executes"], kind="outside")
    c.arrow(x.left(), s7.right())
    c.arrow((68, 126), (68, 200), (430, 200), label="outcome of the instruction: a, b", at=(230, 191))

    # The choice.
    c.box(
        430,
        160,
        190,
        130,
        "choice, S8",
        ["of two outcomes the better", "one of them is x; a single", "one is compared with f:", "equal, or f before it"],
        kind="logic",
        size=14,
    )
    c.arrow(f.right(0.3), (386, 300), (386, 260), (430, 260), label="f", at=(408, 251))
    c.arrow((525, 160), (525, 93), (342, 93), label="x: a, b or f", at=(434, 84))
    c.arrow(
        (580, 160), (580, 40), (780, 40), label="resteer, if the front end is elsewhere", at=(680, 31), color=ACCENT
    )
    c.text(788, 40, "S0, S3", size=11.5, align="left", color=ACCENT)
    c.arrow((525, 290), (525, 325), (342, 325), label="the other path: f, or merged with f", at=(434, 341))

    # The ring.
    c.text(790, 110, "a ring for each warp", size=12.5, bold=True)
    c.text(790, 127, "T rows of block RAM, at most T − 2 in use", size=10.8, color=FAINT)
    rows = c.table(
        702,
        160,
        [46, 66, 52, 66],
        [("1", "0x1c0", "0110", "behind"), ("1", "0x124", "1000", "equal"), ("0", "0x180", "0001", "")],
        header=["depth", "pc", "mask", "next is"],
        height=26,
    )
    c.text(790, 278, "each row has its order to the one behind it", size=10.8, color=FAINT)
    c.arrow((620, rows[0].y + 13), (702, rows[0].y + 13), label="old f", at=(660, rows[0].y + 4))
    c.arrow((620, rows[2].y + 13), (702, rows[2].y + 13), label="time slice over", at=(660, rows[2].y + 4))
    c.arrow(
        (860, 238),
        (860, 386),
        (200, 386),
        (200, 346),
        label="f has become x: the first row is f, in S9",
        at=(560, 377),
    )

    c.lines(
        24,
        436,
        [
            "Order: a path that is not parked first, then the greater call depth, then the smaller pc. Equal pc and depth: one path.",
            "Rotation: x merges with an equal f, or changes places with an f before it; or x goes to the back, if it is parked",
            "or its time slice is over. Whether one is due is known in S8, because each row has its order to the one behind it.",
        ],
        size=11.2,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
