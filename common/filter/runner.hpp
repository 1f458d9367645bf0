/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs kernels on planes: which part with which arguments and work sizes, on either back end. */
#pragma once

#include "filter/tuning.hpp"
#include "filter/types.hpp"
#include "memory/frame.hpp"

#include <array>
#include <functional>
#include <map>

namespace gst::cl {

/** A rectangle in pixels of its plane. */
struct Rect {
  int x, y, width, height;

  bool empty () const { return width <= 0 || height <= 0; }
};

/** How far a filter looks from the sample that it writes, in pixels. */
struct Window {
  int left, right, top, bottom;

  static Window centered (int radius_x, int radius_y) { return {radius_x, radius_x, radius_y, radius_y}; }
};

/** One plane (or one field of it) to filter. */
struct PlaneTask {
  PlaneView src, dst;
  /** Index of the plane in the frame's format, and of the field where it is one. */
  int plane, field = 0;
  /** What to write. */
  Rect region;
  /** Components to filter, a bit for each; the others are copied. */
  unsigned components;
  Border border;
  /** The sample that BORDER_CONSTANT stands for. */
  int border_sample;
  /** Every plane of the frame (or field) that src belongs to. */
  std::span<const PlaneView> frame;
  /** This plane of every input frame (or of its field), of which src is number main. */
  std::span<const PlaneView> inputs;
  size_t main = 0;
};

/** A kernel and how its work is cut. */
struct KernelSpec {
  /** Files below kernels/, after lib/plane.clh, lib/border.clh and lib/gpu.clh. */
  std::vector<std::string> sources;
  std::string function;
  /** Further -D values. */
  std::string options;
  /** What an item writes, ITEM_SAMPLES and ITEM_ROWS. On the cpu back end 1 takes their place where a part of the
   *  plane is smaller. */
  int item_samples = 1, item_rows = 1;
  /** Work-group size on the gpu back end. */
  int local_x = 32, local_y = 4;
  /** cpu back end: items are strips of that many samples, each as wide as is left; 0 for whole rows. */
  int strip_samples = 0;
  /** Not 0: that many groups that share out the work among themselves, each of one item, or of job_items on the gpu back
   *  end. */
  size_t jobs = 0, job_items = 1;
  /** The kernel knows about borders on the cpu back end, too: patches() leaves the region whole. */
  bool own_borders = false;
  /** What launch() may choose otherwise. */
  Tunable tunable = {};
};

/** A source area and the samples to write from it. On the cpu back end every sample that the window reaches from the
 *  region is readable in src; on the gpu back end src is the whole plane and the kernel knows about borders. */
struct Patch {
  ::cl::Memory src;
  int src_offset, src_stride;
  ::cl::Memory dst;
  int dst_offset, dst_stride;
  /** In samples. */
  int x, y, width, height;
  /** As those of PlaneView. */
  bool src_image = false, src_split = false, dst_image = false, dst_split = false;
};

/** A multiple of every vector's length in samples: rows of that many leave a loop no remainder. */
inline constexpr int row_multiple = 64;

/** What kernels did, for `stats`. */
struct KernelTimes {
  guint64 last_ns = 0, max_ns = 0, total_ns = 0, frames = 0;
};

/** The kernels, scratch memory and queue of one element on one stream. Not thread-safe. */
class GST_CL_API Runner {
public:
  /** Backend::image where src or dst of a task may be an image. */
  Runner (ContextRef context, const Format &format, Backend backend);
  ~Runner ();

  const Format &format () const { return frame_format; }
  /** Which bodies run: cpu or gpu. */
  Backend backend () const { return bodies; }
  Context &cl () const { return Context::of (owner.get ()); }
  const ContextRef &context () const { return owner; }

  /** Commands from here on wait for these events; profile makes them count in times(). */
  void begin_frame (std::vector<::cl::Event> wait, bool profile);
  /** The fence of the frame's last command, none where nothing was enqueued. flush: not where more follows. */
  Fence end_frame (bool flush = true);
  /** Waits for everything enqueued, and for every read_back(). */
  void finish () noexcept;
  cl_command_queue queue () const { return current (); }
  void select_queue (bool profile);

  /** The parts into which task.region falls for a filter with that window: on the cpu back end the interior, straight
   *  from the frame, and the edges, from copies that are padded by the border's rule. */
  std::vector<Patch> patches (const PlaneTask &task, const Window &window, const KernelSpec &spec);

  /** Whether launch() may be called without making a stream that plays wait for a build: true for the first frame; later
   *  on a program that is missing is built in the background, and the caller runs a more general one meanwhile. */
  bool ready (const KernelSpec &spec, const PlaneTask &task);

  /** Starts the builds of all kernels that a plane is about to launch, side by side; each launch waits for its own. For work
   *  of several programs, which would be built one after the other. */
  void prepare (std::initializer_list<KernelSpec> specs, const PlaneTask &task);

  /** A number of a plan that changes no byte: `usual`, or another one of those values where that was measured to be better
   *  on this device. `of` tells uses of the name apart: a window's size. */
  int choose (const char *name, int of, int usual, std::span<const int> values) const;

  /** Enqueues spec's kernel on a patch, with the arguments that follow PLANE_ARGS. */
  template <typename... Arguments>
  void launch (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, const Arguments &...arguments)
  {
    launch_with (spec, task, patch, [&] (::cl::Kernel &kernel, cl_uint index) { (kernel.setArg (index++, arguments), ...); });
  }

  /** The same with a function that sets them, from an index on. */
  template <typename SetArguments>
  void launch_with (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, SetArguments set_arguments)
  {
    if (rehearsed)
      return note_form (spec, task, patch, true, {1, 1}, {1, 1});
    Prepared &prepared = kernel_for (spec, task, patch);
    set_arguments (prepared.kernel, set_plane_arguments (prepared.kernel, task, patch));
    enqueue_plane (prepared, spec, task, patch);
  }

  /** Enqueues a kernel that has no PLANE_ARGS. Zero local sizes leave the choice to the driver. */
  template <typename... Arguments>
  void launch_range (const KernelSpec &spec, const PlaneTask &task, std::array<size_t, 2> global, std::array<size_t, 2> local,
      const Arguments &...arguments)
  {
    if (rehearsed)
      return note_form (spec, task, whole_plane (task), false, global, local);
    Prepared &prepared = kernel_for (spec, task, whole_plane (task), false);
    cl_uint index = 0;
    (prepared.kernel.setArg (index++, arguments), ...);
    enqueue (prepared, global, local);
  }

  /** Enqueues a kernel of the caller's own, whose arguments are set. */
  void launch_own (const ::cl::Kernel &kernel, std::array<size_t, 2> global, std::array<size_t, 2> local);

  /** Copies a rectangle of the plane unchanged. */
  void copy (const PlaneTask &task, const Rect &rect);
  /** The common property `mix`, on task.region of a buffer. */
  void mix (const PlaneTask &task, double amount);

  /** task with copies in scratch memory for images: src and the inputs are copied, dst is to be copied back by
   *  copy_back(). Holds until the next call. */
  PlaneTask in_buffers (const PlaneTask &task);
  void copy_back (const PlaneTask &in_buffers, const PlaneTask &task);

  /** Device memory of this size at least, kept under its name from frame to frame. Contents do not survive. */
  const ::cl::Buffer &scratch (const std::string &name, size_t bytes);
  /** The same, of zeros when it is new. Kernels that change it leave zeros behind. */
  const ::cl::Buffer &zeros (const std::string &name, size_t bytes);
  /** As scratch(), with contents from the host, written only where they differ from the last ones of that name. */
  const ::cl::Buffer &table (const std::string &name, std::span<const std::byte> content);
  template <typename T> const ::cl::Buffer &table (const std::string &name, const std::vector<T> &content)
  {
    return table (name, std::as_bytes (std::span (content)));
  }

  /** An intermediate plane of that size and layout, kept under its name from frame to frame. Contents do not survive. */
  PlaneView scratch_plane (const std::string &name, const PlaneView &like);

  /** Reads device memory after what is enqueued, without waiting for it. done is called on another thread, one after the
   *  other in order; not at all where the device failed. */
  void read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done);

  /** One row of masks for lib/plane.clh's `keep`. */
  const ::cl::Buffer &keep_mask (const PlaneTask &task);
  static Patch whole_plane (const PlaneTask &task);
  /** A rectangle of the plane as it is, without what a window would need around it. */
  static Patch part (const PlaneTask &task, const Rect &rect);
  static cl_int4 plane_argument (const PlaneTask &task);

  /** From now on nothing is enqueued; instead, the kernels that would be are added to forms. For the cpu back end. */
  void rehearse (std::set<KernelForm> &forms) { rehearsed = &forms; }

  BuildCounts builds;
  KernelTimes times;
  guint64 allocations = 0;

private:
  struct Table {
    ::cl::Buffer buffer;
    size_t capacity = 0;
    std::vector<std::byte> content;
  };

  /** What tells programs of one specification apart. */
  struct Variant {
    int samples_per_pixel, item_samples, item_rows;
    /** Bytes on which every row in a buffer starts: 16, 4 or 0. */
    int aligned;
    bool src_image, src_split, dst_image, dst_split;
  };

  /** A kernel, and how its work is cut. */
  struct Prepared {
    ::cl::Kernel kernel;
    Shape shape;
    /** Its name in the tuning table; empty where nothing can be chosen. */
    std::string name;
  };
  struct Choice {
    Shape shape;
    std::string name;
  };

  Variant variant_for (const KernelSpec &spec, const Shape &shape, const PlaneTask &task, const Patch &patch) const;
  static std::string kernel_key (const KernelSpec &spec, const Variant &variant);
  ProgramSpec program_spec (const KernelSpec &spec, const Variant &variant) const;
  /** What is chosen for a kernel, whose key and variant are those of its specification. */
  const Choice &choice_for (const KernelSpec &spec, const std::string &key, const Variant &usual);
  Choice choose_shape (const KernelSpec &spec, const std::string &key, const Variant &usual) const;
  std::string tuning_key (const std::string &kernel) const;
  void build_candidates (const KernelSpec &spec, const Axes &axes, const PlaneTask &task, const Patch &patch);
  int most_rows (const KernelSpec &spec, const PlaneTask &task);
  void note_form (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, bool tunable, std::array<size_t, 2> global,
      std::array<size_t, 2> local);
  Prepared *find_kernel (const std::string &key);
  Prepared &kernel_for (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, bool tunable = true);
  Prepared &add_kernel (
      std::string key, const KernelSpec &spec, const Choice &choice, const ProgramSpec &program, const ::cl::Program &built);
  cl_uint set_plane_arguments (::cl::Kernel &kernel, const PlaneTask &task, const Patch &patch);
  void enqueue_plane (Prepared &prepared, const KernelSpec &spec, const PlaneTask &task, const Patch &patch);
  void enqueue (Prepared &prepared, std::array<size_t, 2> global, std::array<size_t, 2> local);
  std::vector<Patch> padded (const PlaneTask &task, const Window &window, const std::array<Rect, 4> &rects);
  PlaneView in_buffer (const PlaneTask &task, const PlaneView &plane, const std::string &name);
  void collect_times ();
  ::cl::Event *next_event ();

  ContextRef owner;
  const Format &frame_format;
  const Backend bodies;
  ::cl::CommandQueue current;
  /** Where launches are noted instead of enqueued. */
  std::set<KernelForm> *rehearsed = nullptr;
  std::vector<::cl::Event> pending_wait;
  /** Copies of inputs that are images, for in_buffers(). */
  std::vector<PlaneView> input_copies;
  class ReadBacks;
  const std::shared_ptr<ReadBacks> read_backs;
  ::cl::Event last;
  bool profiling = false;
  bool playing = false;
  /** Events of profiled frames that are not yet complete. */
  std::vector<std::vector<::cl::Event>> profiled;
  std::map<std::string, Prepared, std::less<>> kernels;
  const std::shared_ptr<Tuning> tuning;
  std::map<std::string, Choice> choices;
  mutable std::map<std::string, int> numbers;
  std::map<std::string, std::pair<::cl::Buffer, size_t>> scratches;
  std::map<std::string, Table> tables;
};

}  // namespace gst::cl
