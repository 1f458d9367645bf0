/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the targets share: libFuzzer calls run() with one input after the other. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace fuzz {

/** One input. Must return whatever it is. */
void run (const uint8_t *data, size_t size);

/** What must hold; libFuzzer keeps the input where it does not. */
inline void
require (bool holds)
{
  if (!holds)
    abort ();
}

/** Takes an input apart, from its begin to its end; what is beyond is zeros. */
class Reader {
public:
  Reader (const uint8_t *data, size_t size) : rest (reinterpret_cast<const char *> (data), size) {}

  template <typename T> T take ()
  {
    T value{};
    const size_t n = rest.size () < sizeof value ? rest.size () : sizeof value;
    std::memcpy (&value, rest.data (), n);
    rest.remove_prefix (n);
    return value;
  }

  /** Up to the next byte of 0, or the end. */
  std::string line ()
  {
    const size_t n = rest.find ('\0');
    const std::string text (rest.substr (0, n));
    rest.remove_prefix (n == rest.npos ? rest.size () : n + 1);
    return text;
  }

  std::string all () { return std::string (std::exchange (rest, {})); }

private:
  std::string_view rest;
};

}  // namespace fuzz

extern "C" int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz::run (data, size);
  return 0;
}
