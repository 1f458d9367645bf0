/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of an application from other threads while frames stream: for ThreadSanitizer, and against deadlocks. */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gst/cl/cl.h>
#include <gst/video/navigation.h>

#include "../elements/pipeline.hpp"

namespace test::threads_suite {

static Tests tests ("threads", Needs::Device);

constexpr char source[] = "videotestsrc ! video/x-raw,format=GRAY8,width=64,height=48,framerate=1000/1 ! ";

/* How often each thread repeats its calls. */
static int
rounds ()
{
  return takes_all () ? 400 : 60;
}

static void
stop_clean (Pipeline &pipeline)
{
  const std::vector<Report> errors = errors_of (pipeline.bus ());
  test_check (errors.empty (), "%zu errors, the first is %s", errors.size (), errors.empty () ? "" : errors[0].all ().c_str ());
  pipeline.must_reach (GST_STATE_NULL);
}

static void
send_pointer (GstElement *pipeline, int i)
{
  const Own sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstStructure *move = gst_structure_new ("application/x-gst-navigation", "event", G_TYPE_STRING, "mouse-move", "pointer_x",
      G_TYPE_DOUBLE, double (i % 64), "pointer_y", G_TYPE_DOUBLE, double (i % 48), nullptr);
  const Own pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_push_event (pad, gst_event_new_navigation (move));
}

/* A pointer event passes through filters that are being replaced. */
TEST (navigation_against_filters)
{
  Pipeline pipeline (std::string (source) + "clchain name=chain filters=clthreshold ! fakesink name=sink sync=false");
  GstElement *chain = pipeline.element ("chain");
  pipeline.must_reach (GST_STATE_PLAYING);
  std::thread pointer ([&] {
    for (int i = 0; i < 10 * rounds (); i++)
      send_pointer (pipeline.top (), i);
  });
  std::thread reader ([&] {
    for (int i = 0; i < rounds (); i++) {
      text_property (chain, "filters");
      if (const Own child = gst_child_proxy_get_child_by_index (GST_CHILD_PROXY (chain), 0))
        g_object_set (child, "mix", i % 2 ? 0.5 : 1.0, nullptr);
    }
  });
  for (int i = 0; i < rounds (); i++)
    g_object_set (chain, "filters", i % 2 ? "clthreshold" : "clthreshold threshold=0.2 ! clthreshold", nullptr);
  pointer.join ();
  reader.join ();
  stop_clean (pipeline);
}

/* Properties are set, and statistics and caps queried, while every frame reads them. */
TEST (properties_against_streaming)
{
  Pipeline pipeline (std::string (source) + "clthreshold name=f ! clmedian radius=1 name=g ! fakesink name=sink sync=false");
  pipeline.must_reach (GST_STATE_PLAYING);
  std::vector<std::thread> threads;
  for (const char *name : {"f", "g"})
    threads.emplace_back ([element = pipeline.element (name)] {
      for (int i = 0; i < 4 * rounds (); i++) {
        g_object_set (
            element, "mix", (i % 5) / 4.0, "roi-x", i % 7, "roi-width", i % 3 * 16, "roi-height", i % 3 * 16, nullptr);
        text_property (element, "device");
      }
    });
  for (const char *name : {"f", "g"})
    threads.emplace_back ([element = pipeline.element (name)] {
      for (int i = 0; i < 4 * rounds (); i++) {
        const Own stats = stats_of (element);
        const Own pad = gst_element_get_static_pad (element, "src");
        gst_caps_unref (gst_pad_query_caps (pad, nullptr));
      }
    });
  for (std::thread &thread : threads)
    thread.join ();
  stop_clean (pipeline);
}

/* clflip's caps depend on properties, which change while a source asks for caps. */
TEST (crop_against_queries)
{
  const Own flip = GST_ELEMENT (gst_object_ref_sink (gst_element_factory_make ("clflip", nullptr)));
  std::jthread setter ([&] (const std::stop_token &stop) {
    for (int i = 0; !stop.stop_requested (); i++)
      g_object_set (flip, "top", i % 2, nullptr);
  });
  const Own pad = gst_element_get_static_pad (flip, "sink");
  const Own filter = gst_caps_from_string ("video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
  for (int i = 0; i < 10 * rounds (); i++) {
    const Own caps = gst_pad_query_caps (pad, filter);
    test_check (!gst_caps_is_empty (caps), "query %d gives no caps", i);
  }
}

static GstPad *
make_source (GstPad *sink)
{
  auto *pad = GST_PAD (gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC)));
  gst_pad_set_active (pad, TRUE);
  fail_unless (gst_pad_link (pad, sink) == GST_PAD_LINK_OK);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("threads"));
  const Own caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  return pad;
}

/* One input waits for the other, which never sends; releasing its pad frees the thread. */
TEST (pads_released_while_waiting, 2)
{
  const char *const name = __i__ ? "clblend" : "clcompositor";
  Pipeline pipeline (std::string (name) + " name=mixer ! fakesink name=sink sync=false async=false");
  GstElement *mixer = pipeline.element ("mixer");
  fail_unless (gst_element_set_state (pipeline.top (), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  const Own silent = gst_element_request_pad_simple (mixer, "sink_%u"), silent_source = make_source (silent);
  for (int i = 0; i < rounds () / 4; i++) {
    const Own sink = gst_element_request_pad_simple (mixer, "sink_%u"), pad = make_source (sink);
    std::atomic<bool> is_back = false;
    std::thread thread ([&] {
      for (int n = 0; n < 10; n++) {
        GstBuffer *buffer = filled (64 * 48);
        timed (buffer, gst_util_uint64_scale (guint64 (n), GST_SECOND, 30), GST_SECOND / 30);
        if (gst_pad_push (pad, buffer) != GST_FLOW_OK)
          break;
      }
      is_back = true;
    });
    g_usleep (gulong (i % 4) * 500);
    gst_element_release_request_pad (mixer, sink);
    for (int waited = 0; !is_back && waited < 20000; waited++)
      g_usleep (1000);
    test_check (is_back, "%s: the thread of a released pad still waits", name);
    thread.join ();
  }
  gst_element_release_request_pad (mixer, silent);
  stop_clean (pipeline);
}

/* Answers need-context messages only when both pipelines have posted one, like an application that makes its context in another
 * thread. A lock held during the message would block the other pipeline. */
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  bool missed = false;
};

static GstBusSyncReply
answer_late (GstBus *, GstMessage *message, gpointer data)
{
  const gchar *type = nullptr;
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_NEED_CONTEXT || !gst_message_parse_context_type (message, &type)
      || !g_str_equal (type, GST_CL_CONTEXT_TYPE))
    return GST_BUS_PASS;
  auto &meeting = *static_cast<Meeting *> (data);
  std::unique_lock lock (meeting.mutex);
  meeting.arrived++;
  meeting.changed.notify_all ();
  if (!meeting.changed.wait_for (lock, std::chrono::seconds (20), [&] { return meeting.arrived >= 2; }))
    meeting.missed = true;
  return GST_BUS_PASS;
}

TEST (contexts_answered_late)
{
  for (int i = 0; i < rounds () / 20; i++) {
    Meeting meeting;
    const std::string line = std::string (source) + "clthreshold ! clthreshold ! fakesink name=sink sync=false num-buffers=5";
    Pipeline first (line), second (line);
    std::vector<std::thread> threads;
    for (Pipeline *pipeline : {&first, &second}) {
      gst_bus_set_sync_handler (pipeline->bus (), answer_late, &meeting, nullptr);
      threads.emplace_back ([pipeline] { gst_element_set_state (pipeline->top (), GST_STATE_PLAYING); });
    }
    for (std::thread &thread : threads)
      thread.join ();
    for (Pipeline *pipeline : {&first, &second})
      pipeline->must_reach (GST_STATE_PLAYING);
    test_check (!meeting.missed, "%d of 2 pipelines asked for a context while both waited", meeting.arrived);
    for (Pipeline *pipeline : {&first, &second}) {
      gst_bus_set_sync_handler (pipeline->bus (), nullptr, nullptr, nullptr);
      stop_clean (*pipeline);
    }
  }
}

}  // namespace test::threads_suite
