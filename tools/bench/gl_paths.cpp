/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-bench-gl: measures a frame in GL memory by each method of sharing with OpenCL, through one element and through a chain of
 * three. Frames are pushed directly into the first element and dropped after the last one. */
#include "../../pipelines/apps/common/options.hpp"
#include "pads.hpp"

#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video.h>

#include <cstdio>

namespace {

constexpr int buffers_in_use = 8;
constexpr int warm_up_frames = 40;

int frames = 400;
std::string filter = "clconvolve preset=box3";

/* The GL display and context of all pipelines here. */
struct Gl {
  GstGLDisplay *display = gst_gl_display_new ();
  GstGLContext *context = nullptr;

  Gl ()
  {
    GError *error = nullptr;
    if (!gst_gl_display_create_context (display, nullptr, &context, &error)) {
      std::fprintf (stderr, "no GL context: %s\n", error->message);
      std::exit (77);
    }
    gst_gl_display_add_context (display, context);
  }
  void finish ()
  {
    gst_gl_context_thread_add (
        context, [] (GstGLContext *gl, gpointer) { gl->gl_vtable->Finish (); }, nullptr);
  }
};

struct Result {
  double us = 0, kernel_us = 0;
  std::string path;
};

/* From the first element's proposed pool, or from one without OpenCL. */
std::vector<Buffer>
make_buffers (const Gl &gl, GstPad *source, GstCaps *caps, bool foreign)
{
  Ref<GstBufferPool> pool = foreign ? Ref<GstBufferPool> () : proposed_pool (source, caps);
  if (!pool)
    pool = Ref<GstBufferPool> (gst_gl_buffer_pool_new (gl.context));
  GstVideoInfo info;
  gst_video_info_from_caps (&info, caps);
  return buffers_of (pool, caps, GST_VIDEO_INFO_SIZE (&info), buffers_in_use);
}

/* The path of the first element, and the kernel times of all. */
void
collect (GstElement *bin, Result &result)
{
  for_each_element (gst_bin_iterate_elements (GST_BIN (bin)), [&result] (GstElement *element) {
    if (!spec_of (element, "stats"))
      return;
    const Structure stats = stats_of (element);
    guint64 ns = 0;
    if (const std::string path = field_of (stats.get (), "path"); path.starts_with ("gl-"))
      result.path = path;
    if (gst_structure_get_uint64 (stats.get (), "kernel-time-ns-mean", &ns))
      result.kernel_us += double (ns) / 1e3;
  });
}

/* Frames leave the chain in the memory in which they came; the sink accepts nothing else. Throws std::runtime_error. */
Result
measure (Gl &gl, const std::string &launch, const std::string &caps_text, bool foreign)
{
  const Caps caps (gst_caps_from_string (caps_text.c_str ()));
  const std::unique_ptr<GstContext, Unref> context (gst_context_new (GST_GL_DISPLAY_CONTEXT_TYPE, TRUE));
  gst_context_set_gl_display (context.get (), gl.display);
  Between line (launch, context.get (), caps.get (), caps.get (), [] (GstBuffer *buffer) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  });
  const std::vector<Buffer> buffers = make_buffers (gl, line.pad (), caps.get (), foreign);
  const auto push_frames = [&] (int n) {
    for (int i = 0; i < n; i++)
      line.push (gst_buffer_ref (buffers[size_t (i) % buffers.size ()].get ()));
    gl.finish ();
  };
  push_frames (warm_up_frames);
  const gint64 begin = g_get_monotonic_time ();
  push_frames (frames);
  Result result;
  result.us = double (g_get_monotonic_time () - begin) / frames;
  collect (line.elements (), result);
  return result;
}

std::string
chain (int length, const std::string &settings)
{
  std::string launch;
  for (int i = 0; i < length; i++)
    launch += (i ? " ! " : "") + filter + settings;
  return launch;
}

void
measure_row (Gl &gl, int width, int height, int length, const char *interop, bool foreign)
{
  const std::string caps = "video/x-raw(memory:GLMemory), format=RGBA, width=" + std::to_string (width)
                           + ", height=" + std::to_string (height) + ", framerate=30/1, texture-target=2D";
  const std::string settings = std::string (" interop=") + interop;
  std::printf ("| %dx%d | %d | %s%s | ", width, height, length, interop, foreign ? ", foreign" : "");
  try {
    const Result timed = measure (gl, chain (length, settings), caps, foreign);
    const Result profiled = measure (gl, chain (length, settings + " profile=true"), caps, foreign);
    std::printf (
        "%.1f | %.1f | %.1f | %s |\n", timed.us, profiled.kernel_us, timed.us - profiled.kernel_us, timed.path.c_str ());
  } catch (const std::runtime_error &error) {
    std::printf ("- | - | - | %.80s |\n", error.what ());
  }
  std::fflush (stdout);
}

int
run ()
{
  Gl gl;
  std::printf ("%s\n\n| frame | elements | interop, input | us a frame | kernels us | beside them us | path |\n"
               "|---|---|---|---|---|---|---|\n",
      filter.c_str ());
  const std::pair<int, int> sizes[] = {{1280, 720}, {1920, 1080}, {3840, 2160}};
  for (const auto &[width, height] : sizes)
    for (int length : {1, 3}) {
      measure_row (gl, width, height, length, "sharing", false);
      measure_row (gl, width, height, length, "external", false);
      measure_row (gl, width, height, length, "external", true);
      measure_row (gl, width, height, length, "staged", true);
    }
  return 0;
}

}  // namespace

int
main (int argc, char **argv)
{
  return run_program ({.program = "cl-bench-gl",
                          .summary = "Times frames in GL memory.",
                          .options = {{"frames", 'n', &frames, "Frames for each figure", "N"},
                              {"filter", 'f', &filter, "The element and its properties", "ELEMENT"}},
                          .groups = {gst_init_get_option_group ()}},
      argc, argv, run);
}
