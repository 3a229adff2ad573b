"""An entry for each thread of the warp, a tree of T - 1 comparators that picks the active path, and the table of active paths."""

from drawing import FAINT, Canvas

# live, parked, depth, pc of eight threads: an example.
THREADS = [
    ("0", "1", "0", "0", "0x140"),
    ("1", "1", "0", "0", "0x140"),
    ("2", "1", "0", "1", "0x124"),
    ("3", "1", "0", "0", "0x140"),
    ("4", "1", "0", "0", "0x100"),
    ("5", "1", "0", "1", "0x124"),
    ("6", "1", "0", "0", "0x100"),
    ("7", "1", "1", "1", "0x124"),
]
# Winner of each node: depth, pc, threads.
NODES = [
    [("0 · 0x140", "threads 0, 1"), ("1 · 0x124", "thread 2"), ("1 · 0x124", "thread 5"), ("0 · 0x100", "thread 6")],
    [("1 · 0x124", "thread 2"), ("1 · 0x124", "thread 5")],
    [("1 · 0x124", "threads 2, 5")],
]


def draw():
    c = Canvas(930, 500, "The arbiter", __doc__)
    c.group(236, 14, 680, 476, "arbiter")
    outcome = c.box(
        14,
        86,
        152,
        112,
        "outcome of S7",
        ["`a_mask_s8, a_pc_s8`", "`b_mask_s8, b_pc_s8`", "`exit_mask_s8`", "with depth, parked"],
        kind="outside",
    )
    widths = [42, 34, 44, 42, 62]
    top, height = 86, 34
    rows = c.table(
        252,
        top,
        widths,
        THREADS,
        height=height,
        header=["thread", "live", "parked", "depth", "pc"],
        kinds={2: "active", 5: "active"},
    )
    c.arrow(outcome.right(), (252, 142))
    c.lines(201, 116, ["updates", "T entries"], size=10.8, step=14)
    c.text(364, 378, "threads: W rows, LUT RAM", size=11, color=FAINT)
    c.text(364, 394, "read in S7, updated in S8", size=11, color=FAINT)

    # The tree.
    width = 96
    boxes = []
    for level, nodes in enumerate(NODES):
        span = len(THREADS) // len(nodes)
        boxes.append([])
        for position, (key, threads) in enumerate(nodes):
            middle = top + height * span * (position + 0.5)
            x = 512 + level * (width + 26)
            kind = "active" if level == 2 else "logic"
            box = c.box(x, middle - 24, width, 48, "", [key, threads], kind=kind, small=11.5)
            boxes[level].append(box)
            if level == 0:
                for entry in (0, 1):
                    row = rows[2 * position + entry]
                    c.arrow(
                        row.right(),
                        (494, row.right()[1]),
                        (494, middle + (-8 if entry == 0 else 8)),
                        (x, middle + (-8 if entry == 0 else 8)),
                    )
            else:
                for below, shift in ((boxes[level - 1][2 * position], -8), (boxes[level - 1][2 * position + 1], 8)):
                    turn = below.x + width + 13
                    c.arrow(below.right(), (turn, below.right()[1]), (turn, middle + shift), (x, middle + shift))
    c.text(670, 42, "tree of T − 1 comparators, log2 T levels", size=11.5, bold=True)
    c.text(670, 60, "cut by arbiter.pipeline_stages registers", size=11, color=FAINT)
    c.lines(
        494,
        378,
        ["not parked first, then the greater depth,", "then the smaller pc; of equal ones both are kept"],
        size=11,
        color=FAINT,
        align="left",
        step=16,
    )

    # The table of active paths.
    paths = c.box(729, 432, 150, 46, "paths", ["W rows, LUT RAM"], kind="storage")
    best = boxes[2][0]
    c.arrow(best.bottom(), (best.x + width / 2, 432))
    c.lines(best.x + width / 2 + 10, 302, ["pc_x, mask_x", "depth_x"], size=10.8, align="left", step=14)
    validate = c.box(14, 432, 152, 46, "S7 validates", ["`pc_s7, mask_s7`"], kind="outside")
    c.arrow(paths.left(), validate.right(), label="active path of the warp, read in S6", at=(470, 446))
    resteer = c.box(14, 334, 152, 62, "S8 resteers", ["if the front end", "is elsewhere"], kind="outside")
    c.arrow((best.x + width / 2, 412), (201, 412), (201, 365), resteer.right())
    c.dot(best.x + width / 2, 412)
    return c
