#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/count-tests.py with a file of expectations: a known failure counts as skipped, an unexpected pass as failed, and a line
without a reason is an error. tools/driver-name.py names the file of the driver that elements take."""
import json
import os
import subprocess
import sys
import tempfile

CHECKS = "{}%: Checks: 10, Failures: {}, Errors: 0\n"


def counts(log, expected):
    with tempfile.NamedTemporaryFile("w") as known:
        known.write(expected)
        known.flush()
        return subprocess.run([sys.executable, sys.argv[1], log, known.name], capture_output=True, text=True, check=False)


def check_names():
    """Elements use the second of two devices."""
    for platform, driver, wanted in [("Portable Computing Language", "3.1+debian", "pocl-3"), ("NVIDIA CUDA", "580.95", "nvidia"),
                                     ("Portable Computing Language", "6.0+debian", "pocl-6"), ("rusticl", "25.0.7", "rusticl"), ("Intel(R) OpenCL", "2026.22.10.0", "intel-cpu"),
                                     ("Clover", "25.0.7", "others")]:
        devices = [{"device": "0:0", "platform": "Clover", "driver": "1"}, {"device": "1:0", "platform": platform, "driver": driver}]
        report = json.dumps({"choice": {"device": "1:0"}, "devices": devices})
        found = name_of(report)
        assert found == wanted, f"{platform} {driver} is {found}, not {wanted}"
    assert name_of(json.dumps({"choice": {"device": ""}, "devices": []})) == "others"
    assert name_of("") == "others"


def name_of(report):
    script = os.path.join(os.path.dirname(sys.argv[1]), "driver-name.py")
    return subprocess.run([sys.executable, script], input=report, capture_output=True, text=True, check=True).stdout.strip()


def main():
    check_names()
    tests = [("good", "OK", 0), ("bad", "FAIL", 2)]
    with tempfile.NamedTemporaryFile("w") as log:
        for name, result, failures in tests:
            log.write(json.dumps({"name": f"project:suite / {name}", "result": result,
                                  "stdout": CHECKS.format(100 - 10 * failures, failures)}) + "\n")
        log.flush()
        for expected, wanted in [("", "18 2 0"), ("bad: the driver's fault\n", "18 0 2"), ("# all is well\ngood: once\n", "18 3 0"),
                                 ("other, bad,\ngood: both\n", "18 1 2")]:
            found = counts(log.name, expected).stdout.strip()
            assert found == wanted, f"{expected!r} gives {found}, not {wanted}"
        assert counts(log.name, "bad:\n").returncode != 0, "a known failure without a reason is taken"


if __name__ == "__main__":
    main()
