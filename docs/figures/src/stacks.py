"""What the figures of the two stacks share: the control flow of one `if` with an `else`, and small pictures of it."""

from drawing import FAINT

CODE = [
    ("A", "0x100", "branch", "11111111"),
    ("B", "0x110", "then", "00000111"),
    ("C", "0x130", "else", "11111000"),
    ("D", "0x150", "rpc", "11111111"),
]


def graph(c, x, y):
    """The graph of the four blocks, with pcs and masks."""
    c.text(x + 90, y - 18, "a branch and its reconvergence point", size=11.5, bold=True)
    blocks = {}
    for name, left, top, lines in (
        ("A", x + 45, y, ["0x100: a branch", "all 8 threads"]),
        ("B", x - 14, y + 92, ["0x110, near path", "00000111"]),
        ("C", x + 104, y + 92, ["0x130, far path", "11111000"]),
        ("D", x + 45, y + 184, ["0x150: rpc", "all 8 threads"]),
    ):
        blocks[name] = c.box(
            left,
            top,
            106 if name in "BC" else 90,
            54,
            name,
            lines,
            kind="logic" if name in "AD" else {"B": "active", "C": "plain"}[name],
            small=10.4,
        )
    a, b, far, d = (blocks[name] for name in "ABCD")
    c.arrow(a.bottom(0.25), (a.x + 22.5, y + 73), (b.x + 53, y + 73), b.top())
    c.arrow(a.bottom(0.75), (a.x + 67.5, y + 73), (far.x + 53, y + 73), far.top())
    c.arrow(b.bottom(), (b.x + 53, y + 165), (d.x + 22.5, y + 165), d.top(0.25))
    c.arrow(far.bottom(), (far.x + 53, y + 165), (d.x + 67.5, y + 165), d.top(0.75))
    c.lines(
        x + 90,
        y + 262,
        ["near: the path with the smaller pc", "rpc: the immediate post-dominator"],
        size=10.8,
        color=FAINT,
        step=16,
    )
