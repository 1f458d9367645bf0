/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements with the settings that make them run each of their kernels. */
#pragma once

#include <string>
#include <vector>

struct Subject {
  /* the element and its properties, as a launch line has them */
  std::string element;
  /* names of its sink pads, where it has several */
  std::vector<std::string> pads = {};
};

/* Those whose text contains the filter. */
std::vector<Subject> find_subjects (const std::string &filter);
