/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency of a single frame, from the push into a piece of launch line to its mapped result. */
#include "pads.hpp"
#include "table.hpp"

#include <gst/video/video.h>

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

Buffer
make_frame (const Content &content)
{
  GstVideoInfo info;
  gst_video_info_set_format (
      &info, gst_video_format_from_string (content.format), guint (content.size.width), guint (content.size.height));
  Buffer frame (gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&info), nullptr));
  gst_buffer_memset (frame.get (), 0, 100, GST_VIDEO_INFO_SIZE (&info));
  return frame;
}

/* The sink maps each frame at once. */
Samples
time_alone (GstClContext *context, const std::string &launch, const Content &content, bool quick)
{
  const int warm_up = 20, counted = quick || content.period_us ? 100 : 500;
  const Caps caps = video_caps (content.format, content.size.width, content.size.height, 0), any (gst_caps_new_any ());
  const std::unique_ptr<GstContext, Unref> shared (gst_cl_context_to_gst_context (context));
  double mapped_at = 0;
  Between line (launch, shared.get (), caps.get (), any.get (), [&] (GstBuffer *result) {
    const Buffer owned (result);
    GstMapInfo map;
    const bool mapped = gst_buffer_map (result, &map, GST_MAP_READ);
    mapped_at = now_us ();
    if (mapped)
      gst_buffer_unmap (result, &map);
    return mapped ? GST_FLOW_OK : GST_FLOW_ERROR;
  });
  std::vector<Buffer> frames;
  for (int i = 0; i < n_rotated; i++)
    frames.push_back (make_frame (content));
  Samples samples;
  for (int i = 0; i < warm_up + counted; i++) {
    if (i >= warm_up)
      g_usleep (gulong (content.period_us));
    GstBuffer *frame = content.fresh ? make_frame (content).release () : gst_buffer_ref (frames[size_t (i) % n_rotated].get ());
    const double begin = now_us ();
    line.push (frame);
    ensure (mapped_at >= begin, launch + ": no frame came");
    if (i >= warm_up)
      samples.us.push_back (mapped_at - begin);
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
