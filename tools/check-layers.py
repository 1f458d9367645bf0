#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the floors: core < memory < filter < gst, an include never points upwards; no file is over 500 lines.

Tests, pipelines and tools stand above all floors and may include anything.
"""
import pathlib
import re
import sys

FLOORS = ("common/core", "common/memory", "common/filter", "gst")
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".py", ".sh"}
FOLDERS = ("common", "gst", "kernels", "tests", "pipelines", "tools")
MAX_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def floor_of(path):
    """The number of the floor that a path relative to the root stands on, or None."""
    for number, floor in enumerate(FLOORS):
        if path.as_posix().startswith(floor + "/"):
            return number
    return None


def target_of(include, path, headers):
    """The project's header that an include names: the longest match of its trailing path, its own folder first."""
    name = pathlib.PurePosixPath(include)
    # installed headers are included as gst/cl/NAME.h from wherever they stand
    parts = name.parts[2:] if name.parts[:2] == ("gst", "cl") else name.parts
    if not parts:
        return None
    matches = [h for h in headers if h.parts[-len(parts):] == parts]
    beside = [h for h in matches if h.parent == path.parent]
    return (beside or matches or [None])[0]


def check(root):
    complaints = []
    files = [p.relative_to(root) for folder in FOLDERS for p in sorted((root / folder).rglob("*"))
             if p.suffix in SOURCES and p.is_file()]
    headers = [p for p in files if p.suffix in (".h", ".hpp") and floor_of(p) is not None]
    for path in files:
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        if len(lines) > MAX_LINES:
            complaints.append(f"{path}: {len(lines)} lines, {MAX_LINES} at most")
        floor = floor_of(path)
        if floor is None:
            continue
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            target = target_of(match.group(1), path, headers) if match else None
            if target and floor_of(target) > floor:
                complaints.append(f"{path}:{number}: {FLOORS[floor]} includes {target}, a floor above it")
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
