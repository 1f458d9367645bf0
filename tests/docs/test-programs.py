#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command lines of all programs: --help and --version of one form, wrong options and files as errors of one line, windows
without a display, pipelines without a home, and kernels that make a compiler talk. Prints TAP, one case a line.

usage: test-programs.py PROGRAM...
"""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import headless
import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPLETION = ROOT / "pipelines/apps/manual/completion.bash"
# (exit status, stdout, stderr) of a command
run = functools.partial(tap.run, timeout=60, errors=subprocess.PIPE)
# programs that open a window by default
WINDOWED = ("cl-erode", "cl-compare", "cl-privacy", "cl-studio")
# programs that take a video
PLAYERS = WINDOWED + ("cl-demo", "cl-histogram")
GL_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "GST_GL_PLATFORM", "GST_GL_WINDOW")
PLAY = ("gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=32 ! clmedian ! fakesink").split()


def expect(result, status, out="", err=""):
    """Why a result is not the expected one; out and err are patterns for the whole text"""
    code, stdout, stderr = result
    if code == status and re.fullmatch(out, stdout, re.S) and re.fullmatch(err, stderr, re.S):
        return ""
    return f"exit status {code} instead of {status}\n{stdout}\n{stderr}"


def refuses(program, arguments, status, words):
    name = pathlib.Path(program).name
    return expect(run([program, *arguments]), status, "", rf"{name}: [^\n]*{words}[^\n]*\n")


def has_no_window(program):
    """Drivers and toolkits may print messages before it"""
    name = pathlib.Path(program).name
    arguments = [] if name == "cl-studio" else ["--frames", "1"]
    nothing = dict.fromkeys(GL_VARIABLES)
    return expect(run([program, *arguments], **nothing), 1, ".*", rf"(.*\n)?{name}: there is no display[^\n]*\n")


def takes_a_file(program, folder, words=""):
    """GL has no such format; words: a pattern for what drivers may print"""
    video = folder / "video.mkv"
    run(f"gst-launch-1.0 -q videotestsrc num-buffers=3 ! video/x-raw,format=GBR_12LE ! avenc_ffv1 ! matroskamux ! filesink location={video}".split())
    problems = [expect(run([program, "--frames", "2", "--sink", "fakesink", *given]), 0, ".+", words) for given in ([str(video)], ["--file", str(video)])]
    return "\n".join(filter(None, problems))


def misses_the_video(program, folder):
    sound, name = folder / "sound.wav", pathlib.Path(program).name
    run(f"gst-launch-1.0 -q audiotestsrc num-buffers=3 ! wavenc ! filesink location={sound}".split())
    options = [] if name == "cl-demo" else ["--sink", "fakesink"]
    return expect(run([program, *options, str(sound)]), 1, ".*", rf"(.*\n)?(cl-[a-z]*: )?there is no video in {sound}\n")


def spares(program, video, *options):
    """Does not write over its input"""
    video.write_bytes(b"video")
    return refuses(program, [*options, video], 1, "is the input") or ("" if video.read_bytes() == b"video" else "it is written")


def of_program(program, folder):
    """(name, error) of the checks for each program"""
    name = pathlib.Path(program).name
    yield "--version", expect(run([program, "--version"]), 0, rf"{name} \d+\.\d+\.\d+ \(gst-plugins-cl\)\n")
    yield "--help", expect(run([program, "--help"]), 0, rf"Usage:\n  {name} \[OPTION.\][^\n]*\n\n\w.*--version .*")
    yield "unknown option", refuses(program, ["--nonesuch"], 2, "--nonesuch.*--help")
    if name in PLAYERS:
        yield "missing file", refuses(program, ["missing.mp4"], 1, "cannot read missing.mp4: No such file")
        yield "folder", refuses(program, [str(folder)], 1, "is a folder")
        if name != "cl-studio":
            yield "no video", misses_the_video(program, folder)
        yield "empty name", refuses(program, [""], 2, "name is empty")
        yield "two files", refuses(program, ["a", "b"], 2, "one file")
    else:
        yield "superfluous argument", refuses(program, ["something"], 2, "something")
    yield "full disk", expect(run(["sh", "-c", '"$0" --version >/dev/full', program]), 1, "", rf"{name}: standard output [^\n]*\n")
    yield "closed output", expect(run(["sh", "-c", '"$0" --version >&-', program]), 1, "", rf"{name}: standard output [^\n]*\n")
    if name in WINDOWED:
        yield "no display", has_no_window(program)
    if name == "cl-studio":
        yield "negative time", refuses(program, ["--after", "-1"], 2, "--after wants seconds")
    if name == "cl-histogram":
        yield "a file", takes_a_file(program, folder)
        yield "input as output", spares(program, folder / "video.avi", "--sink", f"filesink location={folder}/video.avi")
    if name == "cl-privacy":
        yield "a file", takes_a_file(program, folder, ".*")
    if name == "cl-compare":
        yield "value out of range", refuses(program, ["--sink", "fakesink", "--filter", "clmedian radius=900"], 1, "out of range.*radius")
        yield "negative number", refuses(program, ["--frames", "-1"], 2, "--frames")
    if name == "cl-demo":
        yield "input as output", spares(program, folder / "median.mp4", "-o", folder)
        yield "no folder", refuses(program, ["-o", "/dev/null/none", folder / "median.mp4"], 1, "cannot make the folder /dev/null/none: ")


def completions(program, *words, function="_gst_plugins_cl"):
    """The completions of completion.bash for the last word of a command line"""
    script = (f'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); {function} "$1" "${{@: -1}}" "${{@: -2:1}}"; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return set(run(["bash", "-c", script, "bash", str(COMPLETION), program, *words])[1].split())


def of_completion(program):
    """Options come from --help; values are the known ones"""
    name = pathlib.Path(program).name
    offered = completions(program, "--")
    listed = set(re.findall(r"--[a-z][a-z-]*=?", run([program, "--help"])[1]))
    yield "completion of options", "" if offered == listed and "--version" in offered else f"offered: {offered}, listed: {listed}"
    if name in ("cl-info", "cl-tune"):
        for words in (["--device", "g"], ["--device", "=", "g"], ["-d", "g"]):
            offered = completions(program, *words)
            yield f"completion of {' '.join(words)}", "" if offered == {"gpu"} else f"offered: {offered}"
    if name == "cl-tune":
        offered = completions(program, "--warm", "clmed")
        yield "completion of elements", "" if offered == {"clmedian"} else f"offered: {offered}"


def of_run(folder):
    """The verbs of ./run, which its help lists, and what they refuse; nothing is left of a bundle without a build"""
    offered = completions(str(ROOT / "run"), "s", function="_gst_plugins_cl_run")
    yield "completion of ./run", "" if {"shell", "soak", "site"} <= offered and "test" not in offered else f"offered: {offered}"
    for wrong in ("setup x", "demo a x", "soak 1 x", "fuzz 1 x", "gallery formats x", "bundle a x"):
        yield f"./run {wrong}", refuses(str(ROOT / "run"), wrong.split(), 1, "x")
    code = run([str(ROOT / "tools/bundle.sh"), "/nowhere", str(folder / "bundle")])[0]
    yield "a bundle that fails", "" if code == 1 and not (folder / "bundle").exists() else f"exit status {code}, or a folder is left"


def as_somebody(folder):
    """A prefix for commands, so that a folder without write permission cannot be written"""
    if os.geteuid() != 0:
        return []
    os.chmod(folder, 0o777)
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    # other users may be unable to read the build folder
    usable = shutil.which("setpriv") and "Factory" in run([*prefix, "gst-inspect-1.0", "clmedian"],
                                                          GST_REGISTRY_1_0=str(folder / "probe"))[1]
    return prefix if usable else None


def plays_with(home, scratch, prefix):
    """Plays a pipeline, and checks what remains in the folder for temporary files"""
    temporary = scratch / "tmp"
    temporary.mkdir(mode=0o777, exist_ok=True)
    temporary.chmod(0o777)
    result = run([*prefix, *PLAY], HOME=home, XDG_CACHE_HOME=None, POCL_CACHE_DIR=None, TMPDIR=str(temporary),
                 GST_REGISTRY_1_0=str(scratch / "registry"), GST_REGISTRY_UPDATE="yes")
    left = [str(path) for path in temporary.iterdir() if path.name.startswith("gst-cl")]
    return expect(result, 0) or ("left: " + " ".join(left) if left else "")


def of_homes(scratch):
    scratch.chmod(0o777)
    yield "without HOME", plays_with(None, scratch, [])
    yield "HOME is no folder", plays_with("/dev/null", scratch, [])
    prefix = as_somebody(scratch)
    locked = scratch / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    if prefix is not None:
        yield "HOME cannot be written", plays_with(str(locked), scratch, prefix)
    yield "an empty POCL_CACHE_DIR", expect(run(PLAY, POCL_CACHE_DIR=""), 0)


def of_warnings(scratch):
    """Clang warns of a loop of this kernel that it does not unroll, and PoCL prints the number of warnings."""
    line = "gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=32 ! clsharpen sigma=0.5 ! fakesink"
    fresh = str(scratch / "fresh")
    yield "compilers' warnings", expect(run(line.split(), GST_CL_BACKEND="gpu", XDG_CACHE_HOME=fresh, POCL_CACHE_DIR=fresh), 0)


def in_the_shell(programs):
    """./run shell finds each program, and the folder of cl-bench, which is built on demand"""
    build = pathlib.Path(programs[0]).parents[3]
    script = 'source <(sed -n "/^use_build ()/,/^}/p" "$1"); use_build "$2"; echo "$PATH"; shift 2; type -P "$@"'
    names = [pathlib.Path(program).name for program in programs]
    path, *found = run(["bash", "-c", script, "bash", str(ROOT / "run"), str(build), *names])[1].splitlines()
    missing = set(map(os.path.realpath, programs)) - set(map(os.path.realpath, found))
    if str(build.resolve() / "tools/bench") not in path.split(":"):
        missing.add("cl-bench")
    yield "./run shell", f"not found: {missing}" if missing else ""


def cases(programs, scratch):
    yield from in_the_shell(programs)
    yield from of_warnings(scratch)
    for program in programs:
        for what, complaint in of_program(program, scratch):
            yield f"{pathlib.Path(program).name}: {what}", complaint
        if pathlib.Path(program).name in COMPLETION.read_text().split():
            for what, complaint in of_completion(program):
                yield f"{pathlib.Path(program).name}: {what}", complaint
    yield from of_homes(scratch)
    yield from of_run(scratch)


headless.choose()
tap.skip_all(headless.why_skip())
with tap.folder() as folder_of_all:
    tap.results(cases(sys.argv[1:], folder_of_all))
