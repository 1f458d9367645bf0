/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-bench-gl: measures a frame in GL memory by each method of sharing with OpenCL, through one element and through a chain of
 * three. Frames are pushed directly into the first element and dropped after the last one. */
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int buffers_in_use = 8;
constexpr int warm_up_frames = 40;

int frames = 400;
std::string filter = "clconvolve preset=box3";

double
now_us ()
{
  const auto now = std::chrono::steady_clock::now ().time_since_epoch ();
  return std::chrono::duration<double, std::micro> (now).count ();
}

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
  std::string path, failure;
};

/* Elements between two pads of the benchmark. */
class Run {
public:
  Run (Gl &gl, const std::string &launch, const std::string &caps_text);
  ~Run ();

  bool failed () const { return !failure.empty (); }
  Result measure (bool foreign);

private:
  std::vector<GstBuffer *> make_buffers (bool foreign);
  bool push (GstBuffer *buffer);
  void collect (Result &result);
  std::string read_error ();

  Gl &gl;
  GstElement *bin = nullptr;
  GstBus *bus = gst_bus_new ();
  GstPad *source = gst_pad_new ("source", GST_PAD_SRC), *sink = gst_pad_new ("sink", GST_PAD_SINK);
  GstCaps *caps;
  std::string failure;
};

Run::Run (Gl &gl_, const std::string &launch, const std::string &caps_text)
    : gl (gl_), caps (gst_caps_from_string (caps_text.c_str ()))
{
  GError *error = nullptr;
  bin = gst_parse_bin_from_description (launch.c_str (), TRUE, &error);
  if (!bin) {
    failure = error->message;
    return;
  }
  gst_element_set_bus (bin, bus);
  GstContext *context = gst_context_new (GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display (context, gl.display);
  gst_element_set_context (bin, context);
  gst_context_unref (context);
  gst_pad_set_chain_function (sink, [] (GstPad *, GstObject *, GstBuffer *buffer) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  });
  /* frames leave the chain in the memory in which they came; the sink accepts nothing else */
  g_object_set_data (G_OBJECT (sink), "caps", caps);
  gst_pad_set_query_function (sink, [] (GstPad *pad, GstObject *parent, GstQuery *query) -> gboolean {
    if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
      return gst_pad_query_default (pad, parent, query);
    gst_query_set_caps_result (query, static_cast<GstCaps *> (g_object_get_data (G_OBJECT (pad), "caps")));
    return TRUE;
  });
  gst_pad_set_active (source, TRUE);
  gst_pad_set_active (sink, TRUE);
  GstPad *bin_sink = gst_element_get_static_pad (bin, "sink"), *bin_source = gst_element_get_static_pad (bin, "src");
  gst_pad_link (source, bin_sink);
  gst_pad_link (bin_source, sink);
  gst_object_unref (bin_sink);
  gst_object_unref (bin_source);
  if (gst_element_set_state (bin, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
    failure = read_error ();
    return;
  }
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (source, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (source, gst_event_new_caps (caps));
  gst_pad_push_event (source, gst_event_new_segment (&segment));
}

Run::~Run ()
{
  if (bin) {
    gst_element_set_state (bin, GST_STATE_NULL);
    gst_pad_set_active (source, FALSE);
    gst_pad_set_active (sink, FALSE);
    gst_object_unref (bin);
  }
  gst_object_unref (source);
  gst_object_unref (sink);
  gst_object_unref (bus);
  gst_caps_unref (caps);
}

std::string
Run::read_error ()
{
  std::string text = "no result";
  if (GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error (message, &error, nullptr);
    text = error->message;
    g_error_free (error);
    gst_message_unref (message);
  }
  return text;
}

/* From the element's proposed pool, or from one without OpenCL. */
std::vector<GstBuffer *>
Run::make_buffers (bool foreign)
{
  GstBufferPool *pool = nullptr;
  guint size = 0;
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  if (!foreign && gst_pad_peer_query (source, query) && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, nullptr, nullptr);
  gst_query_unref (query);
  if (!pool) {
    pool = gst_gl_buffer_pool_new (gl.context);
    GstVideoInfo info;
    gst_video_info_from_caps (&info, caps);
    size = GST_VIDEO_INFO_SIZE (&info);
  }
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, 0, 0);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  std::vector<GstBuffer *> buffers (buffers_in_use);
  for (GstBuffer *&buffer : buffers)
    if (gst_buffer_pool_acquire_buffer (pool, &buffer, nullptr) != GST_FLOW_OK)
      failure = "no buffers";
  gst_object_unref (pool);
  return buffers;
}

bool
Run::push (GstBuffer *buffer)
{
  if (gst_pad_push (source, gst_buffer_ref (buffer)) == GST_FLOW_OK)
    return true;
  failure = read_error ();
  return false;
}

/* The path of the first element, and the kernel times of all. */
void
Run::collect (Result &result)
{
  GstIterator *elements = gst_bin_iterate_elements (GST_BIN (bin));
  gst_iterator_foreach (
      elements,
      [] (const GValue *item, gpointer data) {
        auto *sum = static_cast<Result *> (data);
        GObject *element = G_OBJECT (g_value_get_object (item));
        if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats"))
          return;
        GstStructure *stats = nullptr;
        guint64 ns = 0;
        g_object_get (element, "stats", &stats, nullptr);
        const gchar *path = gst_structure_get_string (stats, "path");
        if (path && g_str_has_prefix (path, "gl-"))
          sum->path = path;
        if (gst_structure_get_uint64 (stats, "kernel-time-ns-mean", &ns))
          sum->kernel_us += ns / 1e3;
        gst_structure_free (stats);
      },
      &result);
  gst_iterator_free (elements);
}

Result
Run::measure (bool foreign)
{
  Result result;
  if (!failed ()) {
    const std::vector<GstBuffer *> buffers = make_buffers (foreign);
    const auto push_frames = [&] (int n) {
      for (int i = 0; i < n && !failed (); i++)
        push (buffers[i % buffers.size ()]);
      gl.finish ();
    };
    push_frames (warm_up_frames);
    const double begin = now_us ();
    push_frames (frames);
    result.us = (now_us () - begin) / frames;
    collect (result);
    for (GstBuffer *buffer : buffers)
      gst_buffer_unref (buffer);
  }
  result.failure = failure;
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
  const Result timed = Run (gl, chain (length, settings), caps).measure (foreign);
  if (!timed.failure.empty ()) {
    std::printf ("| %dx%d | %d | %s%s | - | - | - | %s |\n", width, height, length, interop, foreign ? ", foreign" : "",
        timed.failure.substr (0, 80).c_str ());
    return;
  }
  const Result profiled = Run (gl, chain (length, settings + " profile=true"), caps).measure (foreign);
  std::printf ("| %dx%d | %d | %s%s | %.1f | %.1f | %.1f | %s |\n", width, height, length, interop, foreign ? ", foreign" : "",
      timed.us, profiled.kernel_us, timed.us - profiled.kernel_us, timed.path.c_str ());
  std::fflush (stdout);
}

}  // namespace

int
main (int argc, char **argv)
{
  gchar *wanted_filter = nullptr;
  const GOptionEntry entries[] = {
      {"frames", 'n', 0, G_OPTION_ARG_INT, &frames, "Frames for each figure", "N"},
      {"filter", 'f', 0, G_OPTION_ARG_STRING, &wanted_filter, "The element and its properties", "ELEMENT"},
      {},
  };
  GOptionContext *options = g_option_context_new ("- time frames in GL memory");
  g_option_context_add_main_entries (options, entries, nullptr);
  g_option_context_add_group (options, gst_init_get_option_group ());
  GError *error = nullptr;
  if (!g_option_context_parse (options, &argc, &argv, &error)) {
    std::fprintf (stderr, "%s\n", error->message);
    return 2;
  }
  if (wanted_filter)
    filter = wanted_filter;
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
