"""Measures, most important first, within a budget of time; keeps each result as soon as it is there."""

import concurrent.futures
import time

from measuring import processes, project
from measuring.failure import Failure
from measuring.result import Result


class Runner:
    def __init__(self, store, commit, say):
        self.store = store
        self.commit = commit
        self.say = say

    def run(self, states, jobs=1, budget=None):
        """Measures; answers the names of what succeeded, failed, and was left because of the budget."""
        start = time.monotonic()
        waiting, running = list(states), {}
        done, failed, left = [], [], []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < jobs and self.may_start(waiting[0], running.values()):
                        state = waiting.pop(0)
                        if budget is not None and time.monotonic() - start + state.seconds > budget:
                            left.append(state.measurement.name)
                            continue
                        self.say(f"{state.measurement.name}: begun, some {duration(state.seconds)}")
                        running[pool.submit(self.measure, state)] = state
                    finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in finished:
                        state = running.pop(future)
                        name = state.measurement.name
                        (done if self.concluded(name, future) else failed).append(name)
                        self.say(f"  {len(done)} done, {len(failed)} failed, {len(waiting) + len(running)} to go")
            except BaseException:
                # The threads end as soon as the programs that they wait for are gone.
                processes.stop()
                raise
        return done, failed, left

    @staticmethod
    def may_start(state, running):
        return not any(other.measurement.alone for other in running) and not (state.measurement.alone and running)

    def measure(self, state):
        measurement, start = state.measurement, time.monotonic()
        # Before it runs: what changes meanwhile makes the result stale.
        depends = measurement.depends()
        values, tools = measurement.measure()
        seconds = round(time.monotonic() - start, 1)
        old = state.result
        if old and old.depends == depends and measurement.prefers(old.values, values):
            raise Failure(f"outcome {values.get('outcome')}; the earlier result, of the same hardware, is kept")
        self.store.write(Result(
            name=measurement.name, commit=self.commit, date=project.today(), seconds=seconds, depends=depends, tools=tools,
            command=measurement.command, values=values,
        ))
        return seconds

    def concluded(self, name, future):
        try:
            self.say(f"{name}: {duration(future.result())}")
            return True
        except Failure as failure:
            self.say(f"{name}: FAILED: {failure}")
        except Exception as error:  # pylint: disable=broad-except
            # An answer that is not as expected: the others go on.
            self.say(f"{name}: FAILED: {type(error).__name__}: {error}")
        return False


def duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
