# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles all programs for Intel's GPUs with ocloc, the compiler of Intel's driver: errors, and bytes of spilled registers."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import common

# Tiger Lake (Xe-LP) and Arc (Xe-HPG)
CARDS = ["tgllp", "dg2"]
PACKAGES = ["intel-ocloc", "intel-opencl-icd"]
SPILL = re.compile(r"kernel (\w+) +compiled (\w+) allocated (\d+) regs and spilled around (\d+)")
INSTALLED = re.compile(r"^Inst (\S+)", re.M)


def run_apt(*arguments, **more):
    return subprocess.run(["apt-get", *arguments], capture_output=True, text=True, timeout=600, check=False, **more)


def fetch(root):
    """The path of ocloc. Its package contains a driver, so it is unpacked and not installed, and the machine's platforms do not
    change."""
    program = shutil.which("ocloc") or (str(root / "usr/bin/ocloc") if (root / "complete").exists() else None)
    if program or not shutil.which("apt-get"):
        return program
    shutil.rmtree(root, ignore_errors=True)
    (root / "packages").mkdir(parents=True)
    for package in PACKAGES:
        wanted = INSTALLED.findall(run_apt("--simulate", "--no-install-recommends", "install", package).stdout)
        if wanted and run_apt("download", *wanted, cwd=root / "packages").returncode == 0:
            for archive in (root / "packages").glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", archive, root], check=True)
            (root / "complete").touch()
            return str(root / "usr/bin/ocloc")
    return None


def compile_for(card, path, program, root, target):
    """(spilled bytes, errors)"""
    libraries = ":".join(str(each) for each in (root / "usr/lib").glob("*-linux-gnu"))
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}")
    command = [program, "compile", "-file", str(path), "-device", card, "-out_dir", target, "-output", path.stem, "-options", " ".join(common.options_of(path))]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    text = run.stdout + run.stderr
    return SPILL.findall(text), text.strip()[-600:] if run.returncode else ""


def run(build, cache, _everything):
    root = Path(cache).resolve() / "intel-gpu"
    program = fetch(root)
    if not program:
        common.skip("intel-gpu", "no package with ocloc")
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as target:
        programs = common.collect(build, "intel", folder)
        for card in CARDS:
            results = common.at_once(lambda path, card=card: compile_for(card, path, program, root, target), programs)
            errors = [error for _, error in results if error]
            spills = {}
            for found, _ in results:
                for kernel, simd, _, size in found:
                    spills[(kernel, simd)] = max(int(size), spills.get((kernel, simd), 0))
            notes = [f"{kernel} {simd} spills {size}" for (kernel, simd), size in sorted(spills.items())]
            common.say(programs and not errors, f"intel-gpu {card}: {len(programs) - len(errors)} of {len(programs)} programs compile, {len(spills)} kernels spill",
                notes + [line for error in errors for line in error.splitlines()[:4]])
