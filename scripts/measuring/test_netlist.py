"""The estimate of longest paths, on a netlist that was worked out on paper."""

import unittest

from measuring.netlist import ABC, PLACED, Netlist


def cell(kind, inputs, outputs):
    connections = {port: bits for port, bits in (*inputs.items(), *outputs.items())}
    directions = {**{port: "input" for port in inputs}, **{port: "output" for port in outputs}}
    return {"type": kind, "connections": connections, "port_directions": directions}


def netlist(cells, names, costs=PLACED):
    nets = {name: {"hide_name": 0, "bits": bits} for name, bits in names.items()}
    return Netlist({"modules": {"top": {"cells": cells, "netnames": nets}}}, "top", costs)


class Longest(unittest.TestCase):
    def setUp(self):
        self.cells = {
            "from": cell("TRELLIS_FF", {"CLK": [1], "DI": [9]}, {"Q": [2]}),
            "lut": cell("LUT4", {"A": [2], "B": ["0"]}, {"Z": [3]}),
            "mux": cell("PFUMX", {"ALUT": [3], "BLUT": [3], "C0": [2]}, {"Z": [4]}),
            "low": cell("CCU2C", {"A0": [4], "CIN": ["0"]}, {"COUT": [5], "S0": [6]}),
            "high": cell("CCU2C", {"A0": [2], "CIN": [5]}, {"S0": [7]}),
            "to": cell("TRELLIS_FF", {"CLK": [1], "DI": [7]}, {"Q": [8]}),
        }
        self.names = {"a.count": [2], "a.count_LUT4_A_Z": [3], "b.sum": [8]}

    def test_each_cell_and_wire_counts_once(self):
        (path, *_) = netlist(self.cells, self.names).longest(3)
        # Register, LUT, wide multiplexer, two carry cells.
        expected = 0.5 + (0.7 + 0.24) + 0.2 + (0.7 + 0.3) + 0.05 + 0.7
        self.assertAlmostEqual(path.nanoseconds, expected, places=2)
        self.assertEqual((path.start, path.end, path.levels), ("a.count", "b.sum", 4))

    def test_abc_gives_the_latest_signal_the_fastest_input(self):
        self.cells["second"] = cell("LUT4", {"A": [2], "B": [3], "C": [4], "D": [2]}, {"Z": [14]})
        self.cells["end"] = cell("TRELLIS_FF", {"DI": [14]}, {"Q": [15]})
        self.names["c.end"] = [15]
        found = {path.end: path.nanoseconds for path in netlist(self.cells, self.names, ABC).longest(9)}
        # The first LUT with one input, the multiplexer, and then the fastest input, for a later one than the second LUT has elsewhere.
        first = 0.3 + 0.141
        multiplexer = max(first + 0.098, 0.3 + 0.151)
        self.assertAlmostEqual(found["c.end"], max(multiplexer + 0.3 + 0.141, first + 0.3 + 0.275, 0.3 + 0.379) + 0.3, places=2)
        self.assertAlmostEqual(found["b.sum"], multiplexer + 0.3 + 0.516 + 0.273 + 0.3, places=2)

    def test_a_block_ram_is_a_beginning_and_an_end(self):
        self.cells["ram"] = cell("DP16KD", {"CLKA": [1], "ADA0": [3]}, {"DOA0": [10]})
        self.cells["last"] = cell("TRELLIS_FF", {"DI": [10]}, {"Q": [11]})
        self.names |= {"c.read": [10], "c.held": [11]}
        found = {(path.start, path.end): path.nanoseconds for path in netlist(self.cells, self.names).longest(9)}
        self.assertAlmostEqual(found["c.read", "c.held"], 5.0 + 0.7, places=2)
        self.assertIn(("a.count", "c.read"), found)

    def test_what_a_lut_ram_is_written_with_does_not_pass_through(self):
        self.cells["rows"] = cell("TRELLIS_DPR16X4", {"DI": [3], "RAD": [2]}, {"DO": [12]})
        self.cells["reader"] = cell("TRELLIS_FF", {"DI": [12]}, {"Q": [13]})
        self.names |= {"d.rows": [12], "e.reader": [13]}
        found = {(path.start, path.end): path.levels for path in netlist(self.cells, self.names).longest(9)}
        self.assertEqual(found["a.count", "e.reader"], 1)
        self.assertEqual(found["a.count", "d.rows"], 1)


if __name__ == "__main__":
    unittest.main()
