/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLX, loaded when an application first names a GLX context: nothing of X11 is needed to build or to run without. */
#pragma once

#include "owncontext.hpp"

namespace layer {

/* Whether the context exists. */
bool is_glx_context (void *display, void *context);

/* Null where there is none, or no GLX. */
void *current_glx_context ();

/* Shares with the context, over a connection of its own to the same X server. */
std::unique_ptr<OwnContext> make_glx_context (void *display, void *context);

}  // namespace layer
