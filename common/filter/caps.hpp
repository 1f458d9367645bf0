/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps: what the elements take, and how memory features of the two pads go together. */
#pragma once

#include "memory/format.hpp"
#include "memory/link.hpp"

#include <gst/cl/gstclmemory.h>

#include <string>
#include <utility>
#include <vector>

namespace gst::cl {

/** Like GStreamer's function of that name, and takes DMA_DRM of linear memory as well: GStreamer 1.24's caps of dma-bufs, with a
 *  drm-format, which names a DRM format and a modifier; older releases take them, too. False for what is no video, or in another
 *  layout. */
GST_CL_API bool video_info_from_caps (GstVideoInfo &info, const GstCaps *caps);

/** Every kind that this build knows, in the order of pad templates. */
GST_CL_API const std::vector<MemoryKind> &all_memory_kinds ();
/** The same without OpenCL memory, system memory first. */
GST_CL_API const std::vector<MemoryKind> &foreign_memory_kinds ();

/** The caps of every format that these kinds of memory can have, each with and without an overlay composition meta. with_drm: DMABuf
 *  memory with a DRM format as well, which GStreamer's own base classes for many inputs cannot take. every_format: those that only
 *  Converters take, too. single_fields: video of one field a buffer as well, in system and OpenCL memory. */
GST_CL_API GstCaps *make_template_caps (
    const std::vector<MemoryKind> &kinds, bool with_drm, bool every_format = false, bool single_fields = false);

/** caps, which live as long as the process, and so are no leak. */
GST_CL_API GstCaps *keep (GstCaps *caps);

/** caps with their memory feature replaced by each of kinds in turn; other features and all fields stay, but for the
 *  texture target, which is GL memory's own, and the DRM format, which is DMABuf memory's. */
GST_CL_API GstCaps *with_memory (GstCaps *caps, const std::vector<MemoryKind> &kinds);

/** What these fixed caps ask for; of several structures, the first. */
GST_CL_API MemoryKind memory_kind (GstCaps *caps);

/** Whether frames of this format can lie in memory of this kind. */
GST_CL_API bool can_have (MemoryKind kind, GstVideoFormat id);

/** Whether these fixed caps are of video of one field a buffer. */
GST_CL_API bool has_single_fields (const GstCaps *caps);

/** Whether some structure of caps is of this kind. */
GST_CL_API bool has_memory_kind (GstCaps *caps, MemoryKind kind);

/** Sets a field to a string, or to a list of several. False, and nothing, where there is none. */
GST_CL_API bool set_strings (GstStructure *structure, const char *field, const std::vector<const char *> &all);

}  // namespace gst::cl
