#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Follows docs/first-kernel.md: saves its kernels under the names that it gives them and runs its command lines in
order, shortened as test-launch-lines.py does. A block marked "sh fails" has to fail, and the lines of the block behind
it have to be in what it says. Prints TAP, one case a command.

usage: test-first-kernel.py ROOT
"""
import importlib
import pathlib
import re
import sys

import headless
import tap

launch_lines = importlib.import_module("test-launch-lines")

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
SAVE_AS = re.compile(r"Save this as `([\w.-]+)`:\s*$")


def steps(text):
    """(kind, name, content) in order: a file to save, commands to run, or commands that fail with their messages"""
    blocks = list(BLOCK.finditer(text))
    before = 0
    for number, block in enumerate(blocks):
        kind, content = block.groups()
        name = SAVE_AS.search(text[before:block.start()])
        before = block.end()
        if name:
            yield "save", name.group(1), content
        elif kind == "sh":
            yield "run", "", content
        elif kind == "sh fails":
            following = blocks[number + 1] if number + 1 < len(blocks) else None
            said = following.group(2).splitlines() if following and not following.group(1) else []
            yield "fail", said, content


def commands(content):
    """The lines of a block, joined at backslashes"""
    return [line for line in re.sub(r"\\\n\s*", "", content).splitlines() if line.strip()]


def complaints(kind, said, command, folder):
    status, output = tap.run(["bash", "-c", command], folder, launch_lines.TIMEOUT)
    if kind == "fail":
        missing = [f"does not say: {line}" for line in said if line not in output]
        return [command, *missing, *output.splitlines()[-12:]] if missing or not status else []
    if status or re.search(r"^ERROR|^WARNING|CRITICAL|erroneous pipeline", output, re.M):
        return [command, *output.splitlines()[-12:]]
    return []


def cases(guide):
    with tap.folder() as folder:
        for kind, name, content in steps(guide.read_text(encoding="utf-8")):
            if kind == "save":
                (folder / name).write_text(content, encoding="utf-8")
                continue
            for command in commands(content):
                yield command[:100], complaints(kind, name, launch_lines.shortened(command, folder), folder)
                if command.startswith("mkdir") and "cd " in command:
                    folder = folder / command.split("cd ")[-1]


headless.choose()
tap.skip_all(headless.why_skip())
tap.results(cases(pathlib.Path(sys.argv[1]) / "docs" / "first-kernel.md"))
