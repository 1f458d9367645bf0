/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trial behind every verdict about dma-bufs. */
#pragma once

#include "interop/dmabuf.hpp"

#include <optional>

namespace gst::cl {

/** Lets a kernel read the memory, and compares every byte with what the host sees there; or lets it write, and looks at that from
 *  the host, after which the memory's content is lost. Large memory is tried at both ends. Nothing where all that is read is 0,
 *  which proves nothing. Throws Failure where the host cannot look, cl::Error. */
std::optional<Verdict> try_dmabuf (const ContextRef &context, const ImportedDmaBuf &imported, bool writes);

/** Writes from the host what is different in every place. Throws Failure. */
void fill_dmabuf (const DmaBuf &dmabuf);

}  // namespace gst::cl
