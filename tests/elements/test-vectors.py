#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PoCL turns the cpu form of every filter's kernels into vector code: looks at the machine code in PoCL's cache.

A kernel counts as vectorised where a loop of it, or a function without any, stores whole vectors. Kernels that scatter
(histograms) or that run once a frame over a few hundred numbers (tables) are no such loops and are left out by name.

usage: test-vectors.py PLAYER [LINE...]   with PLAYER the program play-lines, LINE as in LINES
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
from player import Player  # pylint: disable=wrong-import-position

SKIP = 77
LINES = [
    "clbilateral radius=2", "clblur sigma=2", "cldeblock", "cldeinterlace mode=always", "clmedian radius=1", "clnoise", "clsobel",
    "clchain filters='clcolormatrix preset=sepia ! clthreshold ! clerode'",
]
# kernels of the same bodies, and rare ones, in `./run test full`
MORE_LINES = [
    "clblur type=box radius=10", "clconvolve preset=edge", "clequalize method=clahe", "clnlmeans", "cltemporal",
    "clcolormatrix preset=sepia", "clconvolve matrix='1 2 1;2 5 1;1 2 3'", "clemboss", "clequalize", "clerode radius=1",
    "cllevels gamma=0.5", "clmedian radius=7", "clsharpen", "clstabilize smoothing=1", "clthreshold", "clthreshold method=mean radius=5",
    "clconvolve preset=gaussian5", "cldeinterlace mode=always method=yadif", "cldilate radius=7", "clmedian radius=2", "clprewitt",
    "clsobel mix=0.5", "clchain filters='clcolormatrix preset=sepia ! clthreshold'",
]
# kernels without loops that store vectors, and why
OTHERS = {
    "pad": "copies edges, sample by sample",
    "map_samples": "looks up bytes in a table",
    "equalize_table": "once a frame, over the bins",
    "temporal_scene": "adds up, and looks for the ends of a scene",
    "temporal_count": "adds up, and stores one sum",
    "find_slopes": "adds up a hundred products a block",
    "fit_motion": "once a frame, over the blocks",
    "note_motion": "once a frame",
    "find_correction": "once a frame, over the path",
}
# the least share of vector instructions in a kernel's best loop; scalar loops have none. LLVM 19 reads clnoise's table sample by
# sample on CPUs with slow gathers, between vectors.
SHARE = 0.4
CAPS = "video/x-raw,format=RGBA,width=1280,height=720"
VECTOR_STORE = re.compile(r"^v?p?(?:mov|scatter)(?!ss|sd|d\b|hps|lps|hpd|lpd)\S*\s+%[xyz]mm\d+,.*\(")
JUMP = re.compile(r"^j\w+\s+([0-9a-f]+)")


def functions(library):
    """Lists of (address, text) of the machine code, one for each function."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, capture_output=True, text=True).stdout
    found = []
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if match and found:
            found[-1].append((int(match[1], 16), match[2]))
        elif re.match(r"[0-9a-f]+ <.*>:", line):
            found.append([])
    return found


def loops_of(code):
    """The loops: lists of instructions between the target of a backward jump and the jump, without those of loops inside."""
    loops, taken = [], set()
    for end, (address, text) in enumerate(code):
        jump = JUMP.match(text)
        if not jump or int(jump[1], 16) > address:
            continue
        begin = next((i for i in range(end, -1, -1) if code[i][0] == int(jump[1], 16)), None)
        if begin is not None:
            own = [i for i in range(begin, end + 1) if i not in taken]
            loops.append([code[i][1] for i in own])
            taken.update(own)
    return loops


def vector_share(library):
    """The largest share of vector instructions among the loops that store vectors, and functions without loops, which are called
    in one; 0 if there are none."""
    loops = []
    for code in functions(library):
        loops += loops_of(code) or [[text for _, text in code]]
    loops = [loop for loop in loops if any(map(VECTOR_STORE.match, loop))]
    return max((sum("mm" in text for text in loop) / len(loop) for loop in loops), default=0)


def compiled_kernels(line, player, cache):
    """{kernel: share of vector instructions in its best form} for the programs of one element; programs of earlier lines are
    not repeated."""
    before = set(cache.rglob("*.so"))
    status, said = player.play(shlex.split(f"videotestsrc num-buffers=2 ! {CAPS} ! {line} ! fakesink"))
    if status != 0:
        sys.exit(f"{line}: {said}")
    kernels = {}
    for library in set(cache.rglob("*.so")) - before:
        if not library.parent.name.startswith("0-0-0"):  # the form for any group size, which does not run
            kernels[library.stem] = max(kernels.get(library.stem, 0), vector_share(library))
    return kernels


def main():
    if not shutil.which("objdump"):
        print("objdump is not installed")
        return SKIP
    misses, seen = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"POCL_CACHE_DIR": folder, "XDG_CACHE_HOME": folder, "GST_CL_DEVICE": "cpu"}
        player = Player(Path(sys.argv[1]).resolve(), Path(folder), env)
        for line in sys.argv[2:] or LINES + (MORE_LINES if os.environ.get("GST_CL_TEST_FULL") else []):
            for kernel, share in sorted(compiled_kernels(line, player, Path(folder)).items()):
                verdict = OTHERS.get(kernel) or ("ok" if share >= SHARE else "NOT VECTORISED")
                print(f"{line:40} {kernel:28} {share:5.0%} {verdict}", flush=True)
                misses += verdict == "NOT VECTORISED"
                seen += verdict == "ok"
        player.close()
    if not misses + seen:
        print("no machine code in POCL_CACHE_DIR: the device is not PoCL's")
        return SKIP
    print(f"{seen} kernels store whole vectors, {misses} do not")
    return 1 if misses or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
