"""The parts of `scripts/measure`.

- `cli` reads the arguments, and `commands` does what they ask for.
- `catalogue` has the one list of measurements and the one list of tables.
- `kernels`, `area`, `clock` and the like each define one kind of measurement and the tables that show it.
- `result` keeps one JSON file for each measurement; `state` says whether it still holds.
- `runner` measures within a budget; `pages` writes tables into Markdown; `against` measures again and compares.
- `yardstick` compares Weft with scalar cores; `scalar` builds, runs and places those.
- `weft` and `tools` are the interface to the programs that measure; `processes` runs and ends them.
"""
