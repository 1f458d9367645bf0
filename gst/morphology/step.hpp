/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns one erosion or dilation into kernels, on both back ends. */
#pragma once

#include "filter/operation.hpp"
#include "morphology/element.hpp"

namespace gst::cl {

/* The last operation on the extremum: FINISH_* in kernels/morphology/morphology.clh. */
enum MorphologyFinish : int { MORPHOLOGY_ABOVE = 1, MORPHOLOGY_BELOW = 2, MORPHOLOGY_SIGNED = 4, MORPHOLOGY_LEAST = 8 };

struct MorphologyEnd {
  int finish = 0;
  PlaneView other;
};

/* One step on a plane. For `ignore`, the plane's border rule is a constant that no extremum selects. */
struct MorphologyWork {
  Runner &runner;
  const PlaneTask &task;
  const MorphologyStep &step;
  const MorphologyEnd &end;

  const MorphologyReach &reach () const { return step.element.reach (); }
  int samples () const { return task.src.layout->samples_per_pixel; }
  int sample_bytes () const { return runner.format ().sample_size (); }
  /* MORPHOLOGY_ARGS, followed by the kernel's own arguments. */
  Arguments arguments (const Arguments &own = {}) const;
};

/* The best form of a step on the gpu back end. */
Algorithm morphology_on_gpu (const MorphologyWork &work);

/* Writes task.region of task.dst. */
Algorithm morphology_algorithm (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end);

/* Runs task.before on task.src and this step on the result, in one kernel; task.region must be the whole plane. Empty unless one
 * pass suffices. */
Plan morphology_plan_on_points (Runner &runner, const PlaneTask &task, const MorphologyStep &step);
/* The kernel of morphology_plan_on_points(), if there is one. */
std::optional<KernelSpec> morphology_points_on_gpu (const MorphologyWork &work);

/* The element's runs for morphology_runs, and the number of levels that they use. */
struct MorphologyRunTable {
  std::vector<cl_int4> runs;
  int levels;
};

MorphologyRunTable morphology_run_table (const MorphologyWork &work);

}  // namespace gst::cl
