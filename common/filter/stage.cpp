/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stage.hpp"

namespace gst::cl {

Stage::Stage (const ContextRef &context, const GstVideoInfo &info, Backend backend, const StagePlan &plan)
    : description (*plan.description), reporter (*plan.reporter),
      runner (context, *find_format (GST_VIDEO_INFO_FORMAT (&info)), backend),
      operation (plan.create ? plan.create () : description.create ()), planes (runner, *operation, description, info),
      components (runner.format ().component_bits ())
{
}

bool
Stage::is_neutral (const Settings &settings, const std::vector<Rect> &regions)
{
  if (!known_neutral || known_neutral->first != settings.own)
    known_neutral.emplace (settings.own, description.neutral (settings.own));
  return settings.mix () == 0 || !(settings.planes () & components) || known_neutral->second || regions.empty ();
}

void
Stage::update (const Settings &settings)
{
  if (operation_values == settings.own)
    return;
  operation->update (settings.own);
  operation_values = settings.own;
}

}  // namespace gst::cl
