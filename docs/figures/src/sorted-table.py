"""Hot tables x and y, the context compact sort in S8, the ring of cold paths and its sorter."""

from drawing import ACCENT, FAINT, Canvas


def draw():
    c = Canvas(930, 560, "The sorted table", __doc__)
    c.group(150, 14, 766, 456, "sorted-table")

    # The hot tables.
    x = c.box(172, 60, 170, 66, "HCT x", ["the active path", "W rows, LUT RAM"], kind="active")
    y = c.box(172, 250, 170, 66, "HCT y", ["the next path", "W rows, LUT RAM"], kind="storage")
    c.text(257, 140, "read in S6, written in S8", size=10.8, color=FAINT)
    c.text(257, 238, "read in S7, written in S9", size=10.8, color=FAINT)

    # S7 and what it makes of x.
    s7 = c.box(16, 60, 104, 66, "S7", ["validates", "and executes"], kind="outside")
    c.arrow(x.left(), s7.right())
    c.arrow((68, 126), (68, 186), (430, 186), label="outcome of the instruction: a, b", at=(230, 177))

    # The sort.
    c.box(
        430,
        150,
        190,
        140,
        "CCS",
        ["context compact sort, S8", "", "6 comparators: order and", "equality of each pair;", "equal paths merge"],
        kind="logic",
        size=14,
    )
    c.arrow(y.right(), (386, 283), (386, 256), (430, 256), label="c", at=(408, 247))
    c.arrow((525, 150), (525, 93), (342, 93), label="x: the first of one to three paths", at=(434, 84))
    c.arrow(
        (580, 150), (580, 40), (780, 40), label="resteer, if the front end is elsewhere", at=(680, 31), color=ACCENT
    )
    c.text(788, 40, "S0, S3", size=11.5, align="left", color=ACCENT)

    # The cold table.
    c.text(790, 110, "CCT, a ring for each warp", size=12.5, bold=True)
    c.text(790, 127, "T rows of block RAM, at most T − 2 in use", size=10.8, color=FAINT)
    rows = c.table(
        712,
        160,
        [46, 66, 52],
        [("1", "0x1c0", "0110"), ("0", "0x124", "1000"), ("0", "0x180", "0001")],
        header=["depth", "pc", "mask"],
        height=26,
    )
    c.text(884, rows[0].y + 13, "front", size=10.8, align="left", color=FAINT)
    c.text(884, rows[2].y + 13, "back", size=10.8, align="left", color=FAINT)
    c.arrow((620, 173), (712, 173), label="z", at=(640, 164))
    c.text(666, 187, "third path", size=10.8)
    c.arrow((620, 225), (712, 225), label="rotation", at=(666, 216))
    c.arrow(
        (620, 270), (660, 270), (660, 360), (257, 360), (257, 316), label="y: the second path, in S9", at=(478, 351)
    )
    c.arrow(
        (735, 238),
        (735, 400),
        (192, 400),
        (192, 316),
        label="no second path: the front row becomes y, in S9",
        at=(470, 391),
    )

    # The sorter.
    sorter = c.box(776, 300, 124, 66, "sorter", ["compares one row", "with y and the front"], kind="logic", small=10.6)
    c.arrow((810, 238), (810, 300), label="copy", at=(804, 270), align="right")
    c.arrow((856, 300), (856, 238), label="write", at=(862, 270), align="left")
    c.arrow(
        sorter.bottom(),
        (838, 440),
        (216, 440),
        (216, 316),
        label="exchange with y, or merge into y, in cycles without a commit of the warp",
        at=(528, 431),
    )

    c.lines(
        24,
        494,
        [
            "Order: a path that is not parked first, then the greater call depth, then the smaller pc. Equal pc and depth: one path.",
            "Rotation (the active path is parked, or its time slice is over): it goes to the back of the ring, y becomes active,",
            "and the front row becomes y. Only speed depends on the sorter: unsorted paths merge later.",
        ],
        size=11.2,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
