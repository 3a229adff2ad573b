"""The emitted Verilog and the golden model run the same program; a checker compares every event and stops at the first difference."""

from drawing import ACCENT, FAINT, Canvas

COMPARED = [
    ("commit", "pc, mask, registers written, memory access"),
    ("context", "active path after S8: pc, depth, mask, parked"),
    ("rotation, exchange", "only where the rules of the unit allow it"),
    ("long-latency result", "of loads, AMOs, products, quotients: all lanes"),
    ("request, console", "once each, in the order of commits"),
    ("release, fault", "barrier release, cause, pc, warp and lane"),
    ("end", "both memories are equal"),
]


def draw():
    c = Canvas(930, 440, "Lock step", __doc__)
    program = c.box(20, 186, 118, 62, "program.elf", ["ordinary RV32"], kind="outside")
    c.group(190, 20, 234, 190, "Verilator")
    rtl = c.box(206, 48, 202, 66, "weft_core", ["the emitted Verilog,", "with its trace port"], kind="logic", mono=True)
    c.box(206, 150, 202, 46, "memory of the test bench", ["latency, refusals"], kind="outside", size=11.5)
    c.arrow((280, 114), (280, 150), both=True)
    c.text(287, 132, "imem_*, dmem_*, console_*", size=9.8, align="left")
    model = c.box(
        206,
        262,
        202,
        76,
        "golden model",
        ["written from the specification,", "shares no code with", "the hardware"],
        kind="storage",
        small=10.8,
    )
    c.arrow(program.top(), (79, 80), (206, 80))
    c.arrow(program.bottom(), (79, 300), (206, 300))
    c.group(486, 20, 428, 318, "checker: compares, event by event")
    c.table(
        502,
        54,
        [124, 272],
        COMPARED,
        kind="plain",
        height=32,
        size=10.9,
        mono=False,
    )
    c.arrow(rtl.right(), (486, 81), label="trace_*", at=(455, 72))
    c.arrow((408, 173), (486, 173), label="requests", at=(455, 164))
    c.arrow(model.right(0.3), (486, 284.8), label="expected", at=(447, 276))
    c.arrow((486, 318), (408, 318), label="step", at=(447, 309))
    c.lines(
        700,
        298,
        ["copied, not compared: mcycle and minstret,", "which are checked to be monotone"],
        size=10.8,
        color=FAINT,
        step=15,
    )
    good = c.box(502, 376, 186, 48, "passed", ["no difference to the end"], kind="storage", size=12)
    bad = c.box(712, 376, 186, 48, "mismatch", ["the first one stops the run"], kind="alarm", size=12)
    c.arrow((595, 338), good.top())
    c.arrow((805, 338), bad.top(), color=ACCENT)
    c.lines(
        20,
        376,
        [
            "The hardware leads, the model follows: for each commit of",
            "the hardware the model executes one instruction of that path.",
        ],
        size=11,
        color=FAINT,
        align="left",
        step=16,
    )
    return c
