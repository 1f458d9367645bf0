/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every element, with settings that change the picture, for tests with failures. */
#pragma once

#include "paths.h"

namespace test {

constexpr const char *fault_lines[] = {"cladjust shadows=0.5", "clbilateral radius=1", "clblend", "clblur sigma=1",
    "clchain filters=\"clthreshold ! clmedian radius=1\"", "clcolormatrix preset=sepia", "clcompare", "clcompositor",
    "clconvert ! capsfilter caps=video/x-raw,format=NV12,width=16,height=12", "clconvolve preset=sharpen", "cldeblock",
    "cldeinterlace mode=always", "cldilate", "clupload ! clerode ! cldownload", "clemboss", "clequalize", "clerode",
    "clflip video-direction=90r", "clframerate", "clhistogram", "cllevels gamma=1.5",
    "cllut3d location=" EXAMPLE_KERNELS "/../luts/teal-and-orange.cube", "clmedian", "clmorphology", "clmotion overlay=vectors",
    "clnlmeans", "clnoise", "clpixelate", "clprewitt", "clprogram location=" EXAMPLE_KERNELS "/vignette.cl", "clscharr",
    "clsharpen", "clsobel", "clstabilize smoothing=1", "cltemporal", "clthreshold method=otsu", "cltonemap", "clupload",
    "clvideo", "clwarp undistort=\"20 20 20 20 0.1 0 0 0\""};

}  // namespace test
