/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.hpp"

#include <stdexcept>

namespace bench {

namespace {

constexpr auto patience = std::chrono::seconds (120);
/* for streams that are synchronised by their time stamps */
constexpr int frames_a_second = 25;

bool
set_where_known (GstElement *element, const std::string &name, const std::string &value)
{
  if (!spec_of (element, name.c_str ()))
    return false;
  gst_util_set_object_arg (G_OBJECT (element), name.c_str (), value.c_str ());
  return true;
}

void
write_frame (GstBuffer *buffer, const std::vector<uint8_t> &pixels)
{
  ensure (gst_buffer_fill (buffer, 0, pixels.data (), pixels.size ()) == pixels.size (), "a buffer could not be written");
}

/* Removes messages that would otherwise pile up. */
void
drop_results (GstElement *pipeline)
{
  gst_bus_set_sync_handler (
      bus_of (pipeline).get (),
      [] (GstBus *, GstMessage *message, gpointer) {
        if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
          return GST_BUS_PASS;
        gst_message_unref (message);
        return GST_BUS_DROP;
      },
      nullptr, nullptr);
}

}  // namespace

Pipeline::Pipeline (
    GstClContext *context, const std::string &device, const Case &what, const Frames &frames, Memory memory_, bool profile_)
    : memory (memory_), profile (profile_),
      caps (video_caps (frames.format, frames.size.width, frames.size.height, what.inputs > 1 ? frames_a_second : 0,
          memory == Memory::opencl ? GST_CAPS_FEATURE_MEMORY_CL : nullptr)),
      delay (guint64 (what.delay))
{
  build (device, what);
  if (memory == Memory::system)
    for (const std::vector<uint8_t> &pixels : frames.pixels) {
      inputs.emplace_back (gst_buffer_new_allocate (nullptr, pixels.size (), nullptr));
      write_frame (inputs.back ().get (), pixels);
    }
  if (!context)
    return;
  const std::unique_ptr<GstContext, Unref> shared (gst_cl_context_to_gst_context (context));
  gst_element_set_context (pipeline.get (), shared.get ());
  start ();
  if (memory != Memory::system)
    fill (context, frames);
  while (n_pushed < delay)
    push_frame (n_pushed);
}

void
Pipeline::start ()
{
  if (gst_element_set_state (pipeline.get (), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail ();
}

/* Counts arrivals, and keeps the newest frame. */
void
Pipeline::take (GstBuffer *result)
{
  const double kernel = profile ? newest_kernel_us () : 0;
  Buffer oldest;
  {
    const std::lock_guard lock (mutex);
    n_arrived++;
    if (kernel > 0) {
      kernel_sum_us += kernel;
      n_kernels++;
    }
    outputs.emplace_back (gst_buffer_ref (result));
    if (outputs.size () > n_rotated) {
      oldest = std::move (outputs.front ());
      outputs.pop_front ();
    }
  }
  arrived.notify_one ();
}

void
Pipeline::build (const std::string &device, const Case &what)
{
  std::vector<Stage> stages{{what.element, what.properties, what.planes}};
  stages.insert (stages.end (), what.chain.begin (), what.chain.end ());
  std::string line;
  for (size_t i = 0; i < stages.size (); i++)
    line += stages[i].element + " name=filter" + std::to_string (i) + " ! ";
  line += "capsfilter name=keep ! fakesink name=sink sync=false async=false enable-last-sample=false";
  /* the queue is short, because a frame that waits long leaves the caches */
  for (int i = 0; i < what.inputs; i++)
    line += " appsrc name=source" + std::to_string (i) + " format=time block=true max-buffers=2 max-bytes=0 ! filter0."
            + (what.operation == Operation::blend ? ""
                : i == 0                          ? "sink"
                                                  : "reference");
  pipeline = parse_launch (line);
  drop_results (pipeline.get ());
  const auto named = [this] (const std::string &name) { return element_in (pipeline, name).get (); };
  g_object_set (named ("keep"), "caps", caps.get (), nullptr);
  for (int i = 0; i < what.inputs; i++) {
    sources.push_back (named ("source" + std::to_string (i)));
    g_object_set (sources.back (), "caps", caps.get (), nullptr);
  }
  for (size_t i = 0; i < stages.size (); i++) {
    GstElement *filter = filters.emplace_back (named ("filter" + std::to_string (i)));
    set_where_known (filter, "device", device);
    set_where_known (filter, "planes", std::to_string (stages[i].planes));
    set_where_known (filter, "profile", profile ? "true" : "false");
    for (const auto &[name, value] : stages[i].properties)
      ensure (set_where_known (filter, name, value), "no property " + name);
  }
  GstElement *sink = named ("sink");
  add_probe (pad_of (sink, "sink").get (), GST_PAD_PROBE_TYPE_BUFFER, [this] (GstPadProbeInfo *info) {
    take (GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  });
}

void
Pipeline::fill (GstClContext *context, const Frames &frames)
{
  if (memory == Memory::opencl) {
    fill_from_pool (Ref<GstBufferPool>::take (gst_cl_buffer_pool_new (context)), frames);
    return;
  }
  /* the pool is available once the element has its caps */
  const Buffer first (gst_buffer_new_allocate (nullptr, frames.bytes (), nullptr));
  write_frame (first.get (), frames.pixels[0]);
  for (; n_pushed <= delay; n_pushed++)
    for (GstElement *source : sources)
      push (source, first.get (), n_pushed);
  wait_for_last ();
  fill_from_pool (proposed_pool (pad_of (sources.front (), "src").get (), caps.get ()), frames);
}

void
Pipeline::fill_from_pool (Ref<GstBufferPool> from, const Frames &frames)
{
  ensure (bool (from), "the element proposes no pool");
  pool = std::move (from);
  inputs = buffers_of (pool, caps.get (), frames.bytes (), guint (frames.pixels.size ()));
  for (size_t i = 0; i < inputs.size (); i++)
    write_frame (inputs[i].get (), frames.pixels[i]);
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

/* In a proposed pool, as if an upstream element had just written the frame in place. */
void
Pipeline::push_frame (guint64 number)
{
  for (size_t i = 0; i < sources.size (); i++) {
    GstBuffer *input = inputs[(number + i) % inputs.size ()].get ();
    if (memory == Memory::proposed)
      ensure (map_frame (input, GST_MAP_WRITE), "a buffer could not be written");
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
  return outputs.back ().get ();
}

double
Pipeline::run (int n)
{
  const double begin = now_us ();
  for (int i = 0; i < n; i++)
    push_frame (n_pushed);
  /* the cl_mem is available when the kernels are done; system memory when it is on the host as well */
  const int flags = GST_MAP_READ | (memory == Memory::opencl ? GST_MAP_CL : 0);
  ensure (map_frame (wait_for_last (), flags), "a result could not be mapped");
  return (now_us () - begin) / n;
}

/* 0 if no element has a kernel time yet. */
double
Pipeline::newest_kernel_us () const
{
  double us = 0;
  for (GstElement *filter : filters) {
    guint64 ns = 0;
    gst_structure_get_uint64 (stats_of (filter).get (), "kernel-time-ns-last", &ns);
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
  ensure (us != 0, "the element reports no kernel time");
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
  return field_of (stats_of (element ()).get (), name);
}

guint64
Pipeline::count (const char *name) const
{
  guint64 value = 0;
  gst_structure_get_uint64 (stats_of (element ()).get (), name, &value);
  return value;
}

bool
Pipeline::has_error ()
{
  if (error.empty ())
    error = error_on (bus_of (pipeline.get ()).get (), true);
  return !error.empty ();
}

void
Pipeline::fail ()
{
  throw std::runtime_error (has_error () ? error : "no frame came");
}

}  // namespace bench
