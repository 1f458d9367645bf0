#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes kernel sources into a C++ table: embed.py OUTPUT DEPFILE TABLE FOLDER|SOURCE...

Each entry is named FOLDER/FILE after its source, which is what #line and GST_CL_KERNEL_PATH use. The depfile names folders as
well: their times change with what is in them, so that a new source needs no list."""
import pathlib
import sys

DELIMITER = "kernel_source"


def entry(path):
    text = path.read_text(encoding="utf-8")
    if ")" + DELIMITER + '"' in text:
        sys.exit(f"{path}: contains the delimiter of the table")
    return f'  {{"{path.parent.name}/{path.name}", R"{DELIMITER}({text}){DELIMITER}"}},\n'


def sources_in(path):
    if not path.is_dir():
        return [path]
    return sorted(source for source in path.iterdir() if source.suffix in (".cl", ".clh"))


def write_if_new(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    output, depfile, table, *named = sys.argv[1:]
    paths = [pathlib.Path(name) for name in named]
    sources = [source for path in paths for source in sources_in(path)]
    entries = "".join(entry(source) for source in sources)
    write_if_new(pathlib.Path(output),
        '#include "core/sources.hpp"\n\n'
        "namespace gst::cl {\n\n"
        f"static const EmbeddedSource entries[] = {{\n{entries}}};\n"
        f"extern constinit const std::span<const EmbeddedSource> {table}{{entries}};\n\n"
        "}  // namespace gst::cl\n",
    )
    needed = [str(path).replace(" ", "\\ ") for path in sources + [path for path in paths if path.is_dir()]]
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(needed)}\n", encoding="utf-8")


main()
