#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines of 32 bits and big-endian ones are refused at configuring, in one line. usage: test-hosts.py SOURCE COMPILER..."""
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

# {cpu_family: (endian, bytes of a pointer)}
HOSTS = {"mips64": ("big", 8), "x86": ("little", 4)}
FILE = """[binaries]
cpp = {compiler}
[properties]
skip_sanity_check = true
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""


def refusal(source, compiler, family):
    endian, size = HOSTS[family]
    with tempfile.TemporaryDirectory() as folder:
        cross = Path(folder) / "cross.ini"
        command = compiler + (["-m32"] if size == 4 else [])
        cross.write_text(FILE.format(compiler=json.dumps(command).replace('"', "'"), family=family, endian=endian), encoding="utf-8")
        run = subprocess.run(["meson", "setup", f"{folder}/build", source, "--cross-file", str(cross)], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode, f"{family} is configured"
    wanted = f"gst-plugins-cl needs a little-endian machine of 64 bits, not {family} ({endian}-endian, pointers of {size} bytes)"
    assert wanted in run.stdout, run.stdout + run.stderr


def main():
    source, *compiler = sys.argv[1:]
    for family in HOSTS:
        # on other machines compilers have no option for 32 bits
        if family != "x86" or platform.machine() == "x86_64":
            refusal(source, compiler, family)


if __name__ == "__main__":
    main()
