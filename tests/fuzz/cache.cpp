/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of the program cache: only content that was packed comes out. The first byte selects whether the input is the file,
 * or a binary that is packed and then damaged. */
#include "core/diskcache.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  if (reader.take<uint8_t> () & 1) {
    /* libFuzzer discovers the checksum from comparisons */
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
