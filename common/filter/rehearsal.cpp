/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/rehearsal.hpp"

namespace gst::cl {

namespace {

class SilentReporter : public Reporter {
public:
  void post_message (GstStructure *content) override { gst_structure_free (content); }
  void set_figure (const char *, double) override {}
};

/* Planes of the default layout, without memory. */
Planes
planes_of (const GstVideoInfo &info)
{
  const Format &format = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  Planes planes{};
  for (int i = 0; i < format.n_planes; i++)
    planes[i] = {.memory = {},
        .offset = 0,
        .stride = stride_in_bytes (info, i, GST_VIDEO_INFO_PLANE_STRIDE (&info, i)) / format.sample_size (),
        .width = plane_width (format.planes[i], GST_VIDEO_INFO_WIDTH (&info)),
        .height = plane_height (format.planes[i], GST_VIDEO_INFO_HEIGHT (&info)),
        .layout = &format.planes[i]};
  return planes;
}

}  // namespace

/* Rehearses two frames, because some operations run other kernels after the first one. */
std::set<KernelForm>
rehearse (const Rehearsal &rehearsal)
{
  constexpr guint64 frames = 3;
  SilentReporter reporter;
  std::vector<StagePlan> stages (rehearsal.stages.begin (), rehearsal.stages.end ());
  for (StagePlan &stage : stages)
    stage.reporter = &reporter;
  std::set<KernelForm> forms;
  const GstVideoInfo &out_info = rehearsal.out_info ? *rehearsal.out_info : rehearsal.info;
  Chain chain (rehearsal.context, rehearsal.info, out_info, Backend::cpu, stages);
  chain.rehearse (forms);
  chain.update (rehearsal.settings);
  const Planes planes = planes_of (rehearsal.info), result = planes_of (out_info);
  for (guint64 number = 0; number < frames; number++) {
    const FrameTimes times{.number = number, .first_input = number};
    chain.run ({.frames = std::vector<Planes> (rehearsal.inputs, planes), .main = rehearsal.main},
        rehearsal.writes ? &result : nullptr, {times, rehearsal.frame, rehearsal.settings, rehearsal.interlaced});
  }
  return forms;
}

}  // namespace gst::cl
