#!/usr/bin/env python3
"""Searches a small model of the time slices for livelocks: a thread that can run and never commits.

    scripts/models/time_slices.py [--unit U] [--rule R] [--threads T] [--pcs P] [--fair-after "F ..."] [--slice S]

    --unit        sorted-table or arbiter                                               (sorted-table)
    --rule        present: a slice ends after any commit, and the priority decides between the parts of an instruction
                  memory: the parts of a memory instruction follow each other: the rest merges with no others
                  whole: those of a jalr do, too                                        (whole)
    --threads     of the warp                                                           (2)
    --pcs         instructions of the program: every program of so many is tried        (2)
    --fair-after  commits after which a path yields                                     (1 2 3)
    --slice       commits of each path in the round that then begins, at most F         (64)

The model is one warp whose threads have a pc each. An instruction is a branch, a memory access, a jump, or a jalr; the last
is a jump or a jalr. Which threads take a branch, which are served with the leader, where a jalr leads and what the sorter
does is free, and so is whether a path asks to yield after a branch or jump, so the search covers all data and all timing. All states are visited; a cycle of states in which the victim
never commits is a livelock. Without one, the bound is the most commits of the warp between two of the victim.
Exits with status 1 if a program livelocks.
"""

import argparse
import itertools
import sys
from collections import namedtuple

# The threads of `mask` at `pc`.
Path = namedtuple("Path", "pc mask")
# The instructions whose parts follow each other.
RULES = {"present": (), "memory": ("memory",), "whole": ("memory", "jalr")}


def subsets(mask):
    part = mask
    while True:
        yield part
        if part == 0:
            return
        part = (part - 1) & mask


class Unit:
    """A program, and what both units share: the outcome of an instruction."""

    def __init__(self, rule, threads, fair_after, slice_, program):
        self.whole = RULES[rule]
        self.all, self.fair_after, self.slice, self.program = (1 << threads) - 1, fair_after, slice_, program

    def outcomes(self, path):
        """(a, b, threads that commit, whether b comes next whatever the priority, whether the path asks to yield)."""
        pc, mask, kind = path.pc, path.mask, self.program[path.pc]
        leader = 1 << mask.bit_length() - 1
        targets = range(len(self.program))
        if kind == "jump":
            for target, asks in itertools.product(targets, (False, True)):
                yield Path(target, mask), None, mask, False, asks
        elif kind == "branch":
            for taken, target in itertools.product(subsets(mask), targets):
                sides = Path(target, taken), Path(pc + 1, mask & ~taken)
                for asks in (False, True):
                    yield *(side if side.mask else None for side in sides), mask, False, asks
        else:
            for others in subsets(mask & ~leader):
                served = others | leader
                rest = mask & ~served
                b = Path(pc, rest) if rest else None
                for target in [pc + 1] if kind == "memory" else targets:
                    yield Path(target, served), b, served, kind in self.whole and rest != 0, False


class SortedTable(Unit):
    """x, y, the cold paths, commits of the slice, threads that yielded first in this round, whether x yields next."""

    def start(self):
        return Path(0, self.all), None, (), 0, 0, False

    def steps(self, state):
        x, y, cold, count, hold, yields = state
        if yields:
            yield self.rotated(state), 0
            return
        if not hold and y:
            yield from ((sorted_, 0) for sorted_ in self.sorter(state))
        for a, b, committed, parts_remain, asks in self.outcomes(x):
            yield self.resolved(state, a, b, parts_remain, asks), committed

    def sorter(self, state):
        x, y, cold, *rest = state
        for i, path in enumerate(cold):
            others = cold[:i] + cold[i + 1 :]
            if path.pc < y.pc:
                yield x, path, cold[:i] + (y,) + cold[i + 1 :], *rest
            elif path.pc == y.pc:
                yield x, y._replace(mask=y.mask | path.mask), others, *rest
            if i and path.pc == cold[0].pc:
                yield x, y, cold[1:i] + (path._replace(mask=path.mask | cold[0].mask),) + cold[i + 1 :], *rest

    def resolved(self, state, a, b, parts_remain, asks):
        _, y, cold, count, hold, _ = state
        if not y and not b:
            return a, None, cold, count, hold, False
        limit = self.slice if hold else self.fair_after
        count = min(count + 1, limit)
        ends = count >= limit or asks
        due = ends and not parts_remain
        paths = []
        of_y = parts_remain, ends or hold != 0
        for path, waits in (a, (parts_remain, False)), (b, (False, False)), (y, of_y):
            if path:
                for i, (key, other) in enumerate(paths):
                    if path.pc == other.pc and not (parts_remain and b in (path, other)):
                        paths[i] = key, other._replace(mask=other.mask | path.mask)
                        break
                else:
                    paths.append(((*waits, path.pc), path))
        first, second, third = ([path for _, path in sorted(paths, key=lambda pair: pair[0])] + [None] * 2)[:3]
        if third:
            cold = third, *cold
        if not second and cold:
            second, cold = cold[0], cold[1:]
        if hold & first.mask:
            hold = 0
        if not second:
            count = hold = 0
        ran = (a.mask if a else 0) | (b.mask if b else 0)
        return first, second, cold, count, hold, bool(second and due and first.mask & ran)

    @staticmethod
    def rotated(state):
        x, y, cold, _, hold, _ = state
        if hold & y.mask:
            return x, y, cold, 0, 0, False
        cold = *cold, x
        return y, cold[0], cold[1:], 0, hold or x.mask, False


class Arbiter(Unit):
    """The pc of each thread, the threads of the active path, commits of the slice, threads that had one, held threads."""

    def start(self):
        return (0,) * self.all.bit_length(), self.all, 0, 0, 0

    def steps(self, state):
        threads, active, count, taken, held = state
        for a, b, committed, parts_remain, asks in self.outcomes(Path(threads[active.bit_length() - 1], active)):
            moved = list(threads)
            for path in filter(None, (a, b)):
                for thread in range(len(threads)):
                    if path.mask >> thread & 1:
                        moved[thread] = path.pc
            yield self.chosen(tuple(moved), state, b, committed, parts_remain, asks), committed

    def chosen(self, threads, state, b, committed, parts_remain, asks):
        _, active, count, taken, held = state
        limit = self.slice if held else self.fair_after
        count = min(count + 1, limit)
        due = (count >= limit or asks) and not parts_remain
        if due:
            taken |= committed if self.whole else active
        preferred = self.all & ~taken if due else held
        if due and not preferred:
            taken = 0
        paths = {}
        for thread, pc in enumerate(threads):
            paths[pc] = paths.get(pc, 0) | 1 << thread
        candidates = (paths[pc] & (preferred or self.all) for pc in sorted(paths))
        chosen = b.mask if parts_remain else next(filter(None, candidates))
        if chosen == self.all:
            return threads, chosen, 0, 0, 0
        return threads, chosen, 0 if due else count, taken, chosen if preferred else 0


def search(unit, victim):
    """(a livelock as a list of states, or None; else the most commits of the warp between two of the victim)."""
    edges, todo = {}, [unit.start()]
    while todo:
        state = todo.pop()
        if state not in edges:
            edges[state] = list(dict.fromkeys(unit.steps(state)))
            todo += [after for after, _ in edges[state]]
    without = {state: [(n, bool(c)) for n, c in steps if not c >> victim & 1] for state, steps in edges.items()}
    longest, on_way = {}, {}
    for begin in edges:
        way = [(begin, iter(without[begin]))] if begin not in longest else []
        on_way[begin] = None
        while way:
            state, rest = way[-1]
            for after, _ in rest:
                if after in longest:
                    continue
                if after in on_way:
                    states = [state for state, _ in way]
                    return states[states.index(after) :], None
                on_way[after] = None
                way.append((after, iter(without[after])))
                break
            else:
                longest[state] = max((longest[after] + commits for after, commits in without[state]), default=0)
                del on_way[state]
                way.pop()
        on_way.clear()
    return None, max(longest.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unit", choices=["sorted-table", "arbiter"], default="sorted-table")
    parser.add_argument("--rule", choices=RULES, default="whole")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pcs", type=int, default=2)
    parser.add_argument("--slice", type=int, default=64)
    parser.add_argument("--fair-after", type=lambda text: [int(word) for word in text.split()], default=[1, 2, 3])
    given = parser.parse_args()
    kind = {"sorted-table": SortedTable, "arbiter": Arbiter}[given.unit]
    before = itertools.product(("memory", "jalr", "branch"), repeat=given.pcs - 1)
    programs = [(*first, last) for first, last in itertools.product(before, ("jalr", "jump"))]
    livelocks = 0
    for fair_after in given.fair_after:
        found, bound, shown = 0, 0, None
        for program in programs:
            for victim in range(given.threads):
                slice_ = min(given.slice, fair_after)
                cycle, commits = search(kind(given.rule, given.threads, fair_after, slice_, program), victim)
                found += cycle is not None
                bound = max(bound, commits or 0)
                shown = shown or cycle and (program, victim, cycle)
        told = f"at most {bound} commits between two of a thread" if not found else f"{found} livelocks"
        print(f"{given.unit}, {given.rule}, {given.threads} threads, fair_after {fair_after}: {told}", flush=True)
        if shown:
            program, victim, cycle = shown
            print(f"    program {', '.join(program)}; thread {victim} never commits in this cycle of {len(cycle)} states:")
            for state in cycle[:6]:
                print(f"        {state}")
        livelocks += found
    sys.exit(1 if livelocks else 0)


if __name__ == "__main__":
    main()
