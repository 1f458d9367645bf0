/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Emulates dma-bufs without the kernel: anonymous files, with fences in this process. Programs that link this library, or load
 * it with LD_PRELOAD, get its poll (), ioctl () and open (). */
#pragma once

#include <cstddef>

extern "C" {

/* Makes a dma-buf, like a device's driver. */
int emulated_dmabuf_new (std::size_t size);

/* Adds a fence for a write of a device, and signals it. */
void emulated_dmabuf_begin_write (int fd);
void emulated_dmabuf_end_write (int fd);

/* Whether a fence is pending. */
int emulated_dmabuf_is_pending (int fd);

/* How many more dma-bufs /dev/dma_heap/system gives; at 0 it cannot be opened. Initially INT_MAX if EMULATED_DMA_HEAP is set,
 * otherwise 0. */
void emulated_dmabuf_set_heap (int left);

/* How many accesses of the host were begun with DMA_BUF_IOCTL_SYNC and not ended. */
int emulated_dmabuf_host_accesses ();
}
