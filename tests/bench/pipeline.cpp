/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.hpp"

#include <gst/video/video.h>

#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

constexpr auto patience = std::chrono::seconds (120);

GstCaps *
make_caps (const Frames &frames, bool opencl)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, frames.format.c_str (), "width",
      G_TYPE_INT, frames.size.width, "height", G_TYPE_INT, frames.size.height, "framerate", GST_TYPE_FRACTION, 0, 1, nullptr);
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

void
set (GstElement *element, const std::string &name, const std::string &value)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), name.c_str ()))
    gst_util_set_object_arg (G_OBJECT (element), name.c_str (), value.c_str ());
  else
    throw std::runtime_error ("no property " + name);
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

}  // namespace

Pipeline::Pipeline (GstClContext *context, const std::string &device, const Case &what, const Frames &frames,
    Memory memory_, bool profile)
    : memory (memory_)
{
  GstCaps *caps = make_caps (frames, memory == Memory::opencl);
  try {
    pipeline = gst_pipeline_new (nullptr);
    gst_object_ref_sink (pipeline);
    GstContext *shared = gst_cl_context_to_gst_context (context);
    gst_element_set_context (pipeline, shared);
    gst_context_unref (shared);
    build (device, what, caps, profile);
    if (gst_element_set_state (pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      fail ();
    fill (context, frames, caps);
  } catch (...) {
    gst_caps_unref (caps);
    release ();
    throw;
  }
  gst_caps_unref (caps);
}

Pipeline::~Pipeline ()
{
  release ();
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
}

void
Pipeline::build (const std::string &device, const Case &what, GstCaps *caps, bool profile)
{
  source = make_element ("appsrc", pipeline);
  /* the queue is short: a frame that waits long would have left the caches */
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, "block", TRUE, "max-buffers", guint64 (2), "max-bytes",
      guint64 (0), nullptr);
  filter = make_element (what.element, pipeline);
  set (filter, "device", device);
  set (filter, "planes", std::to_string (what.planes));
  set (filter, "profile", profile ? "true" : "false");
  for (const auto &[name, value] : what.properties)
    set (filter, name, value);
  GstElement *keep = make_element ("capsfilter", pipeline);
  g_object_set (keep, "caps", caps, nullptr);
  GstElement *sink = make_element ("fakesink", pipeline);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, nullptr);
  if (!gst_element_link_many (source, filter, keep, sink, nullptr))
    throw std::runtime_error ("elements do not link");

  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [] (GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto *self = static_cast<Pipeline *> (data);
        GstBuffer *oldest = nullptr;
        {
          const std::lock_guard lock (self->mutex);
          self->n_arrived++;
          self->outputs.push_back (gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info)));
          if (self->outputs.size () > n_rotated) {
            oldest = self->outputs.front ();
            self->outputs.pop_front ();
          }
        }
        self->arrived.notify_one ();
        gst_clear_buffer (&oldest);
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
  gst_object_unref (pad);
}

void
Pipeline::fill (GstClContext *context, const Frames &frames, GstCaps *caps)
{
  if (memory == Memory::system) {
    for (const std::vector<uint8_t> &pixels : frames.pixels) {
      inputs.push_back (gst_buffer_new_allocate (nullptr, pixels.size (), nullptr));
      write_frame (inputs.back (), pixels);
    }
  } else if (memory == Memory::opencl) {
    fill_from_pool (gst_cl_buffer_pool_new (context), frames, caps);
  } else {
    /* the pool can be asked for once the element has seen its caps */
    GstBuffer *first = gst_buffer_new_allocate (nullptr, frames.bytes (), nullptr);
    write_frame (first, frames.pixels[0]);
    push (first);
    gst_buffer_unref (first);
    wait_for_last ();
    fill_from_pool (proposed_pool (caps), frames, caps);
  }
}

GstBufferPool *
Pipeline::proposed_pool (GstCaps *caps)
{
  GstBufferPool *proposed = nullptr;
  GstPad *pad = gst_element_get_static_pad (source, "src");
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
Pipeline::fill_from_pool (GstBufferPool *pool_, const Frames &frames, GstCaps *caps)
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

void
Pipeline::push (GstBuffer *buffer)
{
  if (gst_app_src_push_buffer (GST_APP_SRC (source), gst_buffer_ref (buffer)) != GST_FLOW_OK)
    fail ();
  n_pushed++;
}

GstBuffer *
Pipeline::wait_for_last ()
{
  const auto deadline = std::chrono::steady_clock::now () + patience;
  std::unique_lock lock (mutex);
  while (!arrived.wait_for (lock, std::chrono::milliseconds (200), [this] { return n_arrived >= n_pushed; })) {
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
  /* the cl_mem is handed out when the kernels are done; system memory when it also is on the host */
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
  for (int i = 0; i < n; i++) {
    GstBuffer *input = inputs[n_pushed % inputs.size ()];
    if (memory == Memory::proposed) {
      /* stands for an upstream element that has just written the frame in place */
      GstMemory *frame = gst_buffer_peek_memory (input, 0);
      GstMapInfo map;
      if (!gst_memory_map (frame, &map, GST_MAP_WRITE))
        throw std::runtime_error ("a buffer could not be written");
      gst_memory_unmap (frame, &map);
    }
    push (input);
  }
  wait_until_complete (wait_for_last ());
  return (now_us () - begin) / n;
}

double
Pipeline::kernel_us () const
{
  GstStructure *stats = nullptr;
  guint64 ns = 0;
  g_object_get (filter, "stats", &stats, nullptr);
  gst_structure_get_uint64 (stats, "kernel-time-ns-last", &ns);
  gst_structure_free (stats);
  if (!ns)
    throw std::runtime_error ("the element reports no kernel time");
  return double (ns) / 1000;
}

std::string
Pipeline::stat (const char *name) const
{
  GstStructure *stats = nullptr;
  g_object_get (filter, "stats", &stats, nullptr);
  const char *value = gst_structure_get_string (stats, name);
  const std::string text = value ? value : "";
  gst_structure_free (stats);
  return text;
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
