/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The example kernels: texts for clprogram, with the settings that their launch lines give them. */
#pragma once

#include "../common/glib.hpp"

#include <string>
#include <vector>

namespace studio {

struct Example {
  std::string name, about, text;
  /* names and values of properties of clprogram, as in a launch line */
  std::vector<std::pair<std::string, std::string>> settings;
};

/* From the folder of the source tree or of the installation, or $CL_STUDIO_KERNELS; those that need one input. */
std::vector<Example> examples ();
/* Where they lie. */
std::string kernels_folder ();
/* What a new clprogram begins with. */
const Example &first_example ();

}  // namespace studio
