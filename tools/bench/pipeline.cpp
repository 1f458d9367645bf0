/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.hpp"

#include <gst/video/video.h>

#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

constexpr auto patience = std::chrono::seconds (120);
/* for streams that are synchronised by their time stamps */
constexpr int frames_a_second = 25;

GstCaps *
make_caps (const Frames &frames, int rate, bool opencl)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, frames.format.c_str (), "width", G_TYPE_INT,
      frames.size.width, "height", G_TYPE_INT, frames.size.height, "framerate", GST_TYPE_FRACTION, rate, 1, nullptr);
  if (opencl)
    gst_caps_set_features (caps, 0, gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_CL, nullptr));
  return caps;
}

GstElement *
make_element (const std::string &factory, GstElement *bin)
{
  GstElement *element = gst_element_factory_make (factory.c_str (), nullptr);
  if (!element)
    throw std::runtime_error ("no element " + factory);
  gst_bin_add (GST_BIN (bin), element);
  return element;
}

bool
set_where_known (GstElement *element, const std::string &name, const std::string &value)
{
  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element), name.c_str ()))
    return false;
  gst_util_set_object_arg (G_OBJECT (element), name.c_str (), value.c_str ());
  return true;
}

void
write_frame (GstBuffer *buffer, const std::vector<uint8_t> &pixels)
{
  GstMapInfo map;
  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    throw std::runtime_error ("a buffer could not be written");
  std::memcpy (map.data, pixels.data (), pixels.size ());
  gst_buffer_unmap (buffer, &map);
}

/* Removes messages that would otherwise pile up. */
void
drop_results (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (
      bus,
      [] (GstBus *, GstMessage *message, gpointer) {
        if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
          return GST_BUS_PASS;
        gst_message_unref (message);
        return GST_BUS_DROP;
      },
      nullptr, nullptr);
  gst_object_unref (bus);
}

}  // namespace

Pipeline::Pipeline (
    GstClContext *context, const std::string &device, const Case &what, const Frames &frames, Memory memory_, bool profile_)
    : memory (memory_), profile (profile_),
      caps (make_caps (frames, what.inputs > 1 ? frames_a_second : 0, memory == Memory::opencl)), delay (guint64 (what.delay))
{
  try {
    build (device, what);
    GstContext *shared = gst_cl_context_to_gst_context (context);
    gst_element_set_context (pipeline, shared);
    gst_context_unref (shared);
    if (memory == Memory::system)
      fill_from_system (frames);
    start ();
    if (memory != Memory::system)
      fill (context, frames);
    while (n_pushed < delay)
      push_frame (n_pushed);
  } catch (...) {
    release ();
    throw;
  }
}

Pipeline::Pipeline (const std::string &device, const Case &what, const Frames &frames)
    : memory (Memory::system), caps (make_caps (frames, what.inputs > 1 ? frames_a_second : 0, false)),
      delay (guint64 (what.delay))
{
  try {
    build (device, what);
    fill_from_system (frames);
  } catch (...) {
    release ();
    throw;
  }
}

Pipeline::~Pipeline ()
{
  release ();
}

void
Pipeline::start ()
{
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail ();
}

void
Pipeline::release ()
{
  if (pipeline)
    gst_element_set_state (pipeline, GST_STATE_NULL);
  for (GstBuffer *buffer : inputs)
    gst_buffer_unref (buffer);
  for (GstBuffer *buffer : outputs)
    gst_buffer_unref (buffer);
  if (pool)
    gst_buffer_pool_set_active (pool, FALSE);
  gst_clear_object (&pool);
  gst_clear_object (&pipeline);
  gst_clear_caps (&caps);
}

void
Pipeline::add_filter (const std::string &device, const Stage &stage)
{
  GstElement *filter = make_element (stage.element, pipeline);
  filters.push_back (filter);
  set_where_known (filter, "device", device);
  set_where_known (filter, "planes", std::to_string (stage.planes));
  set_where_known (filter, "profile", profile ? "true" : "false");
  for (const auto &[name, value] : stage.properties)
    if (!set_where_known (filter, name, value))
      throw std::runtime_error ("no property " + name);
}

void
Pipeline::link_sources (const Case &what)
{
  for (int i = 0; i < what.inputs; i++) {
    GstElement *source = make_element ("appsrc", pipeline);
    sources.push_back (source);
    /* the queue is short, because a frame that waits long leaves the caches */
    g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, "block", TRUE, "max-buffers", guint64 (2), "max-bytes",
        guint64 (0), nullptr);
    const char *pad = what.inputs == 1                     ? "sink"
                      : what.operation == Operation::blend ? "sink_%u"
                      : i == 0                             ? "sink"
                                                           : "reference";
    if (!gst_element_link_pads (source, "src", filters.front (), pad))
      throw std::runtime_error ("a source does not link");
  }
}

/* Counts arrivals, and keeps the newest frame. */
void
Pipeline::take (GstBuffer *result)
{
  const double kernel = profile ? newest_kernel_us () : 0;
  GstBuffer *oldest = nullptr;
  {
    const std::lock_guard lock (mutex);
    n_arrived++;
    if (kernel > 0) {
      kernel_sum_us += kernel;
      n_kernels++;
    }
    outputs.push_back (gst_buffer_ref (result));
    if (outputs.size () > n_rotated) {
      oldest = outputs.front ();
      outputs.pop_front ();
    }
  }
  arrived.notify_one ();
  gst_clear_buffer (&oldest);
}

void
Pipeline::watch (GstElement *sink)
{
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [] (GstPad *, GstPadProbeInfo *info, gpointer data) {
        static_cast<Pipeline *> (data)->take (GST_PAD_PROBE_INFO_BUFFER (info));
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
  gst_object_unref (pad);
}

void
Pipeline::build (const std::string &device, const Case &what)
{
  pipeline = gst_pipeline_new (nullptr);
  gst_object_ref_sink (pipeline);
  drop_results (pipeline);
  add_filter (device, {what.element, what.properties, what.planes});
  for (const Stage &stage : what.chain)
    add_filter (device, stage);
  link_sources (what);
  GstElement *keep = make_element ("capsfilter", pipeline);
  g_object_set (keep, "caps", caps, nullptr);
  GstElement *sink = make_element ("fakesink", pipeline);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, nullptr);
  GstElement *last = nullptr;
  for (GstElement *filter : filters) {
    if (last && !gst_element_link (last, filter))
      throw std::runtime_error ("elements do not link");
    last = filter;
  }
  if (!gst_element_link_many (last, keep, sink, nullptr))
    throw std::runtime_error ("elements do not link");
  watch (sink);
}

void
Pipeline::fill_from_system (const Frames &frames)
{
  for (const std::vector<uint8_t> &pixels : frames.pixels) {
    inputs.push_back (gst_buffer_new_allocate (nullptr, pixels.size (), nullptr));
    write_frame (inputs.back (), pixels);
  }
}

void
Pipeline::fill (GstClContext *context, const Frames &frames)
{
  if (memory == Memory::opencl) {
    fill_from_pool (gst_cl_buffer_pool_new (context), frames);
    return;
  }
  /* the pool is available once the element has its caps */
  GstBuffer *first = gst_buffer_new_allocate (nullptr, frames.bytes (), nullptr);
  write_frame (first, frames.pixels[0]);
  for (; n_pushed <= delay; n_pushed++)
    for (GstElement *source : sources)
      push (source, first, n_pushed);
  gst_buffer_unref (first);
  wait_for_last ();
  fill_from_pool (proposed_pool (), frames);
}

GstBufferPool *
Pipeline::proposed_pool ()
{
  GstBufferPool *proposed = nullptr;
  GstPad *pad = gst_element_get_static_pad (sources.front (), "src");
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  if (gst_pad_peer_query (pad, query) && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &proposed, nullptr, nullptr, nullptr);
  gst_query_unref (query);
  gst_object_unref (pad);
  if (!proposed)
    throw std::runtime_error ("the element proposes no pool");
  return proposed;
}

void
Pipeline::fill_from_pool (GstBufferPool *pool_, const Frames &frames)
{
  pool = pool_;
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, guint (frames.bytes ()), n_rotated, 0);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE))
    throw std::runtime_error ("the pool does not start");
  for (const std::vector<uint8_t> &pixels : frames.pixels) {
    GstBuffer *buffer = nullptr;
    if (gst_buffer_pool_acquire_buffer (pool, &buffer, nullptr) != GST_FLOW_OK)
      throw std::runtime_error ("the pool gives no buffer");
    inputs.push_back (buffer);
    write_frame (buffer, pixels);
  }
}

/* Pushes a reference, or, if streams are synchronised, a new buffer with the same memory. */
void
Pipeline::push (GstElement *source, GstBuffer *buffer, guint64 number)
{
  GstBuffer *frame;
  if (sources.size () > 1) {
    frame = gst_buffer_new ();
    gst_buffer_copy_into (frame, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
    gst_buffer_append_memory (frame, gst_memory_ref (gst_buffer_peek_memory (buffer, 0)));
    GST_BUFFER_PTS (frame) = gst_util_uint64_scale (number, GST_SECOND, frames_a_second);
    GST_BUFFER_DURATION (frame) = GST_SECOND / frames_a_second;
  } else {
    frame = gst_buffer_ref (buffer);
  }
  if (gst_app_src_push_buffer (GST_APP_SRC (source), frame) != GST_FLOW_OK)
    fail ();
}

/* Simulates an upstream element that has just written the frame in place. */
void
Pipeline::touch (GstBuffer *buffer)
{
  GstMemory *frame = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;
  if (!gst_memory_map (frame, &map, GST_MAP_WRITE))
    throw std::runtime_error ("a buffer could not be written");
  gst_memory_unmap (frame, &map);
}

void
Pipeline::push_frame (guint64 number)
{
  for (size_t i = 0; i < sources.size (); i++) {
    GstBuffer *input = inputs[(number + i) % inputs.size ()];
    if (memory == Memory::proposed)
      touch (input);
    push (sources[i], input, number);
  }
  n_pushed++;
}

GstBuffer *
Pipeline::wait_for_last ()
{
  const auto deadline = std::chrono::steady_clock::now () + patience;
  std::unique_lock lock (mutex);
  while (!arrived.wait_for (lock, std::chrono::milliseconds (200), [this] { return n_arrived + delay >= n_pushed; })) {
    lock.unlock ();
    if (has_error () || std::chrono::steady_clock::now () > deadline)
      fail ();
    lock.lock ();
  }
  return outputs.back ();
}

void
Pipeline::wait_until_complete (GstBuffer *buffer)
{
  /* the cl_mem is available when the kernels are done; system memory when it is on the host as well */
  const auto flags = static_cast<GstMapFlags> (GST_MAP_READ | (memory == Memory::opencl ? GST_MAP_CL : 0));
  GstMapInfo map;
  GstMemory *frame = gst_buffer_peek_memory (buffer, 0);
  if (!gst_memory_map (frame, &map, flags))
    throw std::runtime_error ("a result could not be mapped");
  gst_memory_unmap (frame, &map);
}

double
Pipeline::run (int n)
{
  const double begin = now_us ();
  for (int i = 0; i < n; i++)
    push_frame (n_pushed);
  wait_until_complete (wait_for_last ());
  return (now_us () - begin) / n;
}

/* 0 if no element has a kernel time yet. */
double
Pipeline::newest_kernel_us () const
{
  double us = 0;
  for (GstElement *filter : filters) {
    GstStructure *stats = nullptr;
    guint64 ns = 0;
    g_object_get (filter, "stats", &stats, nullptr);
    gst_structure_get_uint64 (stats, "kernel-time-ns-last", &ns);
    gst_structure_free (stats);
    if (!ns)
      return 0;
    us += double (ns) / 1000;
  }
  return us;
}

double
Pipeline::kernel_us () const
{
  const double us = newest_kernel_us ();
  if (us == 0)
    throw std::runtime_error ("the element reports no kernel time");
  return us;
}

double
Pipeline::run_kernels (int n)
{
  {
    const std::lock_guard lock (mutex);
    kernel_sum_us = n_kernels = 0;
  }
  run (n);
  const std::lock_guard lock (mutex);
  return n_kernels ? kernel_sum_us / n_kernels : kernel_us ();
}

std::string
Pipeline::stat (const char *name) const
{
  GstStructure *stats = nullptr;
  g_object_get (element (), "stats", &stats, nullptr);
  const char *value = gst_structure_get_string (stats, name);
  const std::string text = value ? value : "";
  gst_structure_free (stats);
  return text;
}

guint64
Pipeline::count (const char *name) const
{
  GstStructure *stats = nullptr;
  guint64 value = 0;
  g_object_get (element (), "stats", &stats, nullptr);
  gst_structure_get_uint64 (stats, name, &value);
  gst_structure_free (stats);
  return value;
}

bool
Pipeline::has_error ()
{
  if (!error.empty ())
    return true;
  GstBus *bus = gst_element_get_bus (pipeline);
  /* the first error is the cause; others follow from it */
  if (GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) {
    GError *reason = nullptr;
    gchar *detail = nullptr;
    gst_message_parse_error (message, &reason, &detail);
    error = std::string (reason->message) + (detail ? std::string (" (") + detail + ")" : "");
    g_clear_error (&reason);
    g_free (detail);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return !error.empty ();
}

void
Pipeline::fail ()
{
  throw std::runtime_error (has_error () ? error : "no frame came");
}

}  // namespace bench
