/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element message of clhistogram, made from counts that arrive from the device one after another. */
#pragma once

#include "shared/range.hpp"

#include <array>

namespace gst::cl {

/** Numbers of one component, in sample units. */
struct HistogramStatistics {
  guint min, max, median;
  double mean, stddev;
};

/** Of counts of each value, which are not all 0. The median is the lower middle sample, the deviation that of the
 *  population. */
HistogramStatistics histogram_statistics (std::span<const guint64> counts);

/** The counts of values 0 .. n - 1 in bins: value v is in bin floor (v * bins / n). */
std::vector<guint64> histogram_bins (std::span<const guint64> counts, int bins);

/** Gathers the counts of a frame. */
class HistogramMessage {
public:
  HistogramMessage (const FrameTimes &times, const BlackWhite &range, int values, int bins);

  /** counts: cl_uint of each value of a component. */
  void add (int component, std::span<const std::byte> counts);
  /** The message's content, which the caller owns; null if nothing was counted. */
  GstStructure *content () const;

private:
  FrameTimes times;
  BlackWhite range;
  int values, bins;
  std::array<std::vector<guint64>, 4> components;
};

}  // namespace gst::cl
