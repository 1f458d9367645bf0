/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches kernels on planes, on either back end. */
#pragma once

#include "filter/kernels.hpp"
#include "filter/scratch.hpp"

#include <set>

namespace gst::cl {

/** What one stage of a stream launches kernels with. Not thread-safe. */
class GST_CL_API Runner {
  /* outlives what follows */
  const ContextRef owner;
  const Format &frame_format;
  const Backend bodies;
  /** Where launches are noted instead of enqueued. */
  std::set<KernelForm> *rehearsed = nullptr;

public:
  /** Backend::image where src or dst of a task may be an image. */
  Runner (ContextRef context, const Format &format, Backend backend);

  const Format &format () const { return frame_format; }
  /** Which bodies run: cpu or gpu. */
  Backend backend () const { return bodies; }
  Context &cl () const { return Context::of (owner.get ()); }
  const ContextRef &context () const { return owner; }

  /** Runs the first algorithm of a plan whose programs are there: any for the first frame, so that it is filtered by the best
   *  one, and later on those that are built; others are then built in the background. Returns it. */
  const Algorithm &run (const PlaneTask &task, const Plan &plan);

  /** Whether launch() may be called without making a stream that plays wait for a build: true for the first frame; later
   *  on a program that is missing is built in the background. */
  bool ready (const KernelSpec &spec, const PlaneTask &task);
  /** Starts the builds of all kernels that a plane is about to launch, side by side; each launch waits for its own. For work
   *  of several programs, which would be built one after the other. */
  void prepare (std::initializer_list<KernelSpec> specs, const PlaneTask &task);

  /** Enqueues a kernel on a patch, with the arguments that follow PLANE_ARGS. size: where it does not follow from the patch. */
  void launch (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, const Arguments &arguments = {},
      const std::optional<WorkSize> &size = std::nullopt);
  /** Enqueues a kernel that has no PLANE_ARGS. */
  void launch_range (const KernelSpec &spec, const PlaneTask &task, const WorkSize &size, const Arguments &arguments);

  /** The size of a kernel that finds its place by itself: items of so many rows, as wide as the plane, on the cpu back end, groups of
   *  items of one place on the gpu back end. */
  WorkSize size_for (int columns, int rows, std::array<size_t, 2> group, int item_rows = 1) const;

  /** An intermediate plane of that size and layout, kept under its name from frame to frame. Contents do not survive. */
  PlaneView scratch_plane (const ScratchName &name, const PlaneView &like);
  /** One row of masks for lib/plane.clh's `keep`. */
  const ::cl::Buffer &keep_mask (const PlaneTask &task);
  /** For lib/plane.clh's `plane`. */
  static cl_int4 plane_argument (const PlaneTask &task);

  /** From now on nothing is enqueued; instead, the kernels that would be are added to forms. For the cpu back end. */
  void rehearse (std::set<KernelForm> &forms);

  Commands commands;
  ScratchMemory memory;
  Kernels kernels;

private:
  void launch_with_steps (const KernelSpec &joined, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
      const std::optional<WorkSize> &size);
  void set (::cl::Kernel &kernel, cl_uint index, const Argument &argument);
  void set (::cl::Kernel &kernel, cl_uint first, const Arguments &arguments);
};

/** The parts into which task.region falls for a filter with that window: on the cpu back end the interior, straight from the
 *  frame, and the edges, from copies that are padded by the border's rule. */
GST_CL_API std::vector<Patch> patches_of (Runner &runner, const PlaneTask &task, const Window &window, const KernelSpec &spec);

}  // namespace gst::cl
