/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lut3d/cube.hpp"
#include "shared/known_file.hpp"

namespace gst::cl {

/* The limit is four times a cube with 129 entries per edge and many digits. */
static constexpr guint64 most_bytes = guint64 (512) << 20;

std::shared_ptr<const Cube>
load_cube (const std::string &path)
{
  return load_known_file<Cube> (path, most_bytes, [&] (InputFile &file) { return parse_cube (file.read (), path); });
}

}  // namespace gst::cl
