/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a widget for a property from its GParamSpec. */
#pragma once

#include "gui.hpp"

namespace studio {

/* A property of an object, and a function that sets it. */
struct Setting {
  GObject *object;
  GParamSpec *spec;
  /* called with a value of the spec's type */
  std::function<void (const GValue *)> set;
};

/* The widget follows changes of the property. Null if no widget supports the type. */
GtkWidget *make_control (const Setting &setting);

}  // namespace studio
