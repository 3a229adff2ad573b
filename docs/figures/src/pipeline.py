"""Ten stages: S0 to S4 from left to right, S5 to S9 back. S8 resteers S0; memory answers to S9; S7 and S9 write registers."""

from drawing import ACCENT, FAINT, Canvas

STAGES = [
    ("S0 steer", ["picks a context", "to fetch"]),
    ("S1 fetch", ["requests the word", "at its pc"]),
    ("S2 predecode", ["hazards, class,", "predicted next pc"]),
    ("S3 schedule", ["scoreboard, credits,", "round-robin pick"]),
    ("S4 collect", ["reads instruction", "and registers"]),
    ("S5 decode", ["control, operands", "of the lanes"]),
    ("S6 execute", ["lanes compute,", "leader elected"]),
    ("S7 commit", ["validates, writes,", "coalesces"]),
    ("S8 context", ["divergence unit:", "next active path"]),
    ("S9 gather", ["aligns the loads,", "writes when S7 does not"]),
]
WIDTH, HEIGHT, GAP, LEFT, TOP, BELOW = 136, 74, 50, 24, 96, 330


def draw():
    c = Canvas(930, 560, "The pipeline of ten stages", __doc__)
    s = []
    for position, (title, lines) in enumerate(STAGES):
        row, column = divmod(position, 5)
        x = LEFT + (4 - column if row else column) * (WIDTH + GAP)
        s.append(
            c.box(x, (TOP, BELOW)[row], WIDTH, HEIGHT, title, lines, kind="active" if position in (7, 8) else "logic")
        )
    for left, right in zip(s[:4], s[1:5]):
        c.arrow(left.right(), right.left())
    c.arrow(s[4].bottom(0.75), s[5].top(0.75))
    for right, left in zip(s[5:7], s[6:8]):
        c.arrow(right.left(), left.right())
    c.arrow(s[7].left(0.3), s[8].right(0.3), label="a, b", at=(s[8].x + WIDTH + GAP / 2, BELOW + 12))
    c.arrow(s[8].right(0.72), s[7].left(0.72), label="path", at=(s[8].x + WIDTH + GAP / 2, BELOW + 64))

    # The front end.
    c.box(s[1].x, 16, WIDTH * 2 + GAP, 32, "instruction memory", kind="outside", size=11.5)
    x, back = s[1].x + WIDTH / 2, s[2].x + WIDTH / 2
    c.arrow((x, TOP), (x, 48), label="imem_req_addr", at=(x - 8, 73), align="right")
    c.arrow((back, 48), (back, TOP), label="imem_rsp_data", at=(back + 8, 73), align="left")
    low = TOP + HEIGHT
    c.arrow(
        (back, low),
        (back, low + 22),
        (s[0].x + 100, low + 22),
        (s[0].x + 100, low),
        label="prediction",
        at=(s[1].x + WIDTH + 25, low + 14),
    )
    x = s[8].x + WIDTH / 2
    c.arrow((x, BELOW), (x, low + 48), (s[0].x + 52, low + 48), (s[0].x + 52, low), color=ACCENT, width=2)
    c.lines(
        x + 8,
        low + 54,
        ["resteer: new pc,", "epoch flips,", "buffer emptied"],
        size=10.8,
        color=ACCENT,
        align="left",
        step=14,
    )

    # Registers.
    registers = c.box(s[7].x + 20, 232, WIDTH + 60, 48, "register file", ["2 copies in each lane"], kind="storage")
    c.arrow(registers.right(), (s[4].x + 40, 256), (s[4].x + 40, low), label="rs1, rs2", at=(s[4].x - 24, 247))
    c.arrow((s[7].x + 76, BELOW), (s[7].x + 76, 280), label="rd of S7", at=(s[7].x + 84, 305), align="left")
    c.arrow(
        s[9].top(0.25),
        (s[9].x + 34, 272),
        (registers.x, 272),
        label="rd of loads, products, quotients",
        at=(s[9].x + 42, 286),
        align="left",
    )
    c.lines(s[5].x + 28, 290, ["after S3", "nothing stalls"], size=10.8, color=FAINT, step=14)

    # Data memory.
    low = BELOW + HEIGHT
    queue = c.box(s[7].x, 450, WIDTH, 46, "request queue", ["8 entries"], kind="storage")
    memory = c.box(
        s[9].x, 450, WIDTH * 2 + GAP, 46, "data memory", ["coalesced lines, responses in any order"], kind="outside"
    )
    c.arrow(
        s[7].bottom(),
        queue.top(),
        label="one request for each instruction",
        at=(s[7].x + WIDTH / 2 + 8, 427),
        align="left",
    )
    c.arrow(queue.left(), memory.right(), label="req", at=(queue.x - 22, 464))
    c.arrow((s[9].x + 68, 450), (s[9].x + 68, low), label="dmem_rsp: line, tag", at=(s[9].x + 76, 427), align="left")
    console = c.box(s[6].x, 450, WIDTH, 46, "console", kind="outside")
    c.arrow(queue.right(), console.left())

    # What S7 does with a wrong guess.
    c.arrow((s[7].x + 20, low), (s[7].x + 20, low + 18), (s[7].x - 60, low + 18), color=ACCENT)
    c.text(s[7].x - 66, low + 18, "squash", size=10.8, color=ACCENT, align="right")
    c.lines(
        LEFT,
        526,
        [
            "S7 validates: an instruction of the present epoch commits with the mask of the active path, unless the path is parked.",
            "Otherwise it is squashed: nothing is written, and S8 returns the credits that S3 reserved. A fault halts the core.",
        ],
        size=11.2,
        color=FAINT,
        align="left",
        step=16,
    )
    return c
