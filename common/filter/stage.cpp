/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stage.hpp"

namespace gst::cl {

namespace {

unsigned
components_of (const Format &format)
{
  unsigned components = 0;
  for (int i = 0; i < format.n_planes; i++)
    for (int component : format.planes[i].components)
      if (component != padding)
        components |= 1u << component;
  return components;
}

}  // namespace

Stage::Stage (const ContextRef &context, const GstVideoInfo &info, Backend backend, const StagePlan &plan)
    : description (*plan.description), reporter (*plan.reporter),
      runner (context, *find_format (GST_VIDEO_INFO_FORMAT (&info)), backend),
      operation (plan.create ? plan.create () : description.create ()),
      planes (runner, *operation, description, info), components (components_of (runner.format ()))
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
