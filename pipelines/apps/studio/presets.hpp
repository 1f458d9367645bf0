/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The presets of a filter: GStreamer's, which every program sees. */
#pragma once

#include "model.hpp"

namespace studio {

/* None where the filter has no presets. */
std::vector<std::string> presets_of (GstElement *filter);
/* These throw std::runtime_error. */
void load_preset (Model &model, GstElement *filter, const std::string &name);
void save_preset (GstElement *filter, const std::string &name);
void delete_preset (GstElement *filter, const std::string &name);

}  // namespace studio
