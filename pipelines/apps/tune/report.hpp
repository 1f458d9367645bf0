/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "search.hpp"

/* What was found, in a few lines. */
std::string summary_of (const std::vector<Finding> &findings, double seconds);

/* The same with every kernel. */
std::string json_of (const gst::cl::Device &device, const std::string &format, int width, int height,
    const std::vector<Finding> &findings, double seconds);

/* The table's entries, one a line. */
std::string list_of (const gst::cl::Tuning &tuning);
