"""An ordinary RV32 program runs on W warps of T threads; a warp issues one instruction on T lanes under the mask of its active path."""

from drawing import FAINT, KINDS, Canvas


def draw():
    c = Canvas(930, 430, "Weft in one figure", __doc__)
    program = c.box(
        20,
        54,
        150,
        92,
        "program.elf",
        ["ordinary C, a stock", "RV32 compiler;", "every thread runs main"],
        kind="outside",
    )
    c.text(95, 30, "unmodified binary", size=11, color=FAINT)

    # The core.
    c.rectangle(206, 16, 500, 330, "#fbfcfe", "#3457a6", line=1.6, radius=10, layer=0)
    c.text(222, 34, "weft_core: synthesizable Verilog", size=12.5, bold=True, align="left")
    c.text(222, 72, "W warps", size=12, bold=True, align="left")
    for warp in range(4):
        y = 86 + warp * 34
        fill, border = KINDS["active" if warp == 1 else "storage"]
        c.rectangle(222, y, 132, 26, fill, border, line=1.1)
        c.text(232, y + 13, f"warp {warp}" if warp < 3 else "…", size=10.8, align="left")
        for thread in range(8):
            x = 276 + thread * 9.2
            active = warp != 1 or thread in (0, 1, 4)
            c.line((x, y + 6), (x, y + 20), color=border if active else "#d9c9a0", width=2.6)
    c.text(222, 238, "T threads each, own registers", size=10.8, color=FAINT, align="left")
    c.arrow(program.right(), (206, 100))

    stages = c.box(402, 96, 106, 52, "pipeline", ["ten stages"], kind="logic")
    c.arrow((354, 122), stages.left())
    c.text(378, 112, "issue", size=10.6, halo=True)
    c.text(623, 72, "T lanes", size=12, bold=True)
    mask = (1, 1, 0, 0, 1, 0, 0, 0)
    for lane in range(8):
        fill, border = KINDS["active"] if mask[lane] else ("#fafafa", "#c9ccd2")
        c.rectangle(552 + lane * 18, 90, 14, 64, fill, border, line=1.1, radius=3)
    c.arrow(stages.right(), (552, 122))
    c.text(623, 170, "mask of the path: 00010011", size=10.6)

    c.box(
        402,
        220,
        288,
        62,
        "divergence unit",
        ["keeps the paths of a warp: pc and mask;", "decides which path runs next"],
        kind="active",
    )
    c.arrow((430, 220), (430, 148), label="active path", at=(438, 196), align="left")
    c.arrow((650, 182), (650, 220), label="outcome", at=(642, 202), align="right")
    c.text(222, 270, "plug-ins:", size=12, bold=True, align="left")
    c.text(222, 288, "the same ports for every unit", size=10.8, color=FAINT, align="left")
    for position, name in enumerate(("sorted-table", "arbiter", "pdom-stack", "dual-path", "your Verilog")):
        kind = "active" if position == 0 else "plain"
        c.box(222 + position * 95, 306, 88, 28, "", [name], kind=kind, small=10.6, dashed=position == 4)

    # Around it.
    c.box(752, 54, 158, 92, "memory", ["one line-wide port,", "AXI4, or block RAM", "in the core"], kind="outside")
    c.arrow((696, 122), (752, 122), both=True)
    model = c.box(
        752, 220, 158, 76, "golden model", ["checks every commit", "of the Verilog in", "lock step"], kind="storage"
    )
    c.arrow((706, 258), model.left(), both=True)
    tools = [
        ("weft cosim", "lock step"),
        ("weft synth", "area, frequency"),
        ("weft compare", "units side by side"),
        ("weft fuzz", "random programs"),
        ("weft run", "cycles without hardware"),
    ]
    for position, (command, what) in enumerate(tools):
        c.box(20 + position * 179, 372, 174, 44, "", [f"`{command}`", what], kind="plain", small=10.8)
    return c
