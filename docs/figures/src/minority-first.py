"""A region of the unit minority-first: the smaller side runs, larger ones are pushed, arrived threads wait at the point."""

from drawing import FAINT, Canvas

EVENTS = [
    ("A diverges: the region opens, up to E", "C", "1000", [("D", "0111")], "0000"),
    ("C is at E: it waits, D is popped", "D", "0111", [], "1000"),
    ("D diverges: F has fewer threads", "F", "0100", [("G", "0011")], "1000"),
    ("F is at E: it waits, G is popped", "G", "0011", [], "1100"),
    ("G is at E: the stack is empty", "E", "1111", [], "0000"),
]


def draw():
    c = Canvas(930, 400, "Minority first", __doc__)
    c.text(180, 40, "after", size=12, bold=True)
    c.text(440, 40, "active path", size=12, bold=True)
    c.text(620, 40, "stack", size=12, bold=True)
    c.text(800, 40, "waits at E", size=12, bold=True)
    for number, (event, block, mask, rows, waits) in enumerate(EVENTS):
        y = 58 + 58 * number
        c.text(180, y + 22, event, size=11.5)
        c.box(370, y, 140, 44, block, [mask], kind="active")
        for name, row in rows:
            c.box(550, y, 140, 44, name, [row], kind="storage")
        if waits != "0000":
            c.box(730, y, 140, 44, "E", [waits], kind="storage")
    c.lines(
        24,
        364,
        [
            "if (A) C; else { D; if (p) F; else G; } E — masks have thread 0 on the left. F and G wait at E, the end of the region.",
        ],
        size=11.2,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
