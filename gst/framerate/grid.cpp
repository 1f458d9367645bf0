/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framerate/grid.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

FrameGrid::FrameGrid (GstClockTime origin_, int fps_n, int fps_d, double rate)
    : origin (origin_), n (fps_n), d (fps_d), speed (std::abs (rate))
{
  constexpr GstClockTime most = GST_MSECOND;
  slack = std::min (most, length_of (0) / 16);
}

GstClockTime
FrameGrid::time_of (gint64 number) const
{
  const GstClockTime passed = gst_util_uint64_scale (guint64 (number) * guint64 (d), GST_SECOND, guint64 (n));
  return origin + (speed == 1 ? passed : GstClockTime (std::llround (double (passed) * speed)));
}

gint64
FrameGrid::first_from (GstClockTime time) const
{
  if (time <= origin + slack)
    return 0;
  const double passed = double (time - slack - origin) / speed * n / (double (d) * GST_SECOND);
  gint64 number = std::max<gint64> (0, gint64 (passed) - 1);
  while (time_of (number) + slack < time)
    number++;
  return number;
}

}  // namespace gst::cl
