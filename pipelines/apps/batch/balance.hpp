/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distributes tasks over devices by the speed of earlier tasks. Takes times as arguments and starts no process, so that tests
 * can simulate both. */
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

struct WorkerDevice {
  /* The value of GST_CL_DEVICE for its tasks; "" for the default. */
  std::string name;
  bool is_cpu = false;
};

class Balance {
public:
  /* works: the size of each task, in any unit. measures: distribute tasks by speed, as next() describes; otherwise each free
   * device takes the next task. */
  Balance (const std::vector<WorkerDevice> &given, std::vector<double> works, bool measures)
      : works (std::move (works)), measures (measures), settled (this->works.size ())
  {
    for (const WorkerDevice &device : given)
      devices.push_back ({.is_cpu = device.is_cpu, .beside = {}, .alone = {}});
  }

  /* The task for a free device at this time in seconds, or nothing for now. A CPU beside GPUs waits until each GPU has done a
   * task without it, and gets no more tasks if it slows the GPUs down by more than it contributes. When no task is left, a
   * device repeats a task for which another device would need longer. A device that has failed three times in a row gets no
   * more tasks while another device works. */
  std::optional<size_t> next (size_t number, double now)
  {
    State &device = devices[number];
    if (!is_able (device) || waits (device))
      return {};
    device.task = begun < works.size () ? std::optional (begun++) : slow_task (device, now);
    device.begin = now;
    device.is_beside = std::ranges::any_of (devices, [] (const State &each) { return each.is_cpu && each.task; });
    if (device.is_cpu && device.task)
      for (State &other : devices)
        other.is_beside = true;
    return device.task;
  }

  /* Call this when the device's process has ended. Returns the other devices that work on the same task, which is done. */
  std::vector<size_t> ended (size_t number, double now, bool good)
  {
    State &device = devices[number];
    const size_t task = *device.task;
    device.task = {};
    if (settled[task])
      return {}; /* another device was faster */
    std::vector<size_t> others;
    for (size_t i = 0; i < devices.size (); i++)
      if (devices[i].task == task)
        others.push_back (i);
    device.failures = good ? 0 : device.failures + 1;
    if (!good) {
      settled[task] = others.empty ();
      return {};
    }
    settled[task] = true;
    Pace &pace = device.is_beside ? device.beside : device.alone;
    pace.work += works[task];
    pace.seconds += now - device.begin;
    return others;
  }

  /* Whether no task is left, and no device works. */
  bool finished () const
  {
    const bool busy = std::ranges::any_of (devices, [] (const State &each) { return each.task.has_value (); });
    const bool able = std::ranges::any_of (devices, [&] (const State &each) { return is_able (each) && !waits (each); });
    return !busy && (begun == works.size () || !able);
  }

private:
  /* How many times faster a second attempt must be. */
  static constexpr double worth_a_try = 1.25;

  struct Pace {
    double work = 0, seconds = 0;
    bool known () const { return seconds > 0; }
    double rate () const { return work / seconds; }
  };
  struct State {
    bool is_cpu;
    /* of tasks that ran beside a CPU's task, and of others */
    Pace beside, alone;
    std::optional<size_t> task = {};
    double begin = 0;
    bool is_beside = false;
    int failures = 0;

    bool fails () const { return failures >= 3; }
    bool known () const { return beside.known () || alone.known (); }
    double rate () const { return beside.known () ? beside.rate () : alone.rate (); }
  };

  bool is_able (const State &device) const
  {
    const auto is_good = [] (const State &other) { return !other.fails (); };
    return !measures || !device.fails () || std::ranges::none_of (devices, is_good);
  }

  /* Whether a CPU must leave the tasks to the GPUs. */
  bool waits (const State &device) const
  {
    const auto is_unmeasured = [&] (const State &other) { return !other.is_cpu && !other.fails () && !other.known (); };
    return measures && device.is_cpu && (std::ranges::any_of (devices, is_unmeasured) || !processors_help ());
  }

  bool processors_help () const
  {
    double with = 0, without = 0;
    for (const State &device : devices) {
      const bool matters = is_able (device) && (device.is_cpu || device.alone.known ());
      if (matters && (!device.known () || (!device.is_cpu && !device.beside.known ())))
        return true; /* as far as is known */
      if (matters)
        with += device.rate ();
      if (matters && !device.is_cpu)
        without += device.alone.rate ();
    }
    return with > without;
  }

  /* A task of another device that this one would finish earlier. A device without a measurement is expected to need as long as it
   * has worked already. */
  std::optional<size_t> slow_task (const State &device, double now) const
  {
    if (!measures || !device.known ())
      return {};
    std::optional<size_t> slowest;
    double most = 0;
    for (const State &other : devices) {
      if (!other.task || settled[*other.task])
        continue;
      const size_t task = *other.task;
      const bool shared = std::ranges::count_if (devices, [&] (const State &each) { return each.task == task; }) > 1;
      const double elapsed = now - other.begin;
      const double left = other.known () ? std::max (works[task] / other.rate (), elapsed) - elapsed : elapsed;
      const double saves = left - worth_a_try * works[task] / device.rate ();
      if (!shared && saves > most) {
        most = saves;
        slowest = task;
      }
    }
    return slowest;
  }

  std::vector<State> devices;
  const std::vector<double> works;
  const bool measures;
  std::vector<bool> settled;
  size_t begun = 0;
};
