"""What a measurement is."""

import dataclasses
import typing

STANDING, NIGHTLY = "standing", "nightly"
SETS = (STANDING, NIGHTLY)


@dataclasses.dataclass(frozen=True)
class Measurement:
    # GROUP/NAME, as its file is named.
    name: str
    # One of SETS.
    set: str
    # Seconds that it takes on an empty build cache, roughly; the last run's time replaces this.
    estimate: float
    # The command that measures, or the first of several alike.
    command: str
    # Digests by name of what the values depend on, as the hardware and the programs are now.
    depends: typing.Callable[[], dict]
    # Measures; answers the values and the versions of the tools.
    measure: typing.Callable[[], tuple]
    # Whether nothing else may run at the same time, since time itself is measured.
    alone: bool = False
    # Whether old values, of the same hardware, are worth more than new ones.
    prefers: typing.Callable[[dict, dict], bool] = lambda old, new: False

    @property
    def group(self):
        return self.name.partition("/")[0]
