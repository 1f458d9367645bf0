# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intel's OpenCL runtime for CPUs, from PyPI: all elements on all back ends."""
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import common

WHEELS = ["intel-opencl-rt", "intel-cmplr-lib-rt", "tbb"]
LIBRARY = re.compile(r"[^/]+\.data/data/lib/([^/]+)")


def unpack(wheel, libraries):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            found = LIBRARY.fullmatch(name)
            # the wheels contain a loader, too, which would replace the system's
            if found and not found[1].startswith("libOpenCL"):
                with archive.open(name) as source, (libraries / found[1]).open("wb") as target:
                    shutil.copyfileobj(source, target)


def fetch(folder):
    """The folder of the libraries, or pip's message."""
    libraries, vendors = folder / "lib", folder / "vendors"
    if vendors.exists():
        return libraries, ""
    shutil.rmtree(folder, ignore_errors=True)
    libraries.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=folder) as wheels:
        pip = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", wheels, *WHEELS],
            capture_output=True, text=True, timeout=900, check=False)
        if pip.returncode:
            return None, (pip.stderr.strip().splitlines() or ["pip failed"])[-1]
        for wheel in Path(wheels).glob("*.whl"):
            unpack(wheel, libraries)
    # last, because it marks the installation as complete
    vendors.mkdir()
    (vendors / "intel.icd").write_text(str(libraries / "libintelocl.so") + "\n", encoding="utf-8")
    return libraries, ""


def run(build, cache, _everything):
    folder = Path(cache) / "intel-cpu"
    libraries, problem = fetch(folder)
    if not libraries:
        common.skip("intel", problem)
        return
    for backend in ("cpu", "gpu", "image"):
        with tempfile.TemporaryDirectory() as caches:
            environment = common.environment_of(caches, build, folder / "vendors", GST_CL_BACKEND=backend)
            environment["LD_LIBRARY_PATH"] += f":{libraries}"
            device = common.device_of(environment)
            if not device:
                common.say(False, f"intel: {libraries} has no device")
                return
            common.check(f"intel {backend}, {device}", environment)
