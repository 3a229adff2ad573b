"""What the commands of `scripts/measure` do."""

import difflib
import fnmatch
import json
import sys

from measuring import against, pages, state
from measuring.failure import BadRequest, Failure
from measuring.measurement import SETS, STANDING
from measuring.project import RESULTS, Project
from measuring.result import Store
from measuring.runner import Runner, duration

# The seconds that `run` uses without names.
BUDGET = 3600
# Most results that one line names.
FEW = 4


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
            budget = BUDGET
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
            print(f"{table.name:14} {', '.join(found.get(table.name, ['in no page']))}: {some(table.sources)}")
        return 0

    def write(self):
        results, stale = self.results()
        names = [measurement.name for measurement in self.measurements]
        for slot, table in self.slots():
            page = slot.page.relative_to(self.project.root)
            if not table.ready(names, results):
                self.say(f"{page}: {table.name} stays as it is: results are missing")
            elif (text := table.text(results, stale)) != slot.text:
                pages.write(slot, text)
                self.say(f"{page}: {table.name} written")
        return 0

    def check(self):
        results, stale = self.results()
        present = {result.name for result in results}
        names = [measurement.name for measurement in self.measurements]
        bad = False
        for slot, table in self.slots():
            page = slot.page.relative_to(self.project.root)
            missing = [m for m in self.measurements if table.has(m.name) and m.name not in present]
            if missing:
                standing = any(measurement.set == STANDING for measurement in missing)
                bad = bad or standing
                which = "" if standing else " (of the nightly set)"
                print(f"{page}: {table.name}: no result {some([measurement.name for measurement in missing])}{which}")
            if table.ready(names, results) and not pages.same(slot.text, table.text(results, stale)):
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


def some(names):
    """The first of several names."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")
