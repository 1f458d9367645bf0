/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How alike two pictures are. */
#pragma once

#include <map>
#include <optional>

#include "picture.hpp"

namespace ref {

/* What is known of one component, or of all. */
struct Likeness {
  double mse = 0;  /* in sample units */
  double psnr = 0; /* decibels; 100 for equal pictures */
  double correlation = 0;
  std::optional<double> ssim; /* nothing where no window of 11 x 11 fits */
};

struct Comparison {
  std::map<int, Likeness> components; /* by the component's number: r and y are 0, g and u 1, b and v 2, a 3 */
  Likeness overall;
};

/* Of two pictures of one format and size, over the components that `planes` names. */
Comparison compare (const Picture &a, const Picture &b, unsigned planes);

double psnr_of (double mse, int max);

}  // namespace ref
