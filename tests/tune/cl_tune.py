#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cl-tune from end to end. usage: cl_tune.py CL_TUNE SOURCE_DIR TEST

check NAME...  every shape of every kernel of the elements with NAME in their launch lines gives the same bytes
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SMALL = ["--size", "333x119", "--budget", "5"]
SKIPPED = 77
program, source, test = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]


def expect(condition, *what):
    if not condition:
        sys.exit("failed: " + " ".join(map(str, what)))


def tune(cache, *options, code=0, **variables):
    """Runs a program with this exit status, and returns standard output and error."""
    env = dict(os.environ, XDG_CACHE_HOME=cache, **variables)
    done = subprocess.run([program, *options], env=env, capture_output=True, text=True)
    expect(done.returncode == code, options, "gave", done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def tuning_files(cache):
    return sorted(pathlib.Path(cache, "gst-cl").glob("tuning-*"))


def kernels_in(cache):
    """The groups of the tuning file, except the device's."""
    text = "".join(path.read_text() for path in tuning_files(cache))
    return [name for name in re.findall(r"^\[(.*)\]$", text, re.M) if name != "device"]


def report(cache, *options, **variables):
    out, err = tune(cache, "--quiet", "--json", *options, **variables)
    return json.loads(out), err


def check(cache):
    for name in sys.argv[4:]:
        for formats in (["RGBA"], ["I420"], ["GRAY16_LE"]) if os.environ.get("GST_CL_TEST_FULL") else (["RGBA"],):
            out, err = tune(cache, "--check", "--quiet", "--size", "333x119", "--filter", name, "--format", *formats)
            print(name, *formats, out.strip(), err.strip())
            expect(re.search(r"[1-9]\d* shapes tried, 0 wrong", out), out)
    expect(not tuning_files(cache), "a check writes nothing")


def end_to_end(cache):
    """Results are in the file and the report, and are not searched again."""
    expect(report(cache, "--list")[0]["findings"] == [], "there are results")
    first, out = report(cache, "--filter", "clemboss", *SMALL)
    expect(first["kernels"] > 0 and first["tried"] > 0 and first["wrong"] == 0, first)
    expect("shapes tried, 0 wrong" in out, out)
    expect(len(tuning_files(cache)) == 1, tuning_files(cache))
    expect(sorted(f["kernel"] for f in first["findings"]) == sorted(kernels_in(cache)), kernels_in(cache))
    again, _ = report(cache, "--filter", "clemboss", *SMALL)
    expect(again["tried"] == 0 and all(f["known"] for f in again["findings"]), again)
    listed, _ = tune(cache, "--list")
    expect(all(name in listed for name in kernels_in(cache)), listed)
    expect([f["kernel"] for f in report(cache, "--list")[0]["findings"]] == sorted(kernels_in(cache)), "JSON differs")
    damaged(cache)
    anew, _ = report(cache, "--reset", "--dry-run", "--filter", "clemboss", *SMALL)
    expect(anew["tried"] > 0 and not tuning_files(cache), anew)


def interrupted(cache):
    """Earlier results are kept, and the next run continues."""
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    options = ["--filter", "clsobel", *SMALL]
    process = subprocess.Popen([program, *options], env=env, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if re.match(r" *[\d.]+x", line):
            process.send_signal(signal.SIGINT)
            break
    rest = process.stderr.read()
    expect(process.wait() == 130 and "interrupted" in rest, process.returncode, rest)
    kept = set(kernels_in(cache))
    expect(kept, "nothing was kept")
    whole, _ = report(cache, *options)
    expect(kept <= {f["kernel"] for f in whole["findings"] if f["known"]}, kept, whole)
    expect(len(kernels_in(cache)) > len(kept), "nothing was left to do")
    used(cache)


def wrong_kernel(cache):
    """A kernel that skips samples with tall items is faster with these, and must not be chosen."""
    kernels = pathlib.Path(cache, "kernels")
    (kernels / "lib").mkdir(parents=True)
    text = (source / "kernels/lib/plane.clh").read_text()
    store = "RESULT_AT (r, item_x) ="
    expect(store in text, "lib/plane.clh has changed")
    (kernels / "lib/plane.clh").write_text(
        text.replace(store, "if (ITEM_ROWS < 8 || get_global_id (1) == 0) " + store))
    found, _ = report(cache, "--filter", "clemboss", *SMALL, "--budget", "60", GST_CL_KERNEL_PATH=str(kernels),
                      GST_CL_BACKEND="cpu")
    expect(found["wrong"] > 0, "the wrong kernel was not seen", found)
    expect(not re.search(r"rows (8|16)\b", json.dumps(found["findings"])), found)


def damaged(cache):
    """The problem is reported once, and the file replaced. Uses the earlier test's file."""
    path = tuning_files(cache)[0]
    path.write_text("rubbish")
    _, err = tune(cache, "--filter", "clemboss", *SMALL)
    expect(err.count("is not used, and will be replaced") == 1, err)
    expect(kernels_in(cache), path.read_text())


def warm(cache):
    """The elements' programs are compiled once, and no others are needed."""
    pocl = pathlib.Path(cache, "pocl")
    env = {"POCL_CACHE_DIR": str(pocl), "GST_CL_BACKEND": "cpu"}
    options = ["--warm", "--format", "GRAY8,I420", "--size", "320x240", "clthreshold", "clmedian"]

    def run(*options, code=0):
        out, err = tune(cache, *options, code=code, **env)
        return re.sub(r", in [\d.]+ s\n$", "", out), err, float(re.search(r"in ([\d.]+) s\n$", out)[1])

    first, err, first_s = run(*options)
    expect(first == "2 elements, 4 formats: 2 programs built, 0 there already", first)
    expect(re.search(r"^clmedian +2 formats, 1 program built", err, re.M) and "\r" not in err, err)
    compiled = sorted(pocl.rglob("*.so"))
    again, _, again_s = run(*options)
    expect(again == "2 elements, 4 formats: all 2 programs there already", again)
    expect(again_s < first_s, "the second time takes", again_s, "after", first_s)
    subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=2", "!", "video/x-raw,format=I420", "!", "clmedian",
                    "!", "clthreshold", "!", "fakesink"], check=True, env=dict(os.environ, XDG_CACHE_HOME=cache, **env))
    expect(compiled and sorted(pocl.rglob("*.so")) == compiled, "something was left to compile")
    _, err, _ = run("--warm", "--quiet", "--format", "GRAY8", "clconvolve matrix=x", "clmedian", code=1)
    expect("cl-tune: clconvolve matrix=x, GRAY8: " in err and err.count("\n") == 1, err)
    for wrong in ("clnonesuch", "clmedian nonesuch=1", "clmedian radius=900"):
        _, err = tune(cache, "--warm", "clmedian", wrong, code=1)
        expect(wrong.split("=")[0].split()[-1] in err and err.count("\n") == 1, err)
    _, err = tune("/dev/null", "--warm", "--quiet", "--format", "GRAY8", "--size", "32x32", "clthreshold", code=1, **env)
    expect(err == "cl-tune: nothing was kept: /dev/null/gst-cl cannot be written: Not a directory\n", err)


def bad_arguments(cache):
    for options in (["--size", "0x4"], ["--size", "wide"], ["--budget", "-1"], ["--budget", "nan"], ["--nonesuch"], ["operand"],
                    ["--warm", "--list"], ["--format", "nonesuch"]):
        _, err = tune(cache, *options, code=2)
        expect(err.startswith("cl-tune: ") and err.count("\n") == 1, options, err)
    for option in ("--device", "--filter"):
        _, err = tune(cache, option, "nonesuch", code=1)
        expect("nonesuch" in err, option, err)
    _, err = tune("/dev/null", "--quiet", code=1)
    expect(err == "cl-tune: /dev/null/gst-cl cannot be written: Not a directory; --dry-run saves nothing\n", err)


def used(cache):
    """Elements give the same results with and without tuned shapes. Uses the earlier test's file."""
    launch = ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=3", "pattern=smpte", "!",
              "video/x-raw,format=RGBA,width=333,height=119", "!", "clsobel", "!", "filesink"]
    results = []
    for mode in ("off", "use"):
        path = pathlib.Path(cache, mode)
        subprocess.run([*launch, "location=" + str(path)], check=True,
                       env=dict(os.environ, XDG_CACHE_HOME=cache, GST_CL_TUNE=mode))
        results.append(path.read_bytes())
    expect(results[0] and results[0] == results[1], "the pictures differ")


listing = subprocess.run([program, "--list"], capture_output=True, text=True)
if listing.returncode != 0:
    # there is no device; a sanitizer's report is a failure
    sys.exit(listing.stderr if "Sanitizer" in listing.stderr else SKIPPED)
folder = tempfile.mkdtemp(prefix="cl-tune-")
try:
    globals()[test](folder)
finally:
    shutil.rmtree(folder, ignore_errors=True)
