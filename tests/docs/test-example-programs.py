#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles and runs every complete C++ program in the documentation (a ```cpp block with a main function).
Prints TAP, one case a program. A program that ends with 77 found no OpenCL device and is skipped.

usage: test-example-programs.py ROOT BUILD_ROOT COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.M | re.S)
MODULES = ["gstreamer-1.0", "gstreamer-video-1.0", "gstreamer-controller-1.0"]
TIMEOUT = 120


def programs(root):
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if re.search(r"^main \(", match.group(1), re.M):
                yield f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}", match.group(1)


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout


def check(source, root, build, compiler):
    """(exit status, what it printed) of the compiler or, where that is content, of the program"""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *MODULES], capture_output=True, text=True,
                           check=True).stdout.split()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "example.cpp").write_text(source, encoding="utf-8")
        status, output = run([*compiler, "-std=c++20", "-Wall", "-Werror", f"-I{root}/common/include",
                              str(folder / "example.cpp"), f"{build}/common/libgstcl-1.0.so",
                              f"-Wl,-rpath,{build}/common", *flags, "-o", str(folder / "example")])
        return run([str(folder / "example")]) if status == 0 else (1, output)


def main():
    root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    found = list(programs(root))
    print(f"1..{len(found)}")
    for number, (where, source) in enumerate(found, 1):
        status, output = check(source, root, build, compiler)
        directive = " # SKIP no OpenCL device" if status == 77 else ""
        print(f"{'ok' if status in (0, 77) else 'not ok'} {number} - {where}{directive}", flush=True)
        if status not in (0, 77):
            print("\n".join("# " + line for line in output.splitlines()[-20:]), flush=True)


if __name__ == "__main__":
    main()
