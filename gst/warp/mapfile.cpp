/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/known_file.hpp"
#include "warp/warp.hpp"

#include <bit>

namespace gst::cl {

static constexpr guint64 most_bytes = guint64 (4) << 30, point_bytes = 2 * sizeof (float);

std::shared_ptr<const PointMap>
load_map (const std::string &path)
{
  return load_known_file<PointMap> (path, most_bytes, [&] (InputFile &file) {
    if (file.size () == 0 || file.size () % point_bytes)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          path + " has " + std::to_string (file.size ()) + " bytes; a map has 8 for each pixel of a frame: x and y as float32.",
          "");
    PointMap map{path, std::vector<float> (size_t (file.size ()) / sizeof (float))};
    file.read (map.points.data (), size_t (file.size ()));
    if constexpr (std::endian::native == std::endian::big)
      for (float &v : map.points)
        v = std::bit_cast<float> (GUINT32_SWAP_LE_BE (std::bit_cast<guint32> (v)));
    return map;
  });
}

void
check_map (const PointMap &map, int width, int height)
{
  const size_t bytes = map.points.size () * sizeof (float), wanted = size_t (width) * height * point_bytes;
  if (bytes != wanted)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The map " + map.path + " has " + std::to_string (bytes) + " bytes, that of frames of " + std::to_string (width) + "x"
            + std::to_string (height) + " has " + std::to_string (wanted)
            + ": x and y as float32 for each pixel. Set a map of that size.",
        "");
}

}  // namespace gst::cl
