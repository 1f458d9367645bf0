#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spelling, links, and versions in the library's headers. codespell reads documentation, comments and texts of the sources; words.txt lists words that it takes for
mistakes. Links of the documentation have to lead to a file and a heading that exist. Comments of public headers name the version that a symbol came with. Prints TAP.

usage: test-prose.py ROOT
"""
import pathlib
import re
import shutil
import sys

import tap

FOLDERS = ("docs", "gst", "common", "kernels", "packaging", "pipelines", "tests", "tools")
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".py", ".sh", ".build"}
HERE = pathlib.Path(__file__).resolve()
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)


def documents(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.md"))


def sources(root):
    yield root / "run"
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES)


def spelling(root):
    files = [str(path) for path in (*documents(root), *sources(root))]
    ignored = ",".join((HERE.parent / "words.txt").read_text(encoding="utf-8").split())
    said = tap.run(["codespell", f"--ignore-words-list={ignored}", *files])[1]
    yield from (line.replace(f"{root}/", "") for line in said.splitlines() if line)


def anchors(path):
    """Headings as GitHub names them"""
    names = []
    for heading in HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        names.append(re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-"))
    return names


def links(root):
    for path in documents(root):
        for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
            if re.match(r"\w+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                yield f"{path.relative_to(root)}: no such file: {target}"
            elif anchor and anchor not in anchors(file):
                yield f"{path.relative_to(root)}: no such heading: {target}"


def versions(root):
    for path in sorted((root / "common" / "include").rglob("*.h")):
        for symbol, text in re.findall(r"^/\*\*\n \* (\w+):(.*?)\*/", path.read_text(encoding="utf-8"), re.M | re.S):
            if symbol != "SECTION" and not re.search(r"^ \* Since: \d+\.\d+$", text, re.M):
                yield f"{path.relative_to(root)}: {symbol} has no Since"


top = pathlib.Path(sys.argv[1]).resolve()
has_codespell = shutil.which("codespell")
tap.results([("spelling", list(spelling(top)) if has_codespell else "", "" if has_codespell else "no codespell"),
             ("links", list(links(top))), ("versions", list(versions(top)))])
