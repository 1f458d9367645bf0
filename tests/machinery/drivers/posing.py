# SPDX-License-Identifier: LGPL-2.1-or-later
"""PoCL as itself, and posing as a GPU of AMD's and of Intel's: what depends on the vendor, on small work-groups and on doubles."""
import tempfile

import common


def run(build, _cache, _everything):
    pocl = common.icd_of("pocl")
    if not pocl:
        common.skip("posing", "PoCL is not there")
        return
    for pose in ("", "amd", "intel"):
        with tempfile.TemporaryDirectory() as caches:
            environment = common.environment_of(caches, build, pocl, pose, GST_CL_BUILD_OPTIONS="-cl-opt-disable" if pose else "")
            common.check(f"posing as {pose or 'nothing'}, {common.device_of(environment)}", environment)
