/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches kernels on planes, on both back ends, and copies samples that stay unchanged. */
#pragma once

#include "filter/commands.hpp"
#include "filter/kernels.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace gst::cl {

/** A kernel to launch. */
struct GST_CL_API Launch {
  /** arguments: after PLANE_ARGS. window: how far around each sample the kernel reads. */
  Launch (KernelSpec kernel_, Arguments arguments_ = {}, const Window &window_ = {})
      : kernel (std::move (kernel_)), arguments (std::move (arguments_)), window (window_)
  {
  }
  /** A kernel that runs once and takes no arguments but these. */
  static Launch range (KernelSpec kernel, const WorkSize &size, Arguments arguments)
  {
    Launch launch = Launch (std::move (kernel), std::move (arguments)).sized (size);
    launch.takes_plane = false;
    return launch;
  }
  /** The same on other planes, or on another region, than the plan's. */
  Launch on (const PlaneTask &of) const & { return Launch (*this).on (of); }
  Launch on (const PlaneTask &of) &&
  {
    task = std::make_shared<const PlaneTask> (of);
    return std::move (*this);
  }
  /** The same with a work size that does not follow from the region. */
  Launch sized (const WorkSize &work) &&
  {
    size = work;
    return std::move (*this);
  }

  KernelSpec kernel;
  Arguments arguments;
  Window window;
  bool takes_plane = true;
  /** See sized(). */
  std::optional<WorkSize> size = {};
  /** The planes and the region if they are not the plan's; shared, so that launches stay small. */
  std::shared_ptr<const PlaneTask> task = {};
  /** The samples to write if they are not the region's. */
  std::optional<Patch> patch = {};
  /** A command that may replace the kernel if the planes allow it: copy, or fill with neutral chroma. */
  enum class Command { none, copy, fill } command = Command::none;
};

/** Kernels that run one after the other. Its constructors move, where an initializer list would copy. */
struct Launches : std::vector<Launch> {
  Launches () = default;
  Launches (Launch one) { push_back (std::move (one)); }
  template <std::same_as<Launch>... More> Launches (Launch one, Launch two, More... more)
  {
    reserve (2 + sizeof...(more));
    push_back (std::move (one));
    push_back (std::move (two));
    (push_back (std::move (more)), ...);
  }
  Launches &operator+= (Launches more)
  {
    insert (end (), std::make_move_iterator (more.begin ()), std::make_move_iterator (more.end ()));
    return *this;
  }
};

/** One way to filter a plane. */
struct Algorithm {
  /** The name that `stats` shows; "" leaves the name before. */
  const char *name = "";
  Launches launches = {};
};

/** The ways to filter a plane, best first. The last one is used while programs of the others are built. All results satisfy the
 *  element's formula. */
struct Plan : std::vector<Algorithm> {
  Plan () = default;
  Plan (Algorithm only) { push_back (std::move (only)); }
  Plan (const char *name, Launches launches) : Plan (Algorithm{name, std::move (launches)}) {}
};

/** A form of work on `of`, for example a kernel for small windows. */
template <typename... Of> struct Form {
  const char *name;
  /** Null: it applies to everything. */
  bool (*applies) (const Of &...of);
  Launches (*launches) (const Of &...of);
};

/** The first form that applies. */
template <typename... Of, size_t n>
Algorithm
algorithm_of (const Form<Of...> (&forms)[n], const Of &...of)
{
  const auto &form = *std::ranges::find_if (forms, [&] (const auto &each) { return !each.applies || each.applies (of...); });
  return {form.name, form.launches (of...)};
}

/** Caches plans, or data for plans. Key: the values that they depend on, except properties: call clear() when one changes. */
template <typename Key, typename Value = Plan> class PlanCache {
public:
  template <typename Make> const Value &get (const Key &key, Make make)
  {
    const auto known = plans.find (key);
    if (known != plans.end ())
      return known->second;
    /* moving regions come in many sizes */
    constexpr size_t most = 64;
    if (plans.size () == most)
      plans.clear ();
    return plans.emplace (key, make ()).first->second;
  }
  void clear () { plans.clear (); }

private:
  std::map<Key, Value> plans;
};

/** Launches the kernels of one stage of a stream. Not thread-safe. Functions throw when a kernel does not build or a command
 *  fails. */
class GST_CL_API Runner {
  /* declared first, because it must outlive the other members */
  const ContextRef owner;
  const Format &frame_format;
  const Backend bodies;
  /** If not null, launches are recorded here and not enqueued. */
  std::set<KernelForm> *rehearsed = nullptr;

public:
  /** Pass Backend::image if src or dst of a task may be an image. */
  Runner (ContextRef context, const Format &format, Backend backend);

  const Format &format () const { return frame_format; }
  /** Which kernel bodies run: cpu or gpu. */
  Backend backend () const { return bodies; }
  Context &cl () const { return Context::of (owner.get ()); }
  const ContextRef &context () const { return owner; }

  /** The algorithm of a plan to run. The first frame waits for the best one to be built. Later frames use the best algorithm that
   *  is built, and start builds of better ones in the background. */
  const Algorithm &choose (const PlaneTask &task, const Plan &plan);
  /** Runs kernels one after the other. Their programs are built at the same time. */
  void run (const PlaneTask &task, const Launches &launches);
  /** Whether run() would not wait for builds: true for the first frame. For later frames, missing programs are built in the
   *  background. */
  bool ready (const PlaneTask &task, const Launches &launches);

  /** The work size of a kernel that computes positions itself: on the cpu back end, items of item_rows rows as wide as the
   *  plane; on the gpu back end, one item for each position, in groups. */
  WorkSize size_for (int columns, int rows, std::array<size_t, 2> group, int item_rows = 1) const;

  /** A scratch plane of this size and layout, kept under its name from frame to frame. Its contents become undefined. */
  PlaneView scratch_plane (const ScratchName &name, const PlaneView &like);
  /** One row of masks for `keep` of lib/plane.clh. */
  const ::cl::Buffer &keep_mask (const PlaneTask &task);
  /** The argument `plane` of lib/plane.clh. */
  static cl_int4 plane_argument (const PlaneTask &task);

  /** From now on, adds kernels to forms and enqueues nothing. For the cpu back end. */
  void rehearse (std::set<KernelForm> &forms);

  Commands commands;
  ScratchMemory memory;
  Kernels kernels;

private:
  bool is_commanded (const Launch &launch, const PlaneTask &task, const Patch &patch, bool enqueues);
  bool is_built (const PlaneTask &task, const Launch &launch);
  void launch (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, const Arguments &arguments = {},
      const std::optional<WorkSize> &size = std::nullopt);
  void start (const KernelSpec &spec, const Patch &patch, int pixel, const std::optional<WorkSize> &size,
      const Arguments &plane, const Arguments &own);
  void launch_with_steps (const KernelSpec &joined, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
      const std::optional<WorkSize> &size);
};

/** Divides task.region for a filter with this window. On the cpu back end: the interior, which reads the frame directly, and
 *  the edges, which read copies padded by the border rule. On the gpu back end: one patch. */
GST_CL_API std::vector<Patch> patches_of (Runner &runner, const PlaneTask &task, const Window &window, const KernelSpec &spec);

/** Copies a rectangle of the plane unchanged. */
GST_CL_API Launch copy_launch (const Runner &runner, const PlaneTask &task, const Rect &rect);
GST_CL_API void copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect);

/** Copies a whole plane to another one of its size and layout. */
GST_CL_API void copy_plane (Runner &runner, const PlaneView &from, const PlaneView &to);
/** Returns plane if it is a buffer, else a copy of the image in scratch memory of that name. */
GST_CL_API PlaneView in_buffer (Runner &runner, const PlaneView &plane, const ScratchName &name);

/** Whether a frame of these caps is interlaced. */
GST_CL_API bool is_interlaced (const GstVideoInfo &info, GstBuffer *buffer);
/** Views every second row, starting with row `field` (0 or 1). */
GST_CL_API PlaneView field_of (PlaneView view, int field);
/** Like field_of(), for reading beside other planes. With an odd number of chroma rows, one of the two fields of frame_height /
 *  2 rows lacks its last chroma row. Then the view repeats the row before it; a field without any chroma row gets the other
 *  field's row. */
GST_CL_API PlaneView field_to_read (
    Runner &runner, const PlaneView &plane, int field, int frame_height, const ScratchName &name);

/** Converts the common property `mix` to the number that kernels take. */
cl_long mix_amount (Runner &runner, double amount);
/** Applies the common property `mix` to task.region of a buffer. */
GST_CL_API Launch mix_launch (Runner &runner, double amount);
GST_CL_API void mix_samples (Runner &runner, const PlaneTask &task, double amount);

/** A task whose images are replaced by copies in scratch memory. */
class BufferedTask {
public:
  /** Copies src and the inputs. runner and task must outlive the object. */
  BufferedTask (Runner &runner, const PlaneTask &task);

  /** Copies a region of the result to the task's dst. */
  void copy_back (const Rect &region);

  PlaneTask inside;

private:
  Runner &runner;
  const PlaneTask &task;
  std::vector<PlaneView> inputs;
};

/** An operation's own data about an input; destroyed with the input. */
class GST_CL_API InputWork {
public:
  virtual ~InputWork () = default;
};

}  // namespace gst::cl
