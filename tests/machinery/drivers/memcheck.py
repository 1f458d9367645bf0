# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three small frames through every element on Valgrind, with the kernels of GPUs on PoCL: memory that kernels read before they write it,
if a branch or a written frame depends on it."""
import re
import subprocess
import tempfile
from pathlib import Path

import common

SIZE = (72, 44)  # no padding, which has no content
PATIENCE = 1200
MORE = ["clthreshold method=mean", "clthreshold method=otsu", "clequalize method=clahe", "cltemporal method=motion", "cltemporal method=recursive",
        "clbilateral method=grid", "clblur sigma=8", "clmedian radius=4"]
FINDING = re.compile(r"Syscall param write|Conditional jump|Use of uninit|Invalid (?:read|write)")
PLANTED = """// @group 16 16
kernel void planted (PIXEL_ARGS)
{
  PIXEL_BEGIN
  local int cells[256];
  if (x == 0 && y == 0)
    cells[1] = 3;
  barrier (CLK_LOCAL_MEM_FENCE);
  OUT_PIXEL ((float4) (cells[x % 256] * 0.001f));
}
"""


def play(build, scratch, line, video_format):
    """What Valgrind says of kernels and of the written frames; nothing in time: None; a launch line that fails: its error."""
    element, _, settings = line.partition(" ")
    caches = tempfile.mkdtemp(dir=scratch)
    log, result = Path(caches) / "log", Path(caches) / "frames"
    environment = common.environment_of(caches, build, common.icd_of("pocl"), GST_CL_BACKEND="gpu", POCL_MAX_PTHREAD_COUNT="1")
    launch = common.small_line(element, video_format, SIZE, settings).replace("fakesink", f"filesink location={result}", 1)
    command = f"exec valgrind --error-limit=no --log-file={log} gst-launch-1.0 --no-fault -q {launch}"
    try:
        run = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode or not result.exists() or not log.exists():
        return f"{line} {video_format}: " + next((each for each in run.stderr.splitlines() if "ERROR" in each), f"status {run.returncode}")
    blocks = re.split(r"\n==\d+== \n", log.read_text(encoding="utf-8", errors="replace"))
    # accesses of the compiler and of the unwinder do not count
    places = (caches, "libgstcoreelements", "libgstcl")
    return [block for block in blocks if FINDING.search(block) and "libunwind" not in block and any(each in block for each in places)]


def run(build, _cache, everything):
    lines = [(line, video_format) for line in common.elements() + MORE for video_format in (["NV12", "RGBA"] if everything else ["NV12"])]
    with tempfile.TemporaryDirectory() as scratch:
        planted = Path(scratch) / "planted.cl"
        planted.write_text(PLANTED, encoding="utf-8")
        seen = play(build, scratch, f"clprogram timeout=0 location={planted}", "RGBA")
        common.say(isinstance(seen, list) and bool(seen), "memcheck: the fault of a planted kernel is reported", [seen] if isinstance(seen, str) else [])
        for (line, video_format), found in zip(lines, common.at_once(lambda each: play(build, scratch, *each), lines)):
            if found is None:
                common.skip(f"memcheck {line} {video_format}", f"it takes longer than {PATIENCE} s")
            else:
                common.say(not found, f"memcheck: {line} {video_format}", [found] if isinstance(found, str) else "\n".join(found).splitlines()[:20])
