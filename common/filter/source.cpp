/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/source.hpp"

namespace gst::cl {

FrameSource::FrameSource (const ContextRef &context, Links all, const GstVideoInfo &info, MemoryKind kind_)
    : FrameMapper (context, info, kind_ == MemoryKind::system || kind_ == MemoryKind::opencl, std::move (all.others)),
      kind (kind_), link (std::move (all.gl))
{
}

FrameSource::~FrameSource () = default;

bool
FrameSource::reads_texture (GstBuffer *buffer) const
{
  return kind == MemoryKind::gl && link->textures && link->textures->reaches (buffer, false);
}

static Backend
backend_for (const ContextRef &context, const GlLink *link)
{
  return link && link->textures ? Backend::image : Context::of (context.get ()).device.backend;
}

OwnSource::OwnSource (const ContextRef &context, Links all, const GstVideoInfo &info_, MemoryKind kind_)
    : FrameSource (context, std::move (all), info_, kind_),
      reader (context, format.seen_by_filters (), backend_for (context, link.get ()))
{
  if (format.arranged)
    entrance.emplace (format, info);
}

bool
OwnSource::suits (const GstVideoInfo &other, MemoryKind other_kind) const
{
  return other_kind == kind && gst_video_info_is_equal (&other, &info);
}

Planes
OwnSource::enter (const Planes &frame)
{
  if (entrance)
    return entrance->enter (reader, frame, "arranged");
  Planes planes = frame;
  for (int i = 0; i < format.n_planes; i++)
    planes[i] = in_buffer (reader, frame[i], {"input", i});
  return planes;
}

guint64
OwnSource::new_allocations ()
{
  const guint64 count = allocations () + reader.memory.allocations;
  if (!allocations_at_first)
    allocations_at_first = count;
  return count - *allocations_at_first;
}

}  // namespace gst::cl
