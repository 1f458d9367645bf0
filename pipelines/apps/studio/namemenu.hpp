/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A menu of named things to choose, to save what there is as another, and to delete. */
#pragma once

#include "gui.hpp"

#include <vector>

namespace studio {

struct NamedThing {
  std::string name, about;
  bool can_delete = false;
};

struct NameMenu {
  /* On the button, its tooltip, and its widget's name. */
  std::string title, tip, id;
  /* In the entry while it is empty. */
  std::string prompt;
  /* Called whenever the menu opens. */
  std::function<std::vector<NamedThing> ()> list;
  std::function<void (const std::string &)> choose, save, remove;
};

/* A button that opens the menu, which lives as long as it. */
GtkWidget *make_name_menu (NameMenu menu);

}  // namespace studio
