/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* That pushing a frame into a running element makes nothing in OpenCL and waits for nothing: counted by a layer between the
 * element and the driver (tests/census), and asserted for every filter and every way that host memory can meet a device's. */
#include <dlfcn.h>

#include <cstring>

#include "../../census/census.hpp"
#include "../filtercase.hpp"
#include "../link.hpp"

using namespace test;

namespace {

constexpr char caps[] = "video/x-raw,format=RGBA,width=640,height=360,framerate=30/1";

/* Launch lines, and what runs long enough for the control. */
constexpr const char *lines[] = {"clbilateral radius=3", "clblur sigma=3", "clblur type=box radius=10", "clcolormatrix preset=sepia",
    "clconvolve preset=gaussian5", "clconvolve preset=edge mix=0.5", "cldeblock", "cldilate radius=5", "clemboss", "clequalize",
    "clequalize method=clahe", "clerode radius=2", "clhistogram display=overlay", "cllevels gamma=0.5",
    "clmedian radius=2", "clmedian radius=12", "clmorphology operation=open radius=3", "clnlmeans", "clnoise", "clprewitt",
    "clscharr", "clsharpen", "clsobel", "cltemporal", "clthreshold", "clthreshold method=otsu", "clthreshold method=mean radius=5",
    "clconvolve ! clmedian ! clsobel"};

census::Calls
take_census ()
{
  void *layer = dlopen (g_getenv ("OPENCL_LAYERS"), RTLD_NOW);
  test_check (layer, "the layer is not loaded: %s", g_getenv ("OPENCL_LAYERS"));
  const auto take = reinterpret_cast<decltype (&cl_census_take)> (dlsym (layer, "cl_census_take"));
  census::Calls calls;
  take (&calls);
  dlclose (layer);
  return calls;
}

std::string
joined (const std::vector<std::string> &names)
{
  std::string text;
  for (const std::string &name : names)
    text += " " + name;
  return text;
}

GstBuffer *
frame ()
{
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, 640 * 360 * 4, nullptr);
  gst_buffer_memset (buffer, 0, 100, gst_buffer_get_size (buffer));
  return buffer;
}

/* The device is done with it. */
void
wait_for (GstBuffer *result)
{
  GstMapInfo map;
  fail_unless (gst_buffer_map (result, &map, GST_MAP_READ));
  gst_buffer_unmap (result, &map);
}

/* Frames come one by one, so that no element has a reason to hold its source up. */
GST_START_TEST (pushing_a_frame)
{
  constexpr int warm_up = 10, counted = 20;
  constexpr unsigned long long small = 64 * 1024; /* tables, but no frame */
  /* host memory that a device shares, but not the source's, is mapped for the copy; nobody else uses it then */
  std::vector<std::string> allowed;
  if (g_strcmp0 (g_getenv ("GST_CL_HOST_MEMORY"), "mapped") == 0)
    allowed = {"clEnqueueMapBuffer"};
  Link link (lines[__i__], caps);
  GstElement *element = link.element (std::string (lines[__i__], std::strcspn (lines[__i__], " ")).c_str ());
  GstBuffer *source = frame ();
  for (int i = 0; i < warm_up + counted; i++) {
    gst_buffer_ref (source);
    take_census ();
    fail_unless_equals_int (link.push (source), GST_FLOW_OK);
    const census::Calls calls = take_census ();
    if (i >= warm_up && stat_text (element, "path") == "host-shared")
      test_check (calls.moved < small, "frame %d of \"%s\" moves %llu bytes", i, lines[__i__], calls.moved);
    if (i >= warm_up)
      test_check (calls.created.empty () && (calls.waited.empty () || calls.waited == allowed),
          "frame %d of \"%s\" made:%s and waited in:%s", i, lines[__i__], joined (calls.created).c_str (),
          joined (calls.waited).c_str ());
    while (GstBuffer *result = gst_harness_try_pull (link.harness ())) {
      wait_for (result);
      gst_buffer_unref (result);
    }
  }
  gst_buffer_unref (source);
}

GST_END_TEST;

/* The layer sees what it is there to see. */
GST_START_TEST (control)
{
  take_census ();
  Link link ("clmedian radius=12", caps);
  fail_unless_equals_int (link.push (frame ()), GST_FLOW_OK);
  const census::Calls first = take_census ();
  test_check (!first.created.empty (), "a first frame makes nothing");
  census::Calls mapped;
  unsigned long long moved = 0;
  for (int i = 0; i < 6; i++) {
    GstBuffer *result = link.pull ();
    take_census ();
    wait_for (result);
    mapped = take_census ();
    gst_buffer_unref (result);
    fail_unless_equals_int (link.push (frame ()), GST_FLOW_OK);
    moved = take_census ().moved;
  }
  test_check (!mapped.waited.empty (), "a map right after the push does not wait");
  if (g_strcmp0 (g_getenv ("GST_CL_HOST_MEMORY"), "staged") == 0)
    test_check (moved >= 2 * 640 * 360 * 4, "%llu bytes are seen to move up and down", moved);
}

GST_END_TEST;

}  // namespace

int
main ()
{
  return run ("census", Needs::Device, [] (Suite *suite) {
    TCase *group = add_group (suite, "census", 300);
    add_loop (group, "pushing_a_frame", pushing_a_frame, G_N_ELEMENTS (lines));
    add_loop (group, "control", control, 1);
  });
}
