/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subjects.hpp"

#include <algorithm>

namespace {

/* The most used elements come first, so that an interrupted run has useful results. */
const Subject subjects[] = {
    {"clcolormatrix preset=sepia"},
    {"cllevels black=0.05 white=0.95 gamma=1.5"},
    {"clthreshold"},
    {"clthreshold domain=per-component"},
    {"clblur sigma=2 radius=6"},
    {"clblur sigma=8 radius=24"},
    {"clblur type=box radius=7"},
    {"clsharpen sigma=1"},
    {"clsharpen method=laplacian"},
    {"clmedian radius=1"},
    {"clmedian radius=2"},
    {"clmedian radius=3"},
    {"clmedian radius=7"},
    {"clmedian radius=15"},
    {"clerode radius=1"},
    {"cldilate radius=3"},
    {"clmorphology operation=gradient radius=7"},
    {"clsobel"},
    {"clsobel domain=intensity"},
    {"clscharr"},
    {"clprewitt"},
    {"clemboss"},
    {"clconvolve matrix=\"1 2 1;2 4 2;1 2 1\""},
    {"clconvolve matrix=\"1 3 2;5 7 4;2 1 6\""},
    {"clconvolve matrix=\"1 3 2 5 7;5 7 4 2 1;2 1 6 3 8;4 4 1 9 2;7 2 5 3 1\""},
    {"clconvolve matrix=\"1 0.3 0.2 0.5 0.7 1 2;0.5 0.7 4 2 1 1 3;2 1 0.6 3 8 2 1;4 4 1 0.9 2 1 5;7 2 0.5 3 1 1 1;"
     "2 1 0.3 4 5 6 7;3 2 1 0.8 1 2 3\""},
    {"clbilateral radius=3 sigma-space=1.5 sigma-range=0.1"},
    {"clbilateral radius=7 sigma-space=3.5 sigma-range=0.1"},
    {"clbilateral method=grid radius=16 sigma-space=8 sigma-range=0.1"},
    {"clnlmeans patch-radius=1 search-radius=3 strength=0.05"},
    {"cldeblock"},
    {"cldeinterlace mode=always fields=top"},
    {"cldeinterlace mode=always fields=top method=yadif"},
    {"cldeinterlace mode=always fields=top method=motion"},
    {"clnoise type=gaussian"},
    {"clnoise type=uniform"},
    {"clnoise type=salt-pepper"},
    {"clpixelate"},
    {"clequalize"},
    {"clequalize method=clahe"},
    {"clhistogram"},
    {"clthreshold method=otsu"},
    {"clthreshold method=mean"},
    {"clframerate"},
    {"clmotion"},
    {"clstabilize smoothing=1"},
    {"cltemporal"},
    {"cltemporal method=median"},
    {"cltemporal method=motion"},
    {"cltemporal method=recursive"},
    {"clblend mode=average", {"sink_0", "sink_1"}},
    {"clcompare metrics=mse", {"sink", "reference"}},
};

}  // namespace

std::vector<Subject>
find_subjects (const std::string &filter)
{
  std::vector<Subject> found;
  std::ranges::copy_if (
      subjects, std::back_inserter (found), [&] (const Subject &s) { return s.element.find (filter) != std::string::npos; });
  return found;
}
