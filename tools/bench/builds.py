#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long the programs of each element take to build, from empty caches: ./run bench builds.

A row is an element in a format; each runs in a process of its own. `build` is how long programs are being built, `longest` the
slowest of them. Programs that are built at once share the time, because NVIDIA's driver builds one after the other. `frame` is
what one frame takes longer than through `identity`, the driver's start included. PTX lines and registers are NVIDIA's; private
memory is what the driver calls so. PoCL compiles a kernel at its first launch: there `frame` is the figure."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FORMATS = ["RGBA", "GRAY8", "NV12", "I420_10LE"]
# Settings for elements whose defaults change nothing.
SETTINGS = {
    "clcolormatrix": "preset=sepia",
    "clconvert": "! video/x-raw,format=Y444,width=960,height=540",
    "clconvolve": "preset=sharpen",
    "cladjust": "exposure=0.5",
    "clflip": "video-direction=90r",
    "cllevels": "gamma=1.5",
    "clwarp": 'matrix="1 0 1; 0 1 1; 0 0 1"',
    "cldeinterlace": "mode=always",
    "clchain": 'filters="clmedian ! clsobel"',
    "clvideo": 'filters="clmedian ! clsobel"',
}
# Elements whose programs depend on the user, or that have none.
LEFT_OUT = {"clprogram", "clupload", "cldownload", "cllut3d", "cltonemap"}
TWO_INPUTS = {"clblend": "clblend name=two", "clcompositor": "clcompositor name=two", "clcompare": "clcompare name=two"}
# The limits in ms of docs/measurements/start.md for a GPU: for one program, and for programs that are inherently larger.
LONGEST, LONGEST_OF_EXCEPTIONS = 250, 600
EXCEPTIONS = ("median/tile.cl", "shared/network.cl", "median/descent.cl", "shared/matrix_window.cl")
FRAME_OF_PROCESSOR = 600

BUILT = re.compile(r"^\d+:(\d+):(\d+\.\d+).*built (\S+) in (\d+) ms", re.M)
FIGURES = re.compile(r"(\S+): ptx-lines (\d+), private-bytes (\d+), local-bytes (\d+); (.*)")
REGISTERS = re.compile(r"Used (\d+) registers")


def elements():
    listing = subprocess.run(["gst-inspect-1.0", "cl"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (cl\w+):", listing, re.M)
    return [name for name in names if name not in LEFT_OUT]


def launch_line(element, video_format, size):
    caps = f"video/x-raw,format={video_format},width={size[0]},height={size[1]},framerate=30/1"
    source = f"videotestsrc num-buffers=1 ! {caps}"
    if element in TWO_INPUTS:
        reference = "two.reference" if element == "clcompare" else "two."
        return f"{TWO_INPUTS[element]} ! fakesink {source} ! two. {source} ! {reference}"
    return f"{source} ! {element} {SETTINGS.get(element, '')} ! fakesink"


def play(line, environment):
    start = time.monotonic()
    run = subprocess.run("gst-launch-1.0 " + line, shell=True, env=environment, capture_output=True, text=True, timeout=300)
    return run, (time.monotonic() - start) * 1000


def environment_in(caches, device):
    """The environment of a process whose program caches, and those of drivers, are in this folder."""
    environment = dict(os.environ, XDG_CACHE_HOME=caches, POCL_CACHE_DIR=caches, CUDA_CACHE_PATH=caches)
    environment.setdefault("GST_REGISTRY_1_0", str(Path.home() / ".cache" / "gst-cl-builds-registry.bin"))
    if device:
        environment["GST_CL_DEVICE"] = device
    return environment


def add_options(parser, formats, check):
    """The common part of bench builds and bench live."""
    parser.add_argument("--device", default="", help="as the elements' property")
    parser.add_argument("--format", action="append", help="may be repeated; " + ", ".join(formats) + " without it")
    parser.add_argument("--filter", default="", help="only elements whose name holds this")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help=check)


def end(rows, slow, options, what):
    """Prints the requested rows, and returns the exit status."""
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
    print(f"{len(rows)} rows, {len(slow)} {what}", file=sys.stderr)
    if options.check:
        print("\n".join(slow), file=sys.stderr)
    return 1 if options.check and slow else 0 if rows else 3


def shares(intervals):
    """The ms of each interval (begin, end); intervals that overlap share the time."""
    cuts = sorted({time for interval in intervals for time in interval})
    pieces = [(left, right, [i for i, (begin, end) in enumerate(intervals) if begin <= left and right <= end])
              for left, right in zip(cuts, cuts[1:])]
    return [sum((right - left) / len(active) for left, right, active in pieces if i in active) for i in range(len(intervals))]


def measure(element, video_format, size, device, nvidia):
    """The row; nothing if the element does not take the format."""
    with tempfile.TemporaryDirectory() as caches:
        environment = dict(environment_in(caches, device), GST_DEBUG="clprogrambuild:6", GST_DEBUG_NO_COLOR="1",
            GST_CL_BUILD_OPTIONS=os.environ.get("GST_CL_BUILD_OPTIONS", ""))
        if nvidia:
            environment["GST_CL_BUILD_OPTIONS"] += " -cl-nv-verbose"
        usual = play(launch_line("identity", video_format, size), environment)[1]
        run, taken_ms = play(launch_line(element, video_format, size), environment)
    if run.returncode:
        return None
    programs = {}
    built = [((int(minutes) * 60 + float(seconds)) * 1000, name, int(ms)) for minutes, seconds, name, ms in BUILT.findall(run.stderr)]
    for (_, name, _), ms in zip(built, shares([(end - ms, end) for end, _, ms in built])):
        programs.setdefault(name, []).append({"ms": round(ms)})
    taken = {name: 0 for name in programs}
    for name, ptx, private, local, log in FIGURES.findall(run.stderr):
        if name in programs and taken[name] < len(programs[name]):
            programs[name][taken[name]].update(ptx=int(ptx), private=int(private), local=int(local),
                registers=max(map(int, REGISTERS.findall(log)), default=0))
            taken[name] += 1
    return {"element": element, "format": video_format, "frame": round(taken_ms - usual),
        "programs": [dict(program, name=name) for name, several in programs.items() for program in several]}


def device_of(device):
    """Whether the elements' device is NVIDIA's, and whether it is a CPU."""
    wanted = [f"--device={device}"] if device else []
    listing = subprocess.run(["cl-info"] + wanted, capture_output=True, text=True).stdout
    chosen = re.search(r"^\* .*\n\s+(\w+).*", listing, re.M)
    if not chosen:
        sys.exit("no OpenCL device: cl-info says why")
    return "NVIDIA" in chosen.group(0), chosen.group(1) == "CPU"


def missed(row, on_processor):
    """Why the row is too slow; nothing if it is not."""
    if on_processor:
        return f"first frame {row['frame']} ms" if row["frame"] > FRAME_OF_PROCESSOR else None
    for program in row["programs"]:
        limit = LONGEST_OF_EXCEPTIONS if program["name"] in EXCEPTIONS else LONGEST
        if program["ms"] > limit:
            return f"{program['name']} {program['ms']} ms"
    return None


def main():
    parser = argparse.ArgumentParser(prog="./run bench builds", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(parser, FORMATS, "fail where a program or a frame takes longer than it may")
    parser.add_argument("--size", default="1280x720", help="of the frames")
    options = parser.parse_args()
    size = [int(number) for number in options.size.split("x")]
    nvidia, on_processor = device_of(options.device)
    rows, slow = [], []
    if not options.json:
        print(f"{'element':14} {'format':10} {'frame':>7} {'build':>7} {'longest':>7} {'PTX':>6} {'regs':>5} {'private':>8}  slowest program")
    for element in elements():
        for video_format in options.format or FORMATS:
            row = measure(element, video_format, size, options.device, nvidia) if options.filter in element else None
            if not row:
                continue
            rows.append(row)
            why = missed(row, on_processor)
            slow += [f"{element} {video_format}: {why}"] if why else []
            if options.json:
                continue
            programs = row["programs"]
            longest = max(programs, key=lambda program: program["ms"], default={"ms": 0, "name": "-"})
            most = lambda figure: max((program.get(figure, 0) for program in programs), default=0)
            print(f"{element:14} {video_format:10} {row['frame']:7} {sum(p['ms'] for p in programs):7} {longest['ms']:7} "
                f"{most('ptx'):6} {most('registers'):5} {most('private'):8}  {longest['name']}", flush=True)
    return end(rows, slow, options, "too slow")


if __name__ == "__main__":
    sys.exit(main())
