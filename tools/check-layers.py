#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks how the house is built: core < memory < interop < gl < filter < gst, and an include never points upwards; a filter's folder includes,
and launches kernels of, itself, shared/, motion/ and the library alone; Meson lists every file of a folder of gst/ and no other; no file of the
product has over 450 lines, no other over 500, no function over 60; ITEM_KERNEL names a kernel's arguments in their order; headers that call algorithms include
them; common/core/ and kernels/lib/lanes.clh alone know a vendor. The library and the plugin read the environment by core/environment.hpp alone, which ignores it in setuid processes.

Tests, pipelines and tools stand above all floors and may include anything.
"""
import pathlib
import re
import sys

FLOORS = ("common/core", "common/memory", "common/interop", "common/gl", "common/filter", "gst")
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".py", ".sh"}
FOLDERS = ("common", "gst", "kernels", "tests", "pipelines", "tools")
MAX_LINES = 500
MAX_PRODUCT_LINES = 450
MAX_FUNCTION_LINES = 60
VENDOR = re.compile(r"\b(nvidia_capability|vendor_id|is_pocl|__NV_CL_C_VERSION)\b")
KNOW_VENDORS = ("common/core/", "kernels/lib/lanes.clh")
CODE = {".cpp", ".hpp", ".cl", ".clh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
ENVIRONMENT = re.compile(r"\b(?:std::|g_|secure_)?getenv \(")
READS_ENVIRONMENT = "common/core/environment.cpp"
BASES = ("shared", "motion")  # folders that filters stand on
KERNEL = re.compile(r'"([a-z]\w*)/\w+\.clh?"')
BODY = re.compile(r"^(\s*)\{$")  # of functions alone: other braces end a line
ITEM_KERNEL = re.compile(r"^ITEM_KERNEL(?:_OF)? \((.*?),\s+\(([^()]*(?:\([^()]*\)[^()]*)*)\)\)\n\{", re.M | re.S)
PARAMETER = re.compile(r"\w[ *]+(\w+)\s*(?=[,)])")
ALGORITHM = re.compile(r"std::(?:ranges::\w+|clamp|min|max|sort|copy|fill|find_if|(?:any|all|none)_of) ?\(")


def floor_of(path):
    """The number of the layer of a path relative to the root, or None."""
    for number, floor in enumerate(FLOORS):
        if path.as_posix().startswith(floor + "/"):
            return number
    return None


def room_of(path):
    """The filter's folder in gst/ or kernels/ that contains a path, or None."""
    return path.parts[1] if path.parts[0] in ("gst", "kernels") and len(path.parts) > 2 else None


def target_of(include, path, headers):
    """The project's header that an include names: the longest match of its trailing path; the including file's folder comes
    first."""
    name = pathlib.PurePosixPath(include)
    # installed headers are included as gst/cl/NAME.h from everywhere
    parts = name.parts[2:] if name.parts[:2] == ("gst", "cl") else name.parts
    if not parts:
        return None
    matches = [h for h in headers if h.parts[-len(parts):] == parts]
    beside = [h for h in matches if h.parent == path.parent]
    return (beside or matches or [None])[0]


def check_include(path, include, headers):
    """The error in one include, or None."""
    target = target_of(include, path, headers)
    if not target:
        return None
    floor = floor_of(path)
    if floor_of(target) > floor:
        return f"{FLOORS[floor]} includes {target}, a floor above it"
    room, other = room_of(path), room_of(target)
    if room and other and other not in (room, *BASES):
        return f"{room} includes {target}, another filter's"
    return None


def check_kernel(path, folder):
    """The error in the name of a kernel source of this folder, or None."""
    room = room_of(path)
    allowed = {"lib", *BASES, room} if room else {"lib"}
    return None if folder in allowed else f"names a kernel of {folder}, which is none of {', '.join(sorted(allowed))}"


def check_lengths(path, lines):
    most = MAX_PRODUCT_LINES if path.parts[0] in ("common", "gst", "kernels") else MAX_LINES
    if len(lines) > most:
        yield f"{path}: {len(lines)} lines, {most} at most"
    for first, line in enumerate(lines):
        match = BODY.match(line) if path.suffix in CODE else None
        if match:
            length = next(n for n, end in enumerate(lines[first:] + [match.group(1) + "}"], 1) if end.startswith(match.group(1) + "}"))
            if length > MAX_FUNCTION_LINES:
                yield f"{path}:{first + 1}: a function of {length} lines, {MAX_FUNCTION_LINES} at most"


def check_algorithms(path, text):
    """Standard libraries differ in which headers include <algorithm>."""
    if path.suffix == ".hpp" and ALGORITHM.search(text) and "#include <algorithm>" not in text:
        yield f"{path}: calls algorithms and does not include <algorithm>"


def check_arguments(path, text):
    """Kernels whose arguments of one type are exchanged would compile. Arguments from macros are not checked."""
    for parameters, passed in ITEM_KERNEL.findall(text):
        passed = re.findall(r"\w+", passed)
        places = [passed.index(name) if name in passed else -1 for name in PARAMETER.findall(parameters) if name.islower()]
        if places != sorted(places) or -1 in places:
            yield f"{path}: ITEM_KERNEL passes on {', '.join(passed)}: other arguments, or another order"


def check_vendors(path, lines):
    if path.parts[0] in ("common", "gst", "kernels") and not path.as_posix().startswith(KNOW_VENDORS):
        yield from (f"{path}:{number}: asks for a vendor: core/vendors.hpp does it" for number, line in enumerate(lines, 1) if VENDOR.search(line))


def check_texts(root, files):
    headers = [p for p in files if p.suffix in (".h", ".hpp") and floor_of(p) is not None]
    for path in files:
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        yield from check_lengths(path, lines)
        yield from check_algorithms(path, "\n".join(lines))
        yield from check_arguments(path, "\n".join(lines))
        yield from check_vendors(path, lines)
        if floor_of(path) is None:
            continue
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            problems = [check_include(path, match.group(1), headers)] if match else []
            problems += [check_kernel(path, folder) for folder in KERNEL.findall(line)]
            if ENVIRONMENT.search(line) and path.as_posix() != READS_ENVIRONMENT:
                problems.append("reads the environment by itself: core/environment.hpp does it")
            yield from (f"{path}:{number}: {problem}" for problem in problems if problem)


def check_lists(files):
    """The folder of gst/ that launches the kernels of a folder."""
    rooms = {p.parent for p in files if room_of(p)}
    for room in sorted(rooms):
        if room.parts[0] == "kernels" and room.name != "lib" and pathlib.Path("gst", room.name) not in rooms:
            yield f"{room}: no folder gst/{room.name} launches these"


def check(root):
    files = [p.relative_to(root) for folder in FOLDERS for p in sorted((root / folder).rglob("*"))
             if p.suffix in SOURCES and p.is_file()]
    files = sorted(set(files))
    return [*check_texts(root, files), *check_lists(files)]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
