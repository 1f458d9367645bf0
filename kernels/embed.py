#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes kernel sources into a C++ table: embed.py OUTPUT TABLE SOURCE...

Each entry is named FOLDER/FILE after its source, which is what #line and GST_CL_KERNEL_PATH use."""
import pathlib
import sys

DELIMITER = "kernel_source"


def entry(path):
    text = path.read_text(encoding="utf-8")
    if ")" + DELIMITER + '"' in text:
        sys.exit(f"{path}: contains the delimiter of the table")
    return f'  {{"{path.parent.name}/{path.name}", R"{DELIMITER}({text}){DELIMITER}"}},\n'


def main():
    output, table, *sources = sys.argv[1:]
    entries = "".join(entry(pathlib.Path(source)) for source in sources)
    pathlib.Path(output).write_text(
        '#include "core/sources.hpp"\n\n'
        "namespace gst::cl {\n\n"
        f"static const EmbeddedSource entries[] = {{\n{entries}}};\n"
        f"extern constinit const std::span<const EmbeddedSource> {table}{{entries}};\n\n"
        "}  // namespace gst::cl\n",
        encoding="utf-8",
    )


main()
