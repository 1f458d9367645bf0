/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency of a single frame, from the push into a piece of launch line to its mapped result. */
#include "latency.hpp"
#include "text.hpp"

#include <gst/video/video.h>

#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

struct Content {
  const char *title;
  const char *format;
  Size size;
  /** The time between frames, in which CPUs and the device become idle; 0: each frame is pushed when the last one is done. */
  int period_us = 0;
  /** Whether each frame has new memory; otherwise memory is reused, as in a camera's pool. */
  bool fresh = false;
};

constexpr int live_period_us = 16667;
constexpr Content contents[] = {{"320x240 GRAY8", "GRAY8", {320, 240}}, {"60 a second", "GRAY8", {320, 240}, live_period_us},
    {"1920x1080 RGBA", "RGBA", {1920, 1080}}, {"60 a second", "RGBA", {1920, 1080}, live_period_us},
    {"new memory", "RGBA", {1920, 1080}, 0, true}};

struct PadRelease {
  void operator() (gpointer object) const { gst_object_unref (object); }
};
template <typename T> using Object = std::unique_ptr<T, PadRelease>;

/* Single elements, elements that only copy frames, and chains in OpenCL memory. */
std::vector<std::string>
usual_lines ()
{
  const std::string filter = "clconvolve preset=box3";
  std::vector<std::string> lines{filter, "clupload ! identity ! cldownload"};
  std::string chain = "clupload";
  for (int n = 1; n <= 5; n++) {
    chain += " ! " + filter;
    lines.push_back (chain + " ! cldownload");
  }
  return lines;
}

/* A launch line between two pads of the benchmark, so that no other thread is involved. The sink maps each frame at once. */
class Alone {
public:
  Alone (GstClContext *context, const std::string &launch, const Content &content) : fresh (content.fresh)
  {
    GError *error = nullptr;
    bin.reset (gst_parse_bin_from_description (launch.c_str (), TRUE, &error));
    if (error || !bin)
      throw std::runtime_error (launch + ": " + (error ? error->message : "no bin"));
    gst_object_ref_sink (bin.get ());
    bus.reset (gst_bus_new ());
    gst_element_set_bus (bin.get (), bus.get ());
    GstContext *shared = gst_cl_context_to_gst_context (context);
    gst_element_set_context (bin.get (), shared);
    gst_context_unref (shared);
    link ();
    if (gst_element_set_state (bin.get (), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      fail (launch);
    start (content);
    make_frames (content);
  }

  ~Alone ()
  {
    gst_element_set_state (bin.get (), GST_STATE_NULL);
    gst_element_set_bus (bin.get (), nullptr);
    for (GstBuffer *frame : frames)
      gst_buffer_unref (frame);
  }
  Alone (const Alone &) = delete;
  Alone &operator= (const Alone &) = delete;

  double time_frame ()
  {
    GstBuffer *frame = fresh ? make_frame () : gst_buffer_ref (frames[n_pushed++ % frames.size ()]);
    const double begin = now_us ();
    const GstFlowReturn flow = gst_pad_push (source.get (), frame);
    if (flow != GST_FLOW_OK || mapped_at < begin)
      fail (gst_flow_get_name (flow));
    return mapped_at - begin;
  }

private:
  void link ()
  {
    source.reset (gst_pad_new ("src", GST_PAD_SRC));
    sink.reset (gst_pad_new ("sink", GST_PAD_SINK));
    g_object_set_data (G_OBJECT (sink.get ()), "alone", this);
    gst_pad_set_chain_function (sink.get (), [] (GstPad *pad, GstObject *, GstBuffer *result) {
      return static_cast<Alone *> (g_object_get_data (G_OBJECT (pad), "alone"))->take (result);
    });
    const Object<GstPad> into (gst_element_get_static_pad (bin.get (), "sink"));
    const Object<GstPad> out_of (gst_element_get_static_pad (bin.get (), "src"));
    gst_pad_set_active (source.get (), TRUE);
    gst_pad_set_active (sink.get (), TRUE);
    if (gst_pad_link (source.get (), into.get ()) != GST_PAD_LINK_OK
        || gst_pad_link (out_of.get (), sink.get ()) != GST_PAD_LINK_OK)
      throw std::runtime_error ("pads do not link");
  }

  void start (const Content &content)
  {
    gst_pad_push_event (source.get (), gst_event_new_stream_start ("latency"));
    GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, content.format, "width", G_TYPE_INT,
        content.size.width, "height", G_TYPE_INT, content.size.height, "framerate", GST_TYPE_FRACTION, 0, 1, nullptr);
    gst_pad_push_event (source.get (), gst_event_new_caps (caps));
    gst_caps_unref (caps);
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (source.get (), gst_event_new_segment (&segment));
  }

  void make_frames (const Content &content)
  {
    GstVideoInfo info;
    gst_video_info_set_format (
        &info, gst_video_format_from_string (content.format), guint (content.size.width), guint (content.size.height));
    frame_bytes = GST_VIDEO_INFO_SIZE (&info);
    for (int i = 0; i < n_rotated; i++)
      frames.push_back (make_frame ());
  }

  GstBuffer *make_frame () const
  {
    GstBuffer *frame = gst_buffer_new_allocate (nullptr, frame_bytes, nullptr);
    gst_buffer_memset (frame, 0, 100, frame_bytes);
    return frame;
  }

  GstFlowReturn take (GstBuffer *result)
  {
    GstMapInfo map;
    const bool mapped = gst_buffer_map (result, &map, GST_MAP_READ);
    mapped_at = now_us ();
    if (mapped)
      gst_buffer_unmap (result, &map);
    gst_buffer_unref (result);
    return mapped ? GST_FLOW_OK : GST_FLOW_ERROR;
  }

  [[noreturn]] void fail (const std::string &what)
  {
    std::string reason = what;
    if (GstMessage *message = gst_bus_pop_filtered (bus.get (), GST_MESSAGE_ERROR)) {
      GError *error = nullptr;
      gst_message_parse_error (message, &error, nullptr);
      reason += std::string (": ") + error->message;
      g_clear_error (&error);
      gst_message_unref (message);
    }
    throw std::runtime_error (reason);
  }

  Object<GstElement> bin;
  Object<GstBus> bus;
  Object<GstPad> source, sink;
  const bool fresh;
  gsize frame_bytes = 0;
  std::vector<GstBuffer *> frames;
  guint64 n_pushed = 0;
  double mapped_at = 0;
};

Samples
time_alone (GstClContext *context, const std::string &launch, const Content &content, bool quick)
{
  const int warm_up = 20, counted = quick || content.period_us ? 100 : 500;
  Alone line (context, launch, content);
  Samples samples;
  for (int i = 0; i < warm_up; i++)
    line.time_frame ();
  for (int i = 0; i < counted; i++) {
    g_usleep (gulong (content.period_us));
    samples.us.push_back (line.time_frame ());
  }
  return samples;
}

}  // namespace

int
run_latency (const Options &options)
{
  const std::vector<std::string> lines = options.words.empty () ? usual_lines () : options.words;
  Cells head{"one frame, us, median (shortest)"};
  for (const Content &content : contents)
    head.push_back (content.title);
  for (const Device &device : wanted_devices (options)) {
    const ContextPointer context = open_context (device);
    std::vector<Cells> table{head};
    for (const std::string &launch : lines) {
      Cells &cells = table.emplace_back (Cells{launch});
      for (const Content &content : contents) {
        const Samples samples = time_alone (context.get (), launch, content, options.quick);
        cells.push_back (digits (samples.median ()) + " (" + digits (samples.minimum ()) + ")");
      }
    }
    std::cout << device.name << "\n\n";
    print_table (std::cout, table, options.markdown);
  }
  return 0;
}

}  // namespace bench
