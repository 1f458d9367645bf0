/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the targets: libFuzzer calls run() with one input after another. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace fuzz {

/** Tests one input. Must return for every input. */
void run (const uint8_t *data, size_t size);

/** If the condition is false, libFuzzer keeps the input. */
inline void
require (bool holds)
{
  if (!holds)
    abort ();
}

/** Reads an input piece by piece; beyond its end it returns zeros. */
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

  /** A text up to the next zero byte, or the end. */
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
