/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltemporal: removes noise by comparing frames: small changes from frame to frame are treated as noise. */
#include "filter/gstclwindowfilter.hpp"
#include "temporal/temporal.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { METHOD, FRAMES, THRESHOLD, STRENGTH };

constexpr GEnumValue method_values[] = {
    {int (TemporalMethod::average), "Average of the similar samples in the window", "average"},
    {int (TemporalMethod::median), "Median of the samples in the window", "median"},
    {int (TemporalMethod::recursive), "Running value, without latency", "recursive"},
    {},
};

const Property properties[] = {
    enum_property (
        "method", "How frames are combined", enum_type<"GstClTemporalMethod", method_values>, int (TemporalMethod::average)),
    integer_property ("frames", "Number of frames in the window of average and median; odd", 3, 33, 5),
    real_property (
        "threshold", "Largest difference at which samples count as the same, as a fraction of full scale", 0, 1, 0.1),
    real_property ("strength", "0 leaves the frames unchanged, 1 applies the full result", 0, 1, 1),
};

TemporalSettings
settings_of (const Values &values)
{
  return {.method = TemporalMethod (values.integer (METHOD)),
      .frames = values.integer (FRAMES) | 1,
      .threshold = values.real (THRESHOLD),
      .strength = values.real (STRENGTH)};
}

const FilterDescription description{
    .long_name = "OpenCL temporal denoiser",
    .description = "Removes noise by comparing frames",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Temporal> (settings_of); },
    .neutral = [] (const Values &values) { return values.real (STRENGTH) == 0; },
    /* a running value continues while it has no effect */
    .observes = [] (const Values &) { return true; },
    .reach =
        [] (const Values &values) {
          const TemporalSettings settings = settings_of (values);
          const unsigned reach = settings.reach ();
          return settings.method == TemporalMethod::recursive ? FrameReach{.before = FrameReach::unbounded}
                                                              : FrameReach{.before = reach, .after = reach};
        },
    .alone = true,
};

}  // namespace

GST_CL_DEFINE_FILTER_TYPE (
    GstClTemporal, gst_cl_temporal, cltemporal, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER, description)

static void
gst_cl_temporal_class_init (GstClTemporalClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.parent_class.inputs = [] (const Values &values) {
    return size_t (2 * settings_of (values).reach () + 1);
  };
  klass->parent_class.reach = [] (GstClWindowFilter *, const Values &values) { return size_t (settings_of (values).reach ()); };
}
