/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers and launches for clthreshold. */
#pragma once

#include "shared/range.hpp"

namespace gst::cl {

enum class ThresholdMethod { fixed, otsu, mean };
enum class ThresholdType { binary, binary_inv, trunc, tozero, tozero_inv };
enum class ThresholdDomain { intensity, per_component };

struct ThresholdSettings {
  double threshold = 0.5;
  ThresholdMethod method = ThresholdMethod::fixed;
  ThresholdType type = ThresholdType::binary;
  ThresholdDomain domain = ThresholdDomain::intensity;
  /** For ThresholdMethod::mean. */
  int radius = 7;
  double offset = 0.02;
  bool navigation = false;
  Range range = Range::automatic;

  bool per_component () const { return domain == ThresholdDomain::per_component; }
};

/** The outcome for a value, as in kernels/threshold/threshold.clh. */
struct ThresholdOutcome {
  cl_int4 values;
  cl_int truncate;
};

ThresholdOutcome threshold_outcome (ThresholdType type, const BlackWhite &range);
/** Every value becomes `value`. */
ThresholdOutcome constant_outcome (int value);

/** Compares each sample with the mean around it, on buffers. `label` distinguishes scratch memory of several calls. */
Launches threshold_by_mean (const Runner &runner, const PlaneTask &task, const ThresholdSettings &settings,
    const BlackWhite &range, const ScratchName &label);

/** The same for the intensity of a plane of RGB, which is written to task.components. Windows read `picture`, which differs
 *  from task.src if alpha was filtered before. */
Launches threshold_intensity_by_mean (
    Runner &runner, const PlaneTask &task, const PlaneView &picture, const ThresholdSettings &settings);

}  // namespace gst::cl
