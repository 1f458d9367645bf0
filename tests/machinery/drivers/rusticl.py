# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mesa's rusticl on llvmpipe, if the machine has it."""
import tempfile

import common


def run(build, _cache, _everything):
    icd = common.icd_of("rusticl")
    if not icd:
        common.skip("rusticl", "the machine does not have it (mesa-opencl-icd)")
        return
    with tempfile.TemporaryDirectory() as caches:
        environment = common.environment_of(caches, build, icd, RUSTICL_ENABLE="llvmpipe")
        device = common.device_of(environment)
        if device:
            common.check(f"rusticl, {device}", environment)
        else:
            common.skip("rusticl", "it has no llvmpipe")
