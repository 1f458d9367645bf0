/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements with settings with which they run each of their kernels. */
#pragma once

#include <string>
#include <vector>

#include <gst/gst.h>

struct Subject {
  /* the element and its properties, as in a launch line */
  std::string element;
  /* names of its sink pads, if it has several */
  std::vector<std::string> pads = {};
};

/* An element's sink pads; two request pads if it has no others. */
std::vector<std::string> sink_pads (GstElementFactory *factory);

/* The subjects whose text contains the filter. */
std::vector<Subject> find_subjects (const std::string &filter);
