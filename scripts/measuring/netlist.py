"""The longest paths of a mapped ECP5 netlist, estimated without placing it: each wire takes the same time.

With the times of placed cores the estimate orders cores and paths as nextpnr does, roughly. It is no clock frequency. With those that
Yosys gives ABC it says which path ABC has hurried most, and all others with it.
"""

import collections
import dataclasses
import re



@dataclasses.dataclass(frozen=True)
class Costs:
    """Nanoseconds of speed grade 6."""

    wire: float
    # From the carry of a cell to the carry of the next.
    carry: float
    # By the kind of cell.
    clock_to_out: dict
    # By the kind of cell: one time, or a time for each input port.
    through: dict
    # The inputs of a LUT, the fastest first. The latest signal gets the fastest one.
    lut: tuple


def carry_cell(carry, operand):
    """The times to the sum of a carry cell, from the carry before it and from its operands."""
    return {"CIN": carry, **dict.fromkeys(("A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"), operand)}


# Rounded. The wire is the mean of placed critical paths.
PLACED = Costs(
    wire=0.7, carry=0.05, clock_to_out={"TRELLIS_FF": 0.5, "DP16KD": 5.0}, lut=(0.24, 0.24, 0.24, 0.24),
    through={
        "PFUMX": 0.2, "L6MUX21": 0.2, "CCU2C": carry_cell(0.05, 0.3), "TRELLIS_DPR16X4": 0.24, "MULT18X18D": 3.0, "ALU54B": 3.0,
    },
)
# As in Yosys's `techlibs/lattice`, with the wire of `synth_ecp5`. Block RAMs and multipliers have no times there. Of a carry cell the
# slowest way to its sum.
ABC = Costs(
    wire=0.3, carry=0.043, clock_to_out={"TRELLIS_FF": 0.0, "DP16KD": 0.0, "MULT18X18D": 0.0, "ALU54B": 0.0},
    lut=(0.141, 0.275, 0.379, 0.379),
    through={
        "PFUMX": {"ALUT": 0.098, "BLUT": 0.098, "C0": 0.151}, "L6MUX21": {"D0": 0.141, "D1": 0.141, "SD": 0.148},
        "CCU2C": carry_cell(0.273, 0.516), "TRELLIS_DPR16X4": 0.0,
    },
)
KINDS = {"LUT4", *PLACED.through, *PLACED.clock_to_out}
# Ports without a wire in front: of wide multiplexers next to their LUTs, and of carry chains.
ADJACENT = {"PFUMX": ("ALUT", "BLUT"), "L6MUX21": ("D0", "D1"), "CCU2C": ("CIN",)}
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
    def __init__(self, written, top, costs=PLACED):
        """`written`: what `write_json` of Yosys wrote."""
        self.costs = costs
        module = written["modules"][top]
        self.cells = [
            Cell(cell["type"], self._ports(cell, "input"), self._ports(cell, "output"))
            for cell in module["cells"].values()
            if cell["type"] in KINDS
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
            elif cell is None or cell.kind in self.costs.clock_to_out:
                self.arrivals[waiting.pop()] = self.costs.clock_to_out[cell.kind] if cell else 0.0, None
            else:
                inputs = self._passed(cell)
                later = [before for _, before in inputs if before not in self.arrivals]
                waiting.extend(later)
                if not later:
                    output = waiting.pop()
                    self.arrivals[output] = max(self._times(cell, inputs, output), default=(0.0, None))
        return self.arrivals[bit][0]

    @staticmethod
    def _passed(cell):
        stopped = SYNCHRONOUS.get(cell.kind, ())
        return [(port, bit) for port, bits in cell.inputs.items() if port not in stopped for bit in bits]

    def _times(self, cell, inputs, output):
        """When this bit of a cell's outputs is known, by each of the inputs."""
        if cell.kind == "LUT4":
            latest_first = sorted((self.arrivals[before][0], before) for _, before in inputs)[::-1]
            return [(time + self.costs.wire + pin, before) for (time, before), pin in zip(latest_first, self.costs.lut)]
        return [(self.arrivals[before][0] + self._between(port, cell, output), before) for port, before in inputs]

    def _between(self, port, cell, output):
        """The time from an input port of a cell, other than a LUT, to this bit of its outputs."""
        if port == "CIN" and output in cell.outputs.get("COUT", ()):
            return self.costs.carry
        wire, through = 0.0 if port in ADJACENT.get(cell.kind, ()) else self.costs.wire, self.costs.through[cell.kind]
        return wire + (through[port] if isinstance(through, dict) else through)

    def longest(self, number):
        """The longest paths, one for each pair of blocks."""
        found = {}
        for cell in self.cells:
            if cell.kind in self.costs.clock_to_out:
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
        time, levels, start = self.arrival(bit) + self.costs.wire, 0, bit
        while self.arrivals[start][1] is not None:
            start, levels = self.arrivals[start][1], levels + 1
        driven = next((bit for bits in end.outputs.values() for bit in bits), None)
        return Path(self.names.get(start, "?"), self.names.get(driven, "?"), round(time, 2), levels)
