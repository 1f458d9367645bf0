/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the studio brings, and what its users have saved. The example kernels: texts for clprogram, with the settings that their launch lines give them. */
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
/* What a new clprogram begins with. */
const Example &first_example ();

/* A row of filters by name: those that come with the studio, and those that a user has saved. */
struct Chain {
  std::string name, about;
  /* as in a launch line */
  std::string line;
  bool own = false;
};

/* Those of the studio first. */
std::vector<Chain> chains ();
/* By name, in any case. Throws std::runtime_error, which lists what there is. */
Chain chain_of (const std::string &name);
/* In the user's data folder; one of the same name is replaced. Both throw std::runtime_error. */
void save_chain (const std::string &name, const std::string &line);
void delete_chain (const std::string &name);

}  // namespace studio
