/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the work of kernels is cut on one device: what may be chosen without changing a byte, what was measured to be best, and
 * where that is kept. */
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

struct KernelSpec;

/** A choice. 0 is: as the kernel's specification has it. */
struct Shape {
  /** Work-group of the gpu back end. */
  int local_x = 0, local_y = 0;
  /** What an item writes. */
  int item_samples = 0, item_rows = 0;
  /** Of a number that a plan asks for by name. */
  int value = 0;

  auto operator<=> (const Shape &) const = default;
  /** "local 32x4, rows 2", "as shipped" */
  GST_CL_API std::string describe () const;
};

/** What a kernel's specification leaves open. */
struct Tunable {
  /** The kernel gives the same bytes in groups of any shape. */
  bool local = false;
  /** item_rows that it may be compiled with. */
  std::span<const int> rows = {};
  /** item_samples may be halved and doubled between these; 0: it may not. */
  int least_samples = 0, most_samples = 0;
};

/** Rows for kernels that are written for any number of them. */
inline constexpr int any_rows[] = {1, 2, 4, 8};

/** For kernels of the gpu back end that take groups of any shape, rows as many as you like, and, where samples is not 0,
 *  half and twice as many samples an item. Nothing on the cpu back end. */
inline Tunable
free_on_gpu (bool gpu, int samples, std::span<const int> rows = {})
{
  return gpu ? Tunable{true, rows, samples / 2, samples * 2} : Tunable{};
}

/** What may be chosen for one kernel of one format class on one device. */
struct Axes {
  std::vector<std::pair<int, int>> locals;
  std::vector<int> samples, rows, values;

  bool empty () const { return locals.empty () && samples.empty () && rows.empty () && values.empty (); }
  /** Whether every number of a shape is one of those. */
  GST_CL_API bool allow (const Shape &shape) const;
  /** Shapes that differ from the shipped one along one axis; of samples and rows all pairs. */
  GST_CL_API std::vector<Shape> items () const;
  GST_CL_API std::vector<Shape> groups () const;
};

/** What the search sees while it watches a device's runners. Any thread. */
class LaunchObserver {
public:
  virtual ~LaunchObserver () = default;
  /** A kernel was made, or a plan has asked for a number; `used` is what it got. */
  virtual void met (const std::string &key, const std::string &source, const Axes &axes, const Shape &used) = 0;
  /** A command was enqueued. The key is empty where nothing can be chosen for its kernel. */
  virtual void launched (const std::string &key, const ::cl::Event &event) = 0;
};

/** What was found for a kernel. */
struct TuningEntry {
  Shape shape;
  /** Checksum of the kernel's sources: a kernel that has changed since is not cut by this. */
  std::string source;
  /** Microseconds of the frame that was measured, as shipped and with the shape. */
  double shipped_us = 0, best_us = 0;
};

/** The table of one device. Thread-safe. */
class GST_CL_API Tuning {
public:
  /** The process's table for that device, read from its file when it is first asked for. $GST_CL_TUNE chooses: "off" for
   *  none, "use" or nothing for the cache folder's, or a path of another file. */
  static std::shared_ptr<Tuning> of (const Device &device);

  /** The table in a file, where that is not empty. */
  Tuning (const Device &device, std::string file);

  /** What to take for a kernel; nothing where the table has no shape for it that the axes allow. */
  std::optional<Shape> find (const std::string &key, const std::string &source, const Axes &axes) const;
  bool empty () const;

  std::map<std::string, TuningEntry> entries () const;
  /** Adds to the file, which is read again for what others have added. False where it could not be written. */
  bool store (const std::string &key, const TuningEntry &entry);
  /** Forgets everything, in the file as well. */
  void clear ();
  const std::string &file () const { return path; }
  /** Why the file was ignored; empty where it was not. */
  const std::string &problem () const { return ignored_because; }

  /** For the search: from now on new kernels take this shape for the key, and entries for all others. */
  void try_shape (const std::string &key, const Shape &shape);
  void end_trial ();
  /** Set for as long as no runner is at work. */
  std::atomic<LaunchObserver *> observer = nullptr;

private:
  void load ();

  const Device device;
  const std::string path;
  std::string ignored_because;
  mutable std::mutex mutex;
  std::map<std::string, TuningEntry> table;
  std::optional<std::pair<std::string, Shape>> trial;
};

/** The entries of a key file of some device. */
std::map<std::string, TuningEntry> tuning_entries (GKeyFile *file);

/** The file of a device in the cache folder. */
GST_CL_API std::string tuning_file (const Device &device);

/** What is shipped for a kind of device where the specification's numbers, measured on NVIDIA's and on PoCL, are not for it. */
GST_CL_API Shape shipped_shape (const Device &device, const KernelSpec &spec);

/** What can be chosen for a kernel. */
Axes axes_of (const Device &device, const KernelSpec &spec, bool cpu, bool images);

}  // namespace gst::cl
