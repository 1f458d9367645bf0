/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/cudalink.hpp"

#include "core/debug.hpp"
#include "interop/cudacopy.hpp"
#include "memory/frame.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcuda", "frames in CUDA memory">)

namespace gst::cl::cuda {

namespace {

class ImportedLink : public MemoryLink {
public:
  ImportedLink (std::shared_ptr<const Exchange> exchange_, const GstVideoInfo &info_, Warn warn_)
      : MemoryLink (MemoryKind::cuda, exchange_->context), exchange (std::move (exchange_)), info (info_),
        format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), warn (std::move (warn_)), copier (exchange, info)
  {
  }
  ~ImportedLink () override
  {
    if (pool)
      gst_buffer_pool_set_active (pool.get (), FALSE);
  }

  const char *path () const override { return "cuda"; }

  /* Returns null for frames that the host must copy by GStreamer's maps. */
  BufferRef reach (GstBuffer *buffer) override
  {
    GstMemory *memory = gst_buffer_n_memory (buffer) == 1 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
    if (!memory || !exchange->library.is_cuda_memory (memory))
      return {};
    const int device = device_of (reinterpret_cast<Memory *> (memory)->context);
    if (device != device_of (exchange->cuda.get ())) {
      warn ("they come from another GPU, CUDA device " + std::to_string (device));
      return {};
    }
    try {
      settle (memory);
      return is_imported (memory) ? BufferRef::retain (buffer) : copy (buffer);
    } catch (const Failure &failure) {
      GST_WARNING ("%s (%s)", failure.what (), failure.debug.c_str ());
      warn (failure.what ());
      return {};
    }
  }

  PoolRef create_pool (GstCaps *caps, guint min_buffers) override
  {
    return start_pool (new_pool (exchange), caps, min_buffers, memory_name);
  }
  bool is_awaited_by_map () const override { return true; }

private:
  bool is_imported (GstMemory *memory) const
  {
    const FrameBuffer *frame = frame_buffer_of (memory);
    return frame && frame->context ().handle () == Context::of (exchange->context.get ()).handle ();
  }

  /* Waits for CUDA's work on a frame, and uploads the host's changes. Before GStreamer 1.24 the writer has waited. */
  void settle (GstMemory *memory) const
  {
    GstMapInfo map;
    if (GST_MEMORY_FLAG_IS_SET (memory, needs_upload) || !is_imported (memory)) {
      if (!gst_memory_map (memory, &map, GstMapFlags (int (GST_MAP_READ) | map_cuda)))
        throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "A frame in CUDA memory could not be mapped.",
            "gst_memory_map with GST_MAP_CUDA failed");
      gst_memory_unmap (memory, &map);
    }
    if (exchange->library.memory_sync)
      exchange->library.memory_sync (reinterpret_cast<Memory *> (memory));
  }

  BufferRef copy (GstBuffer *buffer)
  {
    if (!pool) {
      g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
      pool = start_pool (new_pool (exchange), caps, 3, memory_name);
      counts.imports += 3;
    }
    BufferRef target = acquire_buffer (pool.get ());
    require_within (buffer, info, format);
    GST_LOG ("a frame of another pool is copied");
    copier.copy (buffer, target.get ());
    counts.copies++;
    return target;
  }

  const std::shared_ptr<const Exchange> exchange;
  const GstVideoInfo info;
  const Format &format;
  const Warn warn;
  PoolRef pool;
  Copier copier;
};

class StagedLink : public MemoryLink {
public:
  StagedLink (const ContextRef &context_, const Library *library_, ContextOfCuda cuda_)
      : MemoryLink (MemoryKind::cuda, context_), library (library_), cuda (std::move (cuda_))
  {
  }

  const char *path () const override { return "cuda-staged"; }
  BufferRef reach (GstBuffer *) override { return {}; }
  PoolRef create_pool (GstCaps *caps, guint min_buffers) override
  {
    if (!library || !cuda)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
          "There is no CUDA here for frames in CUDA memory; let cudadownload bring them to system memory.", "");
    return start_pool (PoolRef (library->buffer_pool_new (cuda.get ())), caps, min_buffers, memory_name);
  }

private:
  const Library *const library;
  const ContextOfCuda cuda;
};

}  // namespace

std::shared_ptr<MemoryLink>
make_link (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info, Warn warn)
{
  return std::make_shared<ImportedLink> (std::move (exchange), info, std::move (warn));
}

std::shared_ptr<MemoryLink>
make_staged_link (const ContextRef &context, const Library *library, ContextOfCuda cuda)
{
  return std::make_shared<StagedLink> (context, library, std::move (cuda));
}

}  // namespace gst::cl::cuda
