/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/element.hpp"

#include "config.h"

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

#ifndef HAVE_GL
std::unique_ptr<GlElement>
make_gl_element (GstElement *element)
{
  return std::make_unique<GlElement> (element);
}
#endif

}  // namespace gst::cl
