"""Waveforms from WaveJSON: the signals of a handshake over a few cycles, with the cycles marked in which something moves.

Of WaveJSON: `signal` (`name`, `wave`, `data`; a text alone is the head of a group), with `0`, `1`, `.`, `x`, `=` and `3` (a
value that moves in this cycle). Besides: `title`, `description`, `marks` (a `cycle`, `from` and `to`, the first and the last
signal, and a `text`, which stands under the waves), and `clock` (`false`: none is drawn).
"""

from drawing import FAINT, INK, KINDS, Canvas

CYCLE, ROW, HIGH, SLOPE, TOP = 58, 31, 19, 3, 46
BADGE = 8


def waveform(source):
    signals = [] if source.get("clock") is False else [{"name": "clk", "wave": None}]
    signals += [{"group": entry} if isinstance(entry, str) else entry for entry in source["signal"]]
    cycles = max(len(signal.get("wave") or "") for signal in signals)
    left, marks = 222, source.get("marks", [])
    low = TOP + len(signals) * ROW
    c = Canvas(left + cycles * CYCLE + 20, low + 18 + 22 * len(marks) + 10, source["title"], source["description"])

    rows = [signal.get("name") for signal in signals]
    for number, mark in enumerate(marks, 1):
        first, last = rows.index(mark["from"]), rows.index(mark["to"])
        x, top = left + mark["cycle"] * CYCLE, TOP + first * ROW - 3
        fill, border = KINDS["active"]
        c.rectangle(
            x, top, CYCLE * mark.get("cycles", 1), (last - first + 1) * ROW - 2, fill, "none", radius=3, layer=0
        )
        c.circle(x + CYCLE * mark.get("cycles", 1) / 2, top - 4, BADGE, kind="active", text=str(number), size=10)
        y = low + 22 + 22 * (number - 1)
        c.circle(28, y, BADGE, kind="active", text=str(number), size=10)
        c.text(46, y, mark["text"], size=11.4, align="left", fits=c.width - 56)

    for cycle in range(cycles + 1):
        x = left + cycle * CYCLE
        c.line((x, TOP - 6), (x, low - 6), color="#d5d9e0", width=0.8, layer=0)
        if cycle < cycles:
            c.text(x + CYCLE / 2, 22, str(cycle), size=10.5, color=FAINT)
    c.text(left - 14, 22, "cycle", size=10.5, color=FAINT, align="right")

    for position, signal in enumerate(signals):
        base = TOP + position * ROW + ROW - 9
        if "group" in signal:
            c.text(14, base - HIGH / 2 + 2, signal["group"], size=11.4, bold=True, align="left", fits=left + 240)
            continue
        name = signal["name"]
        c.text(left - 14, base - HIGH / 2, name, size=11.2, mono=True, align="right", fits=left - 20)
        if signal["wave"] is None:
            clock(c, left, base, cycles)
        else:
            wave(c, left, base, signal["wave"], list(signal.get("data", [])))
    return c


def clock(c, left, base, cycles):
    points = []
    for cycle in range(cycles):
        x = left + cycle * CYCLE
        points += [(x, base), (x, base - HIGH), (x + CYCLE / 2, base - HIGH), (x + CYCLE / 2, base)]
    c.line(*points, (left + cycles * CYCLE, base), color=FAINT, width=1.3)


def spans(text):
    """Letter, first cycle and number of cycles of each span of a wave."""
    found = []
    for cycle, letter in enumerate(text):
        if letter == ".":
            found[-1][2] += 1
        else:
            found.append([letter, cycle, 1])
    return found


def wave(c, left, base, text, data):
    level = None
    for letter, cycle, length in spans(text):
        x, end = left + cycle * CYCLE, left + (cycle + length) * CYCLE
        if letter in "01":
            y = base if letter == "0" else base - HIGH
            start = [(x, level), (x + SLOPE, y)] if level is not None and level != y else [(x, y)]
            c.line(*start, (end, y), color=INK, width=1.7)
            level = y
        else:
            fill, border = {"x": ("#e9ebee", "#9aa1ac"), "=": KINDS["logic"], "3": KINDS["active"]}[letter]
            middle = base - HIGH / 2
            c.polygon(
                [
                    (x, middle),
                    (x + SLOPE, base - HIGH),
                    (end - SLOPE, base - HIGH),
                    (end, middle),
                    (end - SLOPE, base),
                    (x + SLOPE, base),
                ],
                fill,
                border,
                line=1.2,
                layer=2,
            )
            if letter != "x":
                value = data.pop(0)
                c.text((x + end) / 2, middle, value, size=10.2, fits=end - x - 4)
            level = None
