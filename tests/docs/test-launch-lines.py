#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of the documentation, shortened: three frames of small test video, no window, files in
a scratch folder, GL without a display. Standard error has to stay empty. Prints TAP, one case a line. A line of elements
that are not installed here is skipped, and one of GL elements where there is no GL. One process plays all lines but those
that set variables, which gst-launch-1.0 plays. Without GST_CL_TEST_FULL an element's page has its first line played.

usage: test-launch-lines.py ROOT PLAYER
"""
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys

import headless
import tap
from player import TIMEOUT, Player

FENCE = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
MARKS = {".md": FENCE, ".cl": COMMENT}
WINDOWS = re.compile(r"\b(auto|glimage|xvimage|ximage|wayland|fpsdisplay|gtk)(video)?sink\b(?!=)")
GL_VARIABLES = re.compile(r"\b(GST_GL_\w+|DISPLAY|WAYLAND_DISPLAY|__GLX_\w+)=\S* +")
LIVE_SOURCES = re.compile(r"\b(v4l2src|autovideosrc|ximagesrc)\b( +(device|show-pointer)=\S+)*")
TEST_SOURCE = re.compile(r"\bvideotestsrc\b(?P<rest>[^!]*)!(?P<next> *\S*)")
ELEMENT = re.compile(r"(?:! +|gst-launch-1\.0(?: +-\w+)* +)([a-z][a-z0-9_]+)(?= |$)")
# allowed on standard error: a log that the line asks for, an encoder's remarks on three frames, and facedetect's on files that
# Debian leaves out
ASKED_FOR = re.compile(r"\d+:\d\d:\d\d\.\d+ |\[OpenH264\]|\[ERROR:\S+ global .*haarcascade_mcs_")
FRAMES = 3
FULL = bool(os.environ.get("GST_CL_TEST_FULL"))
OPTIONS = ("-q", "-v", "-e")  # which change gst-launch-1.0's output, or the effect of Ctrl-C

LARGE = re.compile(r"\bwidth=(\d{3,}),height=(\d{3,})\b")

SOURCE = "videotestsrc num-buffers={frames} ! video/x-raw,width=80,height=60 ! videoconvert ! "
SAMPLES = {
    ".mp4": SOURCE + "video/x-raw,format=I420 ! {encoder} ! mp4mux",
    ".mov": SOURCE + "video/x-raw,format=I420 ! {encoder} ! qtmux",
    ".avi": SOURCE + "jpegenc ! avimux",
    ".mkv": SOURCE + "jpegenc ! matroskamux",
    ".png": SOURCE + "pngenc snapshot=true",
    ".jpg": SOURCE + "jpegenc snapshot=true",
}
ENCODERS = ("x264enc ! h264parse", "openh264enc ! h264parse", "avenc_mpeg4 ! mpeg4videoparse")


def blocks(path):
    """(line number, text) of every block that may hold launch lines"""
    text = path.read_text(encoding="utf-8")
    for match in MARKS[path.suffix].finditer(text):
        block = match.group(1)
        if path.suffix != ".md":
            block = re.sub(r"^ *\* ?", "", block, flags=re.M)
        yield text.count("\n", 0, match.start(1)) + 1, block


def launch_lines(path):
    """(line number, command) of every launch line; lines that end in a backslash are joined"""
    for start, block in blocks(path):
        number, joined = start, ""
        for offset, line in enumerate(block.split("\n")):
            if not joined:
                number = start + offset
            joined += line.strip()
            if joined.endswith("\\"):
                joined = joined[:-1]
                continue
            if re.match(r"(\w+=\S+ +)*gst-launch-1\.0 ", joined):
                yield number, joined
            joined = ""


def shorten(source):
    """A videotestsrc that ends soon, with small frames unless the line sets a size"""
    rest, following = source.group("rest", "next")
    frames = "" if "num-buffers=" in rest else f" num-buffers={FRAMES}"
    size = "width=160,height=120"
    if "width=" in following:
        small = ""
    elif following.strip().startswith("video/x-raw"):
        small, following = "", f"{following},{size}"
    else:
        small = f" video/x-raw,{size} !"
    return f"videotestsrc{frames}{rest}!{small}{following}"


def smaller(match):
    """An eighth of the width and height, rounded to even sizes, because these kernels are compiled without the optimiser"""
    width, height = (int(size) // 8 & ~1 for size in match.groups())
    return f"width={width},height={height}" if width >= 80 else match[0]


def make_sample(name, folder):
    """A file to read, of the kind that its name indicates"""
    path = folder / "in" / pathlib.PurePath(name.strip("\"'")).name
    launch = SAMPLES.get(path.suffix)
    if not launch:
        raise ValueError(f"no sample of {path.suffix} files")
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        encoder = next((e for e in ENCODERS if tap.described(e.split(" ", maxsplit=1)[0])), "")
        text = f"gst-launch-1.0 -q {launch.format(frames=FRAMES, encoder=encoder)} ! filesink location={path}"
        subprocess.run(text, shell=True, check=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return str(path)


def shortened(line, folder):
    line = GL_VARIABLES.sub("", line)
    line = LIVE_SOURCES.sub("videotestsrc", line)
    line = re.sub(r"num-buffers=\d+", f"num-buffers={FRAMES}", line)
    line = TEST_SOURCE.sub(shorten, line)
    line = LARGE.sub(smaller, line)
    line = WINDOWS.sub("fakesink", line)
    line = re.sub(r"(filesrc +location=)(\S+)", lambda m: m[1] + make_sample(m[2], folder), line)
    return re.sub(r"(filesink +location=)(\S+)", lambda m: f"{m[1]}{folder}/{pathlib.PurePath(m[2]).name}", line)


def missing_elements(line):
    """Elements of other packages in a line that are missing on this machine"""
    return [n for n in dict.fromkeys(ELEMENT.findall(line)) if not n.startswith("cl") and not tap.described(n)]


def run(line, folder, player):
    """Returns why it failed, or None"""
    words = shlex.split(line)
    while len(words) > 1 and words[1] in OPTIONS:
        del words[1]
    shared = words[0] == "gst-launch-1.0" and not words[1].startswith("-")
    if shared:
        status, errors = player.play(words[1:])
    else:
        status, errors = tap.run(["bash", "-c", f"exec >/dev/null; {line}"], folder, TIMEOUT)
    said = [text for text in errors.splitlines() if not ASKED_FOR.match(text)]
    if status is None:
        said.append(f"it crashed, or was still running after {TIMEOUT} s")
    if status or said:
        return "\n".join(said) or f"exit status {status}"
    return None


def sources(root):
    yield root / "README.md"
    # the tutorial has a separate test, which saves its kernels
    yield from (path for path in sorted((root / "docs").rglob("*.md")) if path.name != "first-kernel.md")
    yield from sorted((root / "pipelines").rglob("*.md"))
    # another test compiles all example kernels; a quick run plays the lines of one in three
    yield from sorted((root / "pipelines" / "kernels").glob("*.cl"))[::1 if FULL else 3]


def check(line, folder, has_gl, player):
    """(what is wrong, why it was skipped)"""
    try:
        text = shortened(line, folder)
    except (ValueError, subprocess.SubprocessError) as error:
        return [line, str(error)], ""
    missing = missing_elements(text)
    if missing:
        return [], f"not installed: {', '.join(missing)}"
    if not has_gl and any(name.startswith("gl") for name in ELEMENT.findall(text)):
        return [], "no GL"
    failure = run(text, folder, player)
    return [text, *failure.strip().splitlines()[-12:]] if failure else [], ""


def cases(root, program):
    has_gl = headless.has_gl()
    with tap.folder() as scratch:
        (scratch / "pipelines").symlink_to(root / "pipelines")
        player = Player(program.resolve(), scratch)
        for path in filter(pathlib.Path.exists, sources(root)):
            for number, line in itertools.islice(launch_lines(path), None if FULL or path.parent.name != "elements" else 1):
                yield f"{path.relative_to(root)}:{number}", *check(line, scratch, has_gl, player)
        ended = player.close()
        yield "the process of them all ends well", f"it ends with {ended}" if ended else ""


if __name__ == "__main__":
    headless.choose()
    tap.skip_all(headless.why_skip())
    tap.results(cases(*map(pathlib.Path, sys.argv[1:])))
