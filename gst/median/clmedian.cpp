/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian: replaces each sample by the median, or another percentile, of the window around it: removes specks (impulse
 * noise) and keeps edges. */
#include "filter/gstclfilter.hpp"
#include "median/plan.hpp"

namespace gst::cl::clmedian {

constexpr Property properties[] = {
    window_size (property<&MedianSettings::radius> ("radius", "Samples to the left and right of the window's centre", 1, 127)),
    window_size (
        property<&MedianSettings::radius_y> ("radius-y", "Samples above and below the window's centre; -1 = radius", -1, 127)),
    property<&MedianSettings::percentile> (
        "percentile", "Which sample of the sorted window: 0 the smallest, 0.5 the median, 1 the greatest", 0, 1),
    property<&MedianSettings::threshold> (
        "threshold", "Replace a sample only if it differs by more than this fraction of full scale", 0, 1),
};

class Median : public With<MedianSettings> {
public:
  void changed () override { plans.clear (); }

  void begin_frame (Runner &, const FrameInfo &info) override
  {
    least = {0, 0, info.width, GST_VIDEO_INFO_IS_INTERLACED (&info.video) ? info.height / 2 : info.height};
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const MedianWindow window (settings, runner.format ());
    const MedianTarget target = MedianTarget::of (runner, task, window);
    return plans.get (target, [&] { return plan_median (window, target); });
  }

  Abilities abilities (const Runner &runner) const override
  {
    const MedianWindow window (settings, runner.format ());
    return {.words = window.takes_words ({.gpu = runner.backend () == Backend::gpu}),
        .whole_words = !window.limit && window.takes_words (MedianTarget::of (runner, runner.format ().planes[0], least))};
  }

private:
  /** A whole frame, or a field of it. */
  Rect least{0, 0, 1, 1};
  PlanCache<MedianTarget> plans;
};

const FilterDescription description{
    .long_name = "OpenCL median filter",
    .description = "Replaces each sample by the median, or another percentile, of its window",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Median> (),
    /* no sample can differ from another by more than full scale */
    .neutral = of_settings<[] (const MedianSettings &settings) { return settings.threshold >= 1; }>,
};

GST_CL_DEFINE_FILTER (GstClMedian, gst_cl_median, clmedian, description)

}  // namespace gst::cl::clmedian
