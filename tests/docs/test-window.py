#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows filtered video in a GL window of a virtual X server and looks at the screen: it has to show what the filter
makes of the same picture in system memory. Prints TAP, one case for each of GLX and EGL; the screenshots stay in the
folder given.

usage: test-window.py FOLDER
"""
import functools
import os
import pathlib
import signal
import struct
import subprocess
import sys
import zlib

import headless
import screen
import tap

WIDTH, HEIGHT = 320, 240
PICTURE = f"videotestsrc pattern=chroma-zone-plate kx2=40 ky2=30 xoffset=-40 yoffset=30 {{more}} ! " \
          f"video/x-raw,format=RGBA,width={WIDTH},height={HEIGHT},framerate=30/1 ! "
FILTER = "clbilateral sigma-space=3 sigma-range=1"
# clbilateral is within 1 of its definition on every path; the window's colour depth and blending add no difference
TOLERANCE = 2
PATIENCE = 40


def rgb_of(pixels, *places):
    """places: of red, green and blue in a pixel of four bytes"""
    rgb = bytearray(len(pixels) // 4 * 3)
    for colour, place in enumerate(places):
        rgb[colour::3] = pixels[place::4]
    return bytes(rgb)


def picture(path, effect):
    """RGB bytes of the picture after the effect, through system memory"""
    status, text = headless.launch(PICTURE.format(more="num-buffers=1") + effect + f"filesink location={path}")
    if status:
        raise RuntimeError(text)
    return rgb_of(path.read_bytes(), 0, 1, 2)


def screenshot(folder):
    """RGB bytes of the top left corner of the screen, which is an XWD file: a header, a colour map, rows of BGRX"""
    data = (folder / "Xvfb_screen0").read_bytes()
    fields = struct.unpack(">25I", data[:100])
    header, bits, stride, colours = fields[0], fields[11], fields[12], fields[19]
    if bits != 32:
        raise RuntimeError(f"the screen has {bits} bits a pixel")
    start = header + 12 * colours
    return b"".join(rgb_of(data[start + y * stride:start + y * stride + 4 * WIDTH], 2, 1, 0) for y in range(HEIGHT))


def write_png(path, rgb):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + rgb[y * 3 * WIDTH:(y + 1) * 3 * WIDTH] for y in range(HEIGHT))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def difference(a, b):
    """(largest, mean) absolute difference"""
    steps = [abs(x - y) for x, y in zip(a, b)]
    return max(steps), sum(steps) / len(steps)


def watch(screen_folder, expected, player):
    """The last screenshot, and its difference from the expected picture; ends as soon as they agree"""
    found = []

    def agrees():
        shot = screenshot(screen_folder)
        found[:] = shot, difference(shot, expected)
        return found[1][0] <= TOLERANCE or player.poll() is not None
    tap.wait_for(agrees, PATIENCE, 0.3)
    return found


def play(platform, display, folder, expected):
    """(error, why it was skipped) of showing the picture through one kind of GL window"""
    variables = dict(DISPLAY=display, GST_GL_PLATFORM=platform, GST_GL_WINDOW="x11")
    window = PICTURE.format(more="is-live=true") + f"glupload ! {FILTER} ! 'video/x-raw(memory:GLMemory)' ! glimagesink"
    if tap.run("gst-launch-1.0 -q videotestsrc num-buffers=1 ! glupload ! glimagesink".split(), timeout=PATIENCE, **variables)[0]:
        return "", "no such GL window here"
    log = folder / f"{platform}.log"
    with open(log, "wb") as output:
        player = subprocess.Popen(["bash", "-c", "exec gst-launch-1.0 " + window],
                                  env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    shot, (largest, mean) = watch(folder, expected, player)
    ended = player.poll()
    player.send_signal(signal.SIGINT)
    tap.end(player, PATIENCE)
    write_png(pathlib.Path(sys.argv[1]) / f"window-{platform}.png", shot)
    said = log.read_text(errors="replace").splitlines()[-8:] if ended is not None else []
    return [f"the window differs by up to {largest}, {mean:.2f} on average", *said] if largest > TOLERANCE else "", ""


def check(platform, display, folder):
    plain, expected = picture(folder / "plain", ""), picture(folder / "filtered", FILTER + " ! ")
    change = difference(plain, expected)[1]
    return play(platform, display, folder, expected) if change > 5 else f"the filter changes the picture by {change:.1f}"


if __name__ == "__main__":
    tap.skip_all(screen.why_skip(takes_input=False))
    screen.results((name, functools.partial(check, name)) for name in ("glx", "egl"))
