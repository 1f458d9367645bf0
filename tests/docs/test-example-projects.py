#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds and runs the projects in pipelines/examples, and pipelines/privacy, as their users do, each in a copy of its own: pkg-config and GObject-
Introspection find the build. Prints TAP, one case a project.

usage: test-example-projects.py ROOT BUILD_ROOT HAS_TYPELIB
"""
import glob
import os
import pathlib
import re
import shutil
import sys

import tap

ROOT, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
HAS_TYPELIB = sys.argv[3] == "true"


def run(folder, *command):
    """The output of a command; a failure raises an error with that text"""
    if not shutil.which(command[0]) and not (folder / command[0]).exists():
        raise tap.Skipped(f"{command[0]} is not installed")
    status, output = tap.run(command, folder)
    if status == 77:
        raise tap.Skipped("no OpenCL device")
    if status:
        raise RuntimeError(f"{' '.join(command)} ends with {status}:\n{output}")
    return output


def with_modules(folder, script, *modules):
    python = tap.python_with(*modules)
    if not python:
        raise tap.Skipped(f"no Python has the modules {' and '.join(modules)}")
    return run(folder, python, *([script] if isinstance(script, str) else script))


def meson(folder):
    run(folder, "meson", "setup", "build", "--werror")
    run(folder, "ninja", "-C", "build")
    return run(folder, "build/rows")


def cmake(folder):
    run(folder, "cmake", "-B", "build", "-DCMAKE_C_FLAGS=-Wall -Werror")
    run(folder, "cmake", "--build", "build")
    return run(folder, "build/share")


def controller(folder):
    return with_modules(folder, "fade.py", "gi")


def arrays(folder):
    if not HAS_TYPELIB:
        raise tap.Skipped("this build has no typelib")
    return with_modules(folder, "invert.py", "gi", "numpy", "pyopencl")


def faces(folder):
    """A picture with a face from Debian's python3-skimage; without that package the test picture, which has none"""
    broken = folder / "cv2.py"
    broken.write_text("raise ImportError('no OpenCV')")
    status, output = tap.run([sys.executable, "hide-faces.py"], folder)
    broken.unlink()
    if status != 1 or not re.fullmatch("hide-faces.py: no OpenCV; install .*\n", output):
        raise RuntimeError(f"without OpenCV it ends with {status}:\n{output}")
    pictures = glob.glob("/usr/lib/python3/dist-packages/skimage/data/astronaut.png")
    if not pathlib.Path("/usr/share/opencv4/haarcascades").exists():
        raise tap.Skipped("opencv-data is not installed")
    return with_modules(folder, ["hide-faces.py", "--check", *pictures], "gi", "cv2")


# the complete output of each
PROJECTS = {
    "c-meson": (meson, r"(frame \d: the middle row has a mean of (?!0\.0|-)\d+\.\d\n){5}"),
    "c-cmake": (cmake, r"lent (.+); filtered on \1\n"),
    "python-controller": (controller, r"mix at the end: 1\.00\n"),
    "privacy": (faces, r"(1 frames, 1|10 frames, 0) with faces\nin the result: (1|10) frames, 0 with faces\n"),
    "python-numpy": (arrays, r"(frame \d: mean [1-9]\d*\.\d, inverted \d+\.\d\n){3}"),
}


def inverts(text):
    """The two means of each frame add up to 255"""
    return all(abs(float(before) + float(after) - 255) < 0.2
               for before, after in re.findall(r"mean ([\d.]+), inverted ([\d.]+)", text))


def check(name, scratch):
    build, expected = PROJECTS[name]
    folder = scratch / name
    source = ROOT / "pipelines" / "examples" / name
    shutil.copytree(source if source.exists() else ROOT / "pipelines" / name, folder)
    text = build(folder)
    return "" if re.fullmatch(expected, text) and inverts(text) else f"it prints:\n{text}"


def write_pkg_config(folder):
    """Meson's file for the build, without missing folders, which CMake refuses"""
    text = (BUILD / "meson-uninstalled" / "gstreamer-cl-1.0-uninstalled.pc").read_text()
    for flag in re.findall(r"-I\S+", text):
        path = flag[2:].replace("${prefix}", str(BUILD)).replace("${srcdir}", str(ROOT))
        text = text if os.path.isdir(path) else text.replace(flag + " ", "").replace(flag + "\n", "\n")
    (folder / "gstreamer-cl-1.0.pc").write_text(text)


os.environ["PYTHONWARNINGS"] = "ignore"  # warnings of imported modules
os.environ["GI_TYPELIB_PATH"] = os.environ["LD_LIBRARY_PATH"] = f"{BUILD}/common"
with tap.folder() as folder_of_all:
    write_pkg_config(folder_of_all)
    os.environ["PKG_CONFIG_PATH"] = str(folder_of_all)
    tap.results(tap.case(name, check, name, folder_of_all) for name in PROJECTS)
