/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flow.hpp"
#include "bench.hpp"

#include <gst/app/gstappsink.h>

#include <fstream>
#include <stdexcept>

namespace bench {

Flow::Flow (const std::string &line, const std::string &more)
{
  GError *error = nullptr;
  pipeline = gst_parse_launch ((line + " ! appsink name=sink sync=false max-buffers=4 " + more).c_str (), &error);
  if (error) {
    const std::string why = error->message;
    g_error_free (error);
    gst_clear_object (&pipeline);
    throw std::runtime_error (why);
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

Flow::~Flow ()
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

/* The pipeline is idle between calls, except for buffers that the sink holds. */
double
Flow::run (int held, int n, double most_us)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
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
  GstSample *sample = nullptr;
  for (int i = 0; i < most_seconds && !sample; i++) {
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), GST_SECOND);
    if (!sample && (gst_app_sink_is_eos (GST_APP_SINK (sink)) || has_error ()))
      fail ();
  }
  if (!sample)
    throw std::runtime_error ("no frame came within a minute");
  GstMapInfo map;
  if (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ))
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  gst_sample_unref (sample);
  n_taken++;
}

bool
Flow::has_error () const
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_peek (bus);
  while (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR) {
    gst_message_unref (message);
    gst_message_unref (gst_bus_pop (bus));
    message = gst_bus_peek (bus);
  }
  const bool found = message != nullptr;
  gst_clear_message (&message);
  gst_object_unref (bus);
  return found;
}

void
Flow::fail ()
{
  std::string why = "the pipeline has ended";
  GstBus *bus = gst_element_get_bus (pipeline);
  if (GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error (message, &error, nullptr);
    why = error->message;
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  throw std::runtime_error (why);
}

Flow::Bytes
Flow::link_bytes () const
{
  Bytes sum;
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  const auto add = [] (const GValue *value, gpointer data) {
    auto *element = static_cast<GObject *> (g_value_get_object (value));
    auto &bytes = *static_cast<Bytes *> (data);
    const GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats");
    /* a bin's numbers are those of its elements */
    if (GST_IS_BIN (element) || !property || property->value_type != GST_TYPE_STRUCTURE)
      return;
    GstStructure *stats = nullptr;
    guint64 up = 0, down = 0;
    g_object_get (element, "stats", &stats, nullptr);
    gst_structure_get (stats, "bytes-uploaded", G_TYPE_UINT64, &up, "bytes-downloaded", G_TYPE_UINT64, &down, nullptr);
    gst_clear_structure (&stats);
    bytes.up += up;
    bytes.down += down;
  };
  while (gst_iterator_foreach (elements, add, &sum) == GST_ITERATOR_RESYNC) {
    gst_iterator_resync (elements);
    sum = {};
  }
  gst_iterator_free (elements);
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
