#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the web site of the documentation. Every link of it, and every entry of its search, has to lead to a file and an anchor
that exist, nothing is loaded from the network, and no markup is left over in the text. Prints TAP.

usage: test-site.py ROOT
"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

import tap

LEFT_OVER = re.compile(r"\]\(|```|^\s*- |^\s*\||\*\*|^#+ ", re.M)


class Page(html.parser.HTMLParser):
    """The links, anchors, loaded files and running text of a page"""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.text, self.code = [], [], set(), [], 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.loaded += re.findall(r"url\((.*?)\)", given.get("style") or "")
        self.anchors.update(value for name, value in attributes if name in ("id", "name"))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("img", "script") and given.get("src"):
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("href"):
            self.loaded.append(given["href"])
        self.code += tag in ("pre", "code", "script")

    def handle_endtag(self, tag):
        self.code -= tag in ("pre", "code", "script")

    def handle_data(self, data):
        if not self.code:
            self.text.append(data)


def broken(site, pages, name, target):
    """The error in a link, or nothing"""
    path, anchor = urllib.parse.urldefrag(urllib.parse.unquote(target))
    if re.match(r"[a-z]+:|//", path):
        return ""
    file = pathlib.Path(os.path.normpath(site / name.parent / path)) if path else site / name
    if not file.is_file():
        return f"{name}: no file {target}"
    inner = file.relative_to(site)
    if anchor and inner in pages and anchor not in pages[inner].anchors:
        return f"{name}: no anchor {target}"
    return ""


def complaints(site):
    """Groups of errors in a site"""
    pages = {path.relative_to(site): Page(path) for path in sorted(site.rglob("*.html"))}
    links = [broken(site, pages, name, target) for name, page in pages.items() for target in page.links + page.loaded]
    remote = [f"{name} loads {target}" for name, page in pages.items() for target in page.loaded if re.match(r"https?:|//", target)]
    left = [f"{name}: {text.strip()[:80]}" for name, page in pages.items() for text in page.text if LEFT_OVER.search(text)]
    sections = json.loads((site / "sections.js").read_text(encoding="utf-8").removeprefix("const sections = ").rstrip(";\n"))
    search = [broken(site, pages, pathlib.Path("index.html"), section[0]) for section in sections]
    search += [] if any(title == "clmedian" and heading == "Properties" for _, title, heading, _ in sections) else ["clmedian is missing"]
    few = [] if len(pages) > 70 else [f"{len(pages)} pages"]
    return {"pages": few, "links": [text for text in links if text], "search": [text for text in search if text], "network": remote, "markup": left}


root = pathlib.Path(sys.argv[1]).resolve()
python = tap.python_with("mkdocs")
tap.skip_all("" if python else "no mkdocs")
with tap.folder() as scratch:
    done = subprocess.run([python, root / "tools" / "site" / "build.py", root, scratch / "site"], text=True, capture_output=True, check=False)
    said = done.stderr.splitlines() if done.returncode == 0 else [f"exit status {done.returncode}", *done.stderr.splitlines()]
    found = {"build": said, **complaints(scratch / "site")}
tap.results((name, lines[:40]) for name, lines in found.items())
