/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl.hpp"

namespace test {

void
prefer_headless_gl ()
{
}

bool
gl_present ()
{
  return false;
}

bool
fits_texture (GstVideoFormat)
{
  return false;
}

std::string
with_gl (const std::string &caps)
{
  return caps;
}

void
share_gl (GstElement *)
{
}

GstBuffer *
to_textures (const ref::Picture &, Storage, const GstCaps *)
{
  g_assert_not_reached ();
}

ref::Picture
from_textures (GstBuffer *, const GstCaps *)
{
  g_assert_not_reached ();
}

bool
has_textures (GstBuffer *)
{
  return false;
}

}  // namespace test
