/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cl_khr_external_memory needs to know of the GL that imports. */
#pragma once

#include <array>
#include <cstdint>

#include "objects.hpp"

namespace layer {

using Uuid = std::array<std::uint8_t, 16>;

struct Uuids {
  Uuid device = {}, driver = {};
};

/* Of the GL device; null where mode external is off or GL cannot import memory. */
const Uuids *importer_uuids ();

/* The texture of an import goes; the image is not used any more. */
void forget_import (const Image &image);

}  // namespace layer
