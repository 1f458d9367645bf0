#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/count-tests.py with a file of expectations: a known failure counts as skipped, an unexpected pass as failed, and a line
without a reason is an error."""
import json
import subprocess
import sys
import tempfile

CHECKS = "{}%: Checks: 10, Failures: {}, Errors: 0\n"


def counts(log, expected):
    with tempfile.NamedTemporaryFile("w") as known:
        known.write(expected)
        known.flush()
        return subprocess.run([sys.executable, sys.argv[1], log, known.name], capture_output=True, text=True, check=False)


def main():
    tests = [("good", "OK", 0), ("bad", "FAIL", 2)]
    with tempfile.NamedTemporaryFile("w") as log:
        for name, result, failures in tests:
            log.write(json.dumps({"name": f"project:suite / {name}", "result": result,
                                  "stdout": CHECKS.format(100 - 10 * failures, failures)}) + "\n")
        log.flush()
        for expected, wanted in [("", "18 2 0"), ("bad: the driver's fault\n", "18 0 2"), ("# all is well\ngood: once\n", "18 3 0")]:
            found = counts(log.name, expected).stdout.strip()
            assert found == wanted, f"{expected!r} gives {found}, not {wanted}"
        assert counts(log.name, "bad:\n").returncode != 0, "a known failure without a reason is taken"


if __name__ == "__main__":
    main()
