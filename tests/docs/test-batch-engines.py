#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-batch on a real Slurm of one node and with a real Snakemake, whose tasks and selves are killed. Prints TAP.

usage: test-batch-engines.py CL-BATCH ROOT
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import batch
import slurm
import tap

FILTERS = "cltemporal frames=5 ! clnoise strength=0.2"
OVERHEAD_S = 2


def workers_of(job):
    """The processes that work on a job's tasks"""
    wanted = f"run\0{job}\0".encode()
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and wanted in (folder / "cmdline").read_bytes():
                yield int(folder.name)
        except OSError:
            pass


def kill_some(job, engine, kills):
    """Kills workers of a job while its engine runs. Returns how many died."""
    killed = 0
    while engine.poll() is None:
        for worker in workers_of(job):
            if killed < kills and random.random() < 0.5:
                try:
                    os.kill(worker, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        time.sleep(0.02)
    return killed


def submit_until_done(test, job, *engine, kills=3):
    """The first call is interrupted by kills; the second does the rest"""
    line = [test.program, "submit", str(job), *engine]
    first = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killed = kill_some(job, first, kills)
    output = first.communicate()[0]
    assert killed, "no worker was caught"
    assert first.returncode in (0, 1), f"submit ended with {first.returncode}: {output}"
    if first.returncode:
        assert "not done" in output and ".log says why" in output, output
    test.batch(*line[1:])
    return killed


def check_slurm(test):
    """There are more tasks than an array may have; workers, and submit itself, are killed while the array runs"""
    batch.skip_if(slurm.why_not())
    whole = test.whole(FILTERS)
    with slurm.Slurm(array=5):
        job = test.plan(FILTERS, 0.25)
        assert test.tasks(job) > 5
        killed = submit_until_done(test, job, "--engine", "slurm", "--jobs", "2")
        test.compare(job, whole, "Slurm, killed workers")
        job = test.plan(FILTERS, 0.25)
        test.killed_submit(job, "--engine", "slurm", ready=(job / "slurm.ids").exists)
        test.batch("submit", job, "--engine", "slurm")
        test.compare(job, whole, "Slurm, killed submit")
        test.refused("partition", "submit", test.plan(FILTERS, 1), "--engine", "slurm", "--engine-options=--partition=none")
    return f"# {killed} workers killed"


def timed(test, job, *engine):
    begin = time.monotonic()
    test.batch("submit", job, *engine)
    return time.monotonic() - begin


def check_overhead(test):
    """The overhead of Slurm per task, measured with two tasks"""
    batch.skip_if(slurm.why_not())
    test.whole(FILTERS)
    with slurm.Slurm():
        rounds = [(timed(test, test.plan(FILTERS, 1), "--jobs", "2"), timed(test, test.plan(FILTERS, 1), "--engine", "slurm", "--jobs", "2"))
                  for _ in range(5)]
    local, cluster = (sorted(column)[2] for column in zip(*rounds))
    overhead = (cluster - local) / 2
    assert overhead < OVERHEAD_S, f"two tasks took {cluster:.2f} s with Slurm and {local:.2f} s without: {overhead:.2f} s a task"
    return f"# {overhead:.2f} s a task: two took {cluster:.2f} s with Slurm, {local:.2f} s without"


def check_snakemake(test):
    batch.need("snakemake")
    whole = test.whole(FILTERS)
    job = test.plan(FILTERS, 0.25)
    killed = submit_until_done(test, job, "--engine", "snakemake", "--jobs", "2")
    test.compare(job, whole, "Snakemake, killed workers")
    job = test.plan(FILTERS, 0.25)
    engine = ["--engine", "snakemake", "--jobs", "2"]
    test.killed_submit(job, *engine, ready=lambda: any(workers_of(job)))
    test.batch("submit", job, *engine)
    test.compare(job, whole, "Snakemake, killed itself")
    return f"# {killed} workers killed"


def check_workflow(test):
    """The workflow on the documentation's page, verbatim"""
    batch.need("snakemake")
    page = (pathlib.Path(sys.argv[2]) / "docs" / "batch.md").read_text(encoding="utf-8")
    text = next(block for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if "rule join" in block)
    folder = test.folder / "workflow"
    (folder / "archive").mkdir(parents=True)
    shutil.copy(test.clip, folder / "archive" / "in.mkv")
    (folder / "Snakefile").write_text(text)
    path = f"{pathlib.Path(test.program).resolve().parent}:{os.environ['PATH']}"
    status, output = tap.run(["snakemake", "--cores", "2"], folder, batch.PATIENCE, PATH=path)
    assert status == 0, output
    assert (folder / "filtered" / "in.mkv").stat().st_size > 0


if __name__ == "__main__":
    batch.main([check_slurm, check_overhead, check_snakemake, check_workflow])
