# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parses all programs as for NVIDIA's GPUs with Clang, whose text no other compiler sees, also with steps on results."""
import subprocess
import tempfile

import common

# the capability that the layer's device has
COMMAND = ["clang-19", "-x", "cl", "-target", "nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_90", "-nogpulib", "-fgnu-keywords",
    "-D__NV_CL_C_VERSION=120", "-fsyntax-only", "-w"]


def errors_of(path):
    options = [option for option in common.options_of(path) if not option.startswith("-cl-nv-")]
    run = subprocess.run([*COMMAND, *options, str(path)], capture_output=True, text=True, timeout=300, check=False)
    return run.stderr.strip() if run.returncode else ""


def run(build, _cache, _everything):
    chains = [common.launch_line("clidentity", video_format, common.SIZE).replace("clidentity", f'clchain filters="{element} ! cllevels gamma=1.4"', 1)
        for element in common.elements() for video_format in common.FORMATS]
    with tempfile.TemporaryDirectory() as folder:
        programs = common.collect(build, "nvidia", folder, chains)
        errors = [error for error in common.at_once(errors_of, programs) if error]
    common.say(len(programs) > len(chains) and not errors, f"nvidia: {len(programs) - len(errors)} of {len(programs)} programs parse",
        [line for error in errors for line in error.splitlines()[:4]])
