#!/usr/bin/env python3
"""Prints where the time of a test run went: the seconds of each group of tests, and the slowest tests.

    scripts/test_profile.py JUNIT.xml [NUMBER]

JUNIT.xml is what cargo nextest leaves in target/nextest/default/. NUMBER of groups and of tests are printed (20).
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as xml


def main(path, number):
    groups = collections.Counter()
    tests = []
    for suite in xml.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            seconds = float(case.get("time", 0))
            groups[f"{suite.get('name')} {case.get('name').split('::')[0]}"] += seconds
            tests.append((seconds, f"{suite.get('name')} {case.get('name')}"))
    print(f"{sum(groups.values()):.0f} s in {len(tests)} tests, on all processors together. Groups of tests:")
    for name, seconds in groups.most_common(number):
        print(f"{seconds:8.1f} s  {name}")
    print("The slowest tests:")
    for seconds, name in sorted(tests, reverse=True)[:number]:
        print(f"{seconds:8.1f} s  {name}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__.strip())
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 20)
