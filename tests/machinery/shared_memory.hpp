/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the suites of frames in GL's, CUDA's and dma-buf memory have in common. */
#pragma once

#include <thread>

#include "../elements/filtercase.hpp"

namespace test {

constexpr char gl_memory[] = "video/x-raw(memory:GLMemory)";

/* Before GStreamer starts: the path, unless $GST_CL_TEST_GL names one. */
inline void
expect_gl_path (const char *path)
{
  if (!expected_gl_path ())
    g_setenv ("GST_CL_TEST_GL", path, TRUE);
}

inline bool
is_staged ()
{
  return g_str_has_suffix (expected_gl_path (), "-staged");
}

inline void
expect_path (GstElement *element, const std::string &wanted = expected_gl_path ())
{
  ck_assert_str_eq (stat_text (element, "path").c_str (), wanted.c_str ());
}

/* Two elements read the same frames at the same time, as after a tee. */
inline void
check_two_readers (const Case &c, Link &first, Link &second, const std::function<GstBuffer *(const ref::Picture &)> &make_frame)
{
  constexpr int count = 15;
  std::vector<std::pair<ref::Picture, GstBuffer *>> frames;
  for (int i = 0; i < count; i++) {
    const ref::Picture in = noise_for (c, i);
    frames.emplace_back (in, make_frame (in));
  }
  Link *links[] = {&first, &second};
  std::vector<GstBuffer *> results[2];
  std::thread threads[2];
  for (int k = 0; k < 2; k++)
    threads[k] = std::thread ([&, k] {
      for (const auto &[in, buffer] : frames)
        if (links[k]->push (gst_buffer_ref (buffer)) == GST_FLOW_OK)
          results[k].push_back (gst_harness_try_pull (links[k]->harness ()));
    });
  for (std::thread &thread : threads)
    thread.join ();
  for (const auto &list : results) {
    ck_assert_uint_eq (list.size (), count);
    for (int i = 0; i < count; i++) {
      check_result (c, frames[i].first, list[i], "a frame that two elements read");
      gst_buffer_unref (list[i]);
    }
  }
  for (const auto &[in, buffer] : frames)
    gst_buffer_unref (buffer);
}

}  // namespace test
