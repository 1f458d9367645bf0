/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the work of kernels is divided on one device: the choices that change no byte of a result, the best measured ones, and
 * the file that keeps them. */
#pragma once

#include "core/device.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** A choice. 0 stands for the value in the kernel's specification. */
struct Shape {
  /** Work-group size on the gpu back end. */
  int local_x = 0, local_y = 0;
  /** How many samples and rows an item writes. */
  int item_samples = 0, item_rows = 0;
  /** The value of a number that a plan asks for by name. */
  int value = 0;

  auto operator<=> (const Shape &) const = default;
  /** For example "local 32x4, rows 2" or "as shipped". */
  GST_CL_API std::string describe () const;
};

/** The choices that a kernel's specification leaves open. */
struct Tunable {
  /** Whether the kernel gives the same bytes in groups of any shape. */
  bool local = false;
  /** The values of item_rows that it may be compiled with. */
  std::span<const int> rows = {};
  /** item_samples may be halved and doubled between these; 0 if it is fixed. */
  int least_samples = 0, most_samples = 0;
};

/** For kernels that support any number of rows. */
inline constexpr int any_rows[] = {1, 2, 4, 8};

/** For kernels of the gpu back end that support groups of any shape, the given rows, and, unless samples is 0, half and twice
 *  as many samples for an item. Empty on the cpu back end. */
inline Tunable
free_on_gpu (bool gpu, int samples, std::span<const int> rows = {})
{
  return gpu ? Tunable{true, rows, samples / 2, samples * 2} : Tunable{};
}

/** The choices for one kernel of one format class on one device. */
struct Axes {
  std::vector<std::pair<int, int>> locals;
  std::vector<int> samples, rows, values;

  bool empty () const { return locals.empty () && samples.empty () && rows.empty () && values.empty (); }
  /** Whether all numbers of a shape are among the choices. */
  GST_CL_API bool allow (const Shape &shape) const;
  /** items () returns shapes that differ from the shipped one in samples and rows, in all pairs; groups () returns shapes that
   *  differ in the work group. */
  GST_CL_API std::vector<Shape> items () const;
  GST_CL_API std::vector<Shape> groups () const;
};

/** Sees the launches of a device's runners during a search. Called by any thread. */
class LaunchObserver {
public:
  virtual ~LaunchObserver () = default;
  /** A kernel was made, or a plan has asked for a number; `used` is the chosen shape. */
  virtual void met (const std::string &key, const std::string &source, const Axes &axes, const Shape &used) = 0;
  /** A command was enqueued. The key is empty if its kernel has no choices. */
  virtual void launched (const std::string &key, const ::cl::Event &event) = 0;
};

/** The best shape found for a kernel. */
struct TuningEntry {
  Shape shape;
  /** Checksum of the kernel's sources; the entry is ignored when the kernel has changed since. */
  std::string source;
  /** Duration of the measured frame in µs, with the shipped shape and with this one. */
  double shipped_us = 0, best_us = 0;
};

/** The table of one device. Thread-safe. */
class GST_CL_API Tuning {
public:
  /** The process's table for a device, read from its file on the first call. $GST_CL_TUNE selects the file: "off" for none,
   *  "use" or unset for the file in the cache folder, or the path of another file. */
  static std::shared_ptr<Tuning> of (const Device &device);

  /** Reads the table from file, unless file is empty. */
  Tuning (const Device &device, std::string file);

  /** The shape for a kernel; nothing if the table has none that the axes allow. */
  std::optional<Shape> find (const std::string &key, const std::string &source, const Axes &axes) const;
  bool empty () const;

  std::map<std::string, TuningEntry> entries () const;
  /** Adds an entry to the file, after reading it again for entries of other processes. Returns false if it cannot be
   *  written. */
  bool store (const std::string &key, const TuningEntry &entry);
  /** Removes all entries, from the file as well. */
  void clear ();
  const std::string &file () const { return path; }
  /** Why the file was ignored; empty if it was not. */
  const std::string &problem () const { return ignored_because; }

  /** For the search: until end_trial(), new kernels with this key use this shape, and all others their entries. */
  void try_shape (const std::string &key, const Shape &shape);
  void end_trial ();
  /** Change this only while no runner is at work. */
  std::atomic<LaunchObserver *> observer = nullptr;

private:
  const Device device;
  const std::string path;
  std::string ignored_because;
  mutable std::mutex mutex;
  std::map<std::string, TuningEntry> table;
  std::optional<std::pair<std::string, Shape>> trial;
};

/** Reads the entries of a key file of any device. */
std::map<std::string, TuningEntry> tuning_entries (GKeyFile *file);

/** The path of a device's file in the cache folder. */
GST_CL_API std::string tuning_file (const Device &device);

}  // namespace gst::cl
