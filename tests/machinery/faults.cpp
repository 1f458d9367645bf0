/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices that fail while a stream runs, with a layer between the elements and the driver (tests/machinery/census): the errors, and that
 * everything works again afterwards. */
#include <atomic>

#include "../../common/core/context.hpp"
#include "../elements/pipeline.hpp"
#include "census/census.hpp"
#include "fault_plan.hpp"

namespace test::faults_suite {

static Tests tests ("faults", Needs::Device);

constexpr char caps[] = "video/x-raw,format=GRAY8,width=33,height=17,framerate=30/1";
constexpr int n_frames = 6;

/* The next kernel fails when it runs, and so do the commands after it in its queue. */
static void
fail_kernels (bool fails)
{
  plan_faults ({.n = fails ? 1u : 0, .how = faults::How::event, .code = -5, .function = "clEnqueueNDRangeKernel"});
}

static std::string
source (int frames)
{
  return "videotestsrc num-buffers=" + std::to_string (frames) + " ! " + caps + " ! ";
}

/* Calls a function when frame number n reaches a pad. */
struct Trap {
  int n;
  void (*spring) ();
  std::atomic<int> seen = 0;

  void set (GstElement *element, const char *pad_name)
  {
    const Own pad = gst_element_get_static_pad (element, pad_name);
    const auto count = [] (GstPad *, GstPadProbeInfo *, gpointer data) {
      auto *trap = static_cast<Trap *> (data);
      if (trap->seen++ == trap->n)
        trap->spring ();
      return GST_PAD_PROBE_OK;
    };
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, this, nullptr);
  }
};

/* Kernels of the last frames fail when only the end of the stream is waited for. */
TEST (last_frames, 2)
{
  static const struct {
    std::string line;
    const char *pad;
  } tries[] = {{source (n_frames) + "clthreshold name=f ! fakesink", "sink"},
      {source (n_frames) + "f. " + source (n_frames) + "clblend name=f ! fakesink", "sink_1"}};
  Trap trap{n_frames - 2, [] { fail_kernels (true); }};
  Pipeline pipeline (tries[__i__].line);
  trap.set (pipeline.element ("f"), tries[__i__].pad);
  const std::vector<Report> errors = pipeline.play_to_error ("f");
  fail_kernels (false);
  expect_one_error (errors, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, {"CL_EXEC_STATUS_ERROR"});
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
}

/* The same at the end of a stream with other caps. */
TEST (last_frames_of_caps)
{
  Link link ("clthreshold", caps, "video/x-raw");
  gst_buffer_unref (link.filter (filled (36 * 17)));
  fail_kernels (true);
  gst_buffer_unref (link.filter (filled (36 * 17)));
  fail_kernels (false);
  gst_harness_set_src_caps_str (link.harness (), "video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1");
  link.push (filled (16 * 16));
  expect_one_error (link.errors (), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, {"CL_EXEC_STATUS_ERROR"});
}

/* A query that fails leaves its command running, so the command's memory stays. */
TEST (failed_query)
{
  const gst::cl::ContextRef owner = gst::cl::create_context ("");
  gst::cl::Context &context = gst::cl::Context::of (owner.get ());
  ::cl::UserEvent running (context.handle);
  std::atomic<bool> released = false;
  plan_faults ({.n = 1, .how = faults::How::once, .code = -5, .function = "clGetEventInfo"});
  context.reaper.leave (running, [&] { released = true; });
  while (fault_account ().broken.empty ())
    g_usleep (500);
  g_usleep (10000);
  ck_assert (!released);
  running.setStatus (CL_COMPLETE);
  context.reaper.wait_for (context.reaper.left ());
  ck_assert (released);
  plan_faults ({});
}

/* The context is lost, and bins keep distributing it, by themselves or because the application does. */
TEST (lost_device, 2)
{
  Trap trap{2, layer_function<decltype (cl_census_lose_context)> ("cl_census_lose_context")};
  Pipeline pipeline (source (n_frames) + "clthreshold name=f ! clthreshold ! fakesink");
  trap.set (pipeline.element ("f"), "sink");
  fail_unless (!pipeline.play_to_error ("f").empty ());
  const Own stale = gst_element_get_context (pipeline.top (), "gst.cl.context");
  fail_unless (stale != nullptr);
  for (const GstState state : {GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL}) {
    pipeline.must_reach (state);
    pipeline.errors ();
    if (__i__ == 1)
      gst_element_set_context (pipeline.top (), stale);
    pipeline.play_to_end ();
  }
}

}  // namespace test::faults_suite
