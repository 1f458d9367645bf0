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
per_turn (const Samples &a, const Samples &b, const std::function<double (double, double)> &f)
{
  const size_t turns = std::min (a.us.size (), b.us.size ());
  if (a.best || b.best || !a.in_turn || !b.in_turn || turns < 2)
    return f (a.typical (), b.typical ());
  Samples results;
  for (size_t turn = 0; turn < turns; turn++)
    results.us.push_back (f (a.us[turn], b.us[turn]));
  return results.median ();
}

double
time_burst (const std::function<void ()> &call, const std::function<void ()> &finish)
{
  /* an idle device needs a moment to reach its full clock, and launch overhead must stay small */
  constexpr double least_us = 5000;
  constexpr int most_calls = 256;
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
    /* samples of a slow contender vary little */
    constexpr double long_ago = 5;
    if (!failure.empty () || spent_us > long_ago * effort.budget * 1e6)
      return false;
    const int n = int (samples.us.size ());
    const int most = contender.most_runs ? std::min (contender.most_runs, effort.runs) : effort.runs;
    return n < most && (n < effort.least_runs || spent_us < effort.budget * 1e6);
  }

  void take ()
  {
    const double begin = now_us ();
    try {
      samples.us.push_back (contender.run ());
    } catch (const std::exception &error) {
      failure = error.what ();
    }
    spent_us += now_us () - begin;
  }

  /* Builds programs, fills caches, and touches pages. */
  void warm_up ()
  {
    take ();
    samples.us.clear ();
    spent_us = 0;
  }
};

}  // namespace

Outcome
measure (const std::vector<Contender> &contenders, const Effort &effort, const Progress &progress)
{
  std::vector<Turn> turns;
  for (const Contender &contender : contenders)
    turns.push_back ({.contender = contender});
  for (Turn &turn : turns) {
    progress (turn.contender.name + ", warm-up");
    turn.warm_up ();
  }
  for (bool again = true; again;) {
    again = false;
    for (Turn &turn : turns) {
      if (!turn.wants_more (effort))
        continue;
      progress (turn.contender.name + ", run " + std::to_string (turn.samples.us.size () + 1));
      turn.take ();
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
