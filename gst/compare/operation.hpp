/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompare's work on the device, and its results. */
#pragma once

#include "filter/operation.hpp"

#include <map>
#include <mutex>

namespace gst::cl {

enum CompareMetric : unsigned { METRIC_MSE = 1, METRIC_PSNR = 2, METRIC_SSIM = 4, METRIC_CORRELATION = 8 };

/** The description of clcompare, which observes frames and writes none. */
extern const FilterDescription compare_description;

/** How similar a component of two pictures is. */
struct CompareMeasures {
  double mse = 0, psnr = 0, correlation = 0;
  std::optional<double> ssim = {};
};

/** A compared frame, its greatest sample, and its report. */
struct ComparedFrame {
  FrameTimes times;
  int max;
  unsigned metrics;
  int interval;
};

/** The reporter of the stream: takes the measures of each frame, posts messages with the requested measures, and keeps their means.
 *  Any thread. */
class CompareLog : public Reporter {
public:
  explicit CompareLog (GstElement *element_) : element (element_) {}

  /** By component; `overall` has all components together. */
  using Measures = std::map<int, CompareMeasures>;
  static constexpr int overall = G_MAXINT;

  void post_message (GstStructure *content) override;

  void start ();
  void take (const ComparedFrame &frame, const Measures &measures);
  /** Posts the last message, with the means over all frames since start(). */
  void post_final ();

private:
  struct Sum {
    double mse = 0, correlation = 0, ssim = 0;
    guint64 count = 0, with_ssim = 0;
  };

  GstElement *const element;
  std::mutex mutex;
  std::map<int, Sum> sums;
  std::optional<ComparedFrame> last;
  guint64 frames = 0;
};

}  // namespace gst::cl
