#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spelling, plain English and links. codespell reads documentation, comments and texts of the sources; words.txt lists words
that it takes for mistakes. Phrases that a native speaker would not write are refused in documentation, comments and texts, and more
of them in documentation. Links of the documentation have to lead to a file and a heading that exist. Prints TAP.

usage: test-prose.py ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys

FOLDERS = ("docs", "gst", "common", "kernels", "pipelines", "tests", "tools")
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".py", ".sh", ".build"}
HERE = pathlib.Path(__file__).resolve()
# what to write instead stands behind each
EVERYWHERE = {
    r"without a word\b": "silently; by default",
    r"\b(is|are) to be had\b": "is available",
    r"\bof its own accord\b": "by itself",
    r"\bmanieth\b": "every N-th",
    r"\bsays? of itself\b": "claims",
    r"\b(what|whatever) becomes of the samples\b": "how the samples are combined",
    r"\badded at last\b": "added to the result",
}
DOCUMENTS = {
    r"\bby way of\b": "through; with",
    r"\bknows? nothing of\b": "does not know",
    r"\banew\b": "again; from the start",
    r"\bof (one's|yours|ours) own\b|\bone's own\b": "your own",
    r"\bis not believed\b": "is verified",
    r"\bat last\b": "finally",
    r"\bas it were\b|\bso to say\b": "leave it out",
    r"\b(thereof|whereof|therein|hitherto|whilst|amongst|thereby)\b": "a plain word",
    r"\bis taken for\b": "counts as",
    r"\bhave a say\b": "have an effect",
    r"\bgoes? by (that|the|it)\b": "follows",
    r"\bleaves? \w+ alone by default\b": "does not change",
    r"\bat hand\b": "current; available",
    r"\bstands? (for|in) \w+ stead\b": "replaces",
    r"\bwhere there (is|are) none\b": "if there is none",
    r"\bto be looked at\b": "to look at",
}
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
        yield from (path for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES and path != HERE)


def found(path, root, phrases, text=None):
    text = path.read_text(encoding="utf-8") if text is None else text
    for phrase, instead in phrases.items():
        for match in re.finditer(phrase, text, re.I):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(root)}:{line}: \"{match.group()}\"; better: {instead}"


def phrases(root):
    for path in documents(root):
        # lines keep their numbers
        prose = FENCE.sub(lambda block: "\n" * block.group().count("\n"), path.read_text(encoding="utf-8"))
        yield from found(path, root, EVERYWHERE | DOCUMENTS, prose)
    for path in sources(root):
        yield from found(path, root, EVERYWHERE)


def spelling(root):
    files = [str(path) for path in (*documents(root), *sources(root))]
    ignored = ",".join((HERE.parent / "words.txt").read_text(encoding="utf-8").split())
    done = subprocess.run(["codespell", f"--ignore-words-list={ignored}", *files], text=True, capture_output=True, check=False)
    yield from (line.replace(f"{root}/", "") for line in (done.stdout + done.stderr).splitlines() if line)


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


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    cases = (("phrases", phrases), ("spelling", spelling), ("links", links))
    print(f"1..{len(cases)}")
    for number, (name, check) in enumerate(cases, 1):
        if name == "spelling" and not shutil.which("codespell"):
            print(f"ok {number} - {name} # SKIP no codespell")
            continue
        complaints = list(check(root))
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}", flush=True)
        for complaint in complaints:
            print("# " + complaint, flush=True)


if __name__ == "__main__":
    main()
