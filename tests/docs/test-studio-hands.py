#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Works with cl-studio as a hand does, on a virtual X server: exports a video, cancels, undoes, zooms, drops a file, draws a
region, loads chains and presets, copies programs and runs them. Prints TAP. Pictures of the window stay in the folder given.

usage: test-studio-hands.py CL_STUDIO FOLDER DRAG_SOURCE COMPILER
"""
import importlib
import os
import subprocess
import sys

import tap

studio = importlib.import_module("test-studio")

PATIENCE = 200
# a small video needs little processor time
SMALL = "gst-launch-1.0 videotestsrc pattern=smpte ! video/x-raw,width=320,height=180,framerate=30/1 ! {} autovideosink"


def run(command, **more):
    status, output = tap.run(command, timeout=PATIENCE, **more)
    return [] if status == 0 else [f"{command}: status {status}", *output.splitlines()[-8:]]


def decoded(path):
    """(frames of the video, seconds of the sound) in a file, by decoding all of it"""
    video, sound = path.parent / "video.raw", path.parent / "sound.raw"
    words = f"d. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location={video.name} " \
            f"d. ! queue ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,channels=1,rate=8000 ! filesink location={sound.name}"
    wrong = run(["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "name=d", *words.split()], folder=path.parent)
    return wrong or (video.stat().st_size / (320 * 180), sound.stat().st_size / 16000)


def video_with_sound(folder):
    path = folder / "a clip.mp4"
    line = "gst-launch-1.0 -q videotestsrc num-buffers=60 pattern=ball ! video/x-raw,width=320,height=180,framerate=30/1 ! " \
           "x264enc ! h264parse ! mp4mux name=m ! filesink location=clip.mp4 " \
           "audiotestsrc num-buffers=86 samplesperbuffer=1024 ! audio/x-raw,rate=44100 ! avenc_aac ! m."
    wrong = run(line.split(), folder=folder)
    if wrong:
        raise RuntimeError("\n".join(wrong))
    (folder / "clip.mp4").rename(path)
    return path


def check_export(program, display, folder, _pictures):
    """The dialog exports a video with its sound, which is copied if the file type allows it; the file name selects another
    type"""
    clip = video_with_sound(folder)
    dialog = ["place=menu", "place=Export the video…", "place=export-path", "place=export"]
    one = studio.Studio(program, display, [str(clip)],
                        ["add=clmedian", "frames=5", *dialog, "await=exported to a clip-filtered.mp4", *dialog,
                         "await=exported to second.webm", "quit"])
    for name in ("", "second.webm"):
        one.click("menu")
        one.click("Export the video…")
        one.click("export-path")
        if name:
            one.hand.key("a", "Control_L")
            one.hand.write(str(folder / name))
        one.click("export")
    wrong = one.end()
    for name in ("a clip-filtered.mp4", "second.webm"):
        found = decoded(folder / name) if (folder / name).exists() else ["it was not written"]
        if found[0] != 60 or abs(found[1] - 2) > 0.15:
            wrong.append(f"{name}: {found}")
    return wrong


def check_cancel(program, display, folder, pictures):
    """Progress is shown; Cancel and signals leave no file, and do not change an existing file"""
    old = folder / "filtered.mp4"
    old.write_text("old")
    line = "gst-launch-1.0 videotestsrc ! video/x-raw,width=1280,height=720,framerate=60/1 ! clmedian ! autovideosink"
    one = studio.Studio(program, display, ["--filters", line],
                        ["pause", f"export={old}", "wait=1", f"screenshot={pictures}/studio-exporting.png", "place=cancel",
                         "await=message: The export was cancelled", "quit"])
    one.click("cancel")
    wrong = one.end()
    one = studio.Studio(program, display, ["--filters", line], ["pause", f"export={old}", "wait=1", "report", "wait=100"])
    one.until("message: ")
    one.process.terminate()
    one.end()
    left = sorted(path.name for path in folder.glob("filtered*"))
    return wrong + ([f"left: {left}"] if left != ["filtered.mp4"] or old.read_text() != "old" else [])


def check_undo(program, display, _folder, _pictures):
    """Undo and redo by button and key: moving a slider is one change, and a restored filter has its old settings"""
    one = studio.Studio(program, display, ["--filters", SMALL.format("clthreshold !")],
                        ["frames=3", "place=threshold", "await=threshold=0.", "remove=0", "await=videoconvert ! videoconvert",
                         "place=undo", "await=! clthreshold threshold=0.", "place=undo", "await=! clthreshold ! videoconvert",
                         "place=redo", "await=! clthreshold threshold=0.", "frames=3", "place=video",
                         "await=! clthreshold ! videoconvert", "frames=3", "quit"])
    one.drag("threshold", 0.8)
    for button in ("undo", "undo", "redo"):
        one.click(button)
    one.place("video")
    one.hand.key("z", "Control_L")
    return one.end()


def check_view(program, display, folder, pictures):
    """1:1, the wheel, fitting again; full screen and back; a region drawn, moved and taken away by Escape; the frame as a file"""
    frame = pictures / "studio-frame.png"
    one = studio.Studio(program, display, ["--filters", SMALL.format("clcolormatrix preset=invert !")],
                        ["frames=3", "place=original", "await=zoom: 1.00", "wait=0.5", "place=video", "await=zoom: 1.25",
                         "place=fit", "await=zoom: 2.", "wait=0.3",
                         "place=region", "wait=0.5", "place=video", "await=region: 80,45,160,90", f"frame={frame}", "wait=0.2",
                         f"screenshot={pictures}/studio-region.png", "place=video", "await=region: 112,45,160,90",
                         "place=video", "await=region: 0,0,320,180", "place=full-screen", "await=full-screen: 1", "place=video",
                         f"screenshot={pictures}/studio-full-screen.png", "await=full-screen: 0", "place=add", "quit"])
    hand, wrong = one.hand, []
    one.click("original")
    place = one.place("video")
    if place[2:] != [320, 180]:
        wrong.append(f"at 1:1 the video is {place}")
    hand.move(place[0] + 160, place[1] + 90)
    hand.hold("Control_L", True)
    hand.click(place, button=4)
    hand.hold("Control_L", False)
    one.click("fit")
    one.click("region")

    def at(share_x, share_y, picture):
        x, y, width, height = picture
        scale = min(width / 320, height / 180)
        return x + width / 2 + (share_x - 0.5) * 320 * scale, y + height / 2 + (share_y - 0.5) * 180 * scale

    picture = one.place("video")
    hand.drag(at(0.25, 0.25, picture), at(0.75, 0.75, picture))
    picture = one.place("video")
    hand.drag(at(0.5, 0.5, picture), at(0.6, 0.5, picture))
    one.place("video")
    hand.key("Escape")
    one.click("full-screen")
    place = one.place("video")
    if place[2] < 1260:
        wrong.append(f"in full screen the video is {place}")
    hand.move(place[0] + 100, place[1] + 100)
    hand.key("Escape")
    if not one.place("add"):
        wrong.append("Escape does not leave full screen")
    wrong += one.end()
    if not frame.read_bytes().startswith(b"\x89PNG"):
        wrong.append("the frame is no PNG file")
    return wrong


def check_drop(program, display, folder, _pictures):
    """A video dropped on the window is opened"""
    clip = video_with_sound(folder)
    one = studio.Studio(program, display, ["--filters", SMALL.format("clmedian !")],
                        ["frames=3", "place=video", "await=uridecodebin uri=file://", "frames=5", "quit"])
    x, y, width, height = one.place("video")
    source = subprocess.Popen([sys.argv[3], str(clip)], env=dict(os.environ, DISPLAY=display, GDK_BACKEND="x11", NO_AT_BRIDGE="1"),
                              text=True, stdout=subprocess.PIPE)
    start = [int(word) for word in source.stdout.readline().split()]
    one.hand.drag(start, (x + width / 2, y + height / 2 + 150))
    wrong = one.end()
    source.kill()
    source.wait()
    return wrong


def check_names(program, display, folder, _pictures):
    """Chains and presets are chosen, saved and deleted by their menus"""
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    one = studio.Studio(program, display, ["--filters", SMALL.format("clthreshold threshold=0.25 !")],
                        ["frames=3", "place=presets", "place=presets-name", "wait=2", "set=threshold=0.75",
                         "await=threshold=0.75", "place=presets", "place=presets-dark", "await=threshold=0.25",
                         "place=chains", "place=chains-name", "wait=2", "place=chains", "place=chains-Document",
                         "await=clmedian ! clthreshold method=mean", "place=chains", "place=chains-mine",
                         "await=! clthreshold threshold=0.25 !", "place=chains", "place=chains-delete-mine", "wait=0.5",
                         "place=undo", "await=clthreshold method=mean", "quit"])
    for menu, name, item in (("presets", "dark", "presets-dark"), ("chains", "mine", "chains-Document")):
        one.click(menu)
        one.click(menu + "-name")
        one.hand.write(name)
        one.hand.key("Return")
        one.click(menu)
        one.click(item)
    for item in ("chains-mine", "chains-delete-mine"):
        one.click("chains")
        one.click(item)
    one.hand.key("Escape")
    one.click("undo")
    wrong = one.end()
    if not list(folder.glob("data/gstreamer-1.0/presets/*.prs")):
        wrong.append("there is no file of presets")
    if "mine" in (folder / "data/gst-plugins-cl/studio.ini").read_text(encoding="utf-8"):
        wrong.append("the deleted chain is there")
    return wrong


def check_copies(program, display, folder, _pictures):
    """What is copied as gst-launch-1.0, C and Python plays"""
    line = SMALL.format("clprogram !").replace("pattern=smpte", "num-buffers=3")
    names = {"sh": "Copy as gst-launch-1.0", "c": "Copy as C", "py": "Copy as Python"}
    steps = [step for kind, name in names.items()
             for step in ("place=menu", f"place={name}", "await=message: The ", "wait=0.5", f"clipboard={folder}/copy.{kind}")]
    kernel = folder / "kernel.cl"
    kernel.write_text("/* a \"quoted\" text, with a \\ and a tab\t*/\n" + studio.GOOD, encoding="utf-8")
    one = studio.Studio(program, display, ["--filters", line],
                        ["pause", f"text={kernel}", "await=build: built in", "set=params=params,gain=0.5", *steps, "quit"])
    for name in names.values():
        one.click("menu")
        one.click(name)
    wrong = one.end()
    for kind in names:
        path = folder / f"copy.{kind}"
        path.write_text(path.read_text(encoding="utf-8").replace("autovideosink", "fakesink"), encoding="utf-8")
        if "gain" not in path.read_text(encoding="utf-8"):
            wrong.append(f"copy.{kind} has no kernel")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gstreamer-1.0"], text=True, stdout=subprocess.PIPE, check=True)
    compiler = sys.argv[4].split()
    wrong += run(["sh", f"{folder}/copy.sh"]) + run([tap.python_with("gi") or "python3", f"{folder}/copy.py"])
    wrong += run([*compiler, "-x", "c", "-Wall", "-Werror", "-o", f"{folder}/copy", f"{folder}/copy.c", *flags.stdout.split()])
    return wrong or run([f"{folder}/copy"])


if __name__ == "__main__":
    studio.main(check_export, check_cancel, check_undo, check_view, check_drop, check_names, check_copies)
