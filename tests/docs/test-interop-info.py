#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-interop-info ends well whatever there is, and its two forms agree. Prints TAP.

usage: test-interop-info.py PROGRAM
"""
import json
import subprocess
import sys

PATIENCE = 250


def run(*arguments):
    """(exit status, output)"""
    done = subprocess.run([sys.argv[1], *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          timeout=PATIENCE, check=False)
    return done.returncode, done.stdout


def verdicts(report):
    """(device, GL, method) -> formats that work, of every probe"""
    return {(pair["device"], pair["gl"], method["method"]):
            [each["format"] for each in method["formats"] if each["works"]]
            for pair in report["pairs"] for method in pair["methods"]}


def complaints(report, text):
    found = [f"{name}: not in the text" for device in report["devices"] for name in device.values()
             if name and name not in text]
    for key, formats in verdicts(report).items():
        if key[2] == "staged" and "RGBA" not in formats:
            found.append(f"{key}: RGBA does not even pass through the host")
    for pair in report["pairs"]:
        for method in pair["methods"]:
            where = f"{pair['device']} {pair['gl']} {method['method']}"
            found += [f"{where}: {method['died']}"] if method["died"] else []
            found += [f"{where} {each['format']}: refused without a reason"
                      for each in method["formats"] if not each["works"] and not each["reason"]]
    return found


def main():
    print("1..3")
    status, output = run("--json")
    report = json.loads(output)
    print(f"{'ok' if status == 0 else 'not ok'} 1 - ends with 0")
    status, text = run()
    found = complaints(report, text) + ([f"the text form ends with {status}"] if status else [])
    print(f"{'not ok' if found else 'ok'} 2 - says of every pair what it can do")
    for line in found:
        print("# " + line)
    status = run("--nonsense")[0]
    print(f"{'ok' if status == 2 else 'not ok'} 3 - refuses what it does not know")


if __name__ == "__main__":
    main()
