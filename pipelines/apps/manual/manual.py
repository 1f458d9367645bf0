#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the manual page of a program, made of what it prints for --help and --version.

usage: manual.py PROGRAM WHAT_IT_DOES
"""
import os
import pathlib
import re
import subprocess
import sys

END = r"""
.SH EXIT STATUS
.TP
0
Success.
.TP
1
Failure; a message on standard error says why.
.TP
2
The command line is wrong.
.SH ENVIRONMENT
.TP
GST_CL_DEVICE
The OpenCL device to use if none is named: gpu, cpu, 0:1, or part of a name.
.TP
GST_PLUGIN_PATH_1_0
More folders in which GStreamer looks for plugins.
.SH SEE ALSO
.BR cl\-info (1),
.BR cl\-tune (1),
.BR cl\-batch (1),
.BR cl\-demo (1),
.BR cl\-compare (1),
.BR cl\-histogram (1),
.BR cl\-studio (1),
.BR gst\-launch\-1.0 (1),
.BR gst\-inspect\-1.0 (1)
"""


def roff(text):
    """Text as troff prints it: no commands, and hyphens that can be copied"""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def option_of(line):
    """A line of --help, as a tagged paragraph"""
    names, text = re.fullmatch(r" +(-.*?)(?:  +(.*))?", line).groups()
    names = re.sub(r"=(\S+)", r"=\\fI\1\\fR", re.sub(r"(-[\w-]+)", r"\\fB\1\\fR", names).replace("-", r"\-"))
    return f".TP\n{names}\n{roff(text or '')}"


def parts_of(help_text):
    """(arguments, paragraphs, options) of a help text. GLib separates sections by empty lines; those of options have a title
    with a colon"""
    usage, *sections = help_text.strip().split("\n\n")
    arguments = usage.splitlines()[1].split("[OPTION…]")[1].strip()
    description, options = [], []
    for section in sections:
        lines = section.splitlines()
        if re.match(r".*Options:$", lines[0]):
            options += [option_of(line) for line in lines[1:]]
        elif lines[0].startswith("  "):
            description.append(".nf\n" + roff(section) + "\n.fi")
        elif len(lines) > 1 and lines[1].startswith("  "):
            description.append(roff(lines[0]) + "\n.nf\n" + roff("\n".join(lines[1:])) + "\n.fi")
        else:
            description.append(roff("\n".join(lines)))
    return arguments, description, options


def page(name, version, about, help_text, verbs):
    """verbs: {name: help text} of a program that has them"""
    arguments, description, options = parts_of(help_text)
    for verb, text in verbs.items():
        more, (what, *_), own = parts_of(text)
        options += [f'.SS "{name} {verb} {roff(more)}"', what,
                    *(option for option in own if not re.search(r"\\-\\-(help|version)\b", option))]
    return "\n".join([
        r'.\" SPDX-License-Identifier: LGPL-2.1-or-later', f'.TH {roff(name.upper())} 1 "" "{version}" "gst\\-plugins\\-cl"',
        ".SH NAME", f"{roff(name)} \\- {roff(about)}", ".SH SYNOPSIS", f".B {roff(name)}",
        (r"\fIVERB\fR " if verbs else "") + r"[\fIOPTION\fR...] " + roff(arguments),
        ".SH DESCRIPTION", "\n.PP\n".join(description), ".SH OPTIONS", *options]) + END


def main():
    program, about = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    env = os.environ | {"GST_REGISTRY_DISABLE": "yes"}  # no plugin has a part in it

    def said(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, env=env).stdout

    help_text = said("--help")
    verbs = {verb: said(verb, "--help") for verb in re.findall(rf"^  {program.name} (\w+)", help_text, re.M)}
    print(page(program.name, said("--version").split()[1], about, help_text, verbs), end="")


if __name__ == "__main__":
    main()
