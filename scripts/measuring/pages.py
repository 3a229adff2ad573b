"""Tables in Markdown pages: between the markers `<!-- NAME: begin -->` and `<!-- NAME: end -->`, in whatever page they are."""

import dataclasses
import os
import pathlib
import re

from measuring.failure import Failure
from measuring.table import LEGEND, MARK

BEGIN = re.compile(r"^<!-- ([\w-]+): begin -->$", re.MULTILINE)
SKIPPED = {"target", "out", "node_modules"}


@dataclasses.dataclass(frozen=True)
class Slot:
    """The space for one table in a page."""

    page: pathlib.Path
    name: str
    text: str


def slots(root):
    """All spaces for tables below a folder."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".md"):
                yield from slots_of(pathlib.Path(folder, name))


def slots_of(page):
    text = page.read_text(encoding="utf-8")
    for begin in BEGIN.finditer(text):
        end = text.find(f"\n<!-- {begin[1]}: end -->", begin.end())
        if end < 0:
            raise Failure(f"{page}: the table {begin[1]} has no end marker")
        yield Slot(page, begin[1], text[begin.end() + 1 : end])


def write(slot, table):
    """Replaces the table in a page."""
    text = slot.page.read_text(encoding="utf-8")
    begin = text.index(f"<!-- {slot.name}: begin -->\n") + len(f"<!-- {slot.name}: begin -->\n")
    end = text.index(f"<!-- {slot.name}: end -->", begin)
    slot.page.write_text(f"{text[:begin]}{table}\n{text[end:]}", encoding="utf-8")


def same(text, table):
    """Whether two texts of a table differ in nothing but marks of stale rows and white space."""
    return bare(text) == bare(table)


def bare(text):
    text = " ".join(text.split()).replace(LEGEND, "").replace(MARK, "")
    return re.sub(r"-{2,}", "--", re.sub(r"\s+", " ", text)).strip()
