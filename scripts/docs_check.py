#!/usr/bin/env python3
"""Checks the documentation: ./scripts/docs.sh --check. Needs the standard library alone.

    python3 scripts/docs_check.py [ROOT]

Links and anchors of all pages, README.md, CONTRIBUTING.md, CHANGELOG.md and those of examples; style; length; the navigation
of mkdocs.yml; figures. Each problem is a line `file:line: what is wrong, what to write instead`. Ends with status 1 if there
is one.
"""

import re
import sys
import urllib.parse
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figure_sources import ROOT, STAMP, digest, figures, inputs  # noqa: E402

LINE, CELL = 140, 80
PAGE_WORDS, ALL_WORDS = 4000, 28000
# What is not written outside of the notebook, and what is instead.
BANNED = {
    "nobody": "say what the hardware does",
    "whoever": "name the subject",
    "what is told": "say what is driven or received",
    "late result": "long-latency result",
    "path in charge": "active path",
    "gives way": "yields",
    "given up": "timed out",
    "called off": "cancelled",
    "by hand": "manually",
}
BANNED_PATTERN = re.compile(
    r"\b(" + "|".join(r"\s+".join(phrase.split()) for phrase in BANNED) + r")s?\b", re.IGNORECASE
)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*\]\((?P<target><[^>]*>|[^()\s]+)(?:\s+\"[^\"]*\")?\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+(?P<target>\S+)", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(?P<title>.*?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<[a-z]+\s[^>]*\b(?:id|name)=\"(?P<name>[^\"]+)\"")
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=indent)(?P=fence)`*[^\n]*$", re.MULTILINE | re.DOTALL
)
LIST_ITEM = re.compile(r"(?P<indent> *)(?:[-*+]|\d+\.)\s")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
GENERATED = re.compile(r"^<!-- (?P<name>[^>]*): begin -->.*?^<!-- (?P=name): end -->", re.MULTILINE | re.DOTALL)


class Page:
    """A Markdown file: its text, and the same without code, in which every line is where it was."""

    def __init__(self, root, path):
        self.path, self.name = path, path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.unfenced = COMMENT.sub(blank, FENCE.sub(blank, self.text))
        self.prose = CODE.sub(blank, self.unfenced)

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1

    def anchors(self):
        """The anchors of its headings, as GitHub makes them, and those that are written in HTML."""
        seen, found = Counter(), set(match["name"] for match in ANCHOR.finditer(self.unfenced))
        for heading in HEADING.finditer(self.unfenced):
            slug = slug_of(heading["title"])
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
        return found

    def words(self):
        """Words of prose and of tables written in the page: no code, nothing between the markers of a script."""
        text = self.unfenced
        for generated in GENERATED.finditer(self.text):
            text = text[: generated.start()] + blank(generated) + text[generated.end() :]
        return sum(1 for word in text.split() if re.search(r"\w", word))

    @property
    def is_notebook(self):
        return self.name.startswith("docs/notebook/")

    @property
    def is_manual_or_design(self):
        return self.name.startswith(("docs/manual/", "docs/design/"))


def blank(match):
    """A text of the same lines and length without a letter."""
    return re.sub(r"[^\n]", " ", match[0])


def slug_of(title):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "").lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def pages(root):
    """Every page that is checked."""
    found = [path for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") for path in root.glob(name)]
    for folder in ("docs", "examples"):
        found += sorted((root / folder).rglob("*.md"))
    return [Page(root, path) for path in found]


def links(page):
    """Targets of links and images, and their lines."""
    for pattern in (LINK, REFERENCE):
        start = 0
        while match := pattern.search(page.prose, start):
            # A figure may be the text of a link: its own target comes first.
            start = match.start() + 1
            yield (
                page.line_of(match.start("target")),
                page.text[match.start("target") : match.end("target")].strip("<>"),
            )


def check_links(root, found):
    by_path = {page.path.resolve(): page for page in found}
    for page in found:
        for line, target in dict.fromkeys(links(page)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            where, _, anchor = urllib.parse.unquote(target).partition("#")
            if where.startswith("/"):
                yield f"{page.name}:{line}: '{target}' is no relative link, write one that begins with ../ or a name"
                continue
            path = (page.path.parent / where).resolve() if where else page.path.resolve()
            if not path.is_relative_to(root.resolve()) or not path.exists():
                yield f"{page.name}:{line}: '{target}' leads nowhere, name a file that exists{near(by_path, root, path)}"
            elif anchor and path in by_path and anchor not in by_path[path].anchors():
                there = ", ".join(sorted(by_path[path].anchors())[:40])
                yield f"{page.name}:{line}: no heading '#{anchor}' in {by_path[path].name}, write one of: {there}"


def near(by_path, root, path):
    """Pages of the same name elsewhere."""
    same = [other for other in by_path if other.name == path.name and other.name != "README.md"]
    return f" (there is {', '.join(other.relative_to(root.resolve()).as_posix() for other in same)})" if same else ""


def check_lists(found):
    """What GitHub shows as a list or a table and MkDocs as text."""
    for page in found:
        before, outer = "", []
        for number, line in enumerate(page.unfenced.split("\n"), 1):
            item = LIST_ITEM.match(line)
            if item:
                indent = len(item["indent"])
                outer = [other for other in outer if other < indent]
                if outer and indent < outer[-1] + 4:
                    yield f"{page.name}:{number}: a list in a list, indent it by {outer[-1] + 4}"
            after_text = before and before[0] not in " |" and not LIST_ITEM.match(before)
            if after_text and ((item and not outer) or line.startswith("|")):
                yield f"{page.name}:{number}: a list or table right after text, write an empty line before it"
            if item:
                outer.append(indent)
            elif line and line[0] != " ":
                outer = []
            before = line


def check_style(found):
    for page in found:
        for number, line in enumerate(page.text.split("\n"), 1):
            if len(line) > LINE:
                yield f"{page.name}:{number}: {len(line)} columns, break the line at {LINE} or shorten it"
        for number, line in enumerate(page.unfenced.split("\n"), 1):
            if line.lstrip().startswith("|"):
                for cell in map(str.strip, re.split(r"(?<!\\)\|", line.strip().strip("|"))):
                    if len(cell) > CELL:
                        yield f"{page.name}:{number}: a cell of {len(cell)} characters, shorten it to {CELL}: '{cell[:40]}…'"
        if page.is_notebook:
            continue
        for phrase in BANNED_PATTERN.finditer(page.prose):
            said = re.sub(r"\s+", " ", phrase[1].lower())
            yield f"{page.name}:{page.line_of(phrase.start())}: '{said}' is not to be written, instead: {BANNED[said]}"


def check_length(found):
    for page in found:
        if page.name.startswith("docs/") and not page.is_notebook and page.words() > PAGE_WORDS:
            yield f"{page.name}:1: {page.words()} words, shorten the page to {PAGE_WORDS} or divide it"
    words = sum(page.words() for page in found if page.is_manual_or_design)
    if words > ALL_WORDS:
        yield f"docs:1: {words} words in manual and design, shorten them to {ALL_WORDS}"


def check_navigation(root, found):
    file = root / "mkdocs.yml"
    if not file.exists():
        return
    text = file.read_text(encoding="utf-8")
    listed = {}
    for match in re.finditer(r"^\s+- (?:[^:\n]+: )?(?P<page>[\w./-]+\.md)\s*$", text, re.MULTILINE):
        listed[match["page"]] = text.count("\n", 0, match.start("page")) + 1
    there = {page.name.removeprefix("docs/") for page in found if page.name.startswith("docs/")} - {"figures/README.md"}
    for name in sorted(listed.keys() - there):
        yield f"mkdocs.yml:{listed[name]}: no page docs/{name}, take it out of the navigation"
    for name in sorted(there - listed.keys()):
        yield f"docs/{name}:1: not in the navigation, add it to `nav` in mkdocs.yml"


def check_figures(root, found):
    folder, sources = root / "docs/figures", figures(root)
    shown = {
        (page.path.parent / urllib.parse.unquote(target)).resolve()
        for page in found
        for _, target in links(page)
        if target.endswith(".svg")
    }
    drawn = {path.stem: path for path in sorted(folder.glob("*.svg"))}
    for name, source in sources.items():
        where, again = source.relative_to(root).as_posix(), f"run: python3 scripts/figures.py {name}"
        if name not in drawn:
            yield f"{where}:1: docs/figures/{name}.svg does not exist, {again}"
            continue
        stamp = STAMP.search(drawn[name].read_text(encoding="utf-8")[:2000])
        files = inputs(root, source)
        names = ", ".join(path.relative_to(root).as_posix() for path in files)
        if (
            not stamp
            or stamp["files"] != names
            or any(not path.exists() for path in files)
            or stamp["hash"] != digest(files)
        ):
            yield f"docs/figures/{name}.svg:1: older than its source {where}, {again}"
    for name, path in drawn.items():
        if name not in sources:
            yield f"docs/figures/{name}.svg:1: no source docs/figures/src/{name}.py or .json, add it or remove the figure"
        if path.resolve() not in shown:
            yield f"docs/figures/{name}.svg:1: no page shows it, write ![what it shows](../figures/{name}.svg) in one"


def check(root):
    """All problems of the documentation below a folder."""
    found = pages(root)
    return [
        *check_links(root, found),
        *check_lists(found),
        *check_style(found),
        *check_length(found),
        *check_navigation(root, found),
        *check_figures(root, found),
    ]


def main(arguments):
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    root = Path(arguments[0]).resolve() if arguments else ROOT
    problems = check(root)
    print("\n".join(problems), end="\n" if problems else "")
    found = [page for page in pages(root) if page.name.startswith("docs/")]
    words = sum(page.words() for page in found if page.is_manual_or_design)
    print(f"{len(found)} pages, {words} words in manual and design, {len(problems)} problems", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
