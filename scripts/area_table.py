"""Prints the cells of Yosys `stat` reports as a table: python3 area_table.py MODULES.txt FLAT.txt"""

import re
import sys

CELLS = ["LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD", "MULT18X18D"]


def modules(path):
    """Name and cell counts of each module in a report; the count stands before the cell or after it, by version."""
    for block in re.split(r"\n=== ", open(path).read())[1:]:
        name = block.split()[0]
        counts = []
        for cell in CELLS:
            found = re.search(rf"^\s+(\d+)\s+(?:[\d.e+-]+\s+)?{cell}\s*$", block, re.M)
            found = found or re.search(rf"^\s+{cell}\s+(\d+)\s*$", block, re.M)
            counts.append(int(found.group(1)) if found else 0)
        yield name, counts


def main():
    per_module, flat = sys.argv[1:]
    print(f"{'module':22}" + "".join(f"{cell:>17}" for cell in CELLS))
    rows = [(name, counts) for name, counts in modules(per_module) if name != "design"]
    rows += [("flattened", counts) for _, counts in list(modules(flat))[:1]]
    for name, counts in rows:
        print(f"{name:22}" + "".join(f"{count:17}" for count in counts))


if __name__ == "__main__":
    main()
