#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a C++ header of what gst/*/filter.json say about each element, for cl-tune and the tests.

works: launch lines with which the element changes a picture, its name alone if they are missing
caps: for its source pad, without which it passes frames
programs: how many programs all formats need, at most, on the cpu back end (tests/machinery/programs.cpp)
tune: launch lines with which it runs each of its kernels

usage: filter-facts.py FILE...
"""
import json
import sys

print("""/* Made by tools/filter-facts.py */
#pragma once

#include <vector>

struct FilterFacts {
  const char *element;
  std::vector<const char *> works, tune;
  const char *caps;
  unsigned programs;
};

inline const std::vector<FilterFacts> filter_facts = {""")


def texts(lines):
    return "{" + ", ".join(map(json.dumps, [lines] if isinstance(lines, str) else lines)) + "}"


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for element, facts in json.load(file).items():
            unknown = set(facts) - {"works", "caps", "programs", "tune"}
            if unknown:
                sys.exit(f"{path}: {element} has {', '.join(sorted(unknown))}, which nothing reads")
            print(f'    {{{json.dumps(element)}, {texts(facts.get("works", element))}, {texts(facts.get("tune", []))}, '
                  f'{json.dumps(facts.get("caps", ""))}, {facts["programs"]}}},')
print("};")
