/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in CUDA memory: from several owners, to several kinds of memory, and with failures of driver or device.
 * $GST_CL_TEST_GL is the expected path, "cuda" or "cuda-staged". */
#include "../elements/cuda.hpp"
#include "shared_memory.hpp"

#include <cstring>

namespace test::cuda_suite {

static Tests tests ("cuda", Needs::GL, [] { expect_gl_path ("cuda"); });

static GstCaps *
plain_caps (const Case &c)
{
  return gst_caps_from_string (caps_of (c).c_str ());
}

/* Frames of a pool that OpenCL cannot access: each is copied once, on the device. */
TEST (foreign_frames, 3)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE};
  Case c = median_case (36, 18, formats[__i__]);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  for (unsigned i = 0; i < 6; i++) {
    const ref::Picture in = noise_for (c, i);
    const Own result = link.filter (to_cuda (in, i % 2 ? Storage::Tight : Storage::Padded, caps));
    test_check (is_in_cuda (result), "a result that is not in CUDA memory");
    check_result (c, in, result, "a foreign frame");
  }
  GstElement *element = link.element ("clmedian");
  expect_path (element);
  ck_assert_uint_eq (stat (element, "device-copies"), is_staged () ? 0 : 6);
  ck_assert_uint_eq (stat (element, "staged-frames"), is_staged () ? 6 : 0);
  ck_assert_int_eq (count_warnings (link.bus ()), is_staged ());
}

/* CUDA fails during a frame: the frame is correct nevertheless, or there is one error with advice; the next frame is
 * correct. */
TEST (failing_copies)
{
  Case c = median_case (36, 18, GST_VIDEO_FORMAT_NV12);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  /* a real driver does not fail on request */
  const std::string modes = g_getenv ("CUDA_FAKE_MODE") ?: "";
  for (unsigned i = 0; i < 6; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *frame = to_cuda (in, Storage::Padded, caps);
    if (i % 2)
      g_setenv ("CUDA_FAKE_MODE", (modes + ",fail_copies").c_str (), TRUE);
    const GstFlowReturn flow = link.push (frame);
    g_setenv ("CUDA_FAKE_MODE", modes.c_str (), TRUE);
    const std::vector<Report> errors = link.errors ();
    test_check (errors.size () == (flow == GST_FLOW_OK ? 0 : 1), "frame %u: %s, %zu errors", i, gst_flow_get_name (flow),
        errors.size ());
    test_check (i % 2 || flow == GST_FLOW_OK, "frame %u: %s", i, errors[0].all ().c_str ());
    if (flow != GST_FLOW_OK) {
      test_check (errors[0].text.find (". ") != std::string::npos, "no advice: %s", errors[0].all ().c_str ());
      g_print ("frame %u: %s\n", i, errors[0].all ().c_str ());
      continue;
    }
    const Own result = link.pull ();
    check_result (c, in, result, i % 2 ? "a frame while CUDA fails" : "a frame behind one that failed");
  }
}

/* With the element's proposed pool nothing is copied. */
TEST (proposed_pool)
{
  Case c = median_case (33, 17, GST_VIDEO_FORMAT_NV12);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  const Own in_cuda = gst_caps_from_string (with_cuda (caps_of (c)).c_str ());
  gst_buffer_unref (link.filter (to_cuda (noise_for (c, 0), Storage::Tight, caps)));
  share_with_upstream (link.harness ());
  const Own query = gst_query_new_allocation (in_cuda, TRUE);
  test_check (gst_pad_peer_query (link.harness ()->srcpad, query), "no answer to an allocation query");
  ck_assert_uint_eq (gst_query_get_n_allocation_pools (query), is_staged () ? 0 : 1);
  GstElement *element = link.element ("clmedian");
  if (!is_staged ()) {
    Pool pool = pool_of (query, in_cuda);
    const guint64 copies = stat (element, "device-copies");
    for (unsigned i = 1; i < 8; i++) {
      GstBuffer *buffer = pool.acquire ();
      const ref::Picture in = noise_for (c, i);
      fill_cuda (buffer, in, i % 2 ? Storage::Tight : Storage::Padded, caps);
      filter_and_check (c, link, in, buffer, "a frame of the proposed pool");
    }
    ck_assert_uint_eq (stat (element, "device-copies"), copies);
    ck_assert_uint_eq (stat (element, "allocations"), 0);
  }
}

/* Results that the host reads, and overwrites before it returns them to their pool. */
TEST (host_views)
{
  Case c = median_case (37, 18, GST_VIDEO_FORMAT_NV12);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  for (unsigned i = 0; i < 8; i++) {
    const ref::Picture in = noise_for (c, i);
    const Own result = link.filter (to_cuda (in, Storage::Padded, caps));
    const Own seen = to_buffer (from_buffer (result, caps), Storage::Padded, caps);
    check_result (c, in, seen, "a result that the host reads");
    GstMapInfo map;
    test_check (gst_buffer_map (result, &map, GST_MAP_WRITE), "a result cannot be mapped");
    std::memset (map.data, 0x55, map.size);
    gst_buffer_unmap (result, &map);
  }
}

/* To and from other memory, and through a chain. */
TEST (other_sides, 5)
{
  Case c = median_case (36, 18, GST_VIDEO_FORMAT_NV12);
  static const struct {
    const char *line;
    bool in, out;
  } sides[] = {{"clmedian", true, false}, {"clmedian", false, true}, {"clupload ! clmedian", true, false},
      {"clmedian ! cldownload", false, true}, {"identity ! clmedian", true, true}};
  const auto &side = sides[__i__];
  c.chosen_path = Path{side.in ? Memory::GL : Memory::System, side.out ? Memory::GL : Memory::System};
  const std::string plain = caps_of (c);
  Link link (side.line, side.in ? with_cuda (plain) : plain, side.out ? with_cuda (plain) : plain);
  const Own caps = plain_caps (c);
  for (unsigned i = 0; i < 4; i++) {
    const ref::Picture in = noise_for (c, i);
    const Own result = link.filter (side.in ? to_cuda (in, Storage::Padded, caps) : to_buffer (in, Storage::Padded, caps));
    test_check (is_in_cuda (result) == side.out, "%s: the result is in the wrong memory", side.line);
    check_result (c, in, result, side.line);
  }
}

/* System memory with caps of CUDA memory is copied by the host, frame by frame. */
TEST (no_cuda_memory_under_its_caps)
{
  Case c = median_case (36, 18, GST_VIDEO_FORMAT_I420);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  for (unsigned i = 0; i < 3; i++) {
    const ref::Picture in = noise_for (c, i);
    filter_and_check (c, link, in, to_buffer (in, Storage::Padded, caps), "system memory under CUDA caps");
  }
  ck_assert_uint_eq (stat (link.element ("clmedian"), "staged-frames"), 3);
}

/* Frames of another GPU are detected and copied by the host, with one warning. */
TEST (another_gpu, cuda_present (1))
{
  Case c = median_case (36, 18, GST_VIDEO_FORMAT_NV12);
  Link link ("clmedian", with_cuda (caps_of (c)));
  const Own caps = plain_caps (c);
  for (unsigned i = 0; i < 4; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *buffer = new_cuda_buffer (caps, i == 0 ? 0 : 1);
    fill_cuda (buffer, in, Storage::Padded, caps);
    filter_and_check (c, link, in, buffer, "a frame of another GPU");
  }
  ck_assert_uint_eq (stat (link.element ("clmedian"), "staged-frames"), is_staged () ? 4 : 3);
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
}

/* "staged" gives no warning; "require" is an error if no method works, after which the pipeline can play again. */
TEST (choice)
{
  Case c = median_case (36, 18, GST_VIDEO_FORMAT_NV12);
  const Own caps = plain_caps (c);
  for (const char *choice : {"staged", "require", "auto"}) {
    Link link (format ("clmedian interop=%s", choice), with_cuda (caps_of (c)));
    const ref::Picture in = noise_for (c, 3);
    const GstFlowReturn flow = link.push (to_cuda (in, Storage::Padded, caps));
    const bool refused = is_staged () && g_str_equal (choice, "require");
    test_check ((flow == GST_FLOW_OK) == !refused, "%s: %s", choice, gst_flow_get_name (flow));
    if (refused) {
      const std::vector<Report> errors = link.errors ();
      ck_assert (!errors.empty () && errors.front ().is (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
      continue;
    }
    check_result (c, in, Own (link.pull ()), choice);
    ck_assert_int_eq (count_warnings (link.bus ()), is_staged () && g_str_equal (choice, "auto"));
    const std::string path = stat_text (link.element ("clmedian"), "path");
    ck_assert_str_eq (path.c_str (), g_str_equal (choice, "staged") ? "cuda-staged" : expected_gl_path ());
  }
}

}  // namespace test::cuda_suite
