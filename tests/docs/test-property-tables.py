#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the property tables of docs/elements with the elements: every property of an element has a row on its page
or among the common ones, with its default, and every row stands for a property. docs/formats.md names the formats that
filters take, all of them and no other; clchain.md names the elements that a chain refuses, and README.md the fields of `stats`.
Prints TAP, one case an element and one for each of these.

usage: test-property-tables.py ROOT
"""
import os
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| (`[^|]*`) \| ([^|]*) \|", re.M)
PROPERTY = re.compile(r"^  ([a-z][a-z0-9-]*) *: ")
INHERITED = {"name", "parent", "qos", "async-handling", "message-forward",
             "gl-interop"}  # the old name of interop


def inspected(element):
    """name -> text of the default, as gst-inspect-1.0 prints it; None if the element does not exist"""
    done = subprocess.run(["gst-inspect-1.0", "--no-colors", element], text=True, capture_output=True, check=False)
    if done.returncode:
        return None
    properties, current = {}, None
    listing = done.stdout.partition("Element Properties:")[2]
    for line in listing.splitlines():
        match = PROPERTY.match(line)
        if match:
            current = match.group(1)
            properties[current] = ""
        default = re.search(r"Default: (.*?)\s*$", line)
        if current and default:
            properties[current] = default.group(1)
    return {n: d for n, d in properties.items() if n not in INHERITED}


def tabled(path, heading="## Properties"):
    """name -> text of the type column, from the tables in one section of a page"""
    text = path.read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    rows = {}
    for names, kind in ROW.findall(text.partition("\n## ")[0]):
        rows.update((name, kind) for name in re.findall(r"`([^`]+)`", names))
    return rows


def same_default(kind, default):
    """Whether the type column of a row ends with the registry's default"""
    if "read-only" in kind or not default:
        return True
    said = re.split(r"[,;] *", kind.strip())[-1].strip('"')
    if default in ("true", "false"):
        return said == default
    if default.startswith('"') or default == "NULL":
        return said == default.strip('"').replace("NULL", "")
    nick = re.search(r'^-?\d+, "([^"]+)"', default)
    if nick:
        return said == nick.group(1)
    number = default.split(",")[0].split()[0]
    if number.startswith("0x"):
        return int(said, 0) == int(number, 16)
    return float(said) == float(number)


def complaints(element, page, common):
    properties = inspected(element)
    if properties is None:
        return [f"no element {element}"]
    own = tabled(page)
    rows = {**common, **own}
    found = [f"{name}: not on the page" for name in properties if name not in rows]
    # a filter has all common properties, except those of borders if it has no window; a transfer element has some
    expected = rows if "mix" in properties else own
    optional = {name for name in common if name.startswith("border")} - set(own)
    found += [f"{name}: no such property" for name in expected if name not in properties and name not in optional]
    found += [f"{name}: the default is {properties[name]}, the page says {rows[name]}"
              for name in properties if name in rows and not same_default(rows[name], properties[name])]
    return found


def formats_of(element):
    done = subprocess.run(["gst-inspect-1.0", "--no-colors", element], text=True, capture_output=True, check=True)
    main = done.stdout.partition("SINK template: 'sink'")[2]
    first = re.search(r"format: \{ \(string\)([^}]*)\}", main) or re.search(r"format: \{([^}]*)\}", main)
    return set(re.findall(r"[A-Za-z0-9_]+", first.group(1).replace("(string)", "")))


def format_complaints(page):
    """The first table lists the formats of all elements, the second one further formats of clconvert, the third one formats of
    newer GStreamer versions; there, BE variants of LE formats are omitted"""
    tables = re.findall(r"(?:^\| .*\n)+(?:^\|.*\n)*", page.read_text(encoding="utf-8"), re.M)
    named = [set(re.findall(r"[A-Za-z0-9_]+", " ".join(line.split("|")[1] for line in table.splitlines()))) - {"formats"}
             for table in tables]
    common = formats_of("clmedian")
    newer = named[2] | {name.replace("LE", "BE") for name in named[2]}
    found = []
    for element, taken, on_page in (("filters", common, named[0]), ("clconvert", formats_of("clconvert") - common, named[1])):
        found += [f"{name}: {element} take it, the page does not name it" for name in sorted(taken - on_page - newer)]
        found += [f"{name}: {element} do not take it" for name in sorted(on_page - taken)]
    return found


def stats_complaints(page):
    """gst-inspect-1.0 prints the structure's fields, one per line"""
    listing = subprocess.run(["gst-inspect-1.0", "--no-colors", "clmedian"], text=True, capture_output=True, check=True).stdout
    fields = set(re.findall(r"^ +([a-z-]+): ", re.split(r"\n  stats +: ", listing)[1].partition("\n\n")[0], re.M)) - {"flags"}
    rows = set()
    for name in tabled(page, "## Statistics"):
        rows.add(name if not name.startswith("-") else "kernel-time-ns" + name)
    return [f"{name}: not on the page" for name in sorted(fields - rows)] + [f"{name}: no such field" for name in sorted(rows - fields)]


def chain_complaints(folder):
    """One process makes a chain of each element, and prints the refused ones"""
    names = {page.stem for page in folder.glob("cl*.md")}
    words = [word for name in sorted(names) for word in ("clchain", f"filters={name}")]
    done = subprocess.run(["gst-launch-1.0", "-q", *words], text=True, capture_output=True, check=False,
                          env=dict(os.environ, GST_DEBUG="*:2", GST_DEBUG_NO_COLOR="1"))
    refused = set(re.findall(r"filters refused: '(\w+)'", done.stderr))
    text = (folder / "clchain.md").read_text(encoding="utf-8").partition("\n## Filters\n")[2]
    named = names & set(re.findall(r"\bcl[a-z0-9]+", text.partition("does not take ")[2].partition(".")[0]))
    return [f"{name}: a chain refuses it, the page does not say so" for name in sorted(refused - named)] \
        + [f"{name}: a chain takes it, the page says that it does not" for name in sorted(named - refused)]


def main():
    folder = pathlib.Path(sys.argv[1]) / "docs" / "elements"
    common = tabled(folder / "README.md", "## Common properties")
    pages = sorted(folder.glob("cl*.md"))
    cases = [(page.stem, complaints, (page.stem, page, common)) for page in pages]
    cases.append(("formats", format_complaints, (folder.parent / "formats.md",)))
    cases.append(("fields of stats", stats_complaints, (folder / "README.md",)))
    cases.append(("elements that a chain refuses", chain_complaints, (folder,)))
    print(f"1..{len(cases)}")
    for number, (name, check, arguments) in enumerate(cases, 1):
        found = check(*arguments)
        print(f"{'not ok' if found else 'ok'} {number} - {name}", flush=True)
        for complaint in found:
            print("# " + complaint, flush=True)


if __name__ == "__main__":
    main()
