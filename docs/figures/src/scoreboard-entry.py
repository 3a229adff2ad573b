"""One scoreboard entry: free, assigned to an instruction from S2, in use from its issue until its last part is written or cancelled."""

from drawing import ACCENT, FAINT, Canvas


def draw():
    c = Canvas(930, 470, "Life of a scoreboard entry", __doc__)
    free = c.box(24, 60, 164, 66, "free", ["no dependence counts"], kind="plain", size=13.5)
    assigned = c.box(
        290,
        60,
        180,
        66,
        "assigned",
        ["to an instruction from S2, which", "issues once the entry is free"],
        kind="logic",
        size=13.5,
        small=10.4,
    )
    used = c.box(
        580, 60, 200, 66, "in use", ["one bit of pending;", "started counts this part"], kind="active", size=13.5
    )
    c.arrow(free.right(), assigned.left(), label="the next entry\nof the ring", at=(239, 64))
    c.arrow(assigned.right(), used.left(), label="issue in S3,\nmarked in S4", at=(525, 64))
    c.arrow(
        assigned.top(),
        (380, 26),
        (106, 26),
        free.top(),
        label="resteer: the instruction is flushed before its issue",
        at=(243, 16),
    )

    c.box(
        580,
        200,
        200,
        66,
        "replay record in S8",
        ["some lanes of a load are served,", "the others fetch it again"],
        kind="logic",
        size=12.5,
        small=10.6,
    )
    c.arrow((640, 126), (640, 200), label="part served", at=(632, 176), align="right")
    c.arrow((716, 200), (716, 126), label="the next part issues,\nwaits for nothing", at=(724, 157), align="left")

    written = c.box(
        580, 336, 200, 66, "written", ["S9 has the write port;", "finished counts this part"], kind="storage", size=13.5
    )
    cancelled = c.box(
        290,
        336,
        180,
        66,
        "cancelled",
        ["S8 returns the reservation;", "finished counts this part"],
        kind="alarm",
        size=13.5,
    )
    c.arrow(used.right(), (852, 93), (852, 369), written.right())
    c.lines(844, 292, ["the line, product or", "quotient comes back"], size=10.8, align="right", step=14)
    c.arrow((600, 126), (600, 152), (380, 152), cancelled.top(), color=ACCENT)
    c.lines(372, 230, ["squash in S7, or no access", "after all"], size=10.8, color=ACCENT, align="right", step=14)

    last = c.box(24, 336, 164, 66, "last part?", ["finished = started"], kind="plain", size=13.5)
    c.arrow(cancelled.left(), last.right())
    c.arrow(written.bottom(), (680, 426), (106, 426), last.bottom())
    c.arrow(last.top(), free.bottom(), label="yes", at=(98, 232), align="right")
    c.text(114, 320, "no: it stays in use", size=10.8, color=FAINT, align="left")
    c.text(
        24,
        452,
        "An instruction from S2 is compared with the entries of its context once; then it waits for those it depends on.",
        size=11,
        color=FAINT,
        align="left",
    )
    return c
