#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes kernel sources into one C++ table: embed.py OUTPUT SOURCE...

Each entry is named as the source is named below kernels/, which is what #line and GST_CL_KERNEL_PATH use."""
import pathlib
import sys

DELIMITER = "kernel_source"


def entry(path):
    text = path.read_text(encoding="utf-8")
    if ")" + DELIMITER + '"' in text:
        sys.exit(f"{path}: contains the delimiter of the table")
    name = f"lib/{path.name}" if path.suffix == ".clh" else path.name
    return f'  {{"{name}", R"{DELIMITER}({text}){DELIMITER}"}},\n'


def main():
    output, *sources = map(pathlib.Path, sys.argv[1:])
    table = "".join(entry(source) for source in sources)
    output.write_text(
        '#include "core/sources.hpp"\n\n'
        "namespace gst::cl {\n\n"
        f"const EmbeddedSource embedded_sources[] = {{\n{table}}};\n"
        f"const unsigned n_embedded_sources = {len(sources)};\n\n"
        "}  // namespace gst::cl\n",
        encoding="utf-8",
    )


main()
