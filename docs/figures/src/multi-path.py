"""A spin lock under the unit multi-path: the path that spins lets go of the meeting, and the thread that waits there unlocks."""

from drawing import FAINT, Canvas

EVENTS = [
    ("L diverges: thread 0 has the lock, and is at M", "L", "0111", [], ("1000", "1111")),
    ("L has waited: it lets go of M, which is complete", "M", "1000", [("L", "0111")], None),
    ("thread 0 unlocks in M, and its turn is over", "L", "0111", [("M", "1000")], None),
    ("L diverges: thread 1 has the lock, and is at M", "L", "0011", [("M", "1000")], ("0100", "0111")),
]


def draw():
    c = Canvas(930, 350, "Multi-path", __doc__)
    c.text(180, 40, "after", size=12, bold=True)
    c.text(440, 40, "active path", size=12, bold=True)
    c.text(620, 40, "queue", size=12, bold=True)
    c.text(800, 40, "meeting at M: arrived, expected", size=12, bold=True)
    for number, (event, block, mask, rows, meeting) in enumerate(EVENTS):
        y = 58 + 58 * number
        c.text(180, y + 22, event, size=11.5)
        c.box(370, y, 140, 44, block, [mask], kind="active")
        for name, row in rows:
            c.box(550, y, 140, 44, name, [row], kind="storage")
        if meeting:
            c.box(730, y, 140, 44, "M", [", ".join(meeting)], kind="storage")
    c.lines(
        24,
        310,
        ["L: while (!try_lock()); M: unlock(); — masks have thread 0 on the left. M is where the branch of the loop reconverges."],
        size=11.2,
        color=FAINT,
        align="left",
        step=17,
    )
    return c
