/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gaussian smoothing of a plane, for the elements that use it. */
#pragma once

#include "filter/runner.hpp"

#include <optional>

namespace gst::cl {

/** Symmetric weights of a window of 2 * radius + 1 samples whose sum is 1; the same for both passes. */
struct GaussianWeights {
  int radius = 0;
  std::vector<float> values{1};
};

/** The radius for a sigma, as documented. */
int gaussian_radius (double sigma);

/** exp (-d^2 / (2 sigma^2)) for |d| <= radius, divided by their sum. A long window loses its ends, if they change no sample of
 *  up to max by more than a hundredth. */
GaussianWeights gaussian_weights (double sigma, int radius, int max);

/** Sharpens: in + amount * (in - smoothed) if the difference is at least `least`, else in. */
struct Sharpening {
  float amount = 0, least = 0;
};

/** Smooths, or sharpens. */
Launches gaussian_launches (
    const Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening);

}  // namespace gst::cl
