/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pushing a frame into a running element creates no OpenCL object, leaves nothing mapped and does not wait. A layer between the
 * element and the driver (tests/machinery/census) counts this for every filter and every method of moving frames between host and
 * device. */
#include <cstring>

#include "../elements/filtercase.hpp"
#include "../elements/layer.hpp"
#include "census/census.hpp"

#include "core/opendevice.hpp"

namespace test::census_suite {

/* Without kernels that others replace later. */
static Tests tests ("census", Needs::Device);

constexpr char caps[] = "video/x-raw,format=RGBA,width=640,height=360,framerate=30/1";

/* Launch lines, and one that runs long enough for the control test. A quick run counts every other one. */
constexpr const char *lines[] = {"clbilateral radius=3", "clblur sigma=3", "clblur type=box radius=10", "cladjust shadows=0.5",
    "clcolormatrix preset=sepia", "clconvolve preset=gaussian5", "clconvolve preset=edge mix=0.5", "cldeblock",
    "cldeinterlace mode=always fields=top", "cldilate radius=5", "clemboss", "clequalize", "clequalize method=clahe",
    "clerode radius=2", "clhistogram display=overlay", "cllevels gamma=0.5", "clmedian radius=2", "clmedian radius=12",
    "clmorphology operation=open radius=3", "clmotion overlay=vectors", "clnlmeans search-radius=2", "clnoise", "clpixelate",
    "clprewitt", "clscharr", "clsharpen", "clsobel", "clstabilize smoothing=2", "cltemporal", "clthreshold",
    "clthreshold method=otsu", "clthreshold method=mean radius=5", "clconvolve ! clmedian ! clsobel"};

/* Gets a result of a function of the layer. */
template <typename Answer>
static Answer
ask_layer (const char *function)
{
  Answer answer;
  layer_function<void (Answer *)> (function) (&answer);
  return answer;
}

static census::Calls
take_census ()
{
  return ask_layer<census::Calls> ("cl_census_take");
}

static long
count_mappings ()
{
  return ask_layer<census::Live> ("cl_census_live").mappings;
}

static std::string
joined (const std::vector<std::string> &names)
{
  std::string text;
  for (const std::string &name : names)
    text += " " + name;
  return text;
}

constexpr gsize frame_bytes = 640 * 360 * 4;

/* Waits until the device has finished the frame. */
static void
wait_for (GstBuffer *result)
{
  GstMapInfo map;
  fail_unless (gst_buffer_map (result, &map, GST_MAP_READ));
  gst_buffer_unmap (result, &map);
}

/* Frames come one by one, so that no element has to block its source. */
TEST (pushing_a_frame, G_N_ELEMENTS (lines))
{
  if (__i__ % 4 && !takes_all ())
    return;
  constexpr int warm_up = 10, settled = 5, counted = 20;
  constexpr unsigned long long small = 64 * 1024; /* tables, but not a frame */
  /* memory that the device shares with the host, but not with the source, is mapped for the copy; it has no other user then */
  std::vector<std::string> allowed;
  if (g_strcmp0 (g_getenv ("GST_CL_HOST_MEMORY"), "mapped") == 0)
    allowed = {"clEnqueueMapBuffer"};
  Link link (lines[__i__], caps);
  GstElement *element = link.element (std::string (lines[__i__], std::strcspn (lines[__i__], " ")).c_str ());
  const Own source = filled (frame_bytes);
  long mappings = 0;
  for (int i = 0; i < warm_up + counted; i++) {
    if (i == settled)
      gst::cl::OpenDevice::get (gst::cl::choose_device (""))->programs.finish ();
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
    while (const Own result = gst_harness_try_pull (link.harness ()))
      wait_for (result);
    if (i == warm_up)
      mappings = count_mappings ();
  }
  test_check (count_mappings () == mappings, "%d frames of \"%s\" leave %ld mappings", counted - 1, lines[__i__],
      count_mappings () - mappings);
}

constexpr char small_caps[] = "video/x-raw,format=GRAY8,width=320,height=240,framerate=30/1";
constexpr unsigned small_bytes = 320 * 240;
const std::string small_filter = "clconvolve preset=box3";

/* Calls for n frames in a running stream, which come one by one and are mapped at once. */
static census::Calls
count_frames (const std::string &launch, unsigned n)
{
  Link link (launch, small_caps);
  const Own source = filled (small_bytes);
  for (unsigned i = 0; i < 2 * n; i++) {
    wait_for (Own (link.filter (gst_buffer_ref (source))));
    if (i == n - 1)
      take_census ();
  }
  return take_census ();
}

/* The calls for a single frame, which determine its time if the work is small: one transfer each way, and a flush for each
 * queue. The reaper waits for the source's pages, and the map for kernels and transfer. On a busy machine an element may also
 * wait for the third frame before, whose completion the driver has not reported yet. */
TEST (budget, g_strcmp0 (g_getenv ("GST_CL_HOST_MEMORY"), "staged") == 0)
{
  constexpr unsigned n = 20;
  const struct {
    const char *launch;
    unsigned elements, flushes, waits;
  } lines[] = {{"", 1, 3, 4}, {"clupload ! ", 1, 3, 4}, {"clupload ! ", 4, 6, 7}, {"clupload ! ", 0, 2, 4}};
  for (const auto &line : lines) {
    std::string launch = line.launch;
    for (unsigned i = 0; i < line.elements; i++)
      launch += (i ? " ! " : "") + small_filter;
    if (!line.elements)
      launch += "identity";
    if (*line.launch)
      launch += " ! cldownload";
    const census::Calls calls = count_frames (launch, n);
    /* the reaper's last wait may belong to the frame before the first counted one */
    test_check (calls.transfers <= 2 * n && calls.moved <= 2ull * n * small_bytes && calls.flushes <= line.flushes * n
                    && calls.waits <= line.waits * n + 1,
        "%u frames of \"%s\" take %u transfers of %llu bytes together, %u flushes and %u waits", n, launch.c_str (),
        calls.transfers, calls.moved, calls.flushes, calls.waits);
  }
}

/* New memory, larger and smaller than the amount that one thread copies, with one plane and with two. */
TEST (new_memory)
{
  const std::tuple<GstVideoFormat, int, int> frames[] = {
      {GST_VIDEO_FORMAT_GRAY8, 322, 241}, {GST_VIDEO_FORMAT_GRAY8, 2050, 1601}, {GST_VIDEO_FORMAT_NV12, 1920, 1080}};
  for (const auto &[id, width, height] : frames) {
    const std::string text =
        format ("video/x-raw,framerate=30/1,format=%s,width=%d,height=%d", gst_video_format_to_string (id), width, height);
    const Own parsed = gst_caps_from_string (text.c_str ());
    Link link ("clupload ! identity ! cldownload", text);
    for (unsigned i = 0; i < 6; i++) {
      const ref::Picture picture = random_picture (id, width, height, i);
      const Own source = gst_buffer_new_allocate (nullptr, info_of (parsed).size, nullptr);
      write_picture (source, picture, parsed);
      const Own result = link.filter (gst_buffer_ref (source));
      expect_same (from_buffer (result, parsed), picture, format ("%s, frame %u", text.c_str (), i));
    }
  }
}

/* The layer detects the calls that it must detect. */
TEST (control)
{
  take_census ();
  Link link ("clmedian radius=12", caps);
  fail_unless_equals_int (link.push (filled (frame_bytes)), GST_FLOW_OK);
  const census::Calls first = take_census ();
  test_check (!first.created.empty (), "a first frame makes nothing");
  size_t waited = 0;
  unsigned long long moved = 0;
  for (int i = 0; i < 6; i++) {
    const Own result = link.pull ();
    take_census ();
    wait_for (result);
    waited += take_census ().waited.size ();
    fail_unless_equals_int (link.push (filled (frame_bytes)), GST_FLOW_OK);
    moved = take_census ().moved;
  }
#ifndef __SANITIZE_THREAD__ /* there the device has finished before the host asks */
  test_check (waited > 0, "no map right after a push waits");
#endif
  if (g_strcmp0 (g_getenv ("GST_CL_HOST_MEMORY"), "staged") == 0)
    test_check (moved >= 2 * frame_bytes, "%llu bytes are seen to move up and down", moved);
}

}  // namespace test::census_suite
