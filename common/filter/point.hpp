/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that look at no pixel but the one that they write, as steps of a kernel that does more. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** What one filter does to the samples of a pixel: a function of its own kernel sources, of the form that kernels/lib/steps.clh
 *  describes. */
struct PointStep {
  /** What it does to pixels whose colours are equal, and what it leaves of others. */
  enum class Gray { lost, kept, made };

  /** As it is called there; and what does the same, and less, to pixels whose colours are equal. */
  const char *kind, *kind_of_gray;
  /** The function, and what it needs before. Names that stay. */
  std::span<const char *const> sources;
  Gray gray;
  Arguments arguments;
  /** NAME_i in the sources, where i is the step's number; and what holds for all steps. */
  Options options = {}, shared_options = {};
  /** How many an item of the gpu back end may take, and rows of them: fewer where the function is a long program. */
  int item_bytes = 16, item_rows = 1;
};

/** Steps in order, on the components of one plane that a task filters. */
class GST_CL_API PointSteps {
public:
  /** How many one kernel takes. */
  static constexpr size_t most = 6;

  std::vector<PointStep> steps;

  bool empty () const { return steps.empty (); }
  /** Makes the steps part of a kernel that has POINT_ARGS behind its own. */
  void join (KernelSpec &spec, const PlaneTask &task) const;
  /** The same of a kernel that stores results through them. */
  void join_behind (KernelSpec &spec, const PlaneTask &task) const;
  /** The same of a kernel that gives steps luma, U and V (kernels/lib/point.clh). */
  void join_places (KernelSpec &spec) const;
  /** Those of all steps, POINT_ARGS. */
  Arguments arguments () const;

private:
  void add_sources (std::vector<const char *> &sources, bool loads) const;
  Options own_options () const;
  Options options (const PlaneTask &task) const;
};

/** Filters of single pixels behind another one. */
struct AfterPoints {
  const PointSteps &steps;
  /** What they are for: a plane in a buffer. */
  ::cl::Memory dst;
  /** Whether a kernel has run them. */
  bool ran = false;

  /** The kernel with the steps, or nothing where it writes something else or cannot run them. */
  static std::optional<KernelSpec> join (const Runner &runner, const KernelSpec &spec, const PlaneTask &task);
};

/** Where red, green and blue stand in a pixel: the first of the three, whether they are green, blue and red, or blue comes before red
 *  (COLOR_AT, GREEN_FIRST and `reversed` of kernels/shared/color.clh). */
struct ColorOrder {
  int at;
  bool green_first, reversed;

  GST_CL_API static ColorOrder of (const PlaneLayout &layout);
};

/** What an item of the gpu back end takes of single pixels: whole ones, as many as keep memory busiest, of so many bytes at most;
 *  neighbouring pixels of an image go to neighbouring items. */
GST_CL_API int gpu_point_samples (const Runner &runner, const PlaneTask &task, int bytes = 16);

/** The kernel of steps alone, which writes task.region. */
GST_CL_API KernelSpec point_spec (const Runner &runner, const PlaneTask &task, const PointSteps &steps);

/** Enqueues it for one step. */
GST_CL_API void run_point (Runner &runner, const PlaneTask &task, PointStep step);

}  // namespace gst::cl
