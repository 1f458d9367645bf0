/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps: which video the elements take, and how the memory features of both pads depend on each other. */
#pragma once

#include "memory/format.hpp"
#include "memory/link.hpp"

#include <gst/cl/gstclmemory.h>

#include <optional>
#include <vector>

namespace gst::cl {

/** Like gst_video_info_from_caps(), but also takes DMA_DRM caps of linear memory, as GStreamer 1.24 writes them: their
 *  drm-format names a DRM format and a modifier. Works with older releases of GStreamer, too. Returns false when caps are not
 *  video or describe another memory layout. */
GST_CL_API bool video_info_from_caps (GstVideoInfo &info, const GstCaps *caps);

/** Every kind of memory that this build supports, in the order of pad templates. */
GST_CL_API const std::vector<MemoryKind> &all_memory_kinds ();
/** Every kind but OpenCL memory; system memory comes first. */
GST_CL_API const std::vector<MemoryKind> &foreign_memory_kinds ();

/** Returns caps of every format that these kinds of memory can hold, each with and without an overlay composition meta.
 *  with_drm adds DMABuf memory with a DRM format, which GStreamer's own base classes for several inputs cannot take.
 *  every_format adds formats that only Converters take. single_fields adds video of one field per buffer, in system and OpenCL
 *  memory. */
GST_CL_API GstCaps *make_template_caps (
    const std::vector<MemoryKind> &kinds, bool with_drm, bool every_format = false, bool single_fields = false);

/** Marks caps as living as long as the process, so that leak checkers ignore them. Returns caps. */
GST_CL_API GstCaps *keep (GstCaps *caps);

/** Returns a copy of caps for each of kinds in turn, with that memory feature. Other features and all fields stay, except the
 *  texture target, which only GL memory has, and the DRM format, which only DMABuf memory has. The caller owns the result. */
GST_CL_API GstCaps *with_memory (GstCaps *caps, const std::vector<MemoryKind> &kinds);

/** The memory feature of fixed caps; of the first structure when there are several. */
GST_CL_API MemoryKind memory_kind (GstCaps *caps);

/** The caps of a pad's template that its peer can send or take. */
GST_CL_API Ref<GstCaps> possible_caps (GstPad *pad);
/** The first video of possible caps, to guess which will be negotiated; nothing if its format is open, or if OpenCL needs a link
 *  for it. An open size becomes the nearest one to the size of `from`, the input that becomes this video, or to 1280x720. With
 *  `from`, the framerate must not be open either. */
GST_CL_API std::optional<GstVideoInfo> expected_video (GstCaps *possible, const GstVideoInfo *from = nullptr);

/** Whether memory of this kind can hold frames of this format. */
GST_CL_API bool can_have (MemoryKind kind, GstVideoFormat id);

/** Whether some of these caps describe video of one field per buffer. */
GST_CL_API bool has_single_fields (const GstCaps *caps);

/** Whether any structure of caps has this kind of memory. */
GST_CL_API bool has_memory_kind (GstCaps *caps, MemoryKind kind);

/** Sets a field to one string, or to a list of several. Returns false and changes nothing when all is empty. */
GST_CL_API bool set_strings (GstStructure *structure, const char *field, const std::vector<const char *> &all);

/** Replaces DRM formats by GStreamer's names. Returns false if no format has both names. */
GST_CL_API bool make_plain (GstStructure *structure);

/** Whether frames of these caps can differ only in their times. */
GST_CL_API bool describe_same_frames (const GstVideoInfo &a, const GstVideoInfo &b);

}  // namespace gst::cl
