#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-batch: every element, cut at random, its workers killed at random, gives the frames of the whole run: their times and MD5s. Prints TAP.

usage: test-batch-trials.py CL-BATCH

GST_CL_TEST_TRIALS is the number of trials, 200 by default.
"""
import os
import random
import signal
import subprocess
import sys
import time

import batch

TRIALS = int(os.environ.get("GST_CL_TEST_TRIALS", "200"))
FRAMES = 40
FILTERS = [
    "cladjust hue=0.3 exposure=1", "clbilateral", "clblend", "clblur", "clchain filters=\"clmedian ! clnoise\"", "clcolormatrix preset=sepia",
    "clcompositor", "clconvert ! video/x-raw,format=RGBA,width=40,height=36", "clconvolve preset=sharpen", "cldeblock",
    "cldeinterlace mode=always", "cldilate", "clemboss", "clequalize", "clerode", "clflip video-direction=90r", "clframerate", "clhistogram ! clemboss",
    "cllevels auto=true smoothing=8", "cllut3d location={cube}", "clmedian", "clmorphology", "clmotion overlay=vectors",
    "clnlmeans", "clnoise strength=0.2", "clpixelate", "clprewitt",
    "clprogram location={kernel}", "clscharr", "clsharpen", "clsobel", "clstabilize", "cltemporal method=median frames=7",
    "cltemporal method=recursive", "cltemporal method=motion", "cltemporal frames=5 ! clnoise strength=0.2 ! cllevels auto=true smoothing=8", "clthreshold", "cltonemap",
    "clupload ! cldownload", "clvideo filters=\"cladjust hue=0.3\"", "clwarp matrix=\"1 0.1 0; 0 1 0; 0 0 1\""]
# an element with two inputs cannot be part of a chain
ELSEWHERE = {"clcompare"}
CUBE = "LUT_3D_SIZE 2\n" + "".join(f"{1 - r} {g} {b}\n" for b in (0, 1) for g in (0, 1) for r in (0, 1))
KERNEL = """kernel void
negative (PIXEL_ARGS)
{
  PIXEL_BEGIN
  OUT_PIXEL (1.0f - PIXEL (0, 0));
}
"""


def elements():
    for line in batch.must("gst-inspect-1.0", "cl").splitlines():
        name = line.strip().split(":")[0]
        if ": OpenCL" in line and name.startswith("cl"):
            yield name


def check_complete(_):
    known = {word for filters in FILTERS for word in filters.replace('"', " ").replace("=", " ").split()} | ELSEWHERE
    missing = set(elements()) - known
    assert not missing, f"no trial has {missing}"


def kill_at_random(test, job):
    """Lets an engine run a job, kills workers of it, and lets it finish. Returns how many died."""
    killed = 0
    pending = list(range(test.tasks(job)))
    random.shuffle(pending)
    for number in pending:
        # some are killed before the first frame, some in between, some too late
        kill = random.random() < 0.6
        worker = subprocess.Popen([test.program, "run", str(job), str(number)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kill:
            time.sleep(random.random() * random.choice((0.1, 0.3, 0.8)))
            worker.kill()
        killed += worker.wait() == -signal.SIGKILL
    test.batch("submit", job, "--jobs", "2")
    return killed


def trial(test, filters):
    line = filters.format(cube=test.folder / "cube.cube", kernel=test.folder / "kernel.cl")
    whole = test.whole(line)
    job = test.plan(line, f"{random.uniform(0.2, 0.9):.3f}")
    killed = kill_at_random(test, job)
    tasks = test.tasks(job)
    test.compare(job, whole, f"{filters}, {tasks} tasks")
    return tasks, killed


def check_trials(test):
    (test.folder / "cube.cube").write_text(CUBE)
    (test.folder / "kernel.cl").write_text(KERNEL)
    problems, tasks, killed = [], 0, 0
    for number in range(TRIALS):
        try:
            more, dead = trial(test, FILTERS[number % len(FILTERS)])
            tasks, killed = tasks + more, killed + dead
        except (AssertionError, RuntimeError, subprocess.TimeoutExpired) as error:
            problems.append(f"trial {number}: {error}")
            print(f"# trial {number}: {error}".replace("\n", "\n# "), file=sys.stdout, flush=True)
    assert not problems, f"{len(problems)} of {TRIALS} trials failed"
    return f"# {TRIALS} trials of {len(FILTERS)} settings, {tasks} tasks, {killed} workers killed"


if __name__ == "__main__":
    batch.main([check_complete, check_trials], frames=FRAMES, width=64, height=48)
