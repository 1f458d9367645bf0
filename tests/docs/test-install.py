#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `meson install` puts into a folder of one's own runs from there, and the library exports the C API alone. Prints TAP.

usage: test-install.py BUILD PREFIX LIBDIR
"""
import re
import sys

import tap

PATIENCE = 250


def run(*command, **variables):
    """(exit status, output), without the caller's library paths"""
    return tap.run(command, timeout=PATIENCE, LD_LIBRARY_PATH=None, **variables)


def check_element(prefix, libraries, scratch):
    variables = {"GST_PLUGIN_PATH_1_0": str(libraries / "gstreamer-1.0"), "GST_REGISTRY_1_0": str(scratch / "registry.bin")}
    status, output = run("gst-inspect-1.0", "clmedian", **variables)
    if status != 0:
        return [output]
    found = [line for line in output.splitlines() if "Filename" in line]
    if str(prefix) not in found[0]:
        return [f"another plugin was found: {found[0]}"]
    # its version is at least GStreamer's
    status, output = run("gst-inspect-1.0", "--exists", "clmedian", **variables)
    return [f"gst-inspect-1.0 --exists ends with {status}: {output}"] if status else []


def check_programs(prefix):
    found = []
    for program in ("cl-info", "cl-tune"):
        path = prefix / "bin" / program
        status, output = run(str(path), "--help") if path.exists() else (0, "")
        found += [f"{program} ends with {status}: {output}"] if status else []
    return found


def check_manual(prefix):
    """Each program has a manual page with its options, if pages were built"""
    found = []
    pages = prefix / "share" / "man" / "man1"
    for program in sorted((prefix / "bin").glob("cl-*")):
        if not (prefix / "share/bash-completion/completions" / program.name).exists():
            found.append(f"{program.name} has no completion")
        page = pages / (program.name + ".1")
        text = page.read_text() if page.exists() else ""
        name = program.name.replace("-", r"\-")
        if pages.exists() and not all(line in text for line in (f".B {name}", r"\fB\-\-version\fR", ".SH EXIT STATUS")):
            found.append(f"{program.name} has no manual page, or one without its options: {text[:500]}")
    return found


def check_compiler(libraries):
    """An empty request is refused with status 2; a program without one of its libraries ends with 127"""
    status, output = run(str(libraries / "gst-plugins-cl" / "gst-cl-compiler"))
    return [] if status == 2 else [f"gst-cl-compiler ends with {status}: {output}"]


def declared(folder):
    """The functions that the installed headers declare"""
    text = "".join(header.read_text() for header in sorted(folder.glob("*.h")))
    text = re.sub(r"/\*.*?\*/|^#.*?(?<!\\)$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.DOTALL | re.MULTILINE)
    types = re.findall(r"G_DECLARE_\w+ \(\w+, (\w+),", text)
    return set(re.findall(r"\b(gst_\w+) \(", text)) | {name + "_get_type" for name in types}


def check_exports(prefix, libraries):
    status, output = run("nm", "-D", "--defined-only", str(libraries / "libgstcl-1.0.so"))
    if status != 0:
        return [output]
    # lines of nm: address, kind, name
    exported = {line.split()[2] for line in output.splitlines() if line.split()[1] == "T"}
    functions = declared(prefix / "include" / "gstreamer-1.0" / "gst" / "cl")
    return [f"{name} is exported, and no header has it" for name in sorted(exported - functions)] \
        + [f"{name} is declared, and not exported" for name in sorted(functions - exported)]


def cases(build, prefix, libdir):
    with tap.folder() as scratch:
        status, output = run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", scratch)
        installed = scratch / prefix.lstrip("/")
        libraries = installed / libdir
        yield "installs", output if status else ""
        yield "gst-inspect-1.0 loads the plugin", check_element(installed, libraries, scratch)
        yield "the programs start", check_programs(installed)
        yield "manual pages and completion", check_manual(installed)
        yield "the compiler of live changes starts", check_compiler(libraries)
        yield "the library exports what its headers declare", check_exports(installed, libraries)


tap.results(cases(*sys.argv[1:]))
