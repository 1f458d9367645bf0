#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows filtered video in a GL window of a virtual X server and looks at the screen: it has to show what the filter
makes of the same picture in system memory. Prints TAP, one case for each of GLX and EGL; the screenshots stay in the
folder given.

usage: test-window.py FOLDER
"""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
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


def picture(path, effect):
    """RGBA bytes of the picture after the effect, through system memory"""
    status, text = headless.launch(PICTURE.format(more="num-buffers=1") + effect + f"filesink location={path}")
    if status:
        raise RuntimeError(text)
    return path.read_bytes()


def screenshot(folder):
    """RGB bytes of the top left corner of the screen, which is an XWD file: a header, a colour map, rows of BGRX"""
    data = (folder / "Xvfb_screen0").read_bytes()
    fields = struct.unpack(">25I", data[:100])
    header, bits, stride, colours = fields[0], fields[11], fields[12], fields[19]
    if bits != 32:
        raise RuntimeError(f"the screen has {bits} bits a pixel")
    start, rows = header + 12 * colours, []
    for y in range(HEIGHT):
        row = data[start + y * stride:start + y * stride + 4 * WIDTH]
        rgb = bytearray(3 * WIDTH)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows.append(bytes(rgb))
    return b"".join(rows)


def write_png(path, rgb):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + rgb[y * 3 * WIDTH:(y + 1) * 3 * WIDTH] for y in range(HEIGHT))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def without_alpha(rgba):
    rgb = bytearray(len(rgba) // 4 * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = rgba[0::4], rgba[1::4], rgba[2::4]
    return bytes(rgb)


def difference(a, b):
    """(largest, mean) absolute difference"""
    steps = [abs(x - y) for x, y in zip(a, b)]
    return max(steps), sum(steps) / len(steps)


def watch(screen_folder, expected, player):
    """The last screenshot, and its difference from the expected picture; ends as soon as they agree"""
    end = time.monotonic() + PATIENCE
    while True:
        shot = screenshot(screen_folder)
        found = difference(shot, expected)
        if found[0] <= TOLERANCE or time.monotonic() > end or player.poll() is not None:
            return shot, found
        time.sleep(0.3)


def play(platform, display, folder, expected):
    """(why it was skipped, error) of showing the picture through one kind of GL window"""
    variables = dict(DISPLAY=display, GST_GL_PLATFORM=platform, GST_GL_WINDOW="x11")
    window = PICTURE.format(more="is-live=true") + f"glupload ! {FILTER} ! 'video/x-raw(memory:GLMemory)' ! glimagesink"
    if tap.run("gst-launch-1.0 -q videotestsrc num-buffers=1 ! glupload ! glimagesink".split(), timeout=PATIENCE, **variables)[0]:
        return "no such GL window here", []
    log = folder / f"{platform}.log"
    with open(log, "wb") as output:
        player = subprocess.Popen(["bash", "-c", "exec gst-launch-1.0 " + window],
                                  env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    shot, (largest, mean) = watch(folder, expected, player)
    ended = player.poll()
    player.send_signal(signal.SIGINT)
    tap.end(player, PATIENCE)
    write_png(pathlib.Path(sys.argv[1]) / f"window-{platform}.png", shot)
    if largest <= TOLERANCE:
        return "", []
    said = log.read_text(errors="replace").splitlines()[-8:] if ended is not None else []
    return "", [f"the window differs by up to {largest}, {mean:.2f} on average", *said]


def main():
    os.environ.pop("WAYLAND_DISPLAY", None)
    tap.skip_all(screen.why_skip(takes_input=False))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        plain = without_alpha(picture(folder / "plain", ""))
        expected = without_alpha(picture(folder / "filtered", FILTER + " ! "))
        with screen.server(folder) as display:
            tap.skip_all("" if display else "Xvfb does not start")
            print("1..3")
            change = difference(plain, expected)[1]
            tap.result(1, "the filter changes the picture", "" if change > 5 else f"by {change:.1f}")
            for number, platform in enumerate(("glx", "egl"), 2):
                skip, found = play(platform, display, folder, expected)
                tap.result(number, platform, found, skip)


if __name__ == "__main__":
    main()
