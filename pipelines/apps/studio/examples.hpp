/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The chains that come with the studio, and those that users have saved; and the example kernels: texts for clprogram with the
 * settings of their launch lines. */
#pragma once

#include "../common/glib.hpp"

#include <string>
#include <vector>

namespace studio {

struct Example {
  std::string name, about, text;
  /* names and values of clprogram's properties, as in a launch line */
  std::vector<std::pair<std::string, std::string>> settings;
};

/* From the folder of the source tree or of the installation, or from $CL_STUDIO_KERNELS; only kernels with one input. */
std::vector<Example> examples ();
/* The kernel of a new clprogram. */
const Example &first_example ();

/* A named chain of filters: from the studio, or saved by a user. */
struct Chain {
  std::string name, about;
  /* as in a launch line */
  std::string line;
  bool own = false;
};

/* The studio's come first. */
std::vector<Chain> chains ();
/* Finds a chain by name, ignoring case. Throws std::runtime_error, which lists the chains. */
Chain chain_of (const std::string &name);
/* In the user's data folder; replaces a chain of the same name. Both throw std::runtime_error. */
void save_chain (const std::string &name, const std::string &line);
void delete_chain (const std::string &name);

}  // namespace studio
