/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flow.hpp"
#include "bench.hpp"

#include <gst/app/gstappsink.h>

#include <fstream>
#include <stdexcept>

namespace bench {

Flow::Flow (const std::string &line, const std::string &more)
    : pipeline (parse_launch (line + " ! appsink name=sink sync=false max-buffers=4 " + more)),
      sink (element_in (pipeline, "sink"))
{
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
}

/* The pipeline is idle between calls, except for buffers that the sink holds. */
double
Flow::run (int held, int n, double most_us)
{
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  for (int i = 0; i < held; i++)
    take ();
  const double begin = now_us ();
  int n_timed = 0;
  while (n_timed < n && now_us () - begin < most_us) {
    take ();
    n_timed++;
  }
  return (now_us () - begin) / n_timed;
}

void
Flow::take ()
{
  constexpr int most_seconds = 60;
  Sample sample;
  for (int i = 0; i < most_seconds && !sample; i++) {
    sample.reset (gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), GST_SECOND));
    if (sample)
      break;
    const std::string error = error_on (bus_of (pipeline.get ()).get ());
    ensure (
        error.empty () && !gst_app_sink_is_eos (GST_APP_SINK (sink.get ())), error.empty () ? "the pipeline has ended" : error);
  }
  ensure (bool (sample), "no frame came within a minute");
  map_frame (gst_sample_get_buffer (sample.get ()));
  n_taken++;
}

Flow::Bytes
Flow::link_bytes () const
{
  Bytes sum;
  for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [&sum] (GstElement *element) {
    const GParamSpec *property = spec_of (element, "stats");
    /* a bin's numbers are those of its elements */
    if (GST_IS_BIN (element) || !property || property->value_type != GST_TYPE_STRUCTURE)
      return;
    guint64 up = 0, down = 0;
    gst_structure_get (
        stats_of (element).get (), "bytes-uploaded", G_TYPE_UINT64, &up, "bytes-downloaded", G_TYPE_UINT64, &down, nullptr);
    sum.up += up;
    sum.down += down;
  });
  return n_taken ? Bytes{sum.up / n_taken, sum.down / n_taken} : Bytes{};
}

std::string
write_look (const TemporaryFolder &folder)
{
  constexpr int size = 33;
  const std::string path = folder.path + "/look.cube";
  std::ofstream file (path);
  file << "LUT_3D_SIZE " << size << "\n";
  for (int b = 0; b < size; b++)
    for (int g = 0; g < size; g++)
      for (int r = 0; r < size; r++)
        file << float (r) / size << " " << float (g + b) / (2 * size) << " " << 1 - float (b) / size << "\n";
  if (!file.flush ())
    throw std::runtime_error ("no room for a table in " + path);
  return path;
}

}  // namespace bench
