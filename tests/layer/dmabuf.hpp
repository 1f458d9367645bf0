/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_external_memory_dma_buf and cl_arm_import_memory. */
#pragma once

#include "transfer.hpp"

namespace layer {

/* Whether the objects of an acquire or release command are imported dma-bufs. */
bool are_dmabufs (const Arguments &arguments);
cl_int acquire_dmabufs (const Arguments &arguments);
cl_int release_dmabufs (const Arguments &arguments);

/* Reports a dma-buf that somebody still writes where the driver needs no acquire, and so waits for nothing. */
void check_fences (const Object &object, const char *function);

/* Those of the two extensions that the settings ask for; null for others. */
void *find_dmabuf_function (const char *name);

}  // namespace layer
