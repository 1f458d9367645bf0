/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLX, loaded when an application first uses a GLX context, so that building and running do not need X11. */
#pragma once

#include "owncontext.hpp"

namespace layer {

/* Whether the context exists. */
bool is_glx_context (void *display, void *context);

/* Null if there is no current context, or no GLX. */
void *current_glx_context ();

/* Makes a context that shares with this one, over a separate connection to the same X server. */
std::unique_ptr<OwnContext> make_glx_context (void *display, void *context);

}  // namespace layer
