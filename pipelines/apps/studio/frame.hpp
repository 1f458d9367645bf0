/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames as picture files. */
#pragma once

#include "../common/glib.hpp"

#include <string>

namespace studio {

/* Writes a frame in BGRx as PNG. Throws std::runtime_error. */
void save_frame (GstSample *frame, const std::string &path);

}  // namespace studio
