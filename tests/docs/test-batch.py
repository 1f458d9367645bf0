#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-batch: tasks put together give the frames of the whole run, whoever runs them and however often they are killed. Prints TAP.
test-batch-trials.py tries every filter, test-batch-traps.py awkward videos, test-batch-engines.py Slurm and Snakemake.

usage: test-batch.py CL-BATCH
"""
import os
import random
import signal
import subprocess
import time

import batch
import tap

# filters that read or count other frames
FILTERS = ["cltemporal frames=5 ! clnoise strength=0.2 ! cllevels auto=true smoothing=8", "cldeinterlace mode=always"]


def check_filters(test):
    for filters in FILTERS:
        job = test.plan(filters, 0.7)
        numbers = list(range(test.tasks(job)))
        assert len(numbers) > 1, f"{filters} was not cut"
        random.shuffle(numbers)
        for number in numbers:
            test.batch("run", job, number)
        test.compare(job, test.whole(filters), filters)


def check_sound(test):
    job = test.plan("clnoise", 1)
    test.batch("submit", job, "--jobs=2")
    test.batch("join", job, "-o", test.folder / "videos")
    batch.launch(f"filesrc location={test.folder}/videos/in.mkv ! matroskademux ! audio/x-vorbis ! fakesink")
    test.refused("MP4 does not take", "join", job, "-o", test.folder / "out.mp4")
    # a signal leaves nothing
    stopped = test.folder / "stopped"
    joiner = subprocess.Popen([test.program, "join", str(job), "-o", str(stopped)], stdout=subprocess.DEVNULL)
    tap.wait_for(lambda: joiner.poll() is not None or list(stopped.glob("*.part")), batch.PATIENCE, 0.001)
    joiner.terminate()
    joiner.wait()
    assert not list(stopped.glob("*.part")), "join leaves its unfinished file"


def check_text(test):
    """Tags and subtitles are kept as they are, though the sound that they divide is longer than a queue"""
    text = test.folder / "in.srt"
    text.write_text("1\n00:00:00,000 --> 00:00:00,100\nA & <3\n\n2\n00:00:01,900 --> 00:00:01,950\n<i>A &amp; B</i>\n\n")
    clip = test.folder / "text.mkv"
    batch.launch(f"matroskamux name=mux ! filesink location={clip} filesrc location={test.clip} ! matroskademux name=in "
                 "in.video_0 ! queue ! taginject tags=title=Ball ! mux. audiotestsrc samplesperbuffer=100 num-buffers=882 ! audio/x-raw,rate=44100 ! queue ! mux. "
                 f"filesrc location={text} ! subparse ! text/x-raw,format=pango-markup ! capssetter caps=text/x-raw,format=utf8 ! queue ! mux.")
    job = test.plan("clmedian", None, clip=clip)
    test.batch("run", job, 0)
    test.batch("join", job, "-o", test.folder / "kept.mkv")
    dump = "matroskademux ! text/x-raw ! fakesink dump=true | cut -c 60-"
    before, after = (batch.launch(f"filesrc location={path} ! {dump}") for path in (clip, test.folder / "kept.mkv"))
    assert b"Ball" in (test.folder / "kept.mkv").read_bytes(), "the title is lost"
    assert before and before == after, f"the source has the text {before}, the result {after}"


def check_mp4(test):
    """Frames that are decoded out of order keep their times, and are turned as players would turn them"""
    batch.need("x264enc")
    job = test.plan("taginject tags=image-orientation=rotate-90 ! clmedian", None, "-e", "x264enc speed-preset=ultrafast bframes=3 b-adapt=false ! h264parse")
    test.batch("run", job, 0)
    times = {}
    for out, demuxer in ((test.folder / "out.mkv", "matroskademux"), (test.folder / "out.mp4", "qtdemux")):
        test.batch("join", job, "-o", out)
        lines = batch.launch(f"filesrc location={out} ! {demuxer} ! avdec_h264 ! video/x-raw,width=64,height=96 ! checksumsink hash=md5").split("\n")
        times[out] = [line.split(" ")[0] for line in lines if line]
        assert len(times[out]) == 50, f"{out.name} shows {len(times[out])} frames"
    first, second = times.values()
    assert first == second, f"the first times in Matroska are {first[:6]}, in MP4 {second[:6]}"


def check_killed(test):
    """A killed worker leaves nothing behind, and the next one does its task"""
    job = test.plan("clnoise", 0.7)
    for number in range(test.tasks(job)):
        worker = subprocess.Popen([test.program, "run", str(job), str(number)], stderr=subprocess.DEVNULL)
        time.sleep(random.random() * 0.6)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    # two workers with one task
    workers = [subprocess.Popen([test.program, "run", str(job), str(number)]) for number in [0, *range(test.tasks(job))]]
    assert not any(worker.wait() for worker in workers), "two workers with one task do not both succeed"
    test.compare(job, test.whole("clnoise"), "killed workers")
    files = [path.name for path in (job / "chunks").iterdir()]
    assert len(files) == 2 * test.tasks(job), f"workers left {files}"


def check_refusals(test):
    job = test.plan("clnoise", 1)
    for out in (test.folder / "out.mkv", test.folder / "none"):
        test.refused("not done", "join", job, "-o", out)
    test.refused("holds no job", "status", test.folder / "none")
    assert not (test.folder / "none").exists(), "join leaves an empty folder"
    test.refused("whole path", "plan", test.clip, "-f", "clprogram location=x.cl", "-o", test.folder / "j")
    test.batch("submit", job)
    (test.folder / "link.mkv").symlink_to(test.clip)
    for out in (test.folder, test.folder / "link.mkv"):
        test.refused("would be lost", "join", job, "-o", out)
    chunk = job / "chunks" / test.result(job, 1)["chunk"]
    chunk.write_bytes(chunk.read_bytes()[:-100])
    test.refused("damaged", "join", job, "-o", test.folder / "out.mkv")
    assert "1 of 2 tasks" in test.batch("status", job), "a damaged task counts as done"
    for seconds in ("1e-10", "1e30", "inf", "nan", "0"):
        test.refused("wants seconds", "plan", test.clip, "-f", "clnoise", "-s", seconds, "-o", test.folder / "j", status=2)
    for encoder in ("nosuch", "", "fakesink", "vorbisenc"):
        test.refused("does not encode video", "plan", test.clip, "-f", "clnoise", "-e", encoder, "-o", test.folder / "j")
    test.refused("nosuch", "submit", job, "--devices", "nosuch")
    for words, expected in ((["run", job, "99"], 1), (["run", job, "x"], 2), (["plan", test.clip], 2), (["nothing"], 2), ([], 2),
                            (["run", test.folder / "none", "0"], 1), (["submit", job, "--engine", "other"], 2),
                            (["submit", job, "--jobs", "0"], 2),
                            (["plan", "-o", test.folder / "j", "-f", "clnoise", test.folder], 1),
                            (["plan", "-o", test.folder / "j", "-f", "clnoise", test.clip, "--warm-up", "-1"], 2),
                            (["plan", "-o", test.folder / "j", "-f", "clnothing", test.clip], 1),
                            (["plan", "-o", job, "-f", "clnoise", test.clip], 1)):
        test.refused("", *words, status=expected)


def check_all_frames(test):
    """Filters that need all earlier frames are not cut, unless a given number of frames is enough"""
    job = test.plan("cltemporal method=recursive", 0.7)
    assert test.tasks(job) == 1
    assert test.tasks(test.plan("cltemporal method=recursive", 0.7, "--warm-up", "10")) > 1


def check_new_times(test):
    """A filter that counts times from the beginning of a stream is not cut, nor one that works in a chain"""
    for filters in ("clframerate", "clmedian ! clframerate ! video/x-raw,framerate=50/1", 'clchain filters="clmedian ! clframerate"'):
        assert test.tasks(test.plan(filters, 0.7)) == 1, f"{filters} was cut"


def check_many(test, count=30):
    """Short files are planned in parallel, and each keeps its name"""
    folder = test.folder / "many"
    folder.mkdir()
    files = [folder / f"{i}.mkv" for i in range(count)]
    for file in files:
        os.link(test.clip, file)
    job = test.folder / "many-job"
    test.batch("plan", *files, "--filters", "clnoise", "--segment", "20s", "-o", job)
    assert test.tasks(job) == count
    broken = folder / "broken.mkv"
    broken.write_bytes(b"no video")
    for text in ("broken.mkv", "1 of 2 videos"):
        test.refused(text, "plan", test.clip, broken, "--filters", "clnoise", "--segment", "1", "-o", test.folder / "bad")
    assert not (test.folder / "bad").exists(), "a plan that fails leaves its folder"
    partial, joined = test.folder / "partial-job", test.folder / "partial"
    test.batch("plan", test.clip, broken, "--filters", "clnoise", "-o", partial)
    test.refused("not done", "submit", partial)
    test.refused("1 task of 2", "join", partial, "-o", joined)
    assert [path.name for path in joined.iterdir()] == [f"{test.clip.stem}.mkv"], "the video whose task is done is not joined"


def check_parallel(test):
    """A job is killed and submitted again"""
    batch.need("parallel")
    job = test.plan("clnoise", 0.7)
    engine = ["--engine", "parallel", "--jobs=2"]
    test.killed_submit(job, *engine)
    test.batch("submit", job, *engine)
    test.compare(job, test.whole("clnoise"), "GNU parallel")


def check_devices(test):
    """Two devices that PoCL makes of this machine's processor share a job"""
    two = {"POCL_DEVICES": "pthread pthread"}
    job = test.plan("clnoise", 0.7)
    output = test.batch("submit", job, "--devices", "auto-balance", **two)
    used = {test.result(job, task)["device"] for task in range(test.tasks(job))}
    assert len(used) == 2 and all(f"device {name}: " in output for name in used), f"{used}: {output}"
    test.compare(job, test.whole("clnoise"), "two devices")


if __name__ == "__main__":
    batch.main([check_filters, check_sound, check_text, check_mp4, check_killed, check_refusals, check_all_frames, check_new_times, check_many, check_parallel, check_devices])
