"""The sources of the figures of the documentation, and the stamp by which a figure says what it was made from."""

import ast
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = "docs/figures/src"
STAMP = re.compile(r"<!-- Made by scripts/figures\.py from (?P<files>[^;]*); sha256 (?P<hash>[0-9a-f]{64})\. -->")


def figures(root):
    """The source of each figure by its name: JSON, and the modules in Python that draw one."""
    found = {}
    for path in sorted((root / SOURCES).glob("*")):
        if path.suffix == ".json" or (path.suffix == ".py" and defines_draw(path)):
            found[path.stem] = path
    return found


def defines_draw(path):
    """Whether a module has a function `draw` at its top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return any(isinstance(node, ast.FunctionDef) and node.name == "draw" for node in tree.body)


def inputs(root, source):
    """All that a figure is made from, its source first: the modules next to it that it imports, and its data (`DATA`)."""
    folder, found, data = root / SOURCES, [source], []
    waiting = [folder / "waves.py"] if source.suffix == ".json" else [source]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            near = [folder / f"{name}.py" for name in names]
            waiting += [other for other in near if other.exists() and other not in found and other not in waiting]
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and re.fullmatch(r"docs/[\w./-]+\.csv", node.value)
            ):
                data.append(root / node.value)
    return found + sorted(set(data))


def stamp(root, source):
    """The first line of a figure."""
    files = inputs(root, source)
    names = ", ".join(path.relative_to(root).as_posix() for path in files)
    return f"<!-- Made by scripts/figures.py from {names}; sha256 {digest(files)}. -->\n"


def digest(files):
    """A hash of the contents of files."""
    found = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        found.update(f"{path.name} {len(content)}\n".encode() + content)
    return found.hexdigest()
