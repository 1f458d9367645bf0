/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device that does not compute in host pages. System memory that comes to it again and again: from the second time on the
 * device fetches it; every layout of a frame, with other samples each time. And its context, which pipelines share. */
#include <cstring>

#include "../filtercase.hpp"
#include "../pipeline.hpp"

using namespace test;

namespace {

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420_10LE};

/* Fails while the element still reads the memory. */
bool
try_overwrite (GstMemory *to, GstMemory *from)
{
  GstMapInfo target, source;
  if (!gst_memory_map (to, &target, GST_MAP_WRITE))
    return false;
  fail_unless (gst_memory_map (from, &source, GST_MAP_READ));
  fail_unless_equals_int (target.size, source.size);
  std::memcpy (target.data, source.data, source.size);
  gst_memory_unmap (from, &source);
  gst_memory_unmap (to, &target);
  return true;
}

/* As a pool does that fills its buffers anew. */
void
refill (const Case &c, const ref::Picture &picture, Storage storage, GstBuffer *buffer)
{
  GstBuffer *fresh = make_buffer (c, picture, storage);
  fail_unless_equals_int (gst_buffer_n_memory (fresh), gst_buffer_n_memory (buffer));
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    int patience = 2000;
    while (!try_overwrite (gst_buffer_peek_memory (buffer, i), gst_buffer_peek_memory (fresh, i)) && patience-- > 0)
      g_usleep (1000);
    test_check (patience > 0, "the element keeps its input");
  }
  gst_buffer_unref (fresh);
}

guint64
filter_recycled (const Case &c, Storage storage)
{
  constexpr unsigned n_buffers = 2, n_frames = 8;
  Link link = open (c);
  GstBuffer *buffers[n_buffers] = {};
  for (unsigned i = 0; i < n_frames; i++) {
    GstBuffer *&buffer = buffers[i % n_buffers];
    const ref::Picture picture = noise_for (c, i);
    if (!buffer)
      buffer = make_buffer (c, picture, storage);
    else
      refill (c, picture, storage, buffer);
    /* the buffer is another each time, the memory the same */
    GstBuffer *result = link.filter (gst_buffer_copy (buffer));
    check_result (c, picture, result, std::string (name_of (storage)) + ", frame " + std::to_string (i));
    gst_buffer_unref (result);
  }
  for (GstBuffer *buffer : buffers)
    gst_buffer_unref (buffer);
  return stat (link.element ("clmedian"), "allocations");
}

GST_START_TEST (recycled_memory)
{
  for (const auto &[width, height] : {std::pair (64, 32), {37, 23}}) {
    Case c = median_case (width, height);
    c.format = formats[__i__];
    for (const Storage storage : storages) {
      if (storage == Storage::ReadOnly) /* nobody fills it again */
        continue;
      const guint64 allocations = filter_recycled (c, storage);
      if (storage == Storage::Tight)
        test_check (allocations >= 2, "the device fetches nothing: %d allocations", int (allocations));
    }
  }
}

GST_END_TEST;

/* The context that an element of a pipeline of its own announces. */
gpointer
announced_context (Pipeline &pipeline)
{
  pipeline.must_reach (GST_STATE_PAUSED);
  GstMessage *message = gst_bus_pop_filtered (pipeline.bus (), GST_MESSAGE_HAVE_CONTEXT);
  test_check (message, "no context is announced");
  GstContext *context = nullptr;
  gst_message_parse_have_context (message, &context);
  gpointer object = g_value_get_object (gst_structure_get_value (gst_context_get_structure (context), "context"));
  fail_unless (object);
  gst_context_unref (context);
  gst_message_unref (message);
  return object;
}

/* Pipelines share a device's context, which outlives the one that made it. */
GST_START_TEST (one_context_in_a_process)
{
  static const char line[] = "videotestsrc ! video/x-raw,format=RGBA,width=16,height=16 ! clmedian ! fakesink";
  Pipeline second (line);
  gpointer context = nullptr;
  {
    Pipeline first (line);
    context = announced_context (first);
    g_object_add_weak_pointer (G_OBJECT (context), &context);
    ck_assert_ptr_eq (announced_context (second), context);
  }
  fail_unless (context != nullptr);
}

GST_END_TEST;

}  // namespace

static const Program main_program ("pages", Needs::Device, [] (Suite *suite) {
  TCase *group = add_group (suite, "pages", 300);
  add_loop (group, "recycled_memory", recycled_memory, G_N_ELEMENTS (formats));
  add_loop (group, "one_context_in_a_process", one_context_in_a_process, 1);
});
