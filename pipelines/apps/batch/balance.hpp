/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distributes tasks over devices by the speed of earlier tasks. Takes times as arguments and starts no process, so that tests
 * can simulate both. */
#pragma once

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
  Balance (const std::vector<WorkerDevice> &devices, std::vector<double> works, bool measures);

  /* The task for a free device at this time in seconds, or nothing for now. A CPU beside GPUs waits until each GPU has done a
   * task without it, and gets no more tasks if it slows the GPUs down by more than it contributes. When no task is left, a
   * device repeats a task for which another device would need longer. A device that has failed three times in a row gets no
   * more tasks while another device works. */
  std::optional<size_t> next (size_t device, double now);

  /* Call this when the device's process has ended. Returns the other devices that work on the same task, which is done. */
  std::vector<size_t> ended (size_t device, double now, bool good);

  /* Whether no task is left, and no device works. */
  bool finished () const;

private:
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

  bool is_able (const State &device) const;
  bool waits (const State &device) const;
  bool processors_help () const;
  std::optional<size_t> slow_task (const State &device, double now) const;

  std::vector<State> devices;
  const std::vector<double> works;
  const bool measures;
  std::vector<bool> settled;
  size_t begun = 0;
};
