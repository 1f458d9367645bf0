/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The presets of a filter, which GStreamer stores for all programs. */
#pragma once

#include "model.hpp"

namespace studio {

/* Empty if the filter has no presets. */
std::vector<std::string> presets_of (GstElement *filter);
/* All throw std::runtime_error. */
void load_preset (Model &model, GstElement *filter, const std::string &name);
void save_preset (GstElement *filter, const std::string &name);
void delete_preset (GstElement *filter, const std::string &name);

}  // namespace studio
