/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fault_play.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "../elements/frames.hpp"

namespace test {

struct FaultPlay::Input {
  GstPad *pad, *sink;
  bool requested;
  GstBufferPool *pool = nullptr;
};

namespace {

/* Sizes without padding, even when rotated by 90 degrees, because padding bytes are undefined. */
constexpr const char *all_caps[] = {
    "video/x-raw,format=I420,width=32,height=24,framerate=30/1", "video/x-raw,format=RGBA,width=40,height=22,framerate=30/1"};

GstPad *
new_pad (GstPadDirection direction)
{
  static GstStaticPadTemplate templates[] = {GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
      GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY)};
  return GST_PAD (gst_object_ref_sink (gst_pad_new_from_static_template (&templates[direction == GST_PAD_SINK], nullptr)));
}

/* The pads to feed: one, two request pads, or all. An element with further inputs is fed only through the first, since it would
 * wait for the others. */
std::vector<std::pair<GstPad *, bool>>
sink_pads (GstElement *element)
{
  std::vector<std::pair<GstPad *, bool>> pads;
  const bool has_first = gst_element_get_pad_template (element, "sink");
  for (const GList *each = GST_ELEMENT_GET_CLASS (element)->padtemplates; each; each = each->next) {
    auto *templ = static_cast<GstPadTemplate *> (each->data);
    if (GST_PAD_TEMPLATE_DIRECTION (templ) != GST_PAD_SINK
        || (has_first && GST_PAD_TEMPLATE_PRESENCE (templ) == GST_PAD_REQUEST))
      continue;
    if (GST_PAD_TEMPLATE_PRESENCE (templ) == GST_PAD_ALWAYS)
      pads.emplace_back (gst_element_get_static_pad (element, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ)), false);
    else
      for (int i = 0; i < 2; i++)
        pads.emplace_back (gst_element_request_pad (element, templ, nullptr, nullptr), true);
  }
  if (pads.empty ()) /* a bin around several elements */
    pads.emplace_back (gst_element_get_static_pad (element, "sink"), false);
  return pads;
}

/* Visits each byte of each memory; returns false if one cannot be mapped. */
template <typename Visitor>
bool
visit_bytes (GstBuffer *buffer, GstMapFlags flags, Visitor visit)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map = {}; /* GStreamer (1.22) reads an uninitialised member if GL cannot map a pixel buffer */
    if (!gst_memory_map (memory, &map, flags))
      return false;
    for (gsize k = 0; k < map.size; k++)
      visit (map.data[k]);
    gst_memory_unmap (memory, &map);
  }
  return true;
}

}  // namespace

FaultPlay::FaultPlay (const std::string &line, bool pool_, FrameMemory *memory_) : pool (pool_), memory (memory_)
{
  GError *error = nullptr;
  element = line.find (" ! ") == std::string::npos || line.starts_with ("clchain")
                ? gst_parse_launch_full (line.c_str (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error)
                : gst_parse_bin_from_description (line.c_str (), TRUE, &error);
  test_check (element && !error, "cannot make \"%s\": %s", line.c_str (), error ? error->message : "");
  pipeline = gst_pipeline_new (nullptr);
  gst_bin_add (GST_BIN (pipeline), element);
  bus = gst_element_get_bus (pipeline);
  g_object_set (pipeline, "auto-flush-bus", FALSE, nullptr);
  for (const auto &[sink, requested] : sink_pads (element)) {
    inputs.push_back ({new_pad (GST_PAD_SRC), sink, requested});
    /* only accepts seeks; the following flush performs them */
    gst_pad_set_event_function (inputs.back ().pad, [] (GstPad *, GstObject *, GstEvent *event) -> gboolean {
      gst_event_unref (event);
      return TRUE;
    });
    test_check (gst_pad_link (inputs.back ().pad, sink) == GST_PAD_LINK_OK, "%s cannot be linked", line.c_str ());
  }
  out = new_pad (GST_PAD_SINK);
  gst_pad_set_chain_function (out, take_frame);
  gst_pad_set_event_function (out, take_event);
  gst_pad_set_element_private (out, this);
  const Own src = gst_element_get_static_pad (element, "src");
  test_check (gst_pad_link (src, out) == GST_PAD_LINK_OK, "%s cannot be linked", line.c_str ());
}

FaultPlay::~FaultPlay ()
{
  for (Input &each : inputs) {
    if (each.requested)
      gst_element_release_request_pad (element, each.sink);
    gst_object_unref (each.sink);
    gst_object_unref (each.pad);
  }
  gst_object_unref (out);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

/* Reads the frame, like a sink that fails if it cannot. */
GstFlowReturn
FaultPlay::take_frame (GstPad *pad, GstObject *, GstBuffer *buffer)
{
  auto *self = static_cast<FaultPlay *> (gst_pad_get_element_private (pad));
  const std::shared_ptr<void> own = self->own_work ();
  guint64 sum = 14695981039346656037u;
  const bool readable = visit_bytes (buffer, GST_MAP_READ, [&sum] (guint8 byte) { sum = (sum ^ byte) * 1099511628211u; });
  gst_buffer_unref (buffer);
  const std::lock_guard lock (self->mutex);
  if (readable)
    self->outcome.checksums.push_back (sum);
  else
    self->outcome.unreadable++;
  self->changed.notify_all ();
  return readable ? GST_FLOW_OK : GST_FLOW_ERROR;
}

gboolean
FaultPlay::take_event (GstPad *pad, GstObject *, GstEvent *event)
{
  auto *self = static_cast<FaultPlay *> (gst_pad_get_element_private (pad));
  const std::lock_guard lock (self->mutex);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    self->outcome.ended = true;
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    self->outcome.ended = false;
  self->changed.notify_all ();
  gst_event_unref (event);
  return TRUE;
}

void
FaultPlay::push_event (const std::function<GstEvent *()> &make)
{
  for (Input &each : inputs)
    gst_pad_push_event (each.pad, make ());
}

/* Renews the pool, like a source that uses downstream's proposal. */
void
FaultPlay::renew_pool (Input &input)
{
  if (input.pool)
    gst_buffer_pool_set_active (input.pool, FALSE);
  gst_clear_object (&input.pool);
  if (!pool)
    return;
  const Own query = gst_query_new_allocation (caps, TRUE);
  if (gst_pad_peer_query (input.pad, query) && gst_query_get_n_allocation_pools (query) > 0) {
    guint size = 0;
    gst_query_parse_nth_allocation_pool (query, 0, &input.pool, &size, nullptr, nullptr);
    GstStructure *config = gst_buffer_pool_get_config (input.pool);
    gst_buffer_pool_config_set_params (config, caps, size, 3, 0);
    if (!gst_buffer_pool_set_config (input.pool, config) || !gst_buffer_pool_set_active (input.pool, TRUE))
      broken = true;
  }
}

void
FaultPlay::set_caps ()
{
  gst_clear_caps (&caps);
  const char *const plain = all_caps[n_caps++ % G_N_ELEMENTS (all_caps)];
  caps = gst_caps_from_string (memory ? memory->caps_of (plain).c_str () : plain);
  push_event ([this] { return gst_event_new_caps (caps); });
  for (Input &each : inputs)
    renew_pool (each);
}

GstBuffer *
FaultPlay::new_frame (Input &input)
{
  if (memory)
    return memory->new_frame (caps);
  GstBuffer *buffer = nullptr;
  if (input.pool)
    return gst_buffer_pool_acquire_buffer (input.pool, &buffer, nullptr) == GST_FLOW_OK ? buffer : nullptr;
  return gst_buffer_new_allocate (nullptr, info_of (caps).size, nullptr);
}

GstBuffer *
FaultPlay::next_frame (Input &input)
{
  const std::shared_ptr<void> own = own_work ();
  GstBuffer *buffer = new_frame (input);
  gsize i = 0;
  const auto fill = [&] (guint8 &byte) {
    byte = guint8 (i * 7 + i / 32 + n_frames * 13 + gsize (&input - inputs.data ()) * 31);
    i++;
  };
  if (buffer && !visit_bytes (buffer, GST_MAP_WRITE, fill))
    gst_clear_buffer (&buffer);
  if (!buffer)
    return nullptr;
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (position, GST_SECOND, 30);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return buffer;
}

void
FaultPlay::push_frame ()
{
  for (Input &each : inputs) {
    GstBuffer *buffer = next_frame (each);
    if (!buffer || gst_pad_push (each.pad, buffer) != GST_FLOW_OK)
      broken = true;
  }
  n_frames++;
  position++;
}

/* Changes a property that all filters have, or one that all elements have. */
void
FaultPlay::change_property ()
{
  const bool mixes = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "mix");
  if (mixes)
    g_object_set (element, "mix", ++n_changes % 2 ? 0.5 : 1.0, nullptr);
}

void
FaultPlay::start ()
{
  outcome = {};
  broken = false;
  n_caps = n_frames = position = 0;
  if (memory)
    memory->lend_to (pipeline);
  outcome.started = gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  gst_pad_set_active (out, TRUE);
  for (Input &each : inputs)
    gst_pad_set_active (each.pad, TRUE);
}

void
FaultPlay::run (const Steps &steps)
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  guint32 number = gst_util_seqnum_next ();
  const auto numbered = [&] (GstEvent *event) {
    gst_event_set_seqnum (event, number);
    return event;
  };
  const auto new_segment = [&] { return numbered (gst_event_new_segment (&segment)); };
  /* Flushes all inputs with one sequence number: GstAggregator treats different numbers as flushes of single inputs, and
   * continues its output, for which frames from the beginning are too late. */
  const auto flush = [&] (guint32 of) {
    number = of;
    push_event ([&] { return numbered (gst_event_new_flush_start ()); });
    push_event ([&] { return numbered (gst_event_new_flush_stop (TRUE)); });
    push_event (new_segment);
    position = 0;
  };
  push_event ([] { return gst_event_new_stream_start ("faults"); });
  set_caps ();
  push_event (new_segment);
  for (const char step : steps) {
    if (broken)
      break;
    if (step == 'x' || step == 's' || step == 'p')
      wait_for_frames ();
    if (step == 'f')
      push_frame ();
    else if (step == 'p')
      change_property ();
    else if (step == 'c')
      set_caps ();
    else if (step == 'x')
      flush (gst_util_seqnum_next ());
    else if (step == 's') {
      GstEvent *seek =
          gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
      const guint32 its_number = gst_event_get_seqnum (seek);
      gst_pad_push_event (out, seek);
      flush (its_number);
    }
  }
}

bool
FaultPlay::has_error ()
{
  GstMessage *error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (error)
    gst_bus_post (bus, error);
  return error;
}

/* Waits until a result has come, an error was posted, or five seconds have passed. */
void
FaultPlay::wait_until (const std::function<bool ()> &is_over)
{
  for (int i = 0; i < 10000 && !has_error (); i++) {
    std::unique_lock lock (mutex);
    if (is_over () || changed.wait_for (lock, std::chrono::microseconds (500), is_over))
      return;
  }
}

/* Waits, because a flush discards the pending work of the element's thread, and a property would change it. */
void
FaultPlay::wait_for_frames ()
{
  if (inputs.size () > 1)
    wait_until ([this] { return outcome.checksums.size () + outcome.unreadable >= n_frames; });
}

void
FaultPlay::feed (const Steps &steps)
{
  run (steps);
  push_event (gst_event_new_eos);
  const std::lock_guard lock (mutex);
  is_fed = true;
  changed.notify_all ();
}

/* After an error an element may block its sources until the application stops the pipeline, as GstAggregator does when an input
 * is flushed. */
void
FaultPlay::wait_for_source ()
{
  constexpr auto patience = std::chrono::milliseconds (200);
  const auto is_over = [this] { return is_fed; };
  for (;;) {
    const bool had_error = has_error ();
    std::unique_lock lock (mutex);
    if (changed.wait_for (lock, patience, is_over) || had_error)
      return;
  }
}

void
FaultPlay::stop ()
{
  for (Input &each : inputs) {
    if (each.pool)
      gst_buffer_pool_set_active (each.pool, FALSE);
    gst_clear_object (&each.pool);
    gst_pad_set_active (each.pad, FALSE);
  }
  gst_pad_set_active (out, FALSE);
  gst_clear_caps (&caps);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "mix"))
    g_object_set (element, "mix", 1.0, nullptr);
  n_changes = 0;
}

Outcome
FaultPlay::play (const Steps &steps)
{
  start ();
  std::thread source;
  if (outcome.started) {
    is_fed = false;
    source = std::thread ([&] { feed (steps); });
    wait_for_source ();
    /* elements with a thread end later, or not at all after an error */
    wait_until ([this] { return outcome.ended; });
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (source.joinable ())
    source.join ();
  stop ();
  outcome.flows = !broken;
  outcome.errors = errors_of (bus);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  return outcome;
}

static char running[300];

HangWatch::HangWatch (const std::string &name, unsigned seconds)
{
  g_strlcpy (running, name.c_str (), sizeof running);
  signal (SIGALRM, [] (int) {
    (void) !write (2, "hangs: ", 7);
    (void) !write (2, running, strlen (running));
    (void) !write (2, "\n", 1);
    _exit (1);
  });
  alarm (seconds);
}

HangWatch::~HangWatch ()
{
  alarm (0);
}

}  // namespace test
