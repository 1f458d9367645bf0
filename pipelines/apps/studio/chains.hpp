/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of filters by name: those that come with the studio, and those that a user has saved. */
#pragma once

#include <string>
#include <vector>

namespace studio {

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
