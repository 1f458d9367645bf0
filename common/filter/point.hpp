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
  /** Those of all steps, POINT_ARGS. */
  Arguments arguments () const;

private:
  Options options (const PlaneTask &task) const;
};

/** What an item of the gpu back end takes of single pixels: whole ones, as many as keep memory busiest; neighbouring pixels of an
 *  image go to neighbouring items. */
GST_CL_API int gpu_point_samples (const Runner &runner, const PlaneTask &task);

/** The kernel of steps alone, which writes task.region. */
GST_CL_API KernelSpec point_spec (const Runner &runner, const PlaneTask &task, const PointSteps &steps);

}  // namespace gst::cl
