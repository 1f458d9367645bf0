/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that make cases. */
#pragma once

#include "bench.hpp"

namespace bench {

/** A number in the syntax of properties, in any locale. */
std::string number (double value);

/** Taps of full rank, which cannot be factorised: a fixed sequence of pseudo-random numbers. */
Case convolve_case (int window, bool integers);
Case median_case (int window);
Case box_case (int radius);
/** clblur. */
Case blur_case (double sigma, int radius);
Case erode_case (int radius);
Case dilate_case (int radius);

/** All cases without weighted windows or ranks. */
std::vector<Case> more_cases ();

}  // namespace bench
