/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <memory>

namespace layer {

/* A GL context that a thread of the layer makes, uses and destroys. */
class OwnContext {
public:
  virtual ~OwnContext () = default;
  virtual bool make_current () = 0;
  virtual void destroy () = 0;
};

}  // namespace layer
