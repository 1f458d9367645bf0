/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/latechange.hpp"

#include <algorithm>

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
    planes[i] = {.stride = stride_in_bytes (info, i, GST_VIDEO_INFO_PLANE_STRIDE (&info, i)) / format.sample_size (),
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

namespace {

/* Returns nothing if the settings are invalid; filtering the frame reports the error. */
std::vector<KernelForm>
find_unknown (const Rehearsal &wanted, const Compiler &compiler)
{
  std::vector<KernelForm> unknown;
  try {
    std::ranges::copy_if (
        rehearse (wanted), std::back_inserter (unknown), [&] (const KernelForm &form) { return !compiler.knows (form); });
  } catch (const std::exception &error) {
    GST_DEBUG ("rehearsal: %s", error.what ());
  }
  return unknown;
}

}  // namespace

LateChange::Work::Work (const Rehearsal &wanted)
    : settings (wanted.settings.begin (), wanted.settings.end ()), inputs (wanted.inputs)
{
  for (const StagePlan &stage : wanted.stages)
    filters.push_back (stage.description);
}

bool
LateChange::Work::is (const Rehearsal &wanted) const
{
  const auto without_list = [] (CommonSettings common) {
    common.roi_list.resize (std::min<size_t> (common.roi_list.size (), 1));
    return common;
  };
  const auto is_same = [&] (const Settings &a, const Settings &b) {
    return a.own == b.own && a.pads == b.pads && a.profile == b.profile
           && (a.shared == b.shared || without_list (a.common ()) == without_list (b.common ()));
  };
  return inputs == wanted.inputs && std::ranges::equal (filters, wanted.stages, {}, {}, &StagePlan::description)
         && std::ranges::equal (settings, wanted.settings, is_same);
}

bool
LateChange::is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  Compiler &compiler = Context::of (wanted.context.get ()).open->compiler;
  if (!compiler.is_needed ())
    return true;
  const bool is_new = current && !current->is (wanted);
  if (current && !is_new && !request)
    return true;
  if (is_new && waiting && waiting->is (wanted) && !request->done)
    return false;
  if (is_new) {
    std::vector<KernelForm> forms = find_unknown (wanted, compiler);
    if (!forms.empty () && streams_on ()) {
      waiting.emplace (wanted);
      if (!request || request->forms != forms)
        request = compiler.compile (std::move (forms));
      return false;
    }
  }
  current.emplace (wanted);
  waiting.reset ();
  request.reset ();
  return true;
}

const Settings &
LateSettings::settle (const Rehearsal &wanted, const std::function<bool ()> &streams_on)
{
  if (std::exchange (n_inputs, wanted.inputs) != wanted.inputs)
    begin ();
  if (change.is_ready (wanted, streams_on))
    settings = wanted.settings.front ();
  return settings;
}

}  // namespace gst::cl
