/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* .cube files of cllut3d. */
#include "lut3d/cube.hpp"
#include "core/error.hpp"

#include "fuzz.hpp"

#include <cmath>

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  try {
    const Cube cube = parse_cube (Reader (data, size).all (), "file");
    require (cube.curve_size >= 0 && cube.curve_size <= Cube::largest_curve && cube.cube_size >= 0
             && cube.cube_size <= Cube::largest_cube && cube.curve_size + cube.cube_size >= 2);
    require (cube.curve.size () == 4 * size_t (cube.curve_size));
    require (cube.cube.size () == 4 * size_t (cube.cube_size) * size_t (cube.cube_size) * size_t (cube.cube_size));
    for (const std::vector<float> *table : {&cube.curve, &cube.cube})
      for (const float v : *table)
        require (std::isfinite (v));
  } catch (const Failure &failure) {
    require (failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_SETTINGS);
  }
}
