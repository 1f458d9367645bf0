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

/** Takes the measures of each frame, posts messages with the requested ones, and keeps their means. Any thread. */
class CompareLog : public Reporter {
public:
  explicit CompareLog (GstElement *element) : element (element) {}
  ~CompareLog () override { gst_clear_structure (&last); }

  void post_message (GstStructure *content) override;
  void set_figure (const char *, double) override {}

  void start ();
  /** Posts the last message, with the means over all frames since start(). */
  void post_final ();

private:
  struct Mean {
    double sum = 0;
    guint64 count = 0;
  };

  void post (GstStructure *content);

  GstElement *const element;
  std::mutex mutex;
  std::map<std::string, Mean> means;
  /** The measures of the last frame, for the final message. */
  GstStructure *last = nullptr;
  guint64 frames = 0;
};

}  // namespace gst::cl
