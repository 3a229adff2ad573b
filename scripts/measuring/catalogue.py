"""The one list of measurements, most important first, and the one list of tables."""

from measuring import (
    accuracy, area, boards, caches, clock, coalescers, comparison, dividers, formation, grids, interleaving, kernels, locks, mutants, named, options,
    papers, paths, scoreboard, speed, stacks, yardstick,
)

STANDING = (kernels.measurements, paths.measurements, clock.measurements, area.measurements)
NIGHTLY = (
    grids.measurements, caches.measurements, coalescers.measurements, dividers.measurements, interleaving.measurements, locks.measurements, boards.measurements, scoreboard.measurements, area.wide, accuracy.measurements, stacks.measurements,
    options.measurements, yardstick.measurements, speed.measurements, clock.wide, comparison.measurements, papers.measurements, formation.measurements, mutants.measurements,
)
TABLES = [
    table
    for kind in (named, kernels, area, paths, clock, comparison, speed, grids, caches, coalescers, dividers, interleaving, locks, scoreboard, stacks, options, accuracy, boards, papers, formation, mutants, yardstick)
    for table in kind.TABLES
]


def measurements(weft):
    return [measurement for kind in (*STANDING, *NIGHTLY) for measurement in kind(weft)]
