/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/gllink.hpp"

namespace gst::cl {

const char *
name_of (GlPath path)
{
  switch (path) {
    case GlPath::shared:
      return "gl-shared";
    case GlPath::external:
      return "gl-external";
    default:
      return "gl-staged";
  }
}

}  // namespace gst::cl
