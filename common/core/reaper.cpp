/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/reaper.hpp"

#include "core/wait.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace gst::cl {

struct Reaper::State {
  struct Item {
    ::cl::Event event;
    std::function<void ()> release;
  };

  std::mutex mutex;
  std::condition_variable changed, released;
  std::deque<Item> items;
  guint64 n_left = 0, n_released = 0;
  bool stopping = false;
  std::weak_ptr<std::atomic<bool>> failed;
  std::thread thread;

  void run ()
  {
    std::unique_lock lock (mutex);
    while (true) {
      changed.wait (lock, [this] { return stopping || !items.empty (); });
      if (items.empty ())
        return;
      Item item = std::move (items.front ());
      items.pop_front ();
      lock.unlock ();
      try {
        gst::cl::wait_for (item.event);
      } catch (const ::cl::Error &) {
        /* a failed command does not use its memory any more, so release can run */
        if (const auto device_failed = failed.lock ())
          *device_failed = true;
      }
      item.release ();
      item = {};
      lock.lock ();
      n_released++;
      released.notify_all ();
    }
  }
};

Reaper::Reaper (std::weak_ptr<std::atomic<bool>> failed, const std::atomic<bool> &hung_)
    : state (std::make_shared<State> ()), hung (hung_)
{
  state->failed = std::move (failed);
  state->thread = std::thread ([kept = state] { kept->run (); });
}

Reaper::~Reaper ()
{
  {
    const std::lock_guard lock (state->mutex);
    state->stopping = true;
  }
  state->changed.notify_one ();
  /* a release function on this thread may have dropped the last reference to the context */
  if (state->thread.get_id () == std::this_thread::get_id () || hung)
    state->thread.detach ();
  else
    state->thread.join ();
}

void
Reaper::leave (::cl::Event event, std::function<void ()> release)
{
  const std::lock_guard lock (state->mutex);
  state->items.push_back ({std::move (event), std::move (release)});
  state->n_left++;
  state->changed.notify_one ();
}

guint64
Reaper::left () const
{
  const std::lock_guard lock (state->mutex);
  return state->n_left;
}

void
Reaper::wait_for (guint64 n)
{
  constexpr std::chrono::milliseconds look_at_hung (10);
  std::unique_lock lock (state->mutex);
  while (!state->released.wait_for (lock, look_at_hung, [&] { return state->n_released >= n; }) && !hung)
    ;
}

}  // namespace gst::cl
