#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-batch with awkward videos, disks and clocks: the parts equal the whole, or it says what is wrong and nothing is left. Prints TAP.

usage: test-batch-traps.py CL-BATCH
"""
import os
import random
import shutil
import struct
import subprocess
import time

import batch
import editlist

FILTERS = "cltemporal frames=5"
COUNTING = "clnoise strength=0.2"
X264 = "x264enc key-int-max=12 bframes=3 b-adapt=false"


def make(test, name, source, tail):
    path = test.folder / name
    batch.launch(f"{source} ! {tail} ! filesink location={path}")
    return path


def shown(path, filters):
    """The MD5 of each frame that a player would show"""
    lines = batch.launch(f"filesrc location={path} ! decodebin ! {filters} ! checksumsink hash=md5").split("\n")
    return [line.split(" ")[1] for line in lines if line]


def check_cuts(test, clip, filters=FILTERS, rounds=3 if batch.FULL else 1, cuts=True):
    """The parts of a clip equal the whole, and the whole equals the frames that a player shows"""
    whole = test.whole(filters, clip=clip)
    if "cltemporal" in filters or "clcolormatrix" in filters:
        assert [line.split(" ")[1] for line in whole] == shown(clip, filters), f"{clip.name}: the whole is not what a player shows"
    for _ in range(rounds):
        job = test.plan(filters, f"{random.uniform(0.3, 0.9):.3f}", clip=clip)
        assert (test.tasks(job) > 1) == cuts, f"{clip.name} is {test.tasks(job)} tasks"
        test.batch("submit", job, "--jobs", "2")
        test.compare(job, whole, clip.name)
    return whole


def check_open_gop(test):
    batch.need("x264enc")
    coder = f"{X264} option-string=\"open-gop=1:min-keyint=12:scenecut=0\""
    check_cuts(test, make(test, "open.mkv", batch.picture(60), f"{coder} ! matroskamux"))
    check_cuts(test, make(test, "open.mp4", batch.picture(60), f"{coder} ! mp4mux"))


def check_transport_stream(test):
    """Its frames have other times after a seek, so it is not cut"""
    batch.need("x264enc", "mpegtsmux")
    check_cuts(test, make(test, "in.ts", batch.picture(60), f"{X264} ! h264parse ! mpegtsmux"), cuts=False)


def end_at_last_frame(clip):
    """Ends a Matroska file where its last frame begins, as files of frames without durations do"""
    times = batch.launch(f"filesrc location={clip} ! matroskademux ! checksumsink").split("\n")
    hours, minutes, seconds = [line.split(" ")[0] for line in times if line][-1].split(":")
    length = struct.pack(">d", 1000 * (3600 * int(hours) + 60 * int(minutes) + float(seconds)))
    data = clip.read_bytes()
    place = data.index(b"\x44\x89\x88") + 3
    clip.write_bytes(data[:place] + length + data[place + len(length):])


def check_variable_rate(test):
    clip = make(test, "vfr.mkv", batch.picture(80), f"identity drop-probability=0.5 ! {test.coder} ! matroskamux")
    check_cuts(test, clip)
    # no rate in the caps
    clip = make(test, "no-rate.mkv", batch.picture(80),
                "identity drop-probability=0.5 ! jpegenc ! capssetter caps=image/jpeg,framerate=0/1 ! matroskamux")
    end_at_last_frame(clip)
    check_cuts(test, clip)
    check_cuts(test, clip, COUNTING, 1, cuts=False)


def check_early_sound(test):
    """Matroska whose sound begins before the first frame but is written after it, as with AAC and B frames"""
    clip = test.folder / "early.mkv"
    batch.launch(f"matroskamux name=mux ! filesink location={clip} {batch.picture(60)} ! jpegenc ! queue ! mux. "
                 "audiotestsrc num-buffers=100 ! audio/x-raw,rate=44100 ! queue ! mux.")
    data = clip.read_bytes()
    # the first cluster begins at 23 ms instead of 0, and its first block of sound 23 ms before it
    for old, new in (b"\xe7\x81\x00", b"\xe7\x81\x17"), (b"\x82\x00\x00\x00", b"\x82\xff\xe9\x00"):
        assert old in data
        data = data.replace(old, new, 1)
    clip.write_bytes(data)
    job = test.plan(FILTERS, "0.5", clip=clip)
    assert test.tasks(job) > 1
    test.batch("submit", job)
    test.batch("join", job, "-o", test.folder / "early")


def check_edit_lists(test):
    batch.need("x264enc")
    source = make(test, "plain.mp4", batch.picture(75), f"{X264} ! mp4mux")
    check_cuts(test, source)
    for name, edits in (("late", [(1, None), (2, 0.6)]), ("inner", [(1.6, 0.56)]), ("two", [(0.8, 0.2), (1, 1.72)])):
        clip = test.folder / f"{name}.mp4"
        editlist.edit(source, clip, edits)
        whole = check_cuts(test, clip)
        assert 30 < len(whole) < 60, f"{name}: {len(whole)} frames are shown"


def check_no_times(test):
    """An elementary stream"""
    batch.need("x264enc", "h264parse")
    clip = make(test, "in.h264", batch.picture(40), f"{X264} ! h264parse ! video/x-h264,stream-format=byte-stream")
    whole = check_cuts(test, clip, "clcolormatrix preset=sepia", 1, cuts=False)
    assert len(whole) == 40 and len({line.split(" ")[0] for line in whole}) == 40, f"{len(whole)} frames: {whole[:3]}"


def check_sizes(test):
    batch.need("x264enc", "h264parse")
    tail = f"{X264} ! h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream"
    parts = [make(test, f"{width}.h264", batch.picture(20, width), tail).read_bytes() for width in (96, 64)]
    clip = test.folder / "sizes.h264"
    clip.write_bytes(b"".join(parts))
    muxed = make(test, "sizes.ts", f"filesrc location={clip}", "h264parse ! video/x-h264,framerate=25/1 ! mpegtsmux")
    for each in (clip, muxed):
        whole = check_cuts(test, each, "clconvert ! video/x-raw,format=I420,width=80,height=60,pixel-aspect-ratio=1/1", 1, cuts=False)
        assert len(whole) == 40, f"{each.name}: {len(whole)} frames"
    job = test.plan("clcolormatrix preset=sepia", None, clip=clip)
    test.refused("change their format or size", "run", job, "0")
    assert not list((job / "chunks").iterdir()), "a task that failed left files"


def expect_full(test, job, *before):
    test.refused("task 0", "run", job, 0, before=before)
    left = [path.name for path in (job / "chunks").iterdir()]
    assert not left, f"a disk that filled has {left}"


def check_full_disk(test):
    """The disk has space for the first bytes, for half a chunk, or for all but its last byte"""
    job = test.plan(COUNTING, None)
    test.batch("run", job, 0)
    size = (job / "chunks" / test.result(job, 0)["chunk"]).stat().st_size
    for room in (500, size // 2, size - 1):
        job = test.plan(COUNTING, None)
        expect_full(test, job, "sh", "-c", 'trap "" XFSZ; exec prlimit --fsize="$0" "$@"', room)
    test.batch("run", job, 0)
    test.compare(job, test.whole(COUNTING), "a disk that had filled")
    small = test.folder / "small"
    small.mkdir()
    if os.geteuid() or batch.run("mount", "-t", "tmpfs", "-o", f"size={size // 2 // 4096 * 4096}", "tmpfs", small)[0]:
        return "# no disk of its own can be mounted here; a limit on the size of files was tried"
    try:
        job = small / "job"
        test.batch("plan", test.clip, "--filters", COUNTING, "-o", job)
        expect_full(test, job)
        batch.must("mount", "-o", "remount,size=8m", small)
        test.batch("run", job, 0)
    finally:
        batch.run("umount", small)


def check_clocks(test):
    """Files from the future and the past, as on machines whose clocks differ"""
    clip = test.folder / "clock.mkv"
    shutil.copy(test.clip, clip)
    whole = test.whole(COUNTING)
    job = test.plan(COUNTING, 0.7, clip=clip)
    hour = 3600
    for engine in ("parallel", "snakemake"):
        if not shutil.which(engine):
            continue
        job = test.plan(COUNTING, 0.7, clip=clip)
        test.batch("run", job, 0)
        done = test.result(job, 0)
        for number, path in enumerate([clip, *job.rglob("*")]):
            when = time.time() + (hour if number % 2 else -1000 * hour)
            os.utime(path, (when, when))
        test.batch("submit", job, "--engine", engine)
        assert test.result(job, 0) == done, f"{engine} repeated a task that was done"
        test.compare(job, whole, f"{engine}, clocks differ")


def check_other_file(test):
    """A source is replaced after planning"""
    clip = test.folder / "replaced.mkv"
    shutil.copy(test.clip, clip)
    job = test.plan(COUNTING, 0.7, clip=clip)
    clip.write_bytes(clip.read_bytes() + b"more")
    test.refused("make a new plan", "run", job, "0")


def check_thousand(test, count=1000):
    """Short files: the time of planning, and its memory compared to a tenth of the files"""
    folder = test.folder / "thousand"
    folder.mkdir()
    files = [folder / f"{number}.mkv" for number in range(count)]
    for file in files:
        os.link(test.clip, file)
    times, sizes = [], []
    for some in (files[:count // 10], files):
        begin = time.monotonic()
        child = subprocess.Popen([test.program, "plan", *map(str, some), "--filters", "clnoise", "--segment", "1", "-o",
                                  str(test.folder / f"thousand{len(some)}")], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        assert status == 0, "plan fails"
        times.append(time.monotonic() - begin)
        sizes.append(usage.ru_maxrss / 1024)
    said = f"# {count} files in {times[1]:.1f} s and {sizes[1]:.0f} MiB, {count // 10} in {times[0]:.1f} s and {sizes[0]:.0f} MiB"
    assert times[1] < 20 and sizes[1] < sizes[0] * 1.3, said
    return said


if __name__ == "__main__":
    batch.Batch.coder = next(e for e in batch.ENCODERS if not batch.run("gst-inspect-1.0", e.split(" ", 1)[0])[0])
    batch.main([check_open_gop, check_transport_stream, check_variable_rate, check_early_sound, check_edit_lists, check_no_times, check_sizes,
                check_full_disk, check_clocks, check_other_file, check_thousand])
