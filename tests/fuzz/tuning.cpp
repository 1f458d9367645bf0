/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key files with a device's kernel shapes. */
#include "core/tuning.hpp"
#include "core/diskcache.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  const std::string text = Reader (data, size).all ();
  try {
    const Ref<GKeyFile> file = disk_cache::parse_key_file (text, "file");
    for (const auto &[key, entry] : tuning_entries (file.get ())) {
      const Axes axes{.locals = {{8, 8}}, .samples = {4}, .rows = {2}, .values = {3}};
      const Shape &s = entry.shape;
      require (!axes.allow (s)
               || ((s.local_x == 0 || (s.local_x == 8 && s.local_y == 8)) && (s.item_samples & ~4) == 0
                   && (s.item_rows & ~2) == 0 && (s.value & ~3) == 0));
      s.describe ();
    }
  } catch (const Failure &failure) {
    require (failure.code == GST_RESOURCE_ERROR_SETTINGS);
  }
}
