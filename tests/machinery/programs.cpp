/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the programs that a filter needs for all its formats, because each makes users, and tests, wait. Nothing is compiled:
 * a layer replaces the kernels (tests/machinery/census). */
#include "../elements/layer.hpp"
#include "../elements/link.hpp"
#include "census/census.hpp"
#include "element_lines.hpp"
#include "filter-facts.hpp"
#include "scalars.hpp"

#include "core/context.hpp"

#include <algorithm>
#include <set>

namespace test::programs_suite {

static Tests tests ("programs", Needs::Device);

static GstElement *
start (const std::string &launch, GstClContext *context)
{
  GstElement *pipeline = parsed (launch, context);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, nullptr, nullptr, 60 * GST_SECOND);
  return pipeline;
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Takes the pipeline. */
static void
play_to_end (GstElement *pipeline, const std::string &launch)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  const Own bus = gst_element_get_bus (pipeline);
  const auto awaited = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  const Own message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, awaited);
  test_check (message && GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_EOS, "%s did not play: %" GST_PTR_FORMAT,
      launch.c_str (), message.get ());
  stop (pipeline);
}

static void
play (const std::string &launch, GstClContext *context)
{
  play_to_end (parsed (launch, context), launch);
}

/* It has no programs yet. */
static gst::cl::ContextRef
new_context ()
{
  const gst::cl::Device device = gst::cl::choose_device ("");
  return gst::cl::wrap_context (device, cl::Context (device.handle), nullptr);
}

/* A user's text, which is not stored on disk. */
static gst::cl::ProgramSpec
text_number (size_t n)
{
  return {.sources = {}, .options = "-DN=" + std::to_string (n), .text = "kernel void k () {}", .name = "k"};
}

/* References to all programs of the process. */
static long
count_programs ()
{
  census::Live live;
  layer_function<decltype (cl_census_live)> ("cl_census_live") (&live);
  return live.programs;
}

/* A context lives as long as its application, which may use new programs for ever. Programs that elements hold are kept, and
 * the most recent ones; others are dropped, and built again on request. This is the first test of its process, because contexts
 * of earlier ones would take their programs along. */
TEST (idle_programs_go)
{
  constexpr size_t most = gst::cl::ProgramCache::most_idle, n = most + 8;
  const gst::cl::ContextRef context = new_context ();
  gst::cl::ProgramCache &programs = gst::cl::Context::of (context.get ()).programs;
  skip_kernels (true);
  gst::cl::BuildCounts counts;
  const long before = count_programs ();
  const gst::cl::ProgramRef held = programs.get (text_number (0), counts);
  for (size_t i = 1; i < n; i++)
    programs.get (text_number (i), counts);
  const long alive = count_programs () - before;
  /* the last one came when the limit was reached */
  test_check (alive == long (most) + 2, "%ld programs are alive after %zu", alive, n);
  fail_unless_equals_int (int (counts.builds), int (n));
  for (size_t i = n - most; i < n; i++)
    programs.get (text_number (i), counts);
  fail_unless (programs.get (text_number (0), counts) == held);
  fail_unless_equals_int (int (counts.builds), int (n));
  programs.get (text_number (1), counts);
  fail_unless_equals_int (int (counts.builds), int (n + 1));
  skip_kernels (false);
}

/* A quick run counts one in twelve. */
TEST (programs, lines ().size ())
{
  const Line line = lines ()[__i__];
  if (__i__ % 12 && !takes_all ())
    return;
  std::vector<std::string> formats;
  const std::vector<std::string> pads = sink_pads (line.element, formats);
  /* budgets are for the formats of GStreamer 1.22 */
  std::erase_if (formats,
      [] (const std::string &each) { return gst_video_format_from_string (each.c_str ()) > GST_VIDEO_FORMAT_NV12_10BE_8L128; });
  const gst::cl::ContextRef context = new_context ();
  skip_kernels (true);
  for (const std::string &format : formats)
    play (fed (line, pads, format, 2), context.get ());
  skip_kernels (false);
  gst::cl::ProgramCache &programs = gst::cl::Context::of (context.get ()).programs;
  programs.finish ();
  const guint64 n = programs.tally ().all ();
  g_print ("%s: %" G_GUINT64_FORMAT " programs, %zu formats\n", line.launch.c_str (), n, formats.size ());
  test_check (n > 0, "%s plays without a program", line.launch.c_str ());
  test_check (n <= line.budget, "%s needs %" G_GUINT64_FORMAT " programs for %zu formats; its budget is %" G_GUINT64_FORMAT,
      line.launch.c_str (), n, formats.size (), line.budget);
}

/* A property after another goes to the end of its range and back, before a frame each. */
struct Changes {
  GstElement *element;
  std::vector<GParamSpec *> specs = {};
  size_t made = 0;

  static GstPadProbeReturn make_next (GstPad *, GstPadProbeInfo *, gpointer self)
  {
    auto &changes = *static_cast<Changes *> (self);
    if (changes.made == 2 * changes.specs.size ())
      return GST_PAD_PROBE_REMOVE;
    GParamSpec *spec = changes.specs[changes.made / 2];
    GValue last = last_value (spec);
    g_object_set_property (
        G_OBJECT (changes.element), spec->name, changes.made++ % 2 ? g_param_spec_get_default_value (spec) : &last);
    return GST_PAD_PROBE_OK;
  }
};

/* Every number, boolean and enum of every element can change while it plays. A quick run takes a third. */
TEST (live_changes, lines ().size (), 3)
{
  const Line line = lines ()[__i__];
  std::vector<std::string> formats;
  const std::vector<std::string> pads = sink_pads (line.element, formats);
  const gst::cl::ContextRef context = gst::cl::create_context ("");
  skip_kernels (true);
  GstElement *pipeline = parsed (fed (line, pads, "I420", 100), context.get ());
  const Own filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  Changes changes{filter};
  each_property (filter, [&] (GParamSpec *spec) {
    if (spec->flags & G_PARAM_WRITABLE && is_scalar (spec))
      changes.specs.push_back (spec);
  });
  const Own pad = gst_element_get_static_pad (filter, pads[0].c_str ());
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, Changes::make_next, &changes, nullptr);
  play_to_end (pipeline, line.launch);
  test_check (changes.made == 2 * changes.specs.size (), "%s: %zu changes for %zu properties", line.launch.c_str (),
      changes.made, changes.specs.size ());
  skip_kernels (false);
}

/* OpenCL calls of this name since the last call. */
static size_t
count_calls (const char *name)
{
  census::Calls calls;
  layer_function<decltype (cl_census_take)> ("cl_census_take") (&calls);
  return size_t (std::ranges::count (calls.created, name));
}

/* A live source starts after the programs are built and have run, if its format can be told. A pipeline that prerolls does not run
 * them twice. */
static void
expect_built_before_playing (const std::string &filters)
{
  const std::string launch = "videotestsrc name=source is-live=true num-buffers=4 ! " + filters;
  const gst::cl::ContextRef context = new_context ();
  gst::cl::ProgramCache &programs = gst::cl::Context::of (context.get ()).programs;
  skip_kernels (true);
  count_calls ("");
  GstElement *pipeline = parsed (launch, context.get ());
  {
    const Own source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
    const Own pad = gst_element_get_static_pad (source, "src");
    const gulong block = gst_pad_add_probe (
        pad, GstPadProbeType (GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER), nullptr, nullptr, nullptr);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    const guint64 n = programs.tally ().all ();
    const size_t ran = count_calls ("clCreateKernel");
    gst_pad_remove_probe (pad, block);
    play_to_end (pipeline, launch);
    test_check (n > 0 && n == programs.tally ().all (), "only %" G_GUINT64_FORMAT, n);
    test_check (ran >= n, "%zu kernels of %" G_GUINT64_FORMAT " programs ran", ran, n);
  }
  const size_t usual = count_calls ("clCreateKernel");
  play ("videotestsrc num-buffers=4 ! " + filters, context.get ());
  fail_unless_equals_int (int (count_calls ("clCreateKernel")), int (usual));
  skip_kernels (false);
}

TEST (built_before_playing)
{
  expect_built_before_playing (
      "video/x-raw,format=NV12,colorimetry=bt709,framerate=30/1"
      " ! clmedian ! videoconvert ! cltemporal ! clflip video-direction=90r ! clchain filters=\"clerode ! clsobel\" ! clconvert"
      " ! video/x-raw,format=RGBA ! clframerate ! video/x-raw,framerate=60/1 ! fakesink");
  expect_built_before_playing ("video/x-raw,format=NV12,width=320,height=240,framerate=30/1"
                               " ! cldeinterlace mode=always method=motion ! fakesink");
}

/* Regions and masks come with later frames. */
TEST (built_for_regions_to_come, 2)
{
  const gst::cl::ContextRef context = new_context ();
  skip_kernels (true);
  GstElement *pipeline = parsed (std::string ("videotestsrc is-live=true ! video/x-raw,format=GRAY8 ! clthreshold name=tested ")
                                     + (__i__ ? "" : "roi-source=meta roi-shape=ellipse") + " ! fakesink",
      context.get ());
  const Own tested = gst_bin_get_by_name (GST_BIN (pipeline), "tested");
  const Own mask = __i__ ? gst_element_request_pad_simple (tested, "mask") : nullptr;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless_equals_int (int (gst::cl::Context::of (context.get ()).programs.tally ().all ()), 2);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  skip_kernels (false);
}

/* Every element must have facts. */
TEST (all_filters)
{
  const std::set<std::string> others{"clchain", "clconvert", "cldownload", "clprogram", "cltonemap", "clupload", "clvideo"};
  for (const std::string &name : element_names ()) {
    const bool known = std::ranges::any_of (filter_facts, [&] (const auto &facts) { return facts.element == name; });
    test_check (known || others.contains (name), "%s is in no filter.json", name.c_str ());
  }
}

/* A state cycle, a second pipeline, or a change and its reverse build nothing, whatever happened in between: the playing stream
 * holds its programs, and there are few others. */
TEST (usual_cycles_keep_programs)
{
  const gst::cl::ContextRef context = new_context ();
  gst::cl::ProgramCache &programs = gst::cl::Context::of (context.get ()).programs;
  skip_kernels (true);
  const std::string line = "videotestsrc num-buffers=2 ! video/x-raw,format=I420 ! clblur ! clsobel ! clmedian radius=";
  for (const char *radius : {"1", "2"})
    play (line + radius + " ! fakesink", context.get ());
  const guint64 n = programs.tally ().all ();
  for (int i = 0; i < 3; i++)
    for (const char *radius : {"1", "2"})
      play (line + radius + " ! fakesink", context.get ());
  fail_unless_equals_int (int (programs.tally ().all ()), int (n));

  GstElement *playing = start (line + "1 ! appsink max-buffers=1", context.get ());
  gst::cl::BuildCounts counts;
  for (size_t i = 0; i < gst::cl::ProgramCache::most_idle + 8; i++)
    programs.get (text_number (i), counts);
  play (line + "1 ! fakesink", context.get ());
  fail_unless_equals_int (int (programs.tally ().all ()), int (n));
  stop (playing);
  skip_kernels (false);
}

/* The layer's compiler has an empty log. */
TEST (silent_compiler)
{
  skip_kernels (true);
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=1 ! clprogram name=filter ! fakesink", nullptr);
  const Own filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  g_object_set (filter, "source", "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (nonsense); }", nullptr);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  const Own bus = gst_element_get_bus (pipeline);
  const Own message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
  test_check (message && GST_MESSAGE_SRC (message) == GST_OBJECT (filter), "no error");
  g_autoptr (GError) error = nullptr;
  gst_message_parse_error (message, &error, nullptr);
  test_check (strstr (error->message, "gives no compiler log"), "%s", error->message);
  stop (pipeline);
  skip_kernels (false);
}

}  // namespace test::programs_suite
