/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watcher.hpp"

#include <algorithm>

using namespace gst::cl;

void
Watcher::met (const std::string &key, const std::string &source, const Axes &axes, const Shape &)
{
  const std::lock_guard lock (mutex);
  if (std::ranges::find (kernels, key, [] (const auto &each) { return each.first; }) == kernels.end ())
    kernels.emplace_back (key, Met{source, axes});
}

void
Watcher::launched (const std::string &key, const cl::Event &event)
{
  const std::lock_guard lock (mutex);
  launches.emplace_back (key, event);
}

void
Watcher::report (Outcome &outcome) const
{
  const std::lock_guard lock (mutex);
  outcome.met = kernels;
  for (const auto &[key, event] : launches)
    try {
      const double us =
          double (event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ())
          / 1000;
      outcome.times[""].push_back (us);
      if (!key.empty ())
        outcome.times[key].push_back (us);
    } catch (const cl::Error &) {
      /* the command failed, which the stream has said */
    }
}
