/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_external_memory_dma_buf and cl_arm_import_memory. */
#pragma once

#include "transfer.hpp"

namespace layer {

/* Whether the objects of an acquire or release command are imported dma-bufs. */
bool are_dmabufs (const Arguments &arguments);
cl_int acquire_dmabufs (const Arguments &arguments);
cl_int release_dmabufs (const Arguments &arguments);

/* Reports a dma-buf that is still being written, if the driver needs no acquire and so does not wait. */
void check_fences (const Object &object, const char *function);

/* Functions of the two extensions, if the settings enable them; null for others. */
void *find_dmabuf_function (const char *name);

}  // namespace layer
