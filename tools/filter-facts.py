#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What gst/*/filter.json say about each element: a C++ header for cl-tune and the tests, or commands for tools/gallery.sh.

works: launch lines with which the element changes a picture, its name alone if they are missing
caps: for its source pad, without which it passes frames
programs: how many programs all formats need, at most, on the cpu back end (tests/machinery/programs.cpp)
tune: launch lines with which it runs each of its kernels
gallery: its picture: the scene, the part that is enlarged, what was done before, the filter, other branches, what only the left
  half gets, and what differs in a clip, if there is one. Texts are words of the script's shell.

usage: filter-facts.py [--gallery] FILE...
"""
import json
import sys

HEADER = """/* Made by tools/filter-facts.py */
#pragma once

#include <vector>

struct FilterFacts {
  const char *element;
  std::vector<const char *> works, tune;
  const char *caps;
  unsigned programs;
};

inline const std::vector<FilterFacts> filter_facts = {"""
KEYS = {"works", "caps", "programs", "tune", "gallery"}


def texts(lines):
    return "{" + ", ".join(map(json.dumps, [lines] if isinstance(lines, str) else lines)) + "}"


def read(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for element, facts in json.load(file).items():
                if not KEYS.issuperset(facts):
                    sys.exit(f"{path}: {element} has {', '.join(sorted(set(facts) - KEYS))}, which nothing reads")
                yield element, facts


def command(verb, element, shown):
    where = "".join(f'{name}="{shown[name]}" ' for name in ("scene", "zoom") if name in shown)
    words = [shown.get("before", "$none"), shown["filter"], shown.get("more", ""), shown.get("left", "identity")]
    return f"{where}{verb} {element} " + " ".join(f'"{word}"' for word in (words if verb == "picture" else words[:2]))


def print_gallery(paths):
    for element, facts in sorted(read(paths)):
        shown = facts.get("gallery", {})
        if shown:
            print(command("picture", element, shown))
        if "clip" in shown:
            print(command("clip", element, shown | shown["clip"]))


def print_header(paths):
    print(HEADER)
    for element, facts in read(paths):
        if "programs" in facts:
            print(f'    {{{json.dumps(element)}, {texts(facts.get("works", element))}, {texts(facts.get("tune", []))}, '
                  f'{json.dumps(facts.get("caps", ""))}, {facts["programs"]}}},')
    print("};")


if __name__ == "__main__":
    if sys.argv[1] == "--gallery":
        print_gallery(sys.argv[2:])
    else:
        print_header(sys.argv[1:])
