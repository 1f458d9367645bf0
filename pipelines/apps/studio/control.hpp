/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A widget for a property, as its GParamSpec describes it. */
#pragma once

#include "gui.hpp"

namespace studio {

/* A property of an object, and the way to set it. */
struct Setting {
  GObject *object;
  GParamSpec *spec;
  /* called with a value of the spec's type */
  std::function<void (const GValue *)> set;
};

/* Follows the property where something else changes it. Null where there is no widget for such a type. */
GtkWidget *make_control (const Setting &setting);

}  // namespace studio
