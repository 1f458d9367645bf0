#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The driver of the device that elements take, by the name of its file in tests/expectations: cl-info --json | driver-name.py.

"others" has no file: such a driver is expected to do everything."""
import json
import sys


def name_of(report):
    chosen = report["choice"]["device"]
    for device in report["devices"]:
        if device["device"] != chosen:
            continue
        if device["platform"] == "Portable Computing Language":
            return "pocl-" + device["driver"].split(".")[0]
        return {"rusticl": "rusticl", "NVIDIA CUDA": "nvidia", "Intel(R) OpenCL": "intel-cpu"}.get(device["platform"], "others")
    return "others"


if __name__ == "__main__":
    try:
        print(name_of(json.load(sys.stdin)))
    except ValueError:
        print("others")  # there is no report
