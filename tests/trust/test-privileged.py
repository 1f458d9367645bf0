#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A process of more rights than its caller ignores the caller's environment: test-privileged.py PROGRAM."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NOBODY = 65534


def answer(program):
    run = subprocess.run([program], env={"GST_CL_DEVICE": "mine"}, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def main():
    if os.geteuid() != 0:
        print("only root makes a program setuid")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = pathlib.Path(folder) / "program"
        shutil.copy(sys.argv[1], copy)
        os.chmod(copy, 0o755)
        before = answer(copy)
        os.chown(copy, NOBODY, NOBODY)
        os.chmod(copy, 0o4755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            print("setuid has no effect here")
            return SKIPPED
        after = answer(copy)
    print(f"as usual: {before}; setuid: {after}")
    return int((before, after) != ("mine plain", "nothing privileged"))


if __name__ == "__main__":
    sys.exit(main())
