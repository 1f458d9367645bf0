/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data about the importing GL that cl_khr_external_memory needs. */
#pragma once

#include <array>

#include "objects.hpp"

namespace layer {

using Uuid = std::array<std::uint8_t, 16>;

struct Uuids {
  Uuid device = {}, driver = {};
};

/* The UUIDs of the GL device; null if mode external is off or GL cannot import memory. */
const Uuids *importer_uuids ();

}  // namespace layer
