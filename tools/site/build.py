#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the documentation as a web site with MkDocs, without network. Links of pages to files of the source tree lead to pages
that show these files. The search reads a list of all sections, which is a script, so that it works without a server.

usage: build.py ROOT FOLDER [GIR]  writes the site into FOLDER, and MkDocs' input into FOLDER-pages; GIR describes the C interface
"""
import html.parser
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys

from mkdocs.commands.build import build
from mkdocs.config import load_config

FOLDERS = ("docs", "packaging", "pipelines", "tests")
COPIED = {".html", ".jpg", ".png", ".svg", ".webp"}
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
COMMENT = re.compile(r"\A<!--.*?-->\n", re.S)
FENCE = re.compile(r" *```")
ITEM = re.compile(r"( *)(?:[-*]|\d+\.) ")
NAVIGATION = {
    "Use": ["guide", "cookbook", "formats", "cost", "programs", "studio", "tuning", "info", "batch"],
    "Elements": ["elements/README", "elements/*"],
    "Your own kernels": ["first-kernel", "../pipelines/kernels/README"],
    "Memory": ["gl", "decoders", "dmabuf"],
    "Examples": ["gallery/README", "../pipelines/README", "../pipelines/examples/README"],
    "Figures": ["performance", "measurements/*", "reliability"],
    "Project": ["../CHANGELOG", "upstream", "sources", "design", "../CONTRIBUTING", "../SECURITY", "../packaging/README"],
}


def slug(heading, _separator):
    """The anchor of a heading, as GitHub names it"""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def for_mkdocs(text):
    """Text that Python's Markdown reads as GitHub reads it: lists have an empty line before them and four spaces for each level, and
    code in a list is indented by eight, as fences are known at the margin alone."""
    result, in_list, in_table, margin = [], False, False, None
    for line in text.split("\n"):
        if margin is not None:
            if FENCE.match(line):
                result.append("" if margin else line)
                margin = None
            else:
                result.append(" " * (8 if margin else 0) + line[margin:])
            continue
        item = ITEM.match(line)
        if FENCE.match(line):
            margin = len(line) - len(line.lstrip())
            fence = re.match(r" *```\w*", line)[0]
            result += [""] if margin else ["", fence] if result and result[-1] else [fence]
            continue
        if item:
            if not in_list and result and result[-1]:
                result.append("")
            in_list = True
        elif line and not line.startswith(" ") and result and not result[-1]:
            in_list = False
        if in_list and line.startswith(" "):
            line = "    " * max(1, (len(line) - len(line.lstrip())) // 2) + line.lstrip()
        table = line.startswith("|")
        if table and not in_table and result and result[-1]:
            result.append("")
        in_table = table
        result.append(line)
    return "\n".join(result)


class Pages:
    """The folder that MkDocs reads, with the paths of the source tree"""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        shutil.rmtree(folder, ignore_errors=True)

    def add_page(self, path):
        """Adds a document, with links to the pages of the files that it names"""
        def link(match):
            if re.match(r"\w+:", match[2]):
                return match[0]
            return match[1] + self.target(path, match[2]) + match[3]
        # MkDocs finds the title of a page only in its first line
        parts = re.split(r"(^```.*?^```)", COMMENT.sub("", path.read_text(encoding="utf-8")), flags=re.M | re.S)
        text = "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
        self.write(path.relative_to(self.root), for_mkdocs(text))

    def target(self, page, name):
        """The link in the site for a link NAME in the source tree"""
        path = pathlib.Path(os.path.normpath(page.parent / name))
        inner = path.relative_to(self.root)
        if path.suffix == ".md":
            return name
        if path.is_dir():
            if not (path / "README.md").exists():
                self.show_folder(path)
            return f"{name.rstrip('/')}/README.md"
        if path.suffix in COPIED:
            (self.folder / inner).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.folder / inner)
            return name
        self.show_file(path)
        return f"{name}.md"

    def show_file(self, path):
        inner = path.relative_to(self.root)
        text = "".join(f"    {line}\n" for line in path.read_text(encoding="utf-8").splitlines())
        self.write(inner.parent / f"{inner.name}.md", f"# {inner}\n\n{text}")

    def show_folder(self, path):
        """Adds a page that lists the files of a folder without a page"""
        lines = []
        for file in sorted(path.iterdir()):
            if file.is_file() and file.suffix not in COPIED:
                self.show_file(file)
                lines.append(f"- [{file.name}]({file.name}.md)\n")
        self.write(path.relative_to(self.root) / "README.md", f"# {path.relative_to(self.root)}\n\n{''.join(lines)}")

    def write(self, inner, text):
        (self.folder / inner).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / inner).write_text(text, encoding="utf-8")


class Sections(html.parser.HTMLParser):
    """The sections of a page: lists of anchor, heading and text"""

    def __init__(self, text):
        super().__init__()
        self.found, self.in_main, self.in_heading = [], False, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.in_main = self.in_main or tag == "main"
        if self.in_main and re.fullmatch(r"h[1-6]", tag):
            self.found.append([dict(attributes).get("id", ""), "", ""])
            self.in_heading = True

    def handle_endtag(self, tag):
        self.in_main = self.in_main and tag != "main"
        self.in_heading = self.in_heading and not re.fullmatch(r"h[1-6]", tag)

    def handle_data(self, data):
        if self.in_main and self.found:
            self.found[-1][1 if self.in_heading else 2] += data


def write_index(root, site):
    """The list of sections for the search: address, title of the page, heading and text"""
    index = []
    for path in documents(root):
        inner = path.relative_to(root)
        name = inner.with_name("index") if inner.name == "README.md" else inner.with_suffix("")
        file = site / name.with_suffix(".html")
        sections = Sections(file.read_text(encoding="utf-8")).found
        for anchor, heading, text in sections:
            address = f"{file.relative_to(site)}#{anchor}"
            index.append([address, *(" ".join(words.split()) for words in (sections[0][1], heading, text))])
    (site / "sections.js").write_text(f"const sections = {json.dumps(index)};\n", encoding="utf-8")


def write_interface(root, gir, site):
    """The C interface by gi-docgen"""
    version = re.search(r"version: '(.*?)'", (root / "meson.build").read_text(encoding="utf-8"))[1]
    settings = site.with_name(f"{site.name}.toml")
    settings.write_text(f'[library]\nversion = "{version}"\nauthors = "gst-plugins-cl"\nlicense = "LGPL-2.1-or-later"\n', encoding="utf-8")
    command = ["gi-docgen", "generate", "--quiet", "--no-namespace-dir", "--config", settings, "--output-dir", site / "interface", gir]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def navigation(pages):
    """The menu: the groups of NAVIGATION, without missing pages"""
    menu = [{"Start": "README.md"}]
    for title, names in NAVIGATION.items():
        found = []
        for name in names:
            inner = os.path.normpath(f"docs/{name}.md")
            found += [str(path.relative_to(pages)) for path in sorted(pages.glob(inner))]
        menu.append({title: list(dict.fromkeys(found))})
    return menu


def documents(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.md"))


def main():
    root, site, *gir = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    gir = gir[0] if gir and gir[0].exists() and shutil.which("gi-docgen") else None
    pages = Pages(root, site.with_name(f"{site.name}-pages"))
    for path in documents(root):
        pages.add_page(path)
    settings = site.with_name(f"{site.name}.yml")  # JSON is YAML
    settings.write_text(json.dumps({
        "site_name": "gst-plugins-cl", "site_url": "", "docs_dir": str(pages.folder), "site_dir": str(site),
        "theme": {"name": None, "custom_dir": str(pathlib.Path(__file__).resolve().parent / "theme")}, "plugins": [],
        "use_directory_urls": False, "nav": navigation(pages.folder), "extra": {"interface": gir is not None},
    }), encoding="utf-8")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    build(load_config(str(settings), markdown_extensions=["sane_lists", {"toc": {"slugify": slug}}]))
    write_index(root, site)
    if gir:
        write_interface(root, gir, site)
    print(site / "index.html")


if __name__ == "__main__":
    main()
