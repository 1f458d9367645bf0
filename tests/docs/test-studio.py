#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs cl-studio on a virtual X server, moves its sliders and its split with the pointer, looks at the screen, makes
errors, and closes it. Prints TAP. The pictures of the window stay in the folder given.

usage: test-studio.py CL_STUDIO FOLDER
"""
import atexit
import functools
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import screen
import tap

PATIENCE = 200
# small, because GTK scales and PoCL filters on the same two cores
SOURCE = "gst-launch-1.0 videotestsrc pattern={} ! video/x-raw,width=320,height=180 ! "
SMALL = ["--filters", SOURCE.format("smpte") + "autovideosink"]
GOOD = "kernel void red (PIXEL_ARGS, float gain)\n{\n  PIXEL_BEGIN\n  OUT_PIXEL ((float4) (gain, 0, 0, 1));\n}\n"
BAD = "kernel void red (PIXEL_ARGS)\n{\n  PIXEL_BEGIN\n  OUT_PIXEL (colour);\n}\n"


def pixel(folder, x, y):
    """(R, G, B) on the screen, which is an XWD file"""
    data = (folder / "Xvfb_screen0").read_bytes()
    fields = struct.unpack(">25I", data[:100])
    place = fields[0] + 12 * fields[19] + int(y) * fields[12] + 4 * int(x)
    return tuple(data[place + 2 - i] for i in range(3))


@functools.cache
def still_settings():
    """A settings folder that disables animations, so that menus and bars are at once where they are clicked"""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-settings-"))
    atexit.register(shutil.rmtree, folder)
    (folder / "gtk-3.0").mkdir()
    (folder / "gtk-3.0/settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n", encoding="utf-8")
    return str(folder)


class Studio:
    """cl-studio running its steps, and its output"""

    def __init__(self, program, display, arguments, steps):
        environment = dict(os.environ, DISPLAY=display, GDK_BACKEND="x11", GTK_THEME="", NO_AT_BRIDGE="1",
                           GSETTINGS_BACKEND="memory", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=still_settings())
        environment.pop("GTK_THEME")
        command = [program, *arguments, *(word for step in steps for word in ("--do", step))]
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=self.log)
        self.report, self.hand = [], screen.Hand(display)

    def until(self, start):
        """The next line that begins like this; None if the program ends first"""
        for line in self.process.stdout:
            self.report.append(line.rstrip("\n"))
            if line.startswith(start):
                return line.strip()
            if "in vain" in line:  # an awaited event does not happen, so no other will
                self.process.terminate()
        return None

    def place(self, name):
        line = self.until(f"place: {name} ")
        return [int(word) for word in line.split()[-4:]] if line else None

    def click(self, name):
        self.hand.click(self.place(name))

    def drag(self, name, share, pause=lambda place: None):
        """From the middle of a widget to this share of its width; pause: called before"""
        place = self.place(name)
        if place:
            x, y, width, height = place
            pause(place)
            self.hand.drag((x + width / 2, y + height / 2), (x + share * width, y + height / 2))

    def end(self):
        """The error, once the program has ended"""
        self.hand.close()
        self.report += [line.rstrip("\n") for line in self.process.stdout]
        status = tap.end(self.process, PATIENCE)
        self.log.seek(0)
        said = self.log.read().splitlines()
        bad = [line for line in said if "CRITICAL" in line or "WARNING" in line or "ERROR" in line]
        bad += [line for line in self.report if "in vain" in line]
        return ([f"exit status {status}", *said[-8:]] if status else []) + bad


def check_split(program, display, folder, pictures):
    """Left of the split stands the unfiltered picture; a hand moves it, and takes it away"""
    line = SOURCE.format("white") + "clcolormatrix preset=invert ! clmedian ! autovideosink"
    studio = Studio(program, display, ["--filters", line],
                    ["split=0.5", "frames=10", "place=video", "await=split: 0.7", "place=split", "await=split: 0.000",
                     "frames=10", "quit"])
    wrong = []

    def look(place):
        x, y, width, height = place

        def sides():
            return [pixel(folder, x + width * part, y + height * 0.4) for part in (0.2, 0.8)]
        if not tap.wait_for(lambda: min(sides()[0]) > 240 and max(sides()[1]) < 15, 30):
            wrong.append("left and right of the split are " + " and ".join(map(str, sides())))

    studio.drag("video", 0.75, look)
    studio.click("split")
    return wrong + studio.end()


def check_slider(program, display, _folder, pictures):
    """A slider sets its property, the launch line follows, and plays when saved as a script"""
    script = pictures / "studio.sh"
    studio = Studio(program, display, SMALL,
                    ["format=BGRx", "add=clthreshold", "add=clmedian", "select=0", "frames=5", "place=threshold",
                     "await=clthreshold threshold=0.", "on=0", "move=0,1", "await=! clmedian ! clthreshold threshold=",
                     "off=0", "await=BGRx ! clthreshold", "frames=5", f"save={script}", "report", "quit"])
    studio.drag("threshold", 0.8)
    wrong = studio.end()
    if wrong:
        return wrong
    line = script.read_text(encoding="utf-8").replace("autovideosink", "fakesink")
    line = line.replace("videotestsrc", "videotestsrc num-buffers=3")
    status, output = tap.run(["sh", "-c", line], timeout=PATIENCE)
    return [line, output] if status or "threshold=0." not in line else []


def check_errors(program, display, folder, _pictures):
    """Errors are shown, and the window keeps working; but no picture is made of them"""
    refused = Studio(program, display, ["--filters", "nofilter", "--screenshot", str(folder / "no.png")], []).end()
    studio = Studio(program, display, SMALL,
                    ["add=clmedian", "frames=5", "set=device=nonsense", "await=message: clmedian0: No OpenCL device matches",
                     "set=device=", "frames=5", "await=message: \n", "quit"])
    return studio.end() + ([] if refused[:1] == ["exit status 1"] and "nofilter" in refused[-1] else ["no refusal:", *refused])


def check_editor(program, display, folder, pictures):
    """A wrong kernel is typed and corrected; a line @param in it becomes a slider, even while the rest does not compile"""
    declared = '// @param gain float 0.25 [0, 1] "How red"\n'
    for name, text in (("good", declared + GOOD), ("bad", declared + BAD)):
        (folder / f"{name}.cl").write_text(text, encoding="utf-8")
    studio = Studio(program, display, SMALL,
                    ["add=clprogram", "await=build: built in", "frames=5", f"text={folder}/bad.cl", "await=build: line 5",
                     "wait=0.5", "frames=5", "place=gain", f"screenshot={pictures}/studio-error.png", f"text={folder}/good.cl",
                     "await=build: built in", "await=gain=", "frames=5", "report", "quit"])
    studio.drag("gain", 0.8)
    return studio.end()


def main(*checks):
    tap.skip_all(screen.why_skip())
    pictures = pathlib.Path(sys.argv[2])
    screen.results(((check.__doc__, lambda display, folder, check=check: check(sys.argv[1], display, folder, pictures))
                    for check in checks), "1400x900x24")


if __name__ == "__main__":
    main(check_split, check_slider, check_errors, check_editor)
