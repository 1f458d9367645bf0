#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the property tables of docs/elements with the elements: every property of an element has a row on its page
or among the common ones, with its type, range, values and default, and every row stands for a property: the pages are the promise. docs/formats.md names the formats that
filters take, all of them and no other; every element has a page, a picture, and a line in both README.md; clchain.md names the elements that a chain refuses, and README.md the fields of `stats`.
Prints TAP, one case an element and one for each of these.

usage: test-property-tables.py ROOT [--write], which puts the tables right instead
"""
import pathlib
import re
import sys

import tap

EMPTY = '""'
ROW = re.compile(r"^\| (`[^|]*`) \| ([^|]*) \|", re.M)
PROPERTY = re.compile(r"^  ([a-z][a-z0-9-]*) *: (.*)")
INHERITED = {"name", "parent", "qos"}
WITHOUT_PICTURE = {"clchain", "clvideo", "clupload", "cldownload", "clcompare", "clframerate"}
OF_GSTREAMER = {"latency", "min-upstream-latency", "start-time", "start-time-selection", "emit-signals", "force-live", "async-handling", "message-forward"}  # pages name them
NUMBERS = {"Integer": "int", "Unsigned Integer": "uint", "Integer64": "int64", "Unsigned Integer64": "uint64", "Double": "double"}
GREATEST = {2 ** bits - 1 for bits in (31, 32, 63, 64)}


def number(text):
    value = float(text)
    return str(int(text) if text.lstrip("-").isdigit() else int(value)) if value == int(value) else f"{value:g}"


def ranged(match):
    kind, low, high, default = match.groups()
    end = "" if kind != "Double" and int(high) in GREATEST else number(high)
    return f"{NUMBERS[kind]}, {number(low)}..{end}, {number(default)}"


def named(text):
    """The values of an enum or flags, without former names of others, and the default"""
    values = [value for value in re.findall(r"^ +\((\w+)\): (\S+) +- (.*)$", text, re.M) if not value[2].startswith("Former name")]
    flags = re.search(r"^ *Flags .*Default: (0x[0-9a-f]+)", text, re.M)
    if not flags:
        return f'enum: {", ".join(nick for _, nick, _ in values)}; ' + re.search(r'Default: -?\d+, "([^"]+)"', text).group(1)
    nicks = {}
    for value, nick, _ in values:
        nicks.setdefault(int(value, 16), []).append(nick)
    return "flags: " + ", ".join(f'{"/".join(names)}={value}' for value, names in nicks.items()) + f"; {int(flags.group(1), 16)}"


def typed(text):
    """The type, range and default that gst-inspect-1.0 prints, as the pages have them"""
    match = re.search(r"^ *([A-Z][A-Za-z0-9 ]*)\. Range: +(\S+) - +(\S+) Default: +(\S+)", text, re.M)
    if match:
        return ranged(match)
    if re.search(r"^ *(Enum|Flags) ", text, re.M):
        return named(text)
    match = re.search(r"^ *(String|Boolean)\. Default: (.*?) *$", text, re.M)
    if match:
        return f'{match.group(1).lower()}, {match.group(2).replace("null", EMPTY).replace("NULL", EMPTY)}'
    kind = re.search(r"(?:of type \"|^ *)(Gst\w+)\b", text, re.M)
    array = ' of GstStructure, "<  >"' if "GstValueArray of" in text else ""
    return ("GstValueArray" if array else kind.group(1)) + array


def described(text):
    return typed(text) + ("" if re.search(r"^ +flags: .*\bwritable", text, re.M) else ", read-only")


def inspected(element):
    """name -> (type, range and default; description) of what the pages describe; None if the element does not exist"""
    if not tap.described(element):
        return None
    blocks, current = {}, None
    for line in tap.described(element).partition("Element Properties:")[2].partition("\nElement ")[0].splitlines():
        match = PROPERTY.match(line)
        if match:
            current = match.group(1)
            blocks[current] = (match.group(2), [])
        elif current:
            blocks[current][1].append(line)
    texts = {name: (blurb, "\n".join(lines)) for name, (blurb, lines) in blocks.items() if name not in INHERITED}
    return {name: (described(text), blurb) for name, (blurb, text) in texts.items() if "deprecated" not in text}


def tabled(path, heading="## Properties"):
    """name -> text of the type column, from the tables in one section of a page"""
    text = path.read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    rows = {}
    for names, kind in ROW.findall(text.partition("\n## ")[0]):
        rows.update((name, kind) for name in re.findall(r"`([^`]+)`", names))
    return rows


def rewritten(page, properties, heading="## Properties"):
    """The page, with the type column as the element has it"""
    before, found, after = page.read_text(encoding="utf-8").partition(f"\n{heading}\n")
    section, end, rest = after.partition("\n## ")

    def row(match):
        name = re.search(r"`([^`]+)`", match.group(1)).group(1)
        return f"| {match.group(1)} | {properties[name][0] if name in properties and name not in OF_GSTREAMER else match.group(2)} |"
    return before + found + ROW.sub(row, section) + end + rest


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
    found += [f"{name} is \"{properties[name][0]}\", the page says \"{rows[name]}\"" for name in properties
              if name in rows and name not in OF_GSTREAMER and properties[name][0] != rows[name]]
    return found + ([] if all(blurb for _, blurb in properties.values()) else ["a property has no description"])


def write(folder):
    """Puts the tables right"""
    for page in sorted(folder.glob("*.md")):
        element, heading = (page.stem, "## Properties") if page.stem.startswith("cl") else ("clmedian", "## Common properties")
        page.write_text(rewritten(page, inspected(element), heading), encoding="utf-8")


def formats_of(element):
    main = tap.described(element).partition("SINK template: 'sink'")[2]
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
    fields = set(re.findall(r"^ +([a-z-]+): ", re.split(r"\n  stats +: ", tap.described("clmedian"))[1].partition("\n\n")[0], re.M)) - {"flags"}
    rows = set()
    for name in tabled(page, "## Statistics"):
        rows.add(name if not name.startswith("-") else "kernel-time-ns" + name)
    return [f"{name}: not on the page" for name in sorted(fields - rows)] + [f"{name}: no such field" for name in sorted(rows - fields)]


def chain_complaints(folder):
    """One process makes a chain of each element, and prints the refused ones"""
    names = {page.stem for page in folder.glob("cl*.md")}
    words = [word for name in sorted(names) for word in ("clchain", f"filters={name}")]
    said = tap.run(["gst-launch-1.0", "-q", *words], GST_DEBUG="*:2", GST_DEBUG_NO_COLOR="1")[1]
    refused = set(re.findall(r"filters is not valid: '(\w+)'", said))
    text = (folder / "clchain.md").read_text(encoding="utf-8").partition("\n## Filters\n")[2]
    named = names & set(re.findall(r"\bcl[a-z0-9]+", text.partition("does not take ")[2].partition(".")[0]))
    return [f"{name}: a chain refuses it, the page does not say so" for name in sorted(refused - named)] \
        + [f"{name}: a chain takes it, the page says that it does not" for name in sorted(named - refused)]


def table_complaints(folder):
    """Every element has a page, a picture, and a line where elements are listed"""
    named = {name: set(re.findall(r"\((?:docs/elements/)?(cl\w+)\.md", path.read_text(encoding="utf-8")))
             for name, path in (("README.md", folder.parent.parent / "README.md"), ("docs/elements/README.md", folder / "README.md"))}
    named["docs/elements"] = {page.stem for page in folder.glob("cl*.md")}
    named["docs/gallery"] = {picture.stem for picture in (folder.parent / "gallery").glob("cl*.jpg")} | WITHOUT_PICTURE
    return [f"{element}: not in {where}" for element in re.findall(r"^cl: +(cl\w+):", tap.described(), re.M)
            for where, names in named.items() if element not in names]


def cases(folder):
    common = tabled(folder / "README.md", "## Common properties")
    for page in sorted(folder.glob("cl*.md")):
        yield page.stem, complaints(page.stem, page, common)
    yield "formats", format_complaints(folder.parent / "formats.md")
    yield "fields of stats", stats_complaints(folder / "README.md")
    yield "places of every element", table_complaints(folder)
    yield "elements that a chain refuses", chain_complaints(folder)


pages = pathlib.Path(sys.argv[1]) / "docs" / "elements"
if "--write" in sys.argv[2:]:
    write(pages)
else:
    tap.results(cases(pages))
