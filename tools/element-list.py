#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints CL_ELEMENT (clNAME) for every element that these sources define.

usage: element-list.py SOURCE...
"""
import pathlib
import re
import sys

DEFINITION = re.compile(r"^(?:\w*DEFINE\w* \(\s*\w+, \w+|GST_ELEMENT_REGISTER_DEFINE \((cl\w+)),(?: (cl\w+))?", re.M)

names = [name for source in sys.argv[1:] for found in DEFINITION.findall(pathlib.Path(source).read_text(encoding="utf-8"))
         for name in found if name.startswith("cl")]
print(*(f"CL_ELEMENT ({name})" for name in dict.fromkeys(names)), sep="\n")
