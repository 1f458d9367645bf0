/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_external_memory_dma_buf and cl_arm_import_memory. */
#pragma once

#include "transfer.hpp"

namespace layer {

/* Whether objects that a command transfers together are dma-bufs. */
bool are_dmabufs (const Objects &objects);
cl_int enqueue_dmabufs (const Transfer &transfer);

/* Reports a dma-buf that is still being written, if the driver needs no acquire and so does not wait. */
void check_fences (const Object &object, const char *function);

/* Functions of the two extensions, if the settings enable them; null for others. */
void *find_dmabuf_function (const char *name);

}  // namespace layer
