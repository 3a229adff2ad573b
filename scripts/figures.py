#!/usr/bin/env python3
"""Makes the figures of the documentation: docs/figures/NAME.svg from docs/figures/src/NAME.py or NAME.json.

    python3 scripts/figures.py [NAME ...]      all figures without a NAME

A source in Python has a function `draw`, whose result has a method `svg`; one in JSON is a waveform (docs/figures/src/waves.py).
Each figure names its sources and a hash of them in a comment, by which scripts/docs_check.py knows whether it is up to date.
Ends with status 1, and the names of the sources, if some do not build.
"""

import importlib.util
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figure_sources import ROOT, figures, stamp  # noqa: E402


def module(path):
    """The module in a file, which need not have a name that Python can import."""
    specification = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    found = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(found)
    return found


def drawn(source):
    """The text of the SVG of a source."""
    if source.suffix == ".json":
        return module(source.parent / "waves.py").waveform(json.loads(source.read_text(encoding="utf-8"))).svg()
    return module(source).draw().svg()


def main(names):
    sources = figures(ROOT)
    unknown = [name for name in names if name not in sources]
    if unknown:
        print(f"figures.py: no figure '{unknown[0]}'; there are: {', '.join(sources)}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT / "docs/figures/src"))
    sys.dont_write_bytecode = True
    failed = False
    for name in names or sources:
        source = sources[name]
        try:
            text = drawn(source)
        except Exception as problem:  # whatever a source does wrong is reported with its name
            print(f"{source.relative_to(ROOT)}: does not build: {type(problem).__name__}: {problem}", file=sys.stderr)
            failed = True
            continue
        (ROOT / "docs/figures" / f"{name}.svg").write_text(stamp(ROOT, source) + text, encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
