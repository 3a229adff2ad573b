"""Tables in pages: markers, writing, checking, marks of stale rows."""

import unittest

from measuring.fake import Counter, Folder
from measuring.markdown import table
from measuring.measurement import NIGHTLY
from measuring.table import Table

PAGE = """\
# A page

<!-- values: begin -->
an old table
<!-- values: end -->

<!-- of-others: begin -->
stays
<!-- of-others: end -->
"""


def rows(shown):
    return table(["name", "value"], [[result.name + shown.mark(result.name), result.values["value"]] for result in shown.all()])


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)
        self.page = self.folder.page("docs/deep/page.md", PAGE)
        self.counters = [Counter("a/one"), Counter("a/two")]
        self.tables = [Table("values", ["a/*"], rows, "Of counters.")]

    def measure(self, *words):
        return self.folder.measure(*words, measurements=[c.measurement for c in self.counters], tables=self.tables)

    def text(self):
        return self.page.read_text(encoding="utf-8")

    def test_a_table_without_results_stays_and_is_named(self):
        status, _, errors = self.measure("tables", "--write")
        self.assertEqual((status, self.text()), (0, PAGE))
        self.assertIn("docs/deep/page.md: values stays as it is: results are missing", errors)
        status, output, _ = self.measure("tables", "--check")
        self.assertEqual(status, 1)
        self.assertIn("docs/deep/page.md: values: no result a/one, a/two\n", output)

    def test_a_written_table_passes_the_check(self):
        self.measure("run", "a")
        self.assertEqual(self.measure("tables", "--check")[0], 1)
        self.assertEqual(self.measure("tables", "--write")[0], 0)
        self.assertIn("| a/one |     1 |", self.text())
        self.assertIn("Of counters. Measured on ", self.text())
        self.assertIn("with Yosys 9.99.\n<!-- values: end -->\n\n<!-- of-others: begin -->\nstays\n", self.text())
        status, output, _ = self.measure("tables", "--check")
        self.assertEqual((status, output), (0, ""))

    def test_an_empty_space_is_filled_and_the_rest_of_the_page_stays(self):
        self.page.write_text(PAGE.replace("an old table\n", ""), encoding="utf-8")
        self.measure("run", "a")
        self.measure("tables", "--write")
        self.assertIn("| a/two |     1 |", self.text())
        self.assertTrue(self.text().endswith("\n<!-- values: end -->\n" + PAGE.partition("<!-- values: end -->\n")[2]), self.text())

    def test_a_changed_number_fails_the_check(self):
        self.measure("run", "a")
        self.measure("tables", "--write")
        self.page.write_text(self.text().replace("|     1 |", "|     7 |", 1), encoding="utf-8")
        status, output, _ = self.measure("tables", "--check")
        self.assertEqual(status, 1)
        self.assertIn("docs/deep/page.md: values differs from the results", output)

    def test_stale_rows_are_marked_and_the_check_ignores_the_marks(self):
        self.measure("run", "a")
        self.measure("tables", "--write")
        self.counters[0].digest = "new"
        self.assertEqual(self.measure("tables", "--check")[0], 0)
        self.measure("tables", "--write")
        self.assertIn("| a/one † |", self.text())
        self.assertIn("| a/two   |", self.text())
        self.assertIn("† Stale", self.text().replace("\n", " "))
        self.assertEqual(self.measure("tables", "--check")[0], 0)

    def test_an_older_table_stays_until_all_results_are_there(self):
        self.measure("run", "a")
        self.counters.append(Counter("a/night", NIGHTLY))
        self.measure("tables", "--write")
        self.assertEqual(self.text(), PAGE)
        status, output, _ = self.measure("tables", "--check")
        self.assertEqual((status, output), (0, "docs/deep/page.md: values: no result a/night (of the nightly set)\n"))

    def test_a_table_of_parts_is_written_with_what_there_is(self):
        self.tables = [Table("values", ["a/*"], rows, partial=True)]
        self.measure("run", "a/one")
        self.measure("tables", "--write")
        self.assertIn("| a/one |     1 |", self.text())
        self.assertNotIn("a/two", self.text())

    def test_a_missing_end_marker_is_a_failure(self):
        self.page.write_text("<!-- values: begin -->\nand no end\n", encoding="utf-8")
        status, _, errors = self.measure("tables", "--write")
        self.assertEqual(status, 1)
        self.assertIn("the table values has no end marker", errors)

    def test_one_table_is_printed(self):
        self.assertEqual(self.measure("table", "values")[0], 1)
        self.measure("run", "a/two")
        status, output, _ = self.measure("table", "values")
        self.assertEqual(status, 0)
        self.assertTrue(output.startswith("| name  | value |\n|-------|------:|\n| a/two |     1 |\n"), output)
        self.assertIn("docs/deep/page.md", self.measure("tables")[1])
