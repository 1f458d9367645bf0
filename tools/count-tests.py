#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts single test cases in a Meson test log: prints "passed failed skipped".

A GstCheck program says how many checks it ran, a TAP program has a line for each; anything else counts as one.
"""
import json
import re
import sys

CHECKS = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", re.M)
TAP = re.compile(r"^(not ok|ok)\b[^#\n]*(# *SKIP)?", re.M | re.I)


def count(test):
    """passed, failed, skipped of one Meson test"""
    result, output = test["result"], test.get("stdout") or ""
    if result == "SKIP":
        return 0, 0, 1
    bad = result not in ("OK", "EXPECTEDFAIL")
    checks = CHECKS.findall(output)
    if checks:
        total = sum(int(c[0]) for c in checks)
        failed = sum(int(c[1]) + int(c[2]) for c in checks)
        passed, skipped = total - failed, 0
    else:
        lines = TAP.findall(output)
        skipped = sum(1 for word, skip in lines if skip)
        failed = sum(1 for word, skip in lines if word.lower() == "not ok" and not skip)
        passed = len(lines) - skipped - failed
        if not lines:
            return (0, 1, 0) if bad else (1, 0, 0)
    # a program that died after its last case has failed, whatever it counted
    return passed, max(failed, 1) if bad else failed, skipped


def main(path):
    passed = failed = skipped = 0
    with open(path, encoding="utf-8") as log:
        for line in log:
            p, f, s = count(json.loads(line))
            passed, failed, skipped = passed + p, failed + f, skipped + s
    print(passed, failed, skipped)


if __name__ == "__main__":
    main(sys.argv[1])
