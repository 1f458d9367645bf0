#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A frame takes the way that docs/design.md shows, and no longer one: plays a line, and compares the list of calls there with the
stack at the last launch of a kernel, which the layer of tests/machinery/census writes down.

usage: test-way.py SOURCE_ROOT
"""
import bisect
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

LINE = "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=640,height=360 ! clmedian radius=2 ! fakesink"
MOST_CALLS = 8
MOST_FRAMES = 12  # from GStreamer's chain function to the call that enqueues


@functools.cache
def functions(module):
    """The functions of a module, by address"""
    listed = subprocess.run(["nm", "-C", "-n", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tTwW] (.*)$", listed, re.M)
    return [int(address, 16) for address, _ in found], [name for _, name in found]


def name_of(module, offset):
    """The function at an offset, without namespaces and arguments"""
    addresses, names = functions(module)
    name = re.sub(r"\(anonymous namespace\)::|gst::cl::", "", names[bisect.bisect(addresses, offset) - 1])
    return re.match(r"(?:[^(<]* )?([\w:]+)", name)[1]


def stack():
    """The callers of the last launch, outermost first: modules and offsets"""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["gst-launch-1.0", "-q", *LINE.split()], env=os.environ | {"CL_CENSUS_WAY": file.name}, check=True)
        last = pathlib.Path(file.name).read_text().strip().split("\n\n")[-1]
    return [(module, int(offset)) for module, offset in (line.rsplit(" ", 1) for line in reversed(last.splitlines()))]


def documented(root):
    """The calls that the page lists"""
    page = (root / "docs/design.md").read_text()
    block = re.search(r"^The path of a frame[^\n]*\n\n```\n(.*?)^```", page, re.M | re.S)[1]
    return [line.split()[0] for line in block.splitlines() if re.match(r"[\w:]+ ", line)]


def cases(root):
    wanted = documented(root)
    frames = stack()
    outside = max(i for i, (module, _) in enumerate(frames) if "libgstreamer" in module)
    ours = [i for i, (module, _) in enumerate(frames) if pathlib.Path(module).name.startswith("libgstcl")]
    calls = [name_of(*frames[i]) for i in ours if i > outside]
    calls = calls[calls.index(wanted[0]):] if wanted[0] in calls else calls
    calls = [call for call in calls if not call.startswith("cl::")]  # Khronos' bindings
    # the operation's class is the element's own
    same = len(calls) == len(wanted) and all(
        call == each or each == "Filter::run" and call.endswith("::run") for call, each in zip(calls, wanted))
    yield "the calls are those of the page", "" if same else f"the page has {wanted}, the stack has {calls}"
    yield "they are few", "" if len(wanted) <= MOST_CALLS else f"{len(wanted)} calls"
    depth = ours[-1] - outside
    yield "the stack is low", "" if depth <= MOST_FRAMES else f"{depth} frames"


if __name__ == "__main__":
    tap.results(cases(pathlib.Path(sys.argv[1])))
