/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/framequeue.hpp"

#include "interop/caps.hpp"

#include <algorithm>

namespace gst::cl {

/* Frame numbers rise with time, so in reverse they count down from this one. Kernels take the lower 31 bits, which leave room
 * in both directions. */
constexpr guint64 backwards_from = (guint64 (1) << 48) + (1 << 30);

void
FrameQueue::push (BufferRef frame, bool backwards)
{
  if (runs.empty () || runs.back ().closed) {
    numbers++; /* leaves a gap */
    runs.push_back ({.frames = {}, .number = numbers, .backwards = backwards});
  }
  runs.back ().frames.push_back (std::move (frame));
  numbers++;
}

void
FrameQueue::close ()
{
  if (!runs.empty ())
    runs.back ().closed = true;
}

GstBuffer *
FrameQueue::next ()
{
  while (!runs.empty () && runs.front ().closed && runs.front ().next == runs.front ().frames.size ())
    runs.pop_front ();
  if (runs.empty () || runs.front ().next == runs.front ().frames.size ())
    return nullptr;
  return runs.front ().frames[runs.front ().next].get ();
}

std::optional<FrameQueue::Window>
FrameQueue::pop (size_t reach, size_t behind)
{
  if (!next ())
    return std::nullopt;
  Run &run = runs.front ();
  const size_t size = run.frames.size ();
  if (!run.closed && run.next + reach >= size)
    return std::nullopt;

  const size_t first = run.next - std::min (run.next, behind), last = std::min (run.next + reach, size - 1);
  Window window{.frames = {run.frames.begin () + first, run.frames.begin () + last + 1},
      .main = run.next - first,
      .first = run.number + first,
      .backwards = run.backwards};
  if (run.backwards) {
    std::ranges::reverse (window.frames);
    window.main = last - run.next;
    window.first = backwards_from - (run.number + last);
  }
  run.next++;
  while (run.next > behind) {
    run.frames.pop_front ();
    run.number++;
    run.next--;
  }
  return window;
}

/* Removes pools that cannot grow to this many buffers. */
void
ask_for_buffers (GstQuery *query, guint held)
{
  const guint pools = gst_query_get_n_allocation_pools (query);
  GstCaps *caps = nullptr;
  GstVideoInfo info;
  gst_query_parse_allocation (query, &caps, nullptr);
  if (pools == 0 && caps && video_info_from_caps (info, caps))
    gst_query_add_allocation_pool (query, nullptr, guint (GST_VIDEO_INFO_SIZE (&info)), held, 0);
  for (guint i = 0; i < pools; i++) {
    GstBufferPool *pool = nullptr;
    guint size, least, most;
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &least, &most);
    const bool fits = most == 0 || most >= least + held;
    gst_query_set_nth_allocation_pool (query, i, fits ? pool : nullptr, size, least + held, fits ? most : 0);
    gst_clear_object (&pool);
  }
}

static bool
has_fewer (GstBufferPool *pool, guint needed)
{
  guint most = 0;
  g_autoptr (GstStructure) config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, nullptr, nullptr, nullptr, &most);
  return most > 0 && most < needed;
}

BufferRef
HeldBuffers::take (GstBuffer *frame, GstPad *pad, guint needed)
{
  BufferRef taken (frame);
  if (std::exchange (pool, frame->pool) != frame->pool) {
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
    is_small = pool && caps && memory_kind (caps) == MemoryKind::system && has_fewer (pool, needed);
  }
  GstBuffer *copy = is_small ? gst_buffer_copy_deep (frame) : nullptr;
  return copy ? BufferRef (copy) : taken;
}

}  // namespace gst::cl
