/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A short run for a memory checker: starts, frames of several layouts, property changes, errors, stops. Without forks
 * (CK_FORK=no), so that one process covers all. */
#include <span>

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

using namespace test;

static Tests tests (600);

static const char caps[] = "video/x-raw,format=I420,width=33,height=17,framerate=30/1";

static void
filter_some (Link &link)
{
  Random random (1);
  for (const Storage storage : {Storage::Tight, Storage::Odd, Storage::Separate}) {
    const ref::Picture in = make_picture (GST_VIDEO_FORMAT_I420, 33, 17, Content::Noise, random);
    gst_buffer_unref (link.filter (to_buffer (in, storage, caps)));
  }
}

/* A driver's compiler is slow under a checker: the last two lines are for GST_CL_TEST_FULL. */
TEST (frames)
{
  static const char *lines[] = {
      "clconvolve matrix=\"1 2 1;2 4 2;1 2 1\"", "clupload ! clmedian ! cldownload", "clmedian", "clbilateral radius=1"};
  const char *full = g_getenv ("GST_CL_TEST_FULL");
  for (const char *line : std::span (lines).first (full && *full ? 4 : 2)) {
    Link link (line, caps);
    filter_some (link);
    for (const char *name : {"clconvolve", "clmedian", "clbilateral"})
      if (GstElement *element = gst_harness_find_element (link.harness (), name)) {
        g_object_set (element, "mix", 0.5, "roi-x", 5, "roi-width", 11, nullptr);
        gst_object_unref (element);
      }
    filter_some (link);
  }
}

TEST (failures)
{
  Pipeline pipeline ("videotestsrc num-buffers=1 ! clconvolve name=filter device=nonesuch ! fakesink");
  fail_unless (!pipeline.reach (GST_STATE_READY));
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  g_object_set (pipeline.element ("filter"), "device", "", "matrix", "1 x", nullptr);
  fail_unless (!pipeline.reach (GST_STATE_PAUSED));
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
}

int
main ()
{
  return run ("memory", Needs::Device, tests);
}
