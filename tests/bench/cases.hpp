/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How cases are made. */
#pragma once

#include "bench.hpp"

namespace bench {

/** A number as properties take it, whatever the locale says. */
std::string number (double value);

/** Taps of full rank, so that no factorisation helps: a fixed sequence of pseudo-random numbers. */
Case convolve_case (int window, bool integers);
Case median_case (int window);
Case box_case (int radius);
/** clblur. */
Case blur_case (double sigma, int radius);
Case erode_case (int radius);
Case dilate_case (int radius);

/** Everything but windows of weights and of ranks. */
std::vector<Case> more_cases ();

}  // namespace bench
