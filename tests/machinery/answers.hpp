/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets answers of devices and platforms in the layer (tests/machinery/census), which hold from then on. */
#pragma once

#include <cstring>

#include "../elements/layer.hpp"
#include "census/census.hpp"

namespace test {

/* CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV and _MINOR_NV of cl_nv_device_attribute_query. */
constexpr unsigned capability_major = 0x4000, capability_minor = 0x4001;

/* whom: a device or a platform; nullptr for all. */
inline void
answer_bytes (const void *whom, unsigned what, const void *value, size_t size)
{
  layer_function<decltype (cl_census_answer)> ("cl_census_answer") (whom, what, value, size);
}

template <typename Value>
void
answer (const void *whom, unsigned what, const Value &value)
{
  answer_bytes (whom, what, &value, sizeof value);
}

inline void
answer (const void *whom, unsigned what, const char *text)
{
  answer_bytes (whom, what, text, strlen (text) + 1);
}

inline void
answer_nothing ()
{
  answer_bytes (nullptr, 0, nullptr, 0);
}

}  // namespace test
