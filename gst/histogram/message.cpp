/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "histogram/message.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace gst::cl {

namespace {

std::string
field (const char *name, int component)
{
  return std::string (name) + "-" + std::to_string (component);
}

void
take_array (GstStructure *content, const std::string &name, const std::vector<guint64> &numbers)
{
  GValue array = G_VALUE_INIT, item = G_VALUE_INIT;
  gst_value_array_init (&array, guint (numbers.size ()));
  g_value_init (&item, G_TYPE_UINT64);
  for (guint64 number : numbers) {
    g_value_set_uint64 (&item, number);
    gst_value_array_append_value (&array, &item);
  }
  g_value_unset (&item);
  gst_structure_take_value (content, name.c_str (), &array);
}

}  // namespace

HistogramStatistics
histogram_statistics (std::span<const guint64> counts)
{
  guint64 n = 0, sum = 0;
  for (size_t v = 0; v < counts.size (); v++) {
    n += counts[v];
    sum += counts[v] * v;
  }
  HistogramStatistics found{0, 0, 0, double (sum) / double (n), 0};
  const auto occupied = [] (guint64 count) { return count > 0; };
  found.min = guint (std::ranges::find_if (counts, occupied) - counts.begin ());
  double squares = 0;
  guint64 up_to = 0;
  for (size_t v = found.min; v < counts.size (); v++) {
    if (!counts[v])
      continue;
    found.max = guint (v);
    if (up_to <= (n - 1) / 2)
      found.median = guint (v);
    up_to += counts[v];
    const double difference = double (v) - found.mean;
    squares += double (counts[v]) * difference * difference;
  }
  found.stddev = std::sqrt (squares / double (n));
  return found;
}

std::vector<guint64>
histogram_bins (std::span<const guint64> counts, int bins)
{
  std::vector<guint64> result (bins);
  for (size_t v = 0; v < counts.size (); v++)
    result[guint64 (v) * bins / counts.size ()] += counts[v];
  return result;
}

HistogramMessage::HistogramMessage (const FrameTimes &times_, const BlackWhite &range_, int values_, int bins_)
    : times (times_), range (range_), values (values_), bins (bins_)
{
}

void
HistogramMessage::add (int component, std::span<const std::byte> counts)
{
  std::vector<guint64> &sums = components[component];
  sums.resize (values);
  for (int v = 0; v < values; v++) {
    cl_uint count;
    std::memcpy (&count, counts.data () + v * sizeof count, sizeof count);
    sums[v] += count;
  }
}

GstStructure *
HistogramMessage::content () const
{
  GstStructure *content = nullptr;
  for (size_t i = 0; i < components.size (); i++) {
    const std::vector<guint64> &counts = components[i];
    if (std::accumulate (counts.begin (), counts.end (), guint64 (0)) == 0)
      continue;
    if (!content)
      content = gst_structure_new ("clhistogram", "timestamp", GST_TYPE_CLOCK_TIME, times.timestamp, "stream-time",
          GST_TYPE_CLOCK_TIME, times.stream_time, "running-time", GST_TYPE_CLOCK_TIME, times.running_time, "bins", G_TYPE_INT,
          bins, "black", G_TYPE_UINT, guint (range.black), "white", G_TYPE_UINT, guint (range.white), nullptr);
    const HistogramStatistics s = histogram_statistics (counts);
    const int n = int (i);
    gst_structure_set (content, field ("min", n).c_str (), G_TYPE_UINT, s.min, field ("max", n).c_str (), G_TYPE_UINT, s.max,
        field ("mean", n).c_str (), G_TYPE_DOUBLE, s.mean, field ("stddev", n).c_str (), G_TYPE_DOUBLE, s.stddev,
        field ("median", n).c_str (), G_TYPE_UINT, s.median, nullptr);
    take_array (content, field ("counts", n), histogram_bins (counts, bins));
  }
  return content;
}

}  // namespace gst::cl
