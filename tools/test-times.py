#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints how long each group of tests took, slowest first, says which took twice its share, and fails where one took four times.

Machines differ, and so does what else they do. So a group is compared with the others: what this machine takes is the
median, over all groups, of the time taken to the time in BUDGET. A group that takes more than twice that, and several
seconds more, is slow; neighbours on a shared machine have made groups of a few minutes take three times as long. Groups of a few seconds are left out, and so are runs of a few groups alone.

usage: test-times.py TESTLOG BUDGET [--update]

--update raises BUDGET to TESTLOG, after runs with cold caches on a machine that does nothing else: compilers differ, so
one run on each release of Debian. To lower it, remove the file first.
"""
import json
import os
import statistics
import sys

SHOWN = 15
SLACK_SECONDS = 8.0
NOTICED, FAILED = 2, 4  # times a share
LEAST_SECONDS = SLACK_SECONDS / NOTICED  # less is never too slow
LEAST_SHARE = 0.5


def times_of(path):
    """seconds by group"""
    with open(path, encoding="utf-8") as log:
        tests = [json.loads(line) for line in log]
    return {test["name"].split(" / ")[-1]: test["duration"] for test in tests if test["result"] != "SKIP"}


def read_budget(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def too_slow(times, budget):
    """(group, seconds, allowed seconds)"""
    known = {name: seconds / budget[name] for name, seconds in times.items()
             if budget.get(name, 0) >= LEAST_SECONDS}
    if len(known) < LEAST_SHARE * len(budget):
        return []
    machine = statistics.median(known.values())
    allowed = {name: machine * max(NOTICED * budget.get(name, LEAST_SECONDS), SLACK_SECONDS) for name in times}
    return [(name, seconds, allowed[name]) for name, seconds in times.items() if seconds > allowed[name]]


def main(log, path, update):
    times = times_of(log)
    if update:
        known = read_budget(path) if os.path.exists(path) else {}
        measured = {name: round(max(seconds, known.get(name, 0)), 1) for name, seconds in times.items()
                    if seconds >= LEAST_SECONDS}
        budget = dict(sorted((known | measured).items()))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(budget, file, indent=2)
            file.write("\n")
        return 0
    print(f"the slowest of {len(times)} groups, in seconds:")
    for name, seconds in sorted(times.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"{seconds:8.1f}  {name}")
    slow = too_slow(times, read_budget(path))
    for name, seconds, allowed in slow:
        print(f"{name} took {seconds:.0f} s; by {path} {allowed:.0f} s would do on this machine")
    return 1 if any(seconds > FAILED / NOTICED * allowed for _, seconds, allowed in slow) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "--update" in sys.argv[3:]))
