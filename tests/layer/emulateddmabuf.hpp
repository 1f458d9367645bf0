/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs where the kernel has none: anonymous files, whose fences live in this process. A program that links this library, or
 * loads it by LD_PRELOAD, gets its poll (), ioctl () and open (). */
#pragma once

#include <cstddef>

extern "C" {

/* A new one, as from a device's driver. */
int emulated_dmabuf_new (std::size_t size);

/* A device's driver adds a fence for a write, and signals it. */
void emulated_dmabuf_begin_write (int fd);
void emulated_dmabuf_end_write (int fd);

/* Whether a fence is not signalled. */
int emulated_dmabuf_is_pending (int fd);

/* How many dma-bufs /dev/dma_heap/system still gives; with none left it cannot be opened. At first INT_MAX where EMULATED_DMA_HEAP
 * is set, else none. */
void emulated_dmabuf_set_heap (int left);

/* How many accesses by the host DMA_BUF_IOCTL_SYNC began and did not end. */
int emulated_dmabuf_host_accesses ();
}
