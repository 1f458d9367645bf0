/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/external.hpp"
#include "gl/textures.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace gst::cl {

namespace {

/* A texture of this object into which a foreign one is copied. */
struct Copy {
  std::shared_ptr<ExternalImage> image;
  bool taken = false;
  /** The last commands that used the copy. */
  ::cl::Event used;

  bool is_free () const { return !taken && (!used () || used.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () <= CL_COMPLETE); }
};

class ExternalTextures : public TextureFrames {
public:
  ExternalTextures (ContextRef context_, GlContextRef gl_, const GstVideoInfo &info)
      : TextureFrames (GlPath::external, std::move (context_), std::move (gl_), info),
        memory (find_external_memory (context, gl.get ()))
  {
  }

  /* Foreign textures can be read by a copy, but not written. */
  bool reaches (GstBuffer *buffer, bool writes) const override
  {
    if (!TextureFrames::reaches (buffer, writes))
      return false;
    for (guint i = 0; writes && i < gst_buffer_n_memory (buffer); i++) {
      const ExternalImage *image = external_image_of (gst_buffer_peek_memory (buffer, i));
      if (!image || image->memory () != memory)
        return false;
    }
    return true;
  }

  void acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &) override
  {
    /* Measured on an NVIDIA GPU: a fence inserted while GL is idle makes the GPU switch from OpenCL to GL and back,
     * 0.3 ms, which glFinish does not. */
    gl.get ()->gl_vtable->Finish ();
    require_sound_gl (gl.get ());
    memory->importer ().acquire (queue, images_in (frames), {});
  }

  ::cl::Event release (std::span<Frame *const> frames, cl_command_queue queue) override
  {
    ::cl::Event event;
    memory->importer ().release (queue, images_in (frames), {}, &event);
    ::cl::CommandQueue (queue, true).flush ();
    for (Copy &copy : copies)
      if (std::exchange (copy.taken, false))
        copy.used = event;
    return event;
  }

private:
  ::cl::Memory image_of (GstGLMemory *texture, bool) override
  {
    const ExternalImage *image = external_image_of (&texture->mem.mem);
    if (image && image->memory () == memory)
      counts.image_hits++;
    else
      image = &copy_foreign (texture);
    return image->image ();
  }

  bool waits_on_host () const override { return true; }

  const ExternalImage &copy_foreign (GstGLMemory *texture)
  {
    const int width = gst_gl_memory_get_texture_width (texture), height = gst_gl_memory_get_texture_height (texture);
    const GstGLFormat format = sized_format (gl.get (), texture->tex_format);
    const auto fits = [&] (const Copy &copy) {
      return copy.image->format == format && copy.image->width == width && copy.image->height == height && copy.is_free ();
    };
    auto copy = std::ranges::find_if (copies, fits);
    if (copy == copies.end ()) {
      counts.image_misses++;
      copy = copies.insert (copy, {memory->create_image (format, width, height)});
    }
    memory->copy (texture->tex_id, *copy->image);
    counts.texture_copies++;
    copy->taken = true;
    return *copy->image;
  }

  static std::vector<cl_mem> images_in (std::span<Frame *const> frames)
  {
    std::vector<cl_mem> images;
    for (const Frame *frame : frames)
      for (int i = 0; i < frame->n_planes; i++)
        images.push_back (frame->planes[i].memory ());
    return images;
  }

  std::shared_ptr<ExternalMemory> memory;
  std::vector<Copy> copies;
};
}  // namespace

/* The GL context's known memory for a CL context; if there is none, registers created, which may be null. */
static std::shared_ptr<ExternalMemory>
known_memory (const ContextRef &context, GstGLContext *gl, std::shared_ptr<ExternalMemory> created)
{
  using Known = std::map<GstClContext *, std::weak_ptr<ExternalMemory>>;
  static std::mutex mutex;
  const std::lock_guard lock (mutex);
  std::weak_ptr<ExternalMemory> &known = kept_with<Known> (gl, "gst-cl-external-memories")[context.get ()];
  if (auto memory = known.lock ())
    return memory;
  known = created;
  return created;
}

/* No lock is held while the GL thread creates the memory, because that thread may work for other elements. */
std::shared_ptr<ExternalMemory>
find_external_memory (const ContextRef &context, GstGLContext *gl)
{
  if (auto memory = known_memory (context, gl, nullptr))
    return memory;
  std::shared_ptr<ExternalMemory> memory;
  run_in_gl_thread (gl, [&] { memory = std::make_shared<ExternalMemory> (context, gl); });
  return known_memory (context, gl, memory);
}

std::shared_ptr<GlLink>
external_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info)
{
  return std::make_shared<ExternalTextures> (std::move (context), std::move (gl), info);
}

}  // namespace gst::cl
