/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace bench {

double
now_us ()
{
  const auto now = std::chrono::steady_clock::now ().time_since_epoch ();
  return std::chrono::duration<double, std::micro> (now).count ();
}

double
Samples::median () const
{
  std::vector<double> sorted = us;
  std::sort (sorted.begin (), sorted.end ());
  const size_t half = sorted.size () / 2;
  return sorted.size () % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double
Samples::minimum () const
{
  return *std::min_element (us.begin (), us.end ());
}

double
Samples::maximum () const
{
  return *std::max_element (us.begin (), us.end ());
}

double
time_burst (const std::function<void ()> &call, const std::function<void ()> &finish)
{
  /* a device that slept between two contenders needs a moment, and a launch must not count as the work */
  constexpr double least_us = 2000;
  constexpr int most_calls = 64;
  const double begin = now_us ();
  int calls = 0;
  double end;
  do {
    const int step = std::max (1, calls);
    for (int i = 0; i < step; i++)
      call ();
    finish ();
    calls += step;
    end = now_us ();
  } while (end - begin < least_us && calls < most_calls);
  return (end - begin) / calls;
}

namespace {

struct Turn {
  const Contender &contender;
  Samples samples;
  double spent_us = 0;
  std::string failure;

  bool wants_more (const Effort &effort) const
  {
    if (!failure.empty ())
      return false;
    const int n = int (samples.us.size ());
    const int most = contender.most_runs ? std::min (contender.most_runs, effort.runs) : effort.runs;
    return n < most && (n < effort.least_runs || spent_us < effort.budget * 1e6);
  }

  void take (bool counts)
  {
    const double begin = now_us ();
    try {
      const double us = contender.run ();
      if (counts)
        samples.us.push_back (us);
    } catch (const std::exception &error) {
      failure = error.what ();
    }
    if (counts)
      spent_us += now_us () - begin;
  }
};

}  // namespace

Outcome
measure (const std::vector<Contender> &contenders, const Effort &effort, const Progress &progress)
{
  std::vector<Turn> turns;
  for (const Contender &contender : contenders)
    turns.push_back ({contender, {}, 0, {}});
  for (Turn &turn : turns) {
    progress (turn.contender.name + ", warm-up");
    turn.take (false);
  }
  for (bool again = true; again;) {
    again = false;
    for (Turn &turn : turns) {
      if (!turn.wants_more (effort))
        continue;
      progress (turn.contender.name + ", run " + std::to_string (turn.samples.us.size () + 1));
      turn.take (true);
      again = true;
    }
  }
  Outcome outcome;
  for (Turn &turn : turns) {
    if (turn.failure.empty ())
      outcome.times[turn.contender.name] = std::move (turn.samples);
    else
      outcome.failures[turn.contender.name] = turn.failure;
  }
  return outcome;
}

}  // namespace bench
