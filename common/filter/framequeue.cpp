/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/framequeue.hpp"

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

}  // namespace gst::cl
