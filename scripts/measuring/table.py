"""A table of the documentation, and the results that it is made of."""

import dataclasses
import fnmatch
import textwrap
import typing

MARK = " †"
LEGEND = "† Stale: the hardware, the programs or the command have changed since."


@dataclasses.dataclass(frozen=True)
class Table:
    # As its markers name it.
    name: str
    # Patterns of the names of the results that it shows.
    sources: list
    # The lines of the table, made of what is shown.
    build: typing.Callable[["Shown"], list]
    # What holds of all rows.
    note: str = ""
    # Whether the page has it as long as results are missing; else the page keeps the older table until all are there.
    partial: bool = False

    def has(self, name):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.sources)

    def ready(self, names, results):
        """Whether a page can have it: of the measurements that it shows, by name, all have a result, or enough of them."""
        present = {result.name for result in results if self.has(result.name)}
        return bool(present) and (self.partial or all(name in present for name in names if self.has(name)))

    def text(self, results, stale=()):
        """The table with its date, or None if there is no result that it could show."""
        shown = Shown([result for result in results if self.has(result.name)], set(stale))
        if not shown.results:
            return None
        lines = self.build(shown)
        notes = " ".join(filter(None, [self.note, measured(shown.results), LEGEND if shown.marked else ""]))
        return "\n".join([*lines, "", *textwrap.wrap(notes, 120, break_on_hyphens=False, break_long_words=False)])


class Shown:
    """The results of one table, in the order of the measurements."""

    def __init__(self, results, stale):
        self.results = results
        self.stale = stale
        self.marked = False

    def all(self, group=""):
        """The results of a group, or all."""
        return [result for result in self.results if result.name.startswith(group)]

    def get(self, name):
        return next((result for result in self.results if result.name == name), None)

    def mark(self, *names):
        """What follows the name of a row that shows these results: a mark if one is stale."""
        if self.stale.isdisjoint(names):
            return ""
        self.marked = True
        return MARK


def measured(results):
    """When, at which commit and with which tools results were measured."""
    dates = sorted({result.date for result in results})
    commits = list(dict.fromkeys(result.commit for result in results))
    tools = list(dict.fromkeys(tool for result in results for tool in result.tools.values()))
    when = " to ".join(dict.fromkeys([dates[0], dates[-1]]))
    at = f"commit {commits[0]}" if len(commits) == 1 else f"{len(commits)} commits, {commits[0]} first"
    return f"Measured on {when} at {at}, with {', '.join(tools)}."
