/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian: replaces each sample by the median, or another percentile, of the window around it: removes specks (impulse
 * noise) and keeps edges. */
#include "filter/gstclfilter.hpp"

#include "core/vendors.hpp"
#include "median/plan.hpp"

namespace gst::cl::clmedian {

enum : unsigned { RADIUS, RADIUS_Y, PERCENTILE, THRESHOLD };

const Property properties[] = {
    window_size (integer_property ("radius", "Samples to the left and right of the window's centre", 1, 127, 1)),
    window_size (integer_property ("radius-y", "Samples above and below the window's centre; -1 = radius", -1, 127, -1)),
    real_property (
        "percentile", "Which sample of the sorted window: 0 the smallest, 0.5 the median, 1 the greatest", 0, 1, 0.5),
    real_property ("threshold", "Replace a sample only if it differs by more than this fraction of full scale", 0, 1, 0),
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
    plans.clear ();
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    constexpr int methods[] = {median_by_network, median_by_descent, median_by_march};
    constexpr int key_of_radius = 1000;
    MedianTarget target = target_of (runner, task);
    if (task.beside == WordPart::filtered)
      target.beside_border = task.beside_border_sample;
    else if (const int usual = median_method (window, target))
      target.method =
          runner.kernels.choose ("median method", key_of_radius * window.radius_x + window.radius_y, usual, methods);
    name = runner.run (task, plans.get (target, [&] { return plan_median (window, limit (runner), target); })).name;
  }

  bool takes_words (const Runner &runner) const override
  {
    constexpr int any = 1024;
    return median_takes_words (window, limit (runner), {.gpu = runner.backend () == Backend::gpu, .width = any, .height = any});
  }

  bool takes_whole_words (const Runner &runner, const PlaneTask &task) const override
  {
    PlaneTask whole = task;
    whole.region = {0, 0, task.src.width, task.src.height};
    return limit (runner) == 0 && !task.src.image && !task.dst.image
           && median_takes_words (window, 0, target_of (runner, whole));
  }

  std::string algorithm () const override { return name; }

private:
  int limit (const Runner &runner) const { return int (threshold * runner.format ().max_value ()); }

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
        .ptx_lanes = vendors::has_paired_minima (device),
        .in_words = task.src.layout->part >= 0};
  }

  MedianWindow window;
  double threshold = 0;
  PlanCache<MedianTarget> plans;
  const char *name = "";
};

const FilterDescription description{
    .long_name = "OpenCL median filter",
    .description = "Replaces each sample by the median, or another percentile, of its window",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Median> (); },
    /* no sample can differ from another by more than full scale */
    .neutral = [] (const Values &values) { return values.real (THRESHOLD) >= 1; },
};

GST_CL_DEFINE_FILTER (GstClMedian, gst_cl_median, clmedian, description)

}  // namespace gst::cl::clmedian
