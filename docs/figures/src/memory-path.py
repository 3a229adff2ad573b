"""A load or store from the adders of S6 to memory, and the answer back to the registers, with the credits that S3 reserves."""

from drawing import FAINT, Canvas


def draw():
    c = Canvas(930, 520, "The memory path", __doc__)
    s3 = c.box(20, 40, 132, 84, "S3", ["issues only with a", "request entry and,", "for a load, a tag"], kind="logic")
    s6 = c.box(180, 40, 136, 84, "S6", ["address of each", "lane; elects the", "lowest lane: leader"], kind="logic")
    s7 = c.box(
        386, 40, 168, 84, "S7 coalescer", ["lanes in the leader's", "word or line: one", "transaction"], kind="active"
    )
    queue = c.box(606, 40, 140, 84, "request queue", ["8 entries, in order", "", "`request_queue`"], kind="storage")
    c.arrow(s3.right(), s6.left())
    c.arrow(s6.right(), s7.left(), label="addresses", at=(351, 73))
    c.arrow(s7.right(), queue.left(), label="push", at=(580, 73))
    console = c.box(800, 20, 112, 46, "console", ["`console_*`"], kind="outside")
    c.arrow(queue.right(0.2), (772, 56.8), (772, 43), console.left())

    # Behind the ports.
    c.group(386, 176, 528, 146, "one of three kinds of memory (memory.kind)")
    c.arrow((676, 124), (676, 176), label="dmem_req_*, in the order of commits", at=(668, 151), align="right")
    kinds = [
        ("model", ["ports of weft_core:", "your own memory"], "outside"),
        ("bram", ["T banks of block", "RAM in the core"], "storage"),
        ("axi4", ["reads by tag in flight,", "order kept for each line"], "logic"),
    ]
    for position, (name, lines, kind) in enumerate(kinds):
        c.box(402 + position * 170, 206, 156, 62, name, lines, kind=kind, mono=True)
    c.text(650, 296, "loads, LR, SC and AMOs are answered, in any order; stores are not", size=11, color=FAINT)

    # Back.
    gather = c.box(
        386,
        376,
        168,
        84,
        "S9 responses",
        ["a row for each tag;", "tags wait in the order", "in which they came"],
        kind="storage",
    )
    align = c.box(212, 376, 128, 84, "S9 aligner", ["own word or the", "leader's word,", "sign extended"], kind="logic")
    port = c.box(62, 376, 106, 84, "write port", ["S7 first;", "bubble after", "8 cycles"], kind="logic")
    c.arrow((470, 322), (470, 376), label="dmem_rsp_*: line, tag", at=(480, 350), align="left")
    c.arrow(gather.left(), align.right())
    c.arrow(align.left(), port.right())
    registers = c.box(62, 250, 106, 62, "registers", ["of all lanes"], kind="storage")
    c.arrow(port.top(0.3), registers.bottom(0.3), label="rd", at=(104, 336), align="left")
    c.arrow(
        (430, 124),
        (430, 150),
        (206, 150),
        (206, 352),
        (146, 352),
        (146, 376),
        label="results of S7",
        at=(216, 240),
        align="left",
    )
    long = c.box(
        606,
        376,
        168,
        84,
        "long results",
        ["products and quotients,", "an entry reserved in S3", "`long_results`"],
        kind="storage",
    )
    c.arrow(long.bottom(), (690, 486), (276, 486), align.bottom(), label="in turns with the loads", at=(500, 477))
    c.arrow(port.left(), (34, 418), (34, 124), label="tag and entry\nare free again", at=(42, 180), align="left")
    c.text(
        20,
        506,
        "After S3 nothing stalls: an access in S7 always finds its entry of the request queue. S8 returns credits that were not needed.",
        size=11,
        color=FAINT,
        align="left",
    )
    return c
