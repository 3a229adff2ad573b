"""Eight threads of `if (a || b) C; D` with the sorted table, which runs C once, and with a stack, which runs it twice."""

from drawing import FAINT, Canvas

ALL, TO_B, TO_C_FIRST, TO_C_LATER = range(8), (3, 4, 5, 6, 7), (0, 1, 2), (3, 4)
# Block and threads of each time slot.
SORTED = [("A", ALL), ("B", TO_B), ("C", TO_C_FIRST + TO_C_LATER), ("D", ALL)]
STACK = [("A", ALL), ("B", TO_B), ("C", TO_C_LATER), ("C", TO_C_FIRST), ("D", ALL)]
# Paths of the warp after each slot: the active one first.
SORTED_PATHS = [["B 11111000", "C 00000111"], ["C 00011111", "D 11100000"], ["D 11111111"], []]
STACK_PATHS = [
    ["B 11111000", "C 00000111", "D 11111111"],
    ["C 00011000", "C 00000111", "D 11111111"],
    ["C 00000111", "D 11111111"],
    ["D 11111111"],
    [],
]
COLORS = {
    "A": ("#e7eefb", "#3457a6"),
    "B": ("#fff1cc", "#a86e0c"),
    "C": ("#e4f3e8", "#2f7d4b"),
    "D": ("#f3e6f7", "#7b3a94"),
}
WIDTH, ROW = 104, 15


def graph(c, x, y):
    blocks = {}
    places = (("A", 0, 0, "if (a"), ("B", 60, 70, "|| b)"), ("C", 0, 140, "then"), ("D", 60, 210, "after"))
    for name, left, top, text in places:
        fill, border = COLORS[name]
        blocks[name] = c.rectangle(x + left, y + top, 92, 40, fill, border)
        c.text(x + left + 9, y + top + 20, name, size=13, bold=True, align="left")
        c.text(x + left + 28, y + top + 20, text, size=10.6, mono=True, align="left")
    a, b, then, end = (blocks[name] for name in "ABCD")
    c.arrow(a.bottom(0.8), (a.x + 73.6, y + 55), (b.x + 60, y + 55), (b.x + 60, b.y))
    c.arrow(a.bottom(0.2), (a.x + 18.4, then.y), label="a", at=(a.x + 10, y + 90))
    c.arrow(
        (b.x + 20, b.y + 40),
        (b.x + 20, y + 125),
        (then.x + 56, y + 125),
        (then.x + 56, then.y),
        label="b",
        at=(b.x + 4, y + 117),
    )
    c.arrow((b.x + 70, b.y + 40), (b.x + 70, end.y))
    c.arrow((then.x + 40, then.y + 40), (then.x + 40, y + 230), end.left())
    c.lines(
        x - 4,
        y + 278,
        ["pcs: A < B < C < D", "a holds in threads 0 to 2,", "b in threads 3 and 4", "post-dominator of A and B: D"],
        size=10.8,
        color=FAINT,
        align="left",
        step=16,
    )


def run(c, x, y, title, slots, paths, note):
    c.text(x, y - 34, title, size=12.5, bold=True, align="left")
    for thread in range(8):
        c.text(x - 6, y + (thread + 0.5) * ROW, f"thread {thread}", size=9.8, color=FAINT, align="right")
    for position, (name, threads) in enumerate(slots):
        left = x + position * WIDTH
        c.text(left + WIDTH / 2, y - 11, f"{name}: {len(threads)} threads", size=10.8)
        for thread in range(8):
            fill, border = COLORS[name] if thread in threads else ("#fafafa", "#d5d8dd")
            c.rectangle(left, y + thread * ROW, WIDTH - 4, ROW - 2, fill, border, line=0.9, radius=2)
        for number, path in enumerate(paths[position]):
            c.text(left + WIDTH / 2 - 2, y + 8 * ROW + 16 + number * 15, path, size=10, mono=True, bold=number == 0)
    c.text(x - 6, y + 8 * ROW + 16, "paths after it", size=9.8, color=FAINT, align="right")
    c.text(x + len(slots) * WIDTH + 8, y + 4 * ROW, note, size=11.5, align="left", bold=True)


def draw():
    c = Canvas(930, 470, "Threads diverge and reconverge over time", __doc__)
    c.text(34, 30, "control flow", size=12.5, bold=True, align="left")
    graph(c, 34, 56)
    run(c, 310, 64, "sorted-table: C runs once", SORTED, SORTED_PATHS, "4 blocks")
    run(c, 310, 294, "pdom-stack: C runs twice", STACK, STACK_PATHS, "5 blocks")
    return c
