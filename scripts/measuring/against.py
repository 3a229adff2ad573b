"""Measures again and compares with the stored results, without replacing them."""

from measuring.failure import Failure

# The most that the LUT4 may change in the mean.
LITTLE = 0.02


def cycles(pairs, say):
    """Runs the kernels of each result again; answers how many cycles differ or could not be measured."""
    runs, differ = 0, 0
    for measurement, result in pairs:
        try:
            now, _ = measurement.measure()
        except Failure as failure:
            differ += 1
            say(f"{measurement.name}: {failure}")
            continue
        for kernel in sorted({*result.values, *now}):
            before, after = (values.get(kernel, {}).get("cycles", "no") for values in (result.values, now))
            runs += 1
            if before != after:
                differ += 1
                say(f"{measurement.name}: {kernel}: {before} cycles measured, {after} now")
    say(f"{runs} runs: {differ} differ in cycles")
    return differ if runs else 1


def lut4(pairs, say, again=False):
    """Synthesises the core of each result again, unless its Verilog is the same; answers the mean change of the LUT4."""
    changes = []
    for measurement, result in pairs:
        before = result.values["lut4"]
        same = not again and measurement.depends() == result.depends
        after = before if same else measurement.measure()[0]["lut4"]
        changes.append(after / before - 1)
        say(f"{measurement.name}: {before} LUT4 measured, {after} now, {changes[-1]:+.1%}{', the same Verilog' if same else ''}")
    if not changes:
        say("no area to compare with")
        return 1.0
    mean = sum(changes) / len(changes)
    say(f"LUT4: mean {mean:+.1%}")
    return mean
