/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which device does which task, by what those before have taken. Knows no clock and no process, so that a test can play both. */
#pragma once

#include <optional>
#include <string>
#include <vector>

struct WorkerDevice {
  /* What GST_CL_DEVICE is for its tasks; "" for whatever it is. */
  std::string name;
  bool is_cpu = false;
};

class Balance {
public:
  /* works: how large each task is, in any unit. measures: devices are given tasks by their speed, as next() says; else each device takes the
   * next task whenever it is free. */
  Balance (const std::vector<WorkerDevice> &devices, std::vector<double> works, bool measures);

  /* The task that a free device begins at this time in seconds, or nothing for now.
   * A processor beside GPUs waits until each GPU has done a task without it, and gets no more tasks when it turns out to slow
   * the GPUs down by more than it does itself. When no task is left, a device begins one once more that another
   * would take longer over. A device that failed three times in a row gets no more
   * while another does not fail. */
  std::optional<size_t> next (size_t device, double now);

  /* The device's process has ended. Returns the other devices that work on the same task, which is done. */
  std::vector<size_t> ended (size_t device, double now, bool good);

  /* Whether nothing is left that next() could give to anyone, and nobody works. */
  bool finished () const;

private:
  struct Pace {
    double work = 0, seconds = 0;
    bool known () const { return seconds > 0; }
    double rate () const { return work / seconds; }
  };
  struct State {
    bool is_cpu;
    /* of tasks done beside a processor's, and without */
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
