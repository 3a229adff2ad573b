#!/usr/bin/env python3
"""Tests of scripts/docs_check.py: python3 scripts/docs_check_test.py

Each writes a small documentation into a temporary folder, breaks one thing, and looks for the one problem that must be reported.
"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import docs_check  # noqa: E402
import figure_sources  # noqa: E402

GOOD = {
    "README.md": "# Project\n\nSee [the manual](docs/manual/use.md#first-steps) and its [licence](LICENCE).\n",
    "LICENCE": "free\n",
    "docs/README.md": "# Documentation\n\n[use](manual/use.md), [core](design/core.md)\n",
    "docs/manual/use.md": "# Use\n\n## First steps\n\n[![a box](../figures/box.svg)](../design/core.md)\n",
    "docs/design/core.md": "# Core\n\n[use](../manual/use.md#first-steps), [top](#core), [file](../../LICENCE)\n"
    "[far](https://example.com/x#y)\n",
    "docs/figures/src/box.py": "import shapes\n\n\ndef draw():\n    return shapes.box()\n",
    "docs/figures/src/shapes.py": "def box():\n    pass\n",
    "mkdocs.yml": "nav:\n  - README.md\n  - Manual:\n      - manual/use.md\n  - Design:\n      - Core: design/core.md\n",
}


class DocsCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in GOOD.items():
            self.write(name, text)
        self.stamp("box.py")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def append(self, name, text):
        self.write(name, (self.root / name).read_text(encoding="utf-8") + text)

    def stamp(self, source):
        path = self.root / "docs/figures/src" / source
        self.write(f"docs/figures/{path.stem}.svg", figure_sources.stamp(self.root, path) + "<svg/>\n")

    def reports(self, *starts):
        problems = docs_check.check(self.root)
        self.assertEqual(len(problems), len(starts), problems)
        for problem, start in zip(problems, starts):
            self.assertTrue(problem.startswith(start), problem)

    def test_good_documentation_has_no_problem(self):
        self.reports()

    def test_a_link_to_a_file_that_does_not_exist(self):
        self.append("docs/manual/use.md", "\nsee\n[that](nowhere.md)\n")
        self.reports("docs/manual/use.md:8: 'nowhere.md' leads nowhere")

    def test_a_link_names_the_page_that_moved(self):
        self.append("docs/manual/use.md", "\n[core](core.md)\n")
        self.reports(
            "docs/manual/use.md:7: 'core.md' leads nowhere, name a file that exists (there is docs/design/core.md)"
        )

    def test_links_out_of_the_repository(self):
        self.append("README.md", "\n[out](../other/README.md)\n")
        self.reports("README.md:5: '../other/README.md' leads nowhere")

    def test_links_of_readme_reference_links_and_images_are_checked(self):
        self.append("README.md", "\n[a]\n\n[a]: docs/a.md\n\n![b](docs/b.png)\n")
        self.reports("README.md:9: 'docs/b.png' leads nowhere", "README.md:7: 'docs/a.md' leads nowhere")

    def test_links_of_examples_are_checked(self):
        self.write("examples/soc/README.md", "# Example\n\n[core](../../docs/core.md)\n")
        self.reports("examples/soc/README.md:3: '../../docs/core.md' leads nowhere")

    def test_an_absolute_link(self):
        self.append("docs/manual/use.md", "\n[core](/docs/design/core.md)\n")
        self.reports("docs/manual/use.md:7: '/docs/design/core.md' is no relative link")

    def test_a_missing_anchor_in_another_page_and_in_the_same(self):
        self.append("docs/design/core.md", "\n[a](../manual/use.md#last-steps) [b](#edge)\n")
        self.reports(
            "docs/design/core.md:6: no heading '#last-steps' in docs/manual/use.md, write one of: first-steps, use",
            "docs/design/core.md:6: no heading '#edge' in docs/design/core.md",
        )

    def test_anchors_are_those_of_github(self):
        self.append(
            "docs/design/core.md",
            '\n## `pdom-stack` and *`dual_path`*\n\n## The core\'s [edge](../manual/use.md)\n\n## Twice\n\n## Twice\n\n<a id="own"></a>\n\n'
            "[a](#pdom-stack-and-dual_path) [b](#the-cores-edge) [c](#twice) [d](#twice-1) [e](#own)\n",
        )
        self.reports()

    def test_code_and_comments_have_no_links(self):
        self.append(
            "docs/design/core.md", "\n`[a](b.md)`\n\n```text\n[a](c.md)\n# heading\n```\n\n<!-- [a](d.md) -->\n"
        )
        self.reports()

    def test_a_line_of_141_columns(self):
        self.append("docs/manual/use.md", "\n" + "a" * 140 + "\n\n" + "ü" * 141 + "\n")
        self.reports("docs/manual/use.md:9: 141 columns")

    def test_a_cell_of_81_characters(self):
        self.append("docs/manual/use.md", f"\n| a | b |\n|---|---|\n| {'c' * 80} | d |\n| e | {'f' * 81} |\n")
        self.reports("docs/manual/use.md:10: a cell of 81 characters")

    def test_a_bar_in_a_cell_does_not_divide_it(self):
        self.append("docs/manual/use.md", f"\n| {'c' * 40} \\| {'c' * 40} |\n|---|\n")
        self.reports("docs/manual/use.md:7: a cell of 84 characters")

    def test_a_list_right_after_text(self):
        self.append("docs/manual/use.md", "\n- good\n  more of it\n- good\n\nText:\n- bad\n")
        self.reports("docs/manual/use.md:12: a list or table right after text")

    def test_a_table_right_after_text(self):
        self.append("docs/manual/use.md", "\nText\n| a |\n|---|\n| b |\n")
        self.reports("docs/manual/use.md:8: a list or table right after text")

    def test_a_list_in_a_list(self):
        self.append("docs/manual/use.md", "\n- a\n    - good\n    - good\n- b\n  - bad\n")
        self.reports("docs/manual/use.md:11: a list in a list, indent it by 4")

    def test_a_list_in_an_item_of_several_lines(self):
        self.append("docs/manual/use.md", "\n1. a\n   goes on\n   - bad\n2. b\n    - good\n    - good\n")
        self.reports("docs/manual/use.md:9: a list in a list, indent it by 4")

    def test_a_banned_phrase_also_across_lines_and_in_capitals(self):
        self.append("docs/design/core.md", "\nNobody knows. The path in\ncharge runs.\n")
        self.reports(
            "docs/design/core.md:6: 'nobody' is not to be written",
            "docs/design/core.md:6: 'path in charge' is not to be written, instead: active path",
        )

    def test_phrases_are_banned_in_the_readme(self):
        self.append("README.md", "\nMeasured by hand.\n")
        self.reports("README.md:5: 'by hand' is not to be written, instead: manually")

    def test_the_notebook_and_code_may_have_any_phrase(self):
        self.write("docs/notebook/notes.md", "# Notes\n\nMeasured by hand, late results.\n")
        self.write("mkdocs.yml", GOOD["mkdocs.yml"] + "  - Notebook:\n      - notebook/notes.md\n")
        self.append("docs/design/core.md", "\n`given up` is what the report says.\n\n```\ngiven up\n```\n")
        self.reports()

    def test_a_page_that_is_too_long(self):
        self.append("docs/manual/use.md", "\n" + "word " * 27 + "\n" + ("word " * 20 + "\n") * 198)
        self.reports()
        self.append("docs/manual/use.md", "two more words or three or four or five or six or seven\n" * 2)
        self.reports("docs/manual/use.md:1: 40")

    def test_code_and_generated_tables_are_not_counted(self):
        code = "```\n" + "word " * 20 + "\n```\n"
        self.append(
            "docs/manual/use.md",
            code * 300 + "\n<!-- rows: begin -->\n" + ("| a | b |\n" * 3000) + "<!-- rows: end -->\n",
        )
        self.reports()

    def test_all_pages_that_are_too_long_together(self):
        names = [f"manual/page{number}.md" for number in range(8)]
        for name in names:
            self.write(f"docs/{name}", "# Page\n\n" + ("word " * 20 + "\n") * 180)
        self.write("mkdocs.yml", GOOD["mkdocs.yml"] + "".join(f"  - {name}\n" for name in names))
        self.reports("docs:1: 28")

    def test_a_page_that_is_not_in_the_navigation(self):
        self.write("docs/manual/more.md", "# More\n")
        self.reports("docs/manual/more.md:1: not in the navigation")

    def test_a_page_of_the_navigation_that_does_not_exist(self):
        self.append("mkdocs.yml", "      - design/gone.md\n")
        self.reports("mkdocs.yml:7: no page docs/design/gone.md")

    def test_a_figure_whose_source_has_changed(self):
        self.append("docs/figures/src/box.py", "# changed\n")
        self.reports(
            "docs/figures/box.svg:1: older than its source docs/figures/src/box.py, run: python3 scripts/figures.py box"
        )

    def test_a_figure_whose_imported_module_has_changed(self):
        self.append("docs/figures/src/shapes.py", "# changed\n")
        self.reports("docs/figures/box.svg:1: older than its source")

    def test_a_figure_whose_data_have_changed(self):
        self.write("docs/notebook/measured/rows.csv", "a\n1\n")
        self.append("docs/figures/src/shapes.py", '\nDATA = "docs/notebook/measured/rows.csv"\n')
        self.stamp("box.py")
        self.reports()
        self.append("docs/notebook/measured/rows.csv", "2\n")
        self.reports("docs/figures/box.svg:1: older than its source")

    def test_a_waveform_depends_on_how_waveforms_are_drawn(self):
        self.write("docs/figures/src/waves.py", "import shapes\n\n\ndef waveform(source):\n    pass\n")
        self.write("docs/figures/src/port.json", "{}\n")
        self.append("docs/manual/use.md", "\n![port](../figures/port.svg)\n")
        self.stamp("port.json")
        self.reports()
        self.append("docs/figures/src/waves.py", "# changed\n")
        self.reports("docs/figures/port.svg:1: older than its source docs/figures/src/port.json")

    def test_a_figure_without_a_stamp(self):
        self.write("docs/figures/box.svg", "<svg/>\n")
        self.reports("docs/figures/box.svg:1: older than its source")

    def test_a_source_without_a_figure(self):
        self.write("docs/figures/src/new.py", "def draw():\n    pass\n")
        self.reports("docs/figures/src/new.py:1: docs/figures/new.svg does not exist")

    def test_a_figure_that_no_page_shows(self):
        self.write("docs/figures/src/new.py", "def draw():\n    pass\n")
        self.stamp("new.py")
        self.reports("docs/figures/new.svg:1: no page shows it")

    def test_a_figure_without_a_source(self):
        self.write("docs/figures/old.svg", "<svg/>\n")
        self.append("docs/manual/use.md", "\n![old](../figures/old.svg)\n")
        self.reports("docs/figures/old.svg:1: no source docs/figures/src/old.py or .json")


if __name__ == "__main__":
    unittest.main()
