"""The longest paths of a mapped ECP5 netlist, estimated without placing it: each wire takes the same time.

The estimate orders cores and paths as nextpnr does, roughly. It is no clock frequency.
"""

import collections
import dataclasses
import re

# Nanoseconds of speed grade 6, rounded. WIRE is the mean of placed critical paths.
WIRE = 0.7
CARRY = 0.05
CLOCK_TO_OUT = {"TRELLIS_FF": 0.5, "DP16KD": 5.0}
DELAYS = {"LUT4": 0.24, "PFUMX": 0.2, "L6MUX21": 0.2, "CCU2C": 0.3, "TRELLIS_DPR16X4": 0.24, "MULT18X18D": 3.0, "ALU54B": 3.0}
# Wide multiplexers are next to their LUTs, and have no wire in front.
ADJACENT = ("PFUMX", "L6MUX21")
# Ports whose value does not pass through the cell.
SYNCHRONOUS = {"TRELLIS_DPR16X4": ("DI", "WAD", "WRE", "WCK")}
CLOCKS = ("CLK", "CLKA", "CLKB", "WCK", "CLK0", "CLK1", "CLK2", "CLK3")


@dataclasses.dataclass(frozen=True)
class Path:
    """From register to register, by their names without the names of bits."""

    start: str
    end: str
    nanoseconds: float
    # Cells on the way.
    levels: int


@dataclasses.dataclass(frozen=True)
class Cell:
    kind: str
    inputs: dict
    outputs: dict


def block(name):
    """The instance of a net, without the numbers of elements."""
    return re.sub(r"_by_\w+\[\d+\]\.\w+", "", name.rpartition(".")[0]).removeprefix("pipeline.") or "ports"


class Netlist:
    def __init__(self, written, top):
        """`written`: what `write_json` of Yosys wrote."""
        module = written["modules"][top]
        self.cells = [
            Cell(cell["type"], self._ports(cell, "input"), self._ports(cell, "output"))
            for cell in module["cells"].values()
            if cell["type"] in DELAYS or cell["type"] in CLOCK_TO_OUT
        ]
        self.drivers = {bit: cell for cell in self.cells for bits in cell.outputs.values() for bit in bits}
        self.names = self._names(module["netnames"])
        # By bit: when it is known, the bit before it on the longest way.
        self.arrivals = {}

    @staticmethod
    def _ports(cell, direction):
        ports = {port: bits for port, bits in cell["connections"].items() if cell["port_directions"].get(port) == direction}
        return {port: [bit for bit in bits if isinstance(bit, int)] for port, bits in ports.items() if port not in CLOCKS}

    @staticmethod
    def _names(nets):
        """The name of the net of each bit: the shortest that the source gave it, if it gave one."""
        names = {}
        for name, net in sorted(nets.items(), key=lambda item: (item[1].get("hide_name", 0), "_LUT4_" in item[0], len(item[0]))):
            for bit in net["bits"]:
                names.setdefault(bit, name)
        return names

    def counts(self):
        return collections.Counter(cell.kind for cell in self.cells)

    def arrival(self, bit):
        """When a bit is known, in nanoseconds after the clock edge. Inputs of the netlist are known at once."""
        waiting = [bit]
        while waiting:
            cell = self.drivers.get(waiting[-1])
            if waiting[-1] in self.arrivals:
                waiting.pop()
            elif cell is None or cell.kind in CLOCK_TO_OUT:
                self.arrivals[waiting.pop()] = CLOCK_TO_OUT[cell.kind] if cell else 0.0, None
            else:
                inputs = self._passed(cell)
                later = [before for before in inputs if before not in self.arrivals]
                waiting.extend(later)
                if not later:
                    times = [(self.arrivals[before][0] + self._between(before, cell), before) for before in inputs]
                    self.arrivals[waiting.pop()] = max(times, default=(0.0, None))
        return self.arrivals[bit][0]

    @staticmethod
    def _passed(cell):
        stopped = SYNCHRONOUS.get(cell.kind, ())
        return [bit for port, bits in cell.inputs.items() if port not in stopped for bit in bits]

    def _between(self, before, cell):
        """The time from a bit to the output of a cell that reads it."""
        driver = self.drivers.get(before)
        if cell.kind in ADJACENT:
            return DELAYS[cell.kind]
        if cell.kind == "CCU2C" and driver and driver.kind == "CCU2C" and before in cell.inputs.get("CIN", ()):
            return CARRY
        return WIRE + DELAYS[cell.kind]

    def longest(self, number):
        """The longest paths, one for each pair of blocks."""
        found = {}
        for cell in self.cells:
            if cell.kind in CLOCK_TO_OUT:
                ends = [(cell, bit) for bits in cell.inputs.values() for bit in bits]
            else:
                ends = [(cell, bit) for port in SYNCHRONOUS.get(cell.kind, ()) for bit in cell.inputs.get(port, ())]
            for end, bit in ends:
                path = self._path(end, bit)
                key = block(path.start), block(path.end)
                if key not in found or found[key].nanoseconds < path.nanoseconds:
                    found[key] = path
        return sorted(found.values(), key=lambda path: (-path.nanoseconds, path.start, path.end))[:number]

    def _path(self, end, bit):
        time, levels, start = self.arrival(bit) + WIRE, 0, bit
        while self.arrivals[start][1] is not None:
            start, levels = self.arrivals[start][1], levels + 1
        driven = next((bit for bits in end.outputs.values() for bit in bits), None)
        return Path(self.names.get(start, "?"), self.names.get(driven, "?"), round(time, 2), levels)
