#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the documentation as a web site with MkDocs, without network. Links of pages to files of the source tree lead to pages
that show these files.

usage: build.py ROOT FOLDER        writes the site into FOLDER, and what MkDocs reads into FOLDER-pages
"""
import json
import logging
import os
import pathlib
import re
import shutil
import sys

from mkdocs.commands.build import build
from mkdocs.config import load_config

FOLDERS = ("docs", "packaging", "pipelines", "tests")
PICTURES = {".jpg", ".png", ".svg"}
LANGUAGES = {".c": "c", ".cl": "c", ".cpp": "cpp", ".py": "python", ".rs": "rust", ".sh": "sh"}
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
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
        parts = re.split(r"(^```.*?^```)", path.read_text(encoding="utf-8"), flags=re.M | re.S)
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
        if path.suffix in PICTURES:
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
            if file.is_file() and file.suffix not in PICTURES:
                self.show_file(file)
                lines.append(f"- [{file.name}]({file.name}.md)\n")
        self.write(path.relative_to(self.root) / "README.md", f"# {path.relative_to(self.root)}\n\n{''.join(lines)}")

    def write(self, inner, text):
        (self.folder / inner).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / inner).write_text(text, encoding="utf-8")


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
    root, site = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    pages = Pages(root, site.with_name(f"{site.name}-pages"))
    for path in documents(root):
        pages.add_page(path)
    settings = site.with_name(f"{site.name}.yml")  # JSON is YAML
    settings.write_text(json.dumps({
        "site_name": "gst-plugins-cl", "site_url": "", "docs_dir": str(pages.folder), "site_dir": str(site),
        "theme": {"name": None, "custom_dir": str(pathlib.Path(__file__).resolve().parent / "theme")}, "plugins": [],
        "use_directory_urls": False, "nav": navigation(pages.folder),
    }), encoding="utf-8")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    build(load_config(str(settings), markdown_extensions=["sane_lists", {"toc": {"slugify": slug}}]))
    print(site / "index.html")


if __name__ == "__main__":
    main()
