/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The chains that come with the studio, and those that users have saved; and the example kernels: texts for clprogram with the
 * settings of their launch lines. */
#pragma once

#include "gui.hpp"

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

/* Named chains of filters, as in a launch line: from the studio, or saved by a user. */
/* The studio's come first. */
std::vector<Named> chains ();
/* Finds a chain by name, ignoring case. Throws std::runtime_error, which lists the chains. */
Named chain_of (const std::string &name);
/* In the user's data folder; replaces a chain of the same name. Both throw std::runtime_error. */
void save_chain (const std::string &name, const std::string &line);
void delete_chain (const std::string &name);

}  // namespace studio
