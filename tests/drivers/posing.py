# SPDX-License-Identifier: LGPL-2.1-or-later
"""PoCL posing as a GPU of AMD and of Intel: code that depends on the vendor, on small work-groups and on doubles."""
import tempfile

import common


def run(build, _cache, _everything):
    pocl = common.icd_of("pocl")
    if not pocl:
        common.skip("posing", "PoCL is not there")
        return
    for pose in ("amd", "intel"):
        with tempfile.TemporaryDirectory() as caches:
            environment = common.environment_of(caches, build, pocl, pose, GST_CL_BUILD_OPTIONS="-cl-opt-disable")
            common.check(f"posing as {pose}, {common.device_of(environment)}", environment)
