/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device that does not compute in host pages. Memory that is reused: from the second time on the device reads it directly, in
 * every frame layout, with new samples each time. Frames that an application uses on the device. The device's context, which
 * pipelines share. */
#include <cstring>

#include "memory/memory.hpp"

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::pages_suite {

static Tests tests ("pages", Needs::Device);

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420_10LE};

/* Fails while the element still reads the memory. */
static bool
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

/* Like a pool that refills its buffers. */
static void
refill (const Case &c, const ref::Picture &picture, Storage storage, GstBuffer *buffer)
{
  const Own fresh = make_buffer (c, picture, storage);
  fail_unless_equals_int (gst_buffer_n_memory (fresh), gst_buffer_n_memory (buffer));
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    int patience = 2000;
    while (!try_overwrite (gst_buffer_peek_memory (buffer, i), gst_buffer_peek_memory (fresh, i)) && patience-- > 0)
      g_usleep (1000);
    test_check (patience > 0, "the element keeps its input");
  }
}

static guint64
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
    /* the buffer is new each time, the memory the same */
    filter_and_check (
        c, link, picture, gst_buffer_copy (buffer), std::string (name_of (storage)) + ", frame " + std::to_string (i));
  }
  for (GstBuffer *buffer : buffers)
    gst_buffer_unref (buffer);
  return stat (link.element ("clmedian"), "allocations");
}

TEST (recycled_memory, G_N_ELEMENTS (formats))
{
  for (const auto &[width, height] : {std::pair (64, 32), {37, 23}}) {
    Case c = median_case (width, height, formats[__i__]);
    for (const Storage storage : storages) {
      if (storage == Storage::ReadOnly) /* it is not refilled */
        continue;
      const guint64 allocations = filter_recycled (c, storage);
      if (storage == Storage::Tight)
        test_check (allocations >= 2, "the device fetches nothing: %d allocations", int (allocations));
    }
  }
}

/* A pool may use memory for larger frames than before; the pinned part is then too small. */
TEST (resized_memory)
{
  constexpr unsigned before = 3, after = 8; /* a new size must occur a few times before its pages are pinned */
  Case small = median_case (64, 16), large = median_case (64, 32);
  small.format = large.format = GST_VIDEO_FORMAT_GRAY8;
  Link link (launch_of (small), caps_of (small), "video/x-raw");
  const Own buffer = gst_buffer_new_allocate (nullptr, 64 * 32, nullptr);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  guint64 allocations[2] = {};
  for (unsigned i = 0; i < before + after; i++) {
    const Case &c = i < before ? small : large;
    if (i == before)
      gst_harness_set_src_caps_str (link.harness (), caps_of (c).c_str ());
    for (int patience = 2000; !gst_memory_is_writable (memory) && patience > 0; patience--)
      g_usleep (1000);
    gst_memory_resize (memory, 0, gsize (c.width) * c.height);
    const ref::Picture picture = noise_for (c, i);
    refill (c, picture, Storage::Tight, buffer);
    filter_and_check (c, link, picture, gst_buffer_copy (buffer), "frame " + std::to_string (i) + " of memory that is resized");
    allocations[i >= before] = stat (link.element ("clmedian"), "allocations");
  }
  test_check (allocations[1] == allocations[0], "%d allocations of large frames, %d of small ones", int (allocations[1]),
      int (allocations[0]));
}

struct Frame {
  Frame ()
  {
    GstVideoInfo info;
    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 64, 16);
    memory = gst_cl_memory_new (context, &info, nullptr);
    fail_unless (memory != nullptr);
    queue = cl::CommandQueue (cl::Context (static_cast<cl_context> (gst_cl_context_get_handle (context)), true),
        cl::Device (static_cast<cl_device_id> (gst_cl_context_get_device (context))));
  }
  ~Frame ()
  {
    gst_memory_unref (memory);
    gst_object_unref (context);
  }

  /* The host sees this value everywhere. */
  void expect (guint8 value, const char *what) const
  {
    GstMapInfo map;
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    for (gsize i = 0; i < map.size; i++)
      test_check (map.data[i] == value, "%s: byte %zu is %d, not %d", what, i, map.data[i], value);
    gst_memory_unmap (memory, &map);
  }

  GstClContext *const context = gst_cl_context_new (nullptr, nullptr);
  GstMemory *memory;
  cl::CommandQueue queue;
};

/* Host and device write alternately, and each sees the other's writes. */
TEST (taken_by_the_application)
{
  Frame frame;
  GstMapInfo map;
  for (const guint8 value : {1, 3}) {
    fail_unless (gst_memory_map (frame.memory, &map, GST_MAP_WRITE));
    std::memset (map.data, value, map.size);
    gst_memory_unmap (frame.memory, &map);

    fail_unless (gst_memory_map (frame.memory, &map, GstMapFlags (int (GST_MAP_READWRITE) | int (GST_MAP_CL))));
    const cl::Buffer buffer (reinterpret_cast<cl_mem> (map.data), true);
    guint8 first = 0;
    frame.queue.enqueueReadBuffer (buffer, CL_TRUE, 0, 1, &first);
    test_check (first == value, "the device sees %d, not %d", first, value);
    frame.queue.enqueueFillBuffer (buffer, guint8 (value + 1), 0, map.size);
    frame.queue.finish ();
    gst_memory_unmap (frame.memory, &map);
    frame.expect (value + 1, "after the device wrote");
  }
}

/* A copied buffer has the same frame, until it is written. */
TEST (copied_buffer)
{
  Frame frame;
  GstBuffer *const buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, gst_memory_ref (frame.memory));
  gst_buffer_memset (buffer, 0, 1, gsize (-1));
  GstBuffer *const copy = gst_buffer_copy (buffer);
  ck_assert (gst_buffer_peek_memory (copy, 0) == frame.memory);
  gst_buffer_memset (copy, 0, 2, gsize (-1));
  frame.expect (1, "after the copy was written");
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
}

/* A pending download is not overwritten: the next writer waits for it. */
TEST (written_while_downloaded)
{
  Frame frame;
  gst::cl::FrameBuffer &buffer = *gst::cl::frame_buffer_of (frame.memory);
  cl::UserEvent gate (cl::Context (static_cast<cl_context> (gst_cl_context_get_handle (frame.context)), true));
  gst_cl_memory_set_event (reinterpret_cast<GstClMemory *> (frame.memory), gate ());
  fail_unless (buffer.prefetch () > 0);
  std::vector<cl::Event> wait;
  buffer.begin_write (frame.queue (), wait);
  const bool waits = std::ranges::any_of (
      wait, [] (const cl::Event &event) { return event.getInfo<CL_EVENT_COMMAND_TYPE> () == CL_COMMAND_READ_BUFFER; });
  gate.setStatus (CL_COMPLETE);
  buffer.end_write ({gate, frame.queue ()});
  fail_unless (waits);
}

/* After a frame that cannot be mapped, the context is not shared any more. */
TEST (lost_frame)
{
  constexpr cl_int out_of_resources = -5;
  Frame frame;
  cl::UserEvent gate (cl::Context (static_cast<cl_context> (gst_cl_context_get_handle (frame.context)), true));
  gst_cl_memory_set_event (reinterpret_cast<GstClMemory *> (frame.memory), gate ());
  gate.setStatus (out_of_resources);
  GstMapInfo map;
  fail_if (gst_memory_map (frame.memory, &map, GST_MAP_READ));
  const Frame next;
  fail_unless (gst_cl_context_get_handle (next.context) != gst_cl_context_get_handle (frame.context));
}

/* The context that an element in a separate pipeline announces. */
static gpointer
announced_context (Pipeline &pipeline)
{
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own message = gst_bus_pop_filtered (pipeline.bus (), GST_MESSAGE_HAVE_CONTEXT);
  test_check (message, "no context is announced");
  GstContext *context = nullptr;
  gst_message_parse_have_context (message, &context);
  gpointer object = g_value_get_object (gst_structure_get_value (gst_context_get_structure (context), "context"));
  fail_unless (object);
  gst_context_unref (context);
  return object;
}

/* Pipelines share a device's context, which outlives the pipeline that made it. */
TEST (one_context_in_a_process)
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

}  // namespace test::pages_suite
