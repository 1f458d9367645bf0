/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests cl-batch's distribution of tasks among devices of given speeds, with a simulated clock. */
#include "../../pipelines/apps/batch/balance.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>

namespace {

struct Machine {
  bool is_cpu = false;
  /* Work per second, without and with a CPU at work beside it. */
  double alone = 1, beside = 1;
  bool fails = false;
};

struct Outcome {
  double seconds = 0;
  std::vector<size_t> tasks;
  size_t done = 0;
};

/* Simulates devices until none has anything to do. */
class Play {
public:
  Play (const std::vector<Machine> &machines, size_t count, bool measures)
      : machines (machines), tasks (machines.size ()), left (machines.size ()), done (count),
        balance (devices_of (machines), std::vector<double> (count, 1), measures), outcome{.tasks = std::vector<size_t> (
                                                                                               machines.size ())}
  {
  }

  Outcome run ()
  {
    for (;;) {
      for (size_t i = 0; i < machines.size (); i++)
        if (!tasks[i])
          if ((tasks[i] = balance.next (i, now)))
            left[i] = 1;
      if (std::ranges::none_of (tasks, [] (const auto &task) { return task.has_value (); }))
        break;
      step ();
    }
    outcome.seconds = now;
    outcome.done = size_t (std::ranges::count (done, true));
    return outcome;
  }

  bool finished () const { return balance.finished (); }

private:
  static std::vector<WorkerDevice> devices_of (const std::vector<Machine> &machines)
  {
    std::vector<WorkerDevice> devices;
    for (const Machine &machine : machines)
      devices.push_back ({"", machine.is_cpu});
    return devices;
  }

  double rate (size_t i) const
  {
    for (size_t k = 0; k < machines.size (); k++)
      if (k != i && machines[k].is_cpu && tasks[k])
        return machines[i].beside;
    return machines[i].alone;
  }

  /* Advances to the time at which the next device is free. */
  void step ()
  {
    double wait = std::numeric_limits<double>::infinity ();
    size_t first = 0;
    for (size_t i = 0; i < machines.size (); i++)
      if (tasks[i] && left[i] / rate (i) < wait) {
        wait = left[i] / rate (i);
        first = i;
      }
    std::vector<double> rates;
    for (size_t i = 0; i < machines.size (); i++)
      rates.push_back (rate (i));
    for (size_t i = 0; i < machines.size (); i++)
      if (tasks[i])
        left[i] -= wait * rates[i];
    now += wait;
    end (first, !machines[first].fails);
  }

  void end (size_t i, bool good)
  {
    const size_t task = *std::exchange (tasks[i], std::nullopt);
    outcome.tasks[i] += good && !done[task];
    done[task] = done[task] || good;
    for (const size_t other : balance.ended (i, now, good))
      end (other, true);
  }

  const std::vector<Machine> machines;
  std::vector<std::optional<size_t>> tasks;
  std::vector<double> left;
  std::vector<bool> done;
  Balance balance;
  Outcome outcome;
  double now = 0;
};

int number = 0, failed = 0;

void
check (const char *name, const std::vector<Machine> &machines, size_t count, const std::function<bool (const Outcome &)> &good,
    bool measures = true)
{
  Play play (machines, count, measures);
  const Outcome outcome = play.run ();
  const bool passes = good (outcome) && play.finished ();
  std::printf ("%sok %d - %s # %.2f s, %zu done:", passes ? "" : "not ", ++number, name, outcome.seconds, outcome.done);
  for (const size_t tasks : outcome.tasks)
    std::printf (" %zu", tasks);
  std::printf ("\n");
  failed += !passes;
}

}  // namespace

int
main ()
{
  const Machine gpu{.alone = 10, .beside = 10}, gpu_slowed{.alone = 10, .beside = 8};
  const Machine cpu{.is_cpu = true, .alone = 1, .beside = 1}, slow{.alone = 0.1, .beside = 0.1};
  std::printf ("1..8\n");
  check ("equal devices do half each", {gpu, gpu}, 40, [] (const Outcome &o) { return o.tasks[0] == 20 && o.seconds <= 2.01; });
  check ("a faster device does more", {gpu, {.alone = 5, .beside = 5}}, 60,
      [] (const Outcome &o) { return o.done == 60 && o.tasks[0] >= 38 && o.seconds < 4.3; });
  check ("a processor helps", {gpu, cpu}, 110, [] (const Outcome &o) { return o.tasks[1] >= 8 && o.seconds < 10.4; });
  check ("a processor that slows the GPU down stops", {gpu_slowed, cpu}, 110,
      [] (const Outcome &o) { return o.tasks[1] <= 2 && o.seconds < 11.6; });
  check ("the last task of a slow device is done by a fast one", {gpu, slow}, 20,
      [] (const Outcome &o) { return o.done == 20 && o.seconds < 3; });
  check ("a device that fails gets no more than three", {gpu, {.alone = 100, .beside = 100, .fails = true}}, 40,
      [] (const Outcome &o) { return o.done == 37 && o.tasks[0] == 37; });
  check ("tasks that all fail are all tried", {{.fails = true}}, 40,
      [] (const Outcome &o) { return o.done == 0 && o.seconds == 40; });
  check (
      "devices in a list take the next task", {gpu, cpu}, 22, [] (const Outcome &o) { return o.done == 22 && o.tasks[1] == 2; },
      false);
  return failed > 0;
}
