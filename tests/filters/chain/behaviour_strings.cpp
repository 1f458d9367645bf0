/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clchain's property filters: invalid strings, and changes while playing. */
#include <ctime>
#include <gst/video/navigation.h>

#include <atomic>
#include <thread>

#include "../../elements/pipeline.hpp"

namespace test::chain_strings_suite {

static Tests tests ("chain_strings", Needs::Device);

/* at: the position of the wrong word's first character; 0 without a wrong word */
const struct {
  const char *filters, *word;
  int at;
} wrong[] = {{"clnoise ! nonsense", "nonsense", 11}, {"clmedian colour=3", "colour", 10},
    {"clmedian radius=2 ! clmedian radius=blue ! clnoise", "radius=blue", 30}, {"clconvolve matrix=\"1 2; x\"", "x", 1},
    {"clnoise ! identity ! clmedian", "identity", 11}, {"videoconvert", "videoconvert", 1},
    {"clnoise ! video/x-raw,format=RGBA ! clmedian", "video/x-raw", 11},
    {"clnoise !0video/x-raw,format=RGB( clmedian", "0video/x-raw", 10}, {"video/x-raw ! clmedian", "video/x-raw", 1},
    {"clnois ! 0/x", "clnois", 1}, {"a. ! clm. ! clmj", "a.", 1}, {"cl] a.:b. a ", "cl]", 1},
    {"clnoise ! ( clmedian )", "(", 11}, {"", "filters", 0}, {"  ", "filters", 0}, {"clnoise ! clvideo", "clvideo", 11},
    {"clblend", "clblend", 1}, {"clchain filters=clnoise", "clchain", 1}, {"clnoise clmedian", "clmedian", 9},
    {"clnoise !", "!", 9}, {"! !", "!", 1},
    {"clnoise ! clconvolve matrix=\"1\" ! clconvolve matrix=\"1 2; x\"", "clconvolve", 35},
    {"clmedian  name=\"a ! b\" ! ! clnoise", "!", 26}, {"clnoise!nonsense", "nonsense", 9},
    {"c ! clmedian name=a ! clmedian name=a", "c", 1}, {"clmedian name=\"a\" ! clnoise name=a", "name=a", 29},
    {"clmedian radius=2000", "range is 127", 10}, {"clmedian ! clmedian name='a", "name='a", 21},
    {"clmedian radius=", "radius=", 10}, {"clprogram source=x params=y ! clmedian sink::offset=3", "sink::offset=3", 40},
    /* values that only look like caps */
    {"clthreshold name=\"a b\"!0video/BA!clmedian", "0video/BA", 24},
    {"clthreshold name?=\"2 !0video/BA ! clmedian name=\"a", "name?=", 13}};

/* The error names the wrong word; the start fails if no valid value was ever set. */
TEST (refused, std::size (wrong))
{
  const auto &[filters, word, at] = wrong[__i__];
  Pipeline pipeline ("videotestsrc num-buffers=2 ! " + chain_of (filters) + " name=chain ! fakesink");
  ck_assert (!pipeline.reach (GST_STATE_PAUSED));
  const std::vector<Report> errors = pipeline.errors ();
  const std::string place = at ? format ("(character %d)", at) : "write for example";
  expect_one_error (errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"filters", word, place});
  test_check (errors[0].text.find ("()") == std::string::npos, "%s", errors[0].text.c_str ());
  expect_words (errors[0].debug, {format ("filters=\"%s\"", filters)});
  g_object_set (pipeline.element ("chain"), "filters", "clmedian ! clnoise", nullptr);
  pipeline.must_reach (GST_STATE_NULL);
  pipeline.play_to_end ();
  g_object_set (pipeline.element ("chain"), "filters", filters, nullptr);
  ck_assert_int_eq (count_warnings (pipeline.bus ()), 1);
  ck_assert_str_eq (text_property (pipeline.element ("chain"), "filters").c_str (), "clmedian ! clnoise");
}

/* Quotes, blanks and backslashes of a value, and a child's property before the property that makes the child. */
TEST (values)
{
  static const char source[] = "kernel void k (PIXEL_ARGS, float gain) { PIXEL_BEGIN OUT_PIXEL (gain); }";
  const std::string filters = "\tclmedian\nname = \"a \\\" ! b\"!clnoise name=c\\ d ! clmedian name='e \\'f' radius=3 !"
                              "clprogram params::gain=0.5 source=\""
                              + std::string (source) + "\" ";
  Pipeline pipeline ("videotestsrc ! " + chain_of (filters) + " name=chain ! fakesink");
  GstChildProxy *chain = GST_CHILD_PROXY (pipeline.element ("chain"));
  ck_assert_uint_eq (gst_child_proxy_get_children_count (chain), 4);
  static const char *const names[] = {"a \" ! b", "c d", "e 'f"};
  for (guint i = 0; i < std::size (names); i++) {
    const Own child = gst_child_proxy_get_child_by_index (chain, i);
    ck_assert_str_eq (GST_OBJECT_NAME (child.get ()), names[i]);
  }
  gint radius = 0;
  g_autofree gchar *text = nullptr;
  gdouble gain = 0;
  gst_child_proxy_get (chain, "filter2::radius", &radius, "filter3::source", &text, "filter3::params::gain", &gain, nullptr);
  ck_assert_int_eq (radius, 3);
  ck_assert_str_eq (text, source);
  ck_assert (gain == 0.5);
}

TEST (unset)
{
  Pipeline pipeline ("videotestsrc num-buffers=2 ! clchain ! fakesink");
  ck_assert (!pipeline.reach (GST_STATE_PAUSED));
  expect_one_error (pipeline.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"filters", "not set"});
}

/* Keys arrive while another thread sets other filters: each event goes to the current filters. */
TEST (keys_during_changes)
{
  Link chain (chain_of ("clmedian"), "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
  std::atomic<bool> done = false;
  std::thread window ([&] {
    while (!done)
      gst_harness_push_upstream_event (
          chain.harness (), gst_navigation_event_new_key_press ("Up", GST_NAVIGATION_MODIFIER_NONE));
  });
  for (int i = 0; i < 400; i++)
    g_object_set (
        chain.element ("clchain"), "filters", i % 2 ? "clmedian" : "clthreshold navigation=true ! clerode ! clmedian", nullptr);
  done = true;
  window.join ();
  ck_assert_uint_eq (gst_child_proxy_get_children_count (GST_CHILD_PROXY (chain.element ("clchain"))), 1);
}

/* Filters that leave stay stopped, though another thread sets the chain's state and has them on its list. */
TEST (state_during_changes)
{
  Link link (chain_of ("clmedian"), "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
  GstElement *chain = link.element ("clchain");
  for (int i = 0; i < 40; i++) {
    const Own old = GST_ELEMENT (gst_object_ref (GST_BIN_CHILDREN (chain)->data));
    GST_STATE_LOCK (old.get ()); /* both threads wait for it */
    std::thread application ([&] { gst_element_set_state (chain, GST_STATE_PLAYING); });
    g_usleep (3000);
    g_object_set (chain, "filters", i % 2 ? "clmedian" : "clflip", nullptr);
    std::thread stream ([&] { gst_buffer_unref (link.filter (filled (64 * 48))); });
    g_usleep (3000);
    GST_STATE_UNLOCK (old.get ()); /* the application, which waits for longer, would always be first */
    GST_STATE_LOCK (old.get ());
    g_usleep (1000);
    GST_STATE_UNLOCK (old.get ());
    application.join ();
    stream.join ();
    ck_assert (GST_BIN_CHILDREN (chain)->data != old.get ());
    test_check (GST_STATE (old.get ()) == GST_STATE_NULL, "change %d leaves a filter in %s", i,
        gst_element_state_get_name (GST_STATE (old.get ())));
  }
}

/* A stop while new filters negotiate is no error. */
TEST (stop_during_changes)
{
  struct Stop {
    GstElement *chain;
    std::thread application;
  } stop{};
  Link link (chain_of ("clmedian"), "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
  stop.chain = link.element ("clchain");
  gst_buffer_unref (link.filter (filled (64 * 48)));
  g_object_set (stop.chain, "filters", "clflip", nullptr);
  constexpr auto begin = [] (GstPad *, GstPadProbeInfo *, gpointer data) {
    auto &[chain, application] = *static_cast<Stop *> (data);
    if (!application.joinable ()) {
      application = std::thread ([of = chain] { gst_element_set_state (of, GST_STATE_READY); });
      g_usleep (100000);
    }
    return GST_PAD_PROBE_OK;
  };
  const Own pad = gst_element_get_static_pad (stop.chain, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, begin, &stop, nullptr);
  const GstFlowReturn flow = link.push (filled (64 * 48));
  ck_assert (stop.application.joinable ());
  stop.application.join ();
  ck_assert_str_eq (gst_flow_get_name (flow), "ok");
  ck_assert (link.errors ().empty ());
}

/* The time grows linearly with the number of filters; linked filters would each query all others for caps. */
TEST (many)
{
  constexpr int n = 2000;
  std::string filters = "clthreshold";
  for (int i = 1; i < n; i++)
    filters += " ! clthreshold";
  const std::clock_t begin = std::clock ();
  Pipeline pipeline ("videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8,width=16,height=16 ! " + chain_of (filters.c_str ())
                     + " name=chain ! fakesink");
  pipeline.play_to_end ();
  const double seconds = double (std::clock () - begin) / CLOCKS_PER_SEC;
  ck_assert_uint_eq (gst_child_proxy_get_children_count (GST_CHILD_PROXY (pipeline.element ("chain"))), n);
  test_check (seconds < 15, "%d filters take %.1f s of the processor", n, seconds);
}

}  // namespace test::chain_strings_suite
