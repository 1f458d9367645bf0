#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts single test cases in a Meson test log: prints "passed failed skipped".

A GstCheck program says how many checks it ran, a TAP program has a line for each; anything else counts as one. With a file of
expectations, groups that are known to fail on this driver count as skipped, and those of them that pass count as failed.
"""
import json
import os
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
    # a program that died after its last case has failed, whatever it printed
    return passed, max(failed, 1) if bad else failed, skipped


def expectations(path):
    """{group: reason} from the lines "GROUP, GROUP: reason" of a file, broken behind commas; empty if the file does not exist"""
    known, begun = {}, ""
    if not os.path.exists(path):
        return known
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.endswith(","):
                begun += line
                continue
            groups, _, reason = (begun + line).partition(":")
            if not reason.strip():
                sys.exit(f"{path}:{number}: a known failure needs a reason: GROUP: reason")
            known.update({group.strip(): reason.strip() for group in groups.split(",")})
            begun = ""
    return known


def judge(test, known):
    """The result of count(), corrected by the expectations."""
    p, f, s = count(test)
    group = test["name"].split(" / ")[-1]
    if group not in known or test["result"] == "SKIP":
        return p, f, s
    if f:
        print(f"known to fail: {group}: {known[group]}", file=sys.stderr)
        return p, 0, s + f
    print(f"{group} passes, and was known to fail ({known[group]}): take it out of the expectations", file=sys.stderr)
    return p, 1, s


def main(path, known):
    passed = failed = skipped = 0
    with open(path, encoding="utf-8") as log:
        for line in log:
            p, f, s = judge(json.loads(line), known)
            passed, failed, skipped = passed + p, failed + f, skipped + s
    print(passed, failed, skipped)


if __name__ == "__main__":
    main(sys.argv[1], expectations(sys.argv[2]) if len(sys.argv) > 2 else {})
