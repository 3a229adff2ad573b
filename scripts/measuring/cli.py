"""The command line of `scripts/measure`."""

import argparse
import difflib
import fnmatch
import json
import os
import pathlib
import re
import sys

from measuring import against, catalogue, pages, processes, state
from measuring.failure import BadRequest, Failure
from measuring.measurement import SETS, STANDING
from measuring.project import RESULTS, ROOT, Project
from measuring.result import Store
from measuring.runner import Runner, duration
from measuring.weft import Weft

# Without names, `run` uses this much time.
BUDGET = "60m"
UNITS_OF_TIME = {"s": 1, "m": 60, "h": 3600}

EPILOG = """\
A result is one JSON file under docs/notebook/results/. It is stale if the Verilog, the programs or the command that
it was measured with have changed.

examples:
  scripts/measure list                          what there is, and what is missing or stale
  scripts/measure run                           measure what is missing or stale, for at most an hour
  scripts/measure run 'area/rv32i-8x4-*'        the area of some cores
  scripts/measure tables --write                write all tables into README.md and docs/
  scripts/measure COMMAND --help                more on one command

WEFT or --weft names the program `weft`; without either it is built. WEFT_YOSYS, WEFT_NEXTPNR and WEFT_ECPPACK name the
synthesis tools; without them the published versions are installed into .venv.
Exit status: 0 all is well, 1 something failed, is stale or differs, 2 the request is at fault.
"""

EXAMPLES = {
    "list": """\
examples:
  scripts/measure list
  scripts/measure list 'clock/*'
  scripts/measure list --json standing
""",
    "run": """\
NAME is a name, a pattern such as 'area/*', a group such as area, or a set: standing, nightly. Without NAME all that is
missing or stale is measured, most important first, until the budget is used. A result that is fresh is not measured
again without --again. Each result is kept as soon as it is there; after an interruption the same command goes on.

examples:
  scripts/measure run
  scripts/measure run --budget 20m --jobs 2
  scripts/measure run kernels
  scripts/measure run --again clock/rv32im-8x4-sorted-table
  scripts/measure run nightly --budget 8h
""",
    "stale": """\
Exit status 1: a result of the standing set is stale or missing.

examples:
  scripts/measure stale
  scripts/measure stale --json
""",
    "table": """\
examples:
  scripts/measure table kernels
  scripts/measure table cores
""",
    "tables": """\
A table stands between the lines `<!-- NAME: begin -->` and `<!-- NAME: end -->`, in any Markdown page. One that has no
result is left as it is. Rows whose result is stale are marked; --check ignores the marks.

examples:
  scripts/measure tables             print the names, pages and results of all tables
  scripts/measure tables --write
  scripts/measure tables --check     status 1 if a page differs, or if a result of the standing set is missing
""",
    "against": """\
Runs every kernel on every unit again, synthesises cores whose Verilog has changed, and compares with the stored results,
which stay as they are. Exit status 1: a cycle differs, or the LUT4 change by over 2 % in the mean.

examples:
  scripts/measure against
  scripts/measure against --what cycles
  scripts/measure against --what lut4 --cores 'area/rv32i-8x4-*'
""",
}


def parser():
    top = argparse.ArgumentParser(
        prog="scripts/measure", description="Measures cores of Weft, keeps the results and writes the tables of the documentation.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    top.add_argument("--weft", metavar="FILE", help="the program to measure with, instead of building it")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, text):
        added = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=EXAMPLES[name],
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        )
        return added

    listing = command("list", "list measurements with their set, state, cost, date and tables")
    listing.add_argument("names", nargs="*", metavar="NAME", help="a name, pattern, group or set  (all)")
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    run = command("run", "measure and keep the results")
    run.add_argument("names", nargs="*", metavar="NAME", help="a name, pattern, group or set  (what is missing or stale)")
    run.add_argument("--budget", type=time, metavar="TIME", help=f"begin nothing that would end later: 90s, 60m, 8h  ({BUDGET} without NAME)")
    run.add_argument("--jobs", type=count, default=os.cpu_count() or 1, metavar="N", help="how many run at once  (%(default)s, the processors)")
    run.add_argument("--again", action="store_true", help="measure what is fresh, too")
    stale = command("stale", "list what the present hardware and programs make stale, and what is missing")
    stale.add_argument("--json", action="store_true", help="print one JSON array")
    one = command("table", "print one table")
    one.add_argument("name", metavar="NAME", help="a table; `scripts/measure tables` lists them")
    tables = command("tables", "list, write or check the tables in Markdown pages")
    how = tables.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="write all tables that have a result")
    how.add_argument("--check", action="store_true", help="name pages that differ and results that are missing")
    comparison = command("against", "measure again and compare with the stored results")
    comparison.add_argument("--what", choices=["all", "cycles", "lut4"], default="all", help="what is compared  (%(default)s)")
    comparison.add_argument(
        "--cores", default="area/rv32i-8x*-sorted-table", metavar="NAME", help="the areas that are compared  (%(default)s)"
    )
    return top


def time(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time such as 90s, 60m or 8h")
    return float(found[1]) * UNITS_OF_TIME[found[2]]


def count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


class Measuring:
    """What all commands work on. A test has measurements and tables of its own."""

    def __init__(self, root, measurements, tables, say=None):
        self.project = Project(root)
        self.store = Store(self.project.root / RESULTS)
        self.measurements = measurements
        self.known_tables = tables
        self.say = say or (lambda text: print(text, file=sys.stderr, flush=True))

    def chosen(self, names):
        """The measurements that are named, in their order of importance."""
        found = set()
        for name in names:
            matches = {m.name for m in self.measurements if name in (m.set, m.group) or fnmatch.fnmatchcase(m.name, name)}
            if not matches:
                raise BadRequest(self.unknown("measurement", name, [m.name for m in self.measurements] + list(SETS), "list"))
            found |= matches
        return [m for m in self.measurements if m.name in found]

    @staticmethod
    def unknown(what, name, valid, command):
        words = [*valid, *{word.partition("/")[0] for word in valid}]
        nearest = list(dict.fromkeys(difflib.get_close_matches(name, words, n=3, cutoff=0.4)))
        hint = f"; the nearest: {', '.join(nearest)}" if nearest else ""
        return f"no {what} is named '{name}'{hint}. To see all: scripts/measure {command}"

    def states(self, measurements=None):
        return [state.of(measurement, self.store) for measurement in (self.measurements if measurements is None else measurements)]

    def results(self):
        """All results that there are, in the order of the measurements, and the names of those that are stale."""
        found = [entry for entry in self.states() if entry.result]
        return [entry.result for entry in found], {entry.measurement.name for entry in found if entry.state == state.STALE}

    def described(self, entry):
        measurement, result = entry.measurement, entry.result
        return {
            "name": measurement.name, "set": measurement.set, "state": entry.state, "why": entry.why, "seconds": round(entry.seconds),
            "date": result and result.date, "commit": result and result.commit,
            "tables": [table.name for table in self.known_tables if table.has(measurement.name)],
        }

    def print(self, entries, as_json):
        lines = [self.described(entry) for entry in entries]
        if as_json:
            print(json.dumps(lines, indent=1))
            return
        width = max((len(line["name"]) for line in lines), default=0)
        for line in lines:
            why = f"  ({line['why']})" if line["state"] == state.STALE else ""
            print(f"{line['name']:{width}}  {line['set']:8}  {line['state']:7}  {duration(line['seconds']):>6}  {line['date'] or '-':10}  "
                  f"{','.join(line['tables'])}{why}")

    def list(self, names, as_json):
        entries = self.states(self.chosen(names) if names else None)
        self.print(entries, as_json)
        return 0

    def stale(self, as_json):
        entries = [entry for entry in self.states() if entry.state != state.FRESH]
        self.print(entries, as_json)
        if not entries and not as_json:
            print("Everything is fresh.")
        return 1 if any(entry.measurement.set == STANDING for entry in entries) else 0

    def run(self, names, budget, jobs, again):
        entries = self.states(self.chosen(names) if names else None)
        wanted = [entry for entry in entries if again or entry.state != state.FRESH]
        if budget is None and not names:
            budget = time(BUDGET)
        self.say(f"{len(wanted)} of {len(entries)} to measure, some {duration(sum(entry.seconds for entry in wanted))} one after the other")
        runner = Runner(self.store, self.project.commit(), self.say)
        try:
            done, failed, left = runner.run(wanted, jobs, budget)
        except KeyboardInterrupt:
            self.say("Interrupted. What was finished is kept; the same command goes on.")
            return 1
        if left:
            self.say(f"Left, as the budget of {duration(budget)} does not allow them: {', '.join(left)}")
        if failed:
            self.say(f"Failed: {', '.join(failed)}")
        self.say(f"{len(done)} measured, {len(failed)} failed, {len(left)} left. To write the tables: scripts/measure tables --write")
        return 1 if failed else 0

    def table_named(self, name):
        for table in self.known_tables:
            if table.name == name:
                return table
        raise BadRequest(self.unknown("table", name, [table.name for table in self.known_tables], "tables"))

    def table(self, name):
        table = self.table_named(name)
        text = table.text(*self.results())
        if text is None:
            raise Failure(f"the table {name} has no result yet. To measure: scripts/measure run {' '.join(map(repr, table.sources))}")
        print(text)
        return 0

    def slots(self):
        """Of each space for a known table the space and the table."""
        known = {table.name: table for table in self.known_tables}
        return [(slot, known[slot.name]) for slot in pages.slots(self.project.root) if slot.name in known]

    def tables(self):
        found = {}
        for slot, _ in self.slots():
            found.setdefault(slot.name, []).append(str(slot.page.relative_to(self.project.root)))
        for table in self.known_tables:
            print(f"{table.name:14} {', '.join(found.get(table.name, ['in no page']))}: {', '.join(table.sources)}")
        return 0

    def write(self):
        results, stale = self.results()
        for slot, table in self.slots():
            page = slot.page.relative_to(self.project.root)
            text = table.text(results, stale)
            if text is None:
                self.say(f"{page}: {table.name} stays as it is: no result")
            elif text != slot.text:
                pages.write(slot, text)
                self.say(f"{page}: {table.name} written")
        return 0

    def check(self):
        results, stale = self.results()
        present = {result.name for result in results}
        bad = False
        for slot, table in self.slots():
            page = slot.page.relative_to(self.project.root)
            missing = [m for m in self.measurements if table.has(m.name) and m.name not in present]
            for measurement in missing:
                standing = measurement.set == STANDING
                bad = bad or standing
                print(f"{page}: {table.name}: no result {measurement.name}{'' if standing else ' (of the nightly set)'}")
            text = table.text(results, stale)
            if text is not None and not pages.same(slot.text, text):
                bad = True
                print(f"{page}: {table.name} differs from the results. To write it: scripts/measure tables --write")
        return 1 if bad else 0

    def against(self, what, cores):
        def stored(measurements):
            return [(m, result) for m in measurements if (result := self.store.read(m.name))]

        failed = False
        if what != "lut4":
            failed = against.cycles(stored(self.chosen(["kernels"])), self.say) > 0
        if what != "cycles":
            failed = abs(against.lut4(stored(self.chosen([cores])), self.say)) > against.LITTLE or failed
        return 1 if failed else 0


def dispatch(measuring, arguments):
    match arguments.command:
        case "list":
            return measuring.list(arguments.names, arguments.json)
        case "run":
            return measuring.run(arguments.names, arguments.budget, arguments.jobs, arguments.again)
        case "stale":
            return measuring.stale(arguments.json)
        case "table":
            return measuring.table(arguments.name)
        case "tables" if arguments.write:
            return measuring.write()
        case "tables" if arguments.check:
            return measuring.check()
        case "tables":
            return measuring.tables()
        case "against":
            return measuring.against(arguments.what, arguments.cores)


def main(words, root=ROOT, measurements=None, tables=None):
    """Answers the exit status. A test gives a root, measurements and tables of its own."""
    arguments = parser().parse_args(words)
    processes.allow()
    try:
        if measurements is None:
            root = pathlib.Path(root)
            measurements = catalogue.measurements(Weft(Project(root), arguments.weft))
        measuring = Measuring(root, measurements, catalogue.TABLES if tables is None else tables)
        return dispatch(measuring, arguments)
    except BadRequest as request:
        print(f"measure: {request}", file=sys.stderr)
        return 2
    except Failure as failure:
        print(f"measure: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        processes.stop()
        print("measure: interrupted", file=sys.stderr)
        return 1
