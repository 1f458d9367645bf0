/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One erosion or dilation as kernels, on either back end. */
#pragma once

#include "filter/point.hpp"
#include "morphology/element.hpp"

namespace gst::cl {

/* What is done with the extremum, FINISH_* in kernels/morphology/morphology.clh. */
enum MorphologyFinish : int { MORPHOLOGY_JOIN = 1, MORPHOLOGY_ABOVE = 2, MORPHOLOGY_BELOW = 4, MORPHOLOGY_SIGNED = 8 };

struct MorphologyEnd {
  int finish = 0;
  PlaneView joined, other;
};

/* Writes task.region, a whole plane, of what steps make of task.src. Does nothing and returns nullptr unless it
 * takes one pass whose program is ready. */
const char *morphology_run_on_points (
    Runner &runner, const PlaneTask &task, const MorphologyStep &step, const PointSteps &points);
const char *morphology_run_on_points_gpu (
    Runner &runner, const PlaneTask &task, const MorphologyStep &step, const PointSteps &points);

/* Writes task.region of task.dst; the border's rule for `ignore` is a constant that no extremum takes. Returns the name
 * of the method. */
const char *morphology_run_step (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end);

/* The parts of it. */
const char *morphology_run_cpu (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end);
const char *morphology_run_gpu (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end);

/* MORPHOLOGY_ARGS, followed by the kernel's own. */
Arguments morphology_arguments (
    const Runner &runner, const PlaneTask &task, bool dilate, const MorphologyEnd &end, const Arguments &own = {});

/* The element's runs for kernels/morphology/runs.cl, and the number of levels that they use. */
struct MorphologyRunTable {
  std::vector<cl_int4> runs;
  int levels;
};

MorphologyRunTable morphology_run_table (const MorphologyElement &element, int samples_per_pixel);

}  // namespace gst::cl
