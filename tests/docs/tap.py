# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results in TAP, the Test Anything Protocol"""


def result(number, name, complaint="", skip=""):
    """complaint: a text or lines; nothing if the case is good"""
    print(f"{'not ok' if complaint else 'ok'} {number} - {name}{f' # SKIP {skip}' if skip else ''}", flush=True)
    for line in (complaint if isinstance(complaint, str) else "\n".join(complaint)).splitlines():
        print("# " + line, flush=True)


def results(cases):
    """Each is a name, the complaint, and perhaps why it was skipped"""
    number = 0
    for number, case in enumerate(cases, 1):
        result(number, *case)
    print(f"1..{number}")
