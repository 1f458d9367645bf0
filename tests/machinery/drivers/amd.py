# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles all programs for AMD's GPUs with Clang: registers, scratch and local memory of each kernel."""
import re
import subprocess
import tempfile
from pathlib import Path

import common

# Vega 20 (GCN), RDNA 2 and RDNA 3
CARDS = ["gfx906", "gfx1030", "gfx1100"]
CLANG = "clang-19"
MOST_LOCAL = 32768
FIGURES = {"vgpr_count": "registers", "vgpr_spill_count": "spilled", "private_segment_fixed_size": "scratch", "group_segment_fixed_size": "local"}
KEY = re.compile(r"^  (?:  |- )\.(\w+): +(\S+)$", re.M)


def library_folder():
    """The path of ROCm's device libraries, which implement the built-in functions of OpenCL C."""
    return next((path.parent for root in ("/usr/lib", "/usr/share", "/opt/rocm") for path in sorted(Path(root).glob("**/amdgcn/bitcode/opencl.bc"))), None)


def complete(libraries, folder):
    """Links the libraries, and adds a constant with the card's number that old versions lack."""
    for path in libraries.glob("*.bc"):
        (folder / path.name).symlink_to(path)
    for card in CARDS:
        number = card.removeprefix("gfx")
        made = folder / f"oclc_isa_version_{number}.bc"
        if not made.exists():
            text = f"const __constant int __oclc_ISA_version = {int(number[:-2]) * 1000 + int(number[-2]) * 100 + int(number[-1], 16)};"
            subprocess.run([CLANG, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-emit-llvm", "-c", "-o", str(made), "-"], input=text, text=True, check=True)


def kernels_of(assembly):
    """{name: {figure: number}} from the metadata after the code."""
    found = {}
    metadata = assembly.partition(".amdgpu_metadata")[2].partition(".end_amdgpu_metadata")[0]
    for block in re.split(r"^(?=  - )", metadata, flags=re.M)[1:]:
        values = dict(KEY.findall(block))
        if "name" in values:
            found[values["name"].strip("'")] = {name: int(values.get(key, 0)) for key, name in FIGURES.items()}
    return found


def compile_for(card, path, libraries):
    """(kernels, errors of the compiler)"""
    command = [CLANG, "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={card}", f"--rocm-device-lib-path={libraries}", "-O3", "-w",
        *common.options_of(path), "-S", "-o", "-", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return kernels_of(run.stdout), run.stderr.strip() if run.returncode else ""


def table_of(results):
    """{kernel: its greatest figures}, and programs that do not compile."""
    kernels, errors = {}, []
    for found, error in results:
        errors += [error] if error else []
        for name, figures in found.items():
            old = kernels.setdefault(name, figures)
            kernels[name] = {figure: max(old[figure], number) for figure, number in figures.items()}
    return kernels, errors


def print_table(tables, everything):
    """Kernels that use scratch, spill registers or use much local memory, and the ten with the most registers."""
    worst = {name: max((tables[card].get(name, {}).get("registers", 0) for card in CARDS)) for card in CARDS for name in tables[card]}
    most = sorted(worst, key=worst.get, reverse=True)[:10]
    shown = [name for name in sorted(worst) if everything or name in most
        or any(figures.get("scratch") or figures.get("spilled") or figures.get("local", 0) > MOST_LOCAL for figures in (tables[card].get(name, {}) for card in CARDS))]
    print(f"# {'kernel':32}" + "".join(f" {card + ' regs':>12} {'spilled':>7} {'scratch':>7} {'local':>6}" for card in CARDS))
    for name in shown:
        print(f"# {name:32}" + "".join(f" {f.get('registers', 0):12} {f.get('spilled', 0):7} {f.get('scratch', 0):7} {f.get('local', 0):6}" for f in (tables[card].get(name, {}) for card in CARDS)))


def run(build, _cache, everything):
    libraries = library_folder()
    if not libraries:
        common.skip("amd", "ROCm's device libraries are not there")
        return
    known = common.expectations("amd")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as bitcode:
        complete(libraries, Path(bitcode))
        programs = common.collect(build, "amd", folder)
        tables = {}
        for card in CARDS:
            tables[card], errors = table_of(common.at_once(lambda path, card=card: compile_for(card, path, bitcode), programs))
            common.say(programs and not errors, f"amd {card}: {len(programs) - len(errors)} of {len(programs)} programs compile", [line for error in errors for line in error.splitlines()[:4]])
    for figure, least in (("scratch", 0), ("local", MOST_LOCAL)):
        greatest = {f"{name} {figure}": max(tables[card].get(name, {}).get(figure, 0) for card in CARDS) for card in CARDS for name in tables[card]}
        counted = {name: number if number > least else 0 for name, number in greatest.items()}
        common.judge(f"amd {figure}", counted, {key: value for key, value in known.items() if key.endswith(" " + figure)}, f"bytes of {figure} memory" + (f" above {least}" if least else ""))
    print_table(tables, everything)
