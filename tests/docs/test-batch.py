#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-batch: tasks put together give the frames of the whole run, whoever runs them and however often they are killed. Prints TAP.

usage: test-batch.py CL-BATCH

GST_CL_TEST_FULL=1 tries every filter at random cuts, kills workers at random, and starts a Slurm of one node.
"""
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import headless

FULL = "GST_CL_TEST_FULL" in os.environ
PATIENCE = 60
FRAMES, RATE = 50, 25
# filters that look at other frames or count them
FILTERS = ["cltemporal frames=5 ! clnoise strength=0.2 ! cllevels auto=true smoothing=8", "cldeinterlace mode=always"]
MORE = ["cltemporal frames=5 ! clsharpen", "cllevels auto=true smoothing=8", "clnoise strength=0.2", "clbilateral", "clblur", "clcolormatrix preset=sepia", "clconvolve preset=sharpen", "cldeblock", "cldilate", "clemboss",
        "clequalize", "clerode", "clflip video-direction=90r", "cllevels gamma=2", "clmedian", "clmorphology", "clnlmeans", "clprewitt",
        "clscharr", "clsharpen", "clsobel", "clstabilize", "cltemporal method=median frames=7", "cltemporal method=recursive",
        "clthreshold", "cltonemap", "clwarp matrix=\"1 0.1 0 0 1 0 0 0 1\"", "clchain filters=\"clmedian ! clnoise\"",
        "clvideo filters=\"cladjust hue=0.3\"", "cladjust exposure=1", "clconvert ! video/x-raw,format=RGBA,width=80,height=60"]
PICTURE = f"videotestsrc num-buffers={FRAMES} pattern=ball ! video/x-raw,width=96,height=64,framerate={RATE}/1"
SOUND = f"audiotestsrc num-buffers={FRAMES} samplesperbuffer=1764 ! audio/x-raw,rate=44100 ! vorbisenc"
ENCODERS = ("x264enc bframes=2 b-adapt=false key-int-max=12", "openh264enc gop-size=12", "avenc_mpeg4")


def run(*words, **variables):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=PATIENCE, check=False, env={**os.environ, **variables})
    return done.returncode, done.stdout


def must(*words, **variables):
    status, output = run(*words, **variables)
    if status:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {status}: {output}")
    return output


def launch(line):
    status, output = headless.launch(line)
    if status:
        raise RuntimeError(f"{line}: {output}")


class Test:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0
        encoder = next(e for e in ENCODERS if not run("gst-inspect-1.0", e.split(" ", 1)[0])[0])
        self.clip = folder / "in.mkv"
        launch(f"{PICTURE} ! {encoder} ! queue ! matroskamux name=mux ! filesink location={self.clip} {SOUND} ! queue ! mux.")

    def batch(self, *words, **variables):
        return must(self.program, *words, **variables)

    def plan(self, filters, segment, *more):
        self.count += 1
        job = self.folder / f"job{self.count}"
        self.batch("plan", self.clip, "--filters", filters, "-o", job, *(["--segment", segment] if segment else []), *more)
        return job

    def tasks(self, job):
        return len(json.loads((job / "plan.json").read_text())["tasks"])

    def frames(self, job):
        """A digest of all frames of the joined result"""
        out = job.with_suffix(".mkv")
        self.batch("join", job, "-o", out)
        raw = job.with_suffix(".raw")
        launch(f"filesrc location={out} ! matroskademux ! avdec_ffv1 ! filesink location={raw}")
        return hashlib.sha256(raw.read_bytes()).hexdigest()

    def whole(self, filters):
        job = self.plan(filters, None)
        self.batch("run", job, 0)
        return self.frames(job)


def equals_whole(test, filters, segment="0.7", *more):
    job = test.plan(filters, segment, *more)
    numbers = list(range(test.tasks(job)))
    random.shuffle(numbers)
    for number in numbers:
        test.batch("run", job, number)
    assert test.frames(job) == test.whole(filters), f"{filters}: the parts differ from the whole"
    return numbers


def check_filters(test):
    for filters in FILTERS:
        numbers = equals_whole(test, filters)
        assert len(numbers) > 1, f"{filters} was not cut"


def check_sound(test):
    job = test.plan("clnoise", "1")
    test.batch("submit", job, "--jobs=2")
    test.batch("join", job, "-o", test.folder / "videos")
    launch(f"filesrc location={test.folder}/videos/in.mkv ! matroskademux ! audio/x-vorbis ! fakesink")


def check_killed(test, tries=20 if FULL else 1):
    """A worker that is killed leaves nothing that counts, and the next one does its task"""
    job = test.plan("clnoise", "0.7")
    for _ in range(tries):
        for number in range(test.tasks(job)):
            worker = subprocess.Popen([test.program, "run", str(job), str(number)], stderr=subprocess.DEVNULL)
            time.sleep(random.random() * 0.6)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
    test.batch("submit", job)
    assert test.frames(job) == test.whole("clnoise"), "killed workers left their mark"


def check_refusals(test):
    job = test.plan("clnoise", "1")
    status, output = run(test.program, "join", job, "-o", test.folder / "out.mkv")
    assert status == 1 and "not done" in output, output
    test.batch("submit", job)
    chunk = job / "chunks" / "00001.mkv"
    chunk.write_bytes(chunk.read_bytes()[:-100])
    status, output = run(test.program, "join", job, "-o", test.folder / "out.mkv")
    assert status == 1 and "damaged" in output, output
    for words, expected in ((["run", job, "99"], 1), (["run", job, "x"], 2), (["plan", test.clip], 2), (["nothing"], 2), ([], 2),
                            (["run", test.folder / "none", "0"], 1), (["submit", job, "--engine", "other"], 1),
                            (["plan", "-o", test.folder / "j", "-f", "clnothing", test.clip], 1),
                            (["plan", "-o", job, "-f", "clnoise", test.clip], 1)):
        status, output = run(test.program, *words)
        assert status == expected, f"{words} ends with {status}: {output}"


def check_all_frames(test):
    """Filters that need all frames before are not cut, unless a number of them is enough"""
    job = test.plan("cltemporal method=recursive", "0.7")
    assert test.tasks(job) == 1
    assert test.tasks(test.plan("cltemporal method=recursive", "0.7", "--warm-up", "10")) > 1


def check_parallel(test):
    if not shutil.which("parallel"):
        return "# SKIP GNU parallel is not installed"
    job = test.plan("clnoise", "0.7")
    test.batch("submit", job, "--engine", "parallel", "--jobs=2")
    assert test.frames(job) == test.whole("clnoise"), "the parts differ from the whole"
    return ""


def check_every_filter(test):
    for filters in MORE + FILTERS:
        equals_whole(test, filters, f"{random.uniform(0.3, 1.5):.2f}")


CASES = [check_filters, check_sound, check_killed, check_refusals, check_all_frames, check_parallel]


def main():
    skip = headless.why_skip()
    if skip:
        print(f"1..0 # SKIP {skip}")
        return
    cases = CASES + ([check_every_filter] if FULL else [])
    seed = int(os.environ.get("GST_CL_TEST_SEED", time.time()))
    random.seed(seed)
    print(f"1..{len(cases)}\n# seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1], pathlib.Path(folder))
        for number, case in enumerate(cases, 1):
            try:
                said = case(test) or ""
                print(f"ok {number} - {case.__name__} {said}", flush=True)
            except (AssertionError, RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"not ok {number} - {case.__name__}\n" + "".join(f"# {line}\n" for line in str(error).splitlines()), flush=True)


if __name__ == "__main__":
    main()
