"""The command line of `scripts/measure`."""

import argparse
import os
import pathlib
import re
import sys

from measuring import catalogue, processes
from measuring.commands import BUDGET, Measuring
from measuring.failure import BadRequest, Failure
from measuring.project import ROOT, Project
from measuring.runner import duration
from measuring.weft import Weft

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
    run.add_argument(
        "--budget", type=time, metavar="TIME", help=f"begin nothing that would end later: 90s, 8h  ({duration(BUDGET)} without NAME)"
    )
    run.add_argument("--jobs", type=count, default=os.cpu_count() or 1, metavar="N", help="how many run at once  (the processors)")
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
    weft = Weft(Project(pathlib.Path(root)), arguments.weft)
    try:
        if measurements is None:
            measurements = catalogue.measurements(weft)
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
    finally:
        weft.close()
