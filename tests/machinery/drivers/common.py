# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the parts of ./run drivers: lines of TAP, files of expectations, environments and programs."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "tools" / "bench")]
from builds import elements, environment_in, launch_line  # pylint: disable=wrong-import-position

FORMATS = ["RGBA", "NV12", "I420_10LE"]
SIZE = (1280, 720)
VENDORS = Path("/etc/OpenCL/vendors")


def say(passed, text, notes=()):
    print("ok" if passed else "not ok", "-", text)
    for note in notes:
        print("#", note)
    sys.stdout.flush()


def skip(text, reason):
    print(f"ok - {text} # SKIP {reason}", flush=True)


def expectations(name):
    """{key: (figure, reason)} of tests/expectations/NAME.txt, whose lines are KEY: reason or KEY FIGURE: reason; a key has one word or two."""
    known = {}
    for line in (HERE.parents[1] / "expectations" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(r"(\w+(?: [a-z]+)?)(?: (\d+))?: (\S.*)", line)
        if not found:
            sys.exit(f"{name}.txt: not a line KEY FIGURE: reason: {line}")
        known[found[1]] = (int(found[2] or sys.maxsize), found[3])
    return known


def judge(title, figures, known, what, whole=True):
    """Fails if a figure is greater than expected; if all kernels were seen, also if an expected key has no figure."""
    worse = [f"{key}: {figure} {what}, known are {known.get(key, (0,))[0]}" for key, figure in figures.items() if figure > known.get(key, (0,))[0]]
    gone = [f"{key} has no {what}: take it out of the expectations" for key in known if whole and not figures.get(key)]
    expected = sum(1 for key, figure in figures.items() if figure and key in known)
    say(not worse and not gone, f"{title}: {len(figures)} kernels, {expected} with known {what}, {len(worse)} with more", worse + gone)


def at_once(work, items):
    """Calls work(item) for each item, in as many threads as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def icd_of(name):
    """The vendor file of an installed driver."""
    return next(iter(sorted(VENDORS.glob(f"*{name}*.icd"))), None)


def environment_of(caches, build, vendors=None, pose="", programs="", **more):
    environment = dict(environment_in(str(caches), ""), GST_CL_TUNE="off", **more)
    if vendors:
        environment["OCL_ICD_VENDORS"] = str(vendors)
    if pose:
        environment.update(CL_POSE=pose, OPENCL_LAYERS=str(Path(build).resolve() / "tests/machinery/drivers/libcl-pose.so"))
    if programs:
        environment["CL_POSE_PROGRAMS"] = str(programs)
    return environment


def device_of(environment):
    """The name of the device that elements use, or nothing."""
    run = subprocess.run(["cl-info", "--json"], env=environment, capture_output=True, text=True, check=False)
    try:
        report = json.loads(run.stdout)
        chosen = next(each for each in report["devices"] if each["device"] == report["choice"]["device"])
    except (ValueError, KeyError, StopIteration):
        return ""
    return f"{chosen['platform']} {chosen['driver']}"


def check(title, environment, seconds=900):
    """Runs cl-info --check as one test."""
    try:
        run = subprocess.run(["cl-info", "--check"], env=environment, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        say(False, f"{title}: it takes longer than {seconds} s")
        return
    lines = run.stdout.splitlines()
    ended = bool(lines) and " right (" in lines[-1]
    last = lines[-1] if ended else f"it ended with status {run.returncode}"
    say(ended and run.returncode == 0, f"{title}: {last}", lines[:-1] if ended else lines + run.stderr.splitlines()[-3:])


def small_line(element, video_format, size, settings=""):
    """A launch line of three frames of this size, for simulators: clnlmeans does a 25th of its work."""
    line = launch_line(element, video_format, size).replace("width=960,height=540", "width=96,height=54").replace("num-buffers=1", "num-buffers=3")
    settings = settings or {"clnlmeans": "search-radius=1"}.get(element, "")
    return line.replace(f"! {element} ", f"! {element} {settings} ", 1)


def collect(build, pose, folder, more=()):
    """Writes the programs that elements, and these lines, build on such a GPU into the folder, and returns the paths of distinct ones."""
    pocl = icd_of("pocl")
    with tempfile.TemporaryDirectory() as scratch:
        def play(command):
            caches = tempfile.mkdtemp(dir=scratch)
            environment = environment_of(caches, build, pocl, pose, folder)
            subprocess.run(command, env=environment, capture_output=True, timeout=600, check=False)
        lines = [launch_line(element, video_format, SIZE).replace("num-buffers=1", "num-buffers=3") for element in elements() for video_format in FORMATS]
        # the largest window that a network filters, and the most counters
        lines.append(launch_line("clmedian", "RGBA", SIZE).replace("clmedian", "clmedian radius=4", 1))
        lines.append(launch_line("clhistogram", "GBR_12LE", SIZE))
        lines += more
        at_once(play, [["cl-info", "--check"]] + [["bash", "-c", "exec gst-launch-1.0 -q " + line] for line in lines])
    kept = {}
    for path in sorted(Path(folder).glob("*.cl")):
        kept.setdefault(path.read_text(encoding="utf-8").replace(" -cl-kernel-arg-info", "", 1), path)
    return list(kept.values())


def options_of(path):
    """Of a program that collect() has written."""
    with path.open(encoding="utf-8") as text:
        return [option for option in text.readline()[2:].split() if option != "-w"]
