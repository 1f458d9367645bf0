/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of the program cache: nothing but what was packed comes out. The first byte chooses whether the input is what is read,
 * or a binary that is packed and then damaged. */
#include "core/diskcache.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  if (reader.take<uint8_t> () & 1) {
    /* libFuzzer finds out the checksum by itself, from how it is compared */
    const std::string content = reader.all ();
    const auto binary = disk_cache::unpack ("key", content);
    require (!binary || disk_cache::pack ("key", *binary) == content);
    return;
  }
  const auto at = reader.take<uint16_t> ();
  const auto bits = reader.take<uint8_t> ();
  const std::string text = reader.all ();
  const disk_cache::Binary binary (text.begin (), text.end ());
  std::string packed = disk_cache::pack ("key", binary);
  const auto whole = disk_cache::unpack ("key", packed);
  require (whole.has_value () == !binary.empty () && (!whole || *whole == binary) && !disk_cache::unpack ("other", packed));
  packed[at % packed.size ()] ^= char (bits);
  require (!bits || !disk_cache::unpack ("key", packed));
}
