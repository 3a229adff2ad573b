"""Whether a result still holds: fresh, stale or missing, and why."""

import dataclasses

from measuring.failure import Failure

FRESH, STALE, MISSING = "fresh", "stale", "missing"
# A run that was this much faster than the estimate had its results from the build cache.
CACHED = 0.1


@dataclasses.dataclass(frozen=True)
class State:
    measurement: object
    result: object
    # FRESH, STALE or MISSING.
    state: str
    # What has changed.
    why: str

    @property
    def seconds(self):
        """What the measurement is expected to take."""
        estimate = self.measurement.estimate
        if self.result and self.result.seconds >= CACHED * estimate:
            return self.result.seconds
        return estimate


def of(measurement, store):
    result = store.read(measurement.name)
    if result is None:
        return State(measurement, None, MISSING, "never measured")
    if result.command != measurement.command:
        return State(measurement, result, STALE, "the command has changed")
    try:
        depends = measurement.depends()
    except Failure as failure:
        return State(measurement, result, STALE, f"unknown: {str(failure).splitlines()[0]}")
    changed = sorted(key for key in {*depends, *result.depends} if depends.get(key) != result.depends.get(key))
    if changed:
        return State(measurement, result, STALE, f"changed: {', '.join(changed)}")
    return State(measurement, result, FRESH, "")
