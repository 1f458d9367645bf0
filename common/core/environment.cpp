/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/environment.hpp"

#include <cstdlib>
#include <sys/auxv.h>

namespace gst::cl {

const char *
environment (const char *name)
{
  return secure_getenv (name);
}

bool
is_privileged ()
{
  return getauxval (AT_SECURE) != 0;
}

}  // namespace gst::cl
