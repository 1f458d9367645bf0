# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three small frames through every element on Oclgrind, which runs kernels one instruction after the other: accesses outside of
buffers, data races, barriers that not all items reach."""
import re
import subprocess
import tempfile
from pathlib import Path

import common

SIZE = (70, 44)
FORMATS = ["RGBA", "NV12"]
PATIENCE = 300
DRIVER = "liboclgrind-rt-icd.so"
# Of restrict and of inlined results LLVM makes functions that Oclgrind does not know, and with its optimiser others.
OPTIONS = "-cl-opt-disable -Drestrict= -Dalways_inline=unused"
FINDING = re.compile(r"^(\S.*)\n\tKernel: +(\w+)", re.M)
# A kernel with faults of both kinds. Without their report, one that is empty would say nothing of the others.
PLANTED = """// @group 16 16
kernel void planted (PIXEL_ARGS)
{
  PIXEL_BEGIN
  local int cell;
  cell = x;
  OUT_PIXEL ((float4) (cell + gstcl_pixels[x + y ? 0 : 100000000]));
}
"""
PLANTED_FAULTS = {"Write-write data race", "Read-write data race", "Invalid read of size 1"}


def vendors_in(folder):
    """A vendor file in the folder, or nothing."""
    driver = next((path for place in ("lib/oclgrind", "lib64", "lib") for path in Path("/usr", place).glob(DRIVER)), None)
    if not driver:
        return None
    vendors = Path(folder) / "oclgrind.icd"
    vendors.write_text(f"{driver}\n", encoding="utf-8")
    return vendors


def play(build, element, video_format, vendors, settings=""):
    """(kernel, what) of each finding; nothing in time: None; a launch line that fails: its error."""
    caches = tempfile.mkdtemp(dir=vendors.parent)
    log = Path(caches) / "oclgrind.log"
    environment = common.environment_of(caches, build, vendors, GST_CL_BACKEND="gpu", GST_CL_BUILD_OPTIONS=OPTIONS,
        OPENCL_LAYERS=str(Path(build).resolve() / "tests/machinery/drivers/libcl-serial.so"), OCLGRIND_DATA_RACES="1", OCLGRIND_MAX_ERRORS="200", OCLGRIND_LOG=str(log))
    line = common.small_line(element, video_format, SIZE, settings)
    try:
        run = subprocess.run(["bash", "-c", "exec gst-launch-1.0 --no-fault -q " + line], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    if run.returncode or not log.exists():
        return f"{element} {video_format}: " + next((each for each in (run.stderr + text).splitlines() if each.strip()), f"status {run.returncode}, {'a' if log.exists() else 'no'} report")
    return [(kernel, re.sub(r" (address|at) .*", "", what)) for what, kernel in FINDING.findall(text)]


def run(build, _cache, everything):
    lines = [(element, video_format) for element in common.elements() for video_format in FORMATS]
    with tempfile.TemporaryDirectory() as scratch:
        vendors = vendors_in(scratch)
        if not vendors:
            common.skip("oclgrind", f"the machine does not have it ({DRIVER})")
            return
        planted = Path(scratch) / "planted.cl"
        planted.write_text(PLANTED, encoding="utf-8")
        seen = play(build, "clprogram", "RGBA", vendors, f"location={planted}")
        missing = PLANTED_FAULTS - {what for _, what in seen} if isinstance(seen, list) else {seen or "it takes too long"}
        common.say(not missing, "oclgrind: the faults of a planted kernel are reported", sorted(missing))
        results = common.at_once(lambda each: play(build, *each, vendors), lines)
    late = [f"{element} {video_format}" for (element, video_format), result in zip(lines, results) if result is None]
    errors = [result for result in results if isinstance(result, str)]
    found, kinds = {}, {}
    for (element, video_format), result in zip(lines, results):
        for kernel, what in result if isinstance(result, list) else []:
            found[kernel] = found.get(kernel, 0) + 1
            kinds.setdefault(kernel, set()).add(f"{what} ({element} {video_format})")
    played = len(lines) - len(late) - len(errors)
    common.say(played and not errors, f"oclgrind: {played} of {len(lines)} launch lines played", errors)
    common.judge("oclgrind", found, common.expectations("oclgrind"), "findings", not late)
    for kernel in sorted(kinds):
        print(f"# {kernel}: " + ", ".join(sorted(kinds[kernel])[: None if everything else 3]))
    for each in late:
        common.skip(f"oclgrind {each}", f"it takes longer than {PATIENCE} s")
