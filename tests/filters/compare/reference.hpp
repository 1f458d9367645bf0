/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of similarity of two pictures. */
#pragma once

#include <map>
#include <optional>

#include "../../reference/picture.hpp"

namespace ref {

/* The measures of one component, or of all. */
struct Likeness {
  double mse = 0;  /* in squared sample units */
  double psnr = 0; /* decibels; 100 for equal pictures */
  double correlation = 0;
  std::optional<double> ssim; /* empty if no window of 11 x 11 fits */
};

struct Comparison {
  std::map<int, Likeness> components; /* by the component's number: 0 for r and y, 1 for g and u, 2 for b and v, 3 for a */
  Likeness overall;
};

/* Compares two pictures of one format and size, in the components of `planes`. */
Comparison compare (const Picture &a, const Picture &b, unsigned planes);

double psnr_of (double mse, int max);

}  // namespace ref
