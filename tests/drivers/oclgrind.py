# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters one small frame with every element on Oclgrind, which interprets kernels and finds accesses outside buffers, data
races, and barriers that not all items reach."""
import os
import re
import subprocess
import tempfile

import common

SIZE = (70, 44)
FORMATS = ["RGBA", "NV12"]
PATIENCE = 100
# Oclgrind 21.10 is not thread-safe, and may crash if two threads build or run programs at once.
TRIES = 3
THREADS = "two threads wait for its kernels, and Oclgrind runs kernels in threads that wait"
LEFT_OUT = {"clstabilize": THREADS, "clcompare": THREADS, "clhistogram": THREADS,
            "cladjust": "LLVM makes a function of its inlined results that Oclgrind does not know"}
FINDING = re.compile(r"^(\S.*)\n\tKernel: +(\w+)", re.M)


def play(build, element, video_format, scratch):
    """(kernel, finding) for each finding; None after a timeout; the error of a launch line that fails."""
    for _ in range(TRIES):
        result = play_once(build, element, video_format, scratch)
        if not isinstance(result, int):
            return result
    return f"{element} {video_format}: it crashes"


def play_once(build, element, video_format, scratch):
    """Like play(); returns the status of a crash."""
    caches = tempfile.mkdtemp(dir=scratch)
    # with restrict, or with its optimiser, LLVM generates functions that Oclgrind does not support
    environment = common.environment_of(caches, build, GST_CL_BACKEND="gpu", GST_CL_QUICK_BUILDS="0", GST_CL_BUILD_OPTIONS="-cl-opt-disable -Drestrict=")
    log = os.path.join(caches, "oclgrind.log")
    line = common.launch_line(element, video_format, SIZE).replace("width=960,height=540", "width=96,height=54")
    command = ["bash", "-c", "exec oclgrind --data-races --max-errors 200 --log " + log + " gst-launch-1.0 --no-fault -q " + line]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None
    text = ""
    if os.path.exists(log):
        with open(log, encoding="utf-8") as findings:
            text = findings.read()
    if run.returncode < 0 or run.returncode > 128:
        return run.returncode
    if run.returncode:
        return f"{element} {video_format}: " + next((each for each in (run.stderr + text).splitlines() if each.strip()), f"status {run.returncode}")
    return [(kernel, re.sub(r" (address|at) .*", "", what)) for what, kernel in FINDING.findall(text)]


def run(build, _cache, everything):
    lines = [(element, video_format) for element in common.elements() for video_format in FORMATS if element not in LEFT_OUT]
    with tempfile.TemporaryDirectory() as scratch:
        results = common.at_once(lambda each: play(build, *each, scratch), lines)
    late = [f"{element} {video_format}" for (element, video_format), result in zip(lines, results) if result is None]
    errors = [result for result in results if isinstance(result, str)]
    found, kinds = {}, {}
    for (element, video_format), result in zip(lines, results):
        for kernel, what in result if isinstance(result, list) else []:
            found[kernel] = found.get(kernel, 0) + 1
            kinds.setdefault(kernel, set()).add(f"{what} ({element} {video_format})")
    played = len(lines) - len(late) - len(errors)
    common.say(played and not errors, f"oclgrind: {played} of {len(lines)} launch lines played", errors)
    common.judge("oclgrind", found, common.expectations("oclgrind"), "findings", not late)
    for kernel in sorted(kinds):
        print(f"# {kernel}: " + ", ".join(sorted(kinds[kernel])[: None if everything else 3]))
    for element, reason in LEFT_OUT.items():
        common.skip(f"oclgrind {element}", reason)
    for each in late:
        common.skip(f"oclgrind {each}", f"it takes longer than {PATIENCE} s")
