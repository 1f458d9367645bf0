# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of cl-batch: clips, jobs, and the MD5 and time of every frame."""
import contextlib
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
import tap

FULL = "GST_CL_TEST_FULL" in os.environ
PATIENCE = 60 if not FULL else 300
RATE = 25
ENCODERS = ("x264enc bframes=2 b-adapt=false key-int-max=12", "openh264enc gop-size=12", "avenc_mpeg4")


def run(*words, **variables):
    return tap.run(words, timeout=PATIENCE, **variables)


def must(*words, **variables):
    status, output = run(*words, **variables)
    if status:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {status}: {output}")
    return output


def launch(line):
    return must("sh", "-c", "gst-launch-1.0 -q " + line)


def picture(frames, width=96, height=64):
    return f"videotestsrc num-buffers={frames} pattern=ball ! video/x-raw,width={width},height={height},framerate={RATE}/1"


def skip_if(why):
    if why:
        raise tap.Skipped(why)


def need(*names):
    """Elements and programs"""
    for name in names:
        skip_if("" if shutil.which(name) or not run("gst-inspect-1.0", name)[0] else f"{name} is not installed")


class Batch:
    """cl-batch, on a video in a folder"""

    def __init__(self, program, folder, frames=50, width=96, height=64):
        self.program, self.folder, self.count, self.wholes = program, folder, 0, {}
        encoder = next(e for e in ENCODERS if not run("gst-inspect-1.0", e.split(" ", 1)[0])[0])
        self.clip = folder / "in.mkv"
        sound = f"audiotestsrc num-buffers={frames} samplesperbuffer=1764 ! audio/x-raw,rate=44100 ! vorbisenc"
        launch(f"{picture(frames, width, height)} ! {encoder} ! queue ! matroskamux name=mux ! filesink location={self.clip} "
               f"{sound} ! queue ! mux.")

    def batch(self, *words, **variables):
        return must(self.program, *words, **variables)

    def plan(self, filters, segment, *more, clip=None):
        self.count += 1
        job = self.folder / f"job{self.count}"
        self.batch("plan", clip or self.clip, "--filters", filters, "-o", job, *(["--segment", str(segment)] if segment else []), *more)
        return job

    @staticmethod
    def tasks(job):
        return len(json.loads((job / "plan.json").read_text())["tasks"])

    @staticmethod
    def result(job, task):
        return json.loads((job / "chunks" / f"{task:05}.json").read_text())

    def frames(self, job):
        """The time and MD5 of each frame of the joined result"""
        out = job.with_suffix(".mkv")
        self.batch("join", job, "-o", out)
        lines = launch(f"filesrc location={out} ! matroskademux ! avdec_ffv1 ! checksumsink hash=md5").split("\n")
        return [line for line in lines if line]

    def whole(self, filters, clip=None):
        """The frames of one run over the whole video, kept for later cases"""
        if (filters, clip) not in self.wholes:
            job = self.plan(filters, None, clip=clip)
            self.batch("run", job, 0)
            self.wholes[filters, clip] = self.frames(job)
        return self.wholes[filters, clip]

    def refused(self, text, *words, status=1, before=()):
        """Runs cl-batch, which has to end with this status and say this; before: words of a program that starts it"""
        code, output = run(*before, self.program, *words)
        assert code == status and text in output, f"{words} ends with {code}: {output}"

    def killed_submit(self, job, *engine, ready=None):
        """Starts submit, and kills it and its children when it is ready, or after a random time"""
        process = subprocess.Popen([self.program, "submit", str(job), *engine], stderr=subprocess.DEVNULL, start_new_session=True)
        if ready:
            tap.wait_for(lambda: process.poll() is not None or ready(), PATIENCE, 0.02)
        else:
            time.sleep(random.random())
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def compare(self, job, whole, what):
        frames = self.frames(job)
        assert frames and frames == whole, f"{what}: {first_difference(frames, whole)}"


def first_difference(frames, whole):
    if len(frames) != len(whole):
        return f"the parts have {len(frames)} frames, the whole {len(whole)}"
    number = next((i for i, pair in enumerate(zip(frames, whole)) if pair[0] != pair[1]), 0)
    return f"frame {number} of the parts is {frames[number:number + 1]}, of the whole {whole[number:number + 1]}"


def main(cases, **clip):
    """Runs the cases, each a function of a Batch that returns a remark for its line; prints TAP"""
    tap.skip_all(headless.why_skip())
    # a time limit also stops the processes of the cases
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seed = int(os.environ.get("GST_CL_TEST_SEED", time.time()))
    random.seed(seed)
    print(f"1..{len(cases)}\n# seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        test = Batch(sys.argv[1], pathlib.Path(folder), **clip)
        for number, case in enumerate(cases, 1):
            begin = time.monotonic()
            try:
                tap.result(number, f"{case.__name__} {case(test) or ''}")
            except tap.Skipped as reason:
                tap.result(number, case.__name__, skip=reason)
            except (AssertionError, RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                tap.result(number, case.__name__, str(error) or "it fails")
            print(f"# {time.monotonic() - begin:.1f} s", flush=True)
