/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clmedian
 * @title: clmedian
 * @short_description: median and other rank filters with windows up to 255x255
 *
 * Every sample becomes the sample of a rank in its window: the median, or with #GstClMedian:percentile any other. Salt
 * and pepper goes, edges stay. Each component is filtered by itself, bit-exact at every depth.
 *
 * Small square windows run as networks of minima and maxima without a branch; large ones by histograms whose time
 * hardly grows with the radius.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc pattern=snow num-buffers=100 ! clmedian radius=2 ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clmedian threshold=0.2 ! videoconvert ! autovideosink
 * ]| Only samples that differ from the median by more than a fifth of full scale are replaced.
 */
#include "filter/gstclfilter.hpp"
#include "median/plan.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { RADIUS, RADIUS_Y, PERCENTILE, THRESHOLD };

const Property properties[] = {
    /**
     * GstClMedian:radius:
     *
     * Half the window's width, in samples of the plane: the window has 2 * radius + 1 columns.
     */
    integer_property ("radius", "Half the window's width without its centre, in samples", 1, 127, 1),
    /**
     * GstClMedian:radius-y:
     *
     * Half the window's height. -1 stands for the radius, 0 for a single row.
     */
    integer_property ("radius-y", "Half the window's height without its centre, in samples; -1 = radius", -1, 127, -1),
    /**
     * GstClMedian:percentile:
     *
     * Which of the n samples in order is the result: rank floor (percentile * (n - 1) + 0.5). 0 is the minimum, 1 the
     * maximum.
     */
    real_property (
        "percentile", "Which of the window's samples in order is the result: 0 the least, 1 the greatest", 0, 1, 0.5),
    /**
     * GstClMedian:threshold:
     *
     * A sample is replaced only where it differs from the result by more than this, of full scale.
     */
    real_property ("threshold", "Replace a sample only where it differs by more than this, of full scale", 0, 1, 0),
};

class Median : public Operation {
public:
  void update (const Values &values) override
  {
    const int radius = values.integer (RADIUS), radius_y = values.integer (RADIUS_Y);
    window.radius_x = radius;
    window.radius_y = radius_y < 0 ? radius : radius_y;
    window.rank = median_rank (values.real (PERCENTILE), window.samples ());
    threshold = values.real (THRESHOLD);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    constexpr int methods[] = {median_by_network, median_by_descent, median_by_march};
    constexpr int key_of_radius = 1000;
    MedianTarget target = target_of (runner, task);
    MedianPlan plan = plan_median (window, target);
    if (plan.method) {
      const int size = key_of_radius * window.radius_x + window.radius_y;
      target.method = runner.choose ("median method", size, plan.method, methods);
      plan = plan_median (window, target);
    }
    if (!runner.ready (spec_of (plan), task)) {
      target.method = 0;
      plan = plan_median (window, target, true);
    }
    const KernelSpec spec = spec_of (plan);
    name = plan.algorithm;
    const cl_int limit = cl_int (threshold * runner.format ().max_value ());
    const cl_int rank = window.rank;
    const cl_int2 radius{{window.radius_x, window.radius_y}};
    for (const Patch &patch : runner.patches (task, Window::centered (window.radius_x, window.radius_y), spec))
      switch (plan.arguments) {
        case MedianPlan::Arguments::limit:
          runner.launch (spec, task, patch, limit);
          break;
        case MedianPlan::Arguments::limit_rank:
          runner.launch (spec, task, patch, limit, rank, radius);
          break;
        case MedianPlan::Arguments::limit_rank_jobs:
          runner.launch (spec, task, patch, limit, rank, radius, cl_int (plan.strip), cl_int (plan.band),
              runner.scratch ("median", plan.scratch_bytes ()), cl_int (plan.scratch_each));
          break;
        case MedianPlan::Arguments::limit_rank_planes:
          run_on_planes (runner, task, patch, plan, limit);
          break;
      }
  }

  std::string algorithm () const override { return name; }

private:
  static KernelSpec spec_of (const MedianPlan &plan)
  {
    return {.sources = plan.sources,
        .function = plan.function,
        .options = plan.options,
        .item_samples = plan.item_samples,
        .item_rows = plan.item_rows,
        .local_x = plan.local_x,
        .local_y = plan.local_y,
        .jobs = plan.jobs,
        .job_items = plan.job_items,
        .own_borders = plan.own_borders,
        /* others have work-groups of their own */
        .tunable = {.local = plan.method == median_by_network || plan.method == 0}};
  }

  /* First the kernel that writes the samples by component, then the one that filters them. */
  void run_on_planes (Runner &runner, const PlaneTask &task, const Patch &patch, const MedianPlan &plan, cl_int limit) const
  {
    const size_t bytes = size_t (plan.plane_bytes) * task.src.layout->samples_per_pixel;
    const ::cl::Buffer &planes = runner.scratch ("median", bytes);
    const ::cl::Buffer &far = plan.far_bytes ? runner.scratch ("median-results", plan.far_bytes) : planes;
    const KernelSpec filter = spec_of (plan);
    KernelSpec prepare = filter;
    prepare.function = plan.prepare;
    prepare.jobs = plan.prepare_jobs;
    prepare.job_items = plan.prepare_items;
    for (const KernelSpec &spec : {prepare, filter})
      runner.launch (spec, task, patch, limit, cl_int (window.rank), cl_int2{{window.radius_x, window.radius_y}},
          cl_int (plan.pitch), cl_int (plan.plane_bytes), planes, far);
  }

  static MedianTarget target_of (const Runner &runner, const PlaneTask &task)
  {
    const Device &device = runner.cl ().device;
    return {.gpu = runner.backend () == Backend::gpu,
        .depth = runner.format ().depth,
        .samples_per_pixel = task.src.layout->samples_per_pixel,
        .width = task.region.width,
        .height = task.region.height,
        .compute_units = int (device.compute_units),
        .local_bytes = device.local_bytes,
        .ptx_lanes = device.nvidia_capability >= 90};
  }

  MedianWindow window;
  double threshold = 0;
  std::string name;
};

const FilterDescription description{
    .long_name = "OpenCL median filter",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Replaces each sample by the median, or another rank, of its window",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Median> (); },
    /* no sample can differ from another by more than full scale */
    .neutral = [] (const Values &values) { return values.real (THRESHOLD) >= 1; },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClMedian, gst_cl_median, clmedian, description)
