/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of GL textures by cl_khr_gl_sharing: images kept with the textures, acquired around each frame's commands. */
#include "memory/glsharing.hpp"

#include <deque>
#include <mutex>

extern GstDebugCategory *gst_cl_gl_debug;
#define GST_CAT_DEFAULT gst_cl_gl_debug

namespace gst::cl {

namespace {

/* Guards the images of every texture and who has acquired them. */
std::mutex images_mutex;

/* A texture's image in one CL context, to be read or to be written: a driver may copy what it is told to read only less
 * often, and GL may go on reading it. Behind a tee several elements may have it acquired at once: the first of them
 * acquires, the last one releases. */
struct SharedImage : Dependent {
  cl_context context;
  guint texture;
  int width, height;
  bool written;
  ::cl::ImageGL image;

  int users = 0;
  ::cl::Event acquired;
  /** The last commands of those who are done already. */
  std::vector<::cl::Event> done;

  void release () noexcept override
  {
    const std::lock_guard lock (images_mutex);
    context = nullptr;
    image = ::cl::ImageGL ();
    acquired = ::cl::Event ();
    done.clear ();
  }
};

using SharedImages = std::vector<std::shared_ptr<SharedImage>>;

GQuark
images_quark ()
{
  static const GQuark quark = g_quark_from_static_string ("gst-cl-shared-images");
  return quark;
}

/* The images are kept as qdata, which a GstMemory frees before its texture. With images_mutex held. */
SharedImages &
images_kept_with (GstMemory *memory)
{
  GstMiniObject *object = GST_MINI_OBJECT_CAST (memory);
  auto *images = static_cast<SharedImages *> (gst_mini_object_get_qdata (object, images_quark ()));
  if (!images) {
    images = new SharedImages;
    gst_mini_object_set_qdata (object, images_quark (), images,
        [] (gpointer data) { delete static_cast<SharedImages *> (data); });
  }
  return *images;
}

cl_int
create_event_from_sync (const Device &device, const ::cl::Context &context, GLsync fence, ::cl::Event &event)
{
  const auto create = reinterpret_cast<cl_event (*) (cl_context, cl_GLsync, cl_int *)> (
      clGetExtensionFunctionAddressForPlatform (device.handle.getInfo<CL_DEVICE_PLATFORM> (),
          "clCreateEventFromGLsyncKHR"));
  cl_int code = CL_INVALID_OPERATION;
  if (create)
    event = ::cl::Event (create (context (), reinterpret_cast<cl_GLsync> (fence), &code));
  return code;
}

class SharedTextures : public TextureFrames {
public:
  SharedTextures (ContextRef context_, GlContextRef gl_, const GstVideoInfo &info)
      : TextureFrames (std::move (context_), std::move (gl_), info), cl (Context::of (context.get ())),
        has_gl_event (lists_gl_event (cl.device))
  {
  }
  ~SharedTextures () override
  {
    run_in_gl_thread (gl.get (), [this] { forget_fences (true); });
  }

  void acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &wait) override;
  ::cl::Event release (std::span<Frame *const> frames, cl_command_queue queue) override;

private:
  /** A fence whose event an acquire waits for. */
  struct PendingFence {
    GLsync sync;
    ::cl::Event acquired;
  };

  static bool lists_gl_event (const Device &device)
  {
    return (" " + device.handle.getInfo<CL_DEVICE_EXTENSIONS> () + " ").find (" cl_khr_gl_event ") != std::string::npos;
  }
  ::cl::Memory image_of (GstGLMemory *memory, bool writes) override;
  static std::vector<SharedImage *> images_in (std::span<Frame *const> frames, cl_context context);
  GLsync wait_for_gl (std::vector<::cl::Event> &wait);
  void keep_fence (GLsync fence, const ::cl::Event &acquired);
  void forget_fences (bool all);

  Context &cl;
  bool has_gl_event;
  std::deque<PendingFence> fences;
};

::cl::Memory
SharedTextures::image_of (GstGLMemory *memory, bool writes)
{
  const std::lock_guard lock (images_mutex);
  SharedImages &images = images_kept_with (&memory->mem.mem);
  const int width = gst_gl_memory_get_texture_width (memory), height = gst_gl_memory_get_texture_height (memory);
  const guint texture = gst_gl_memory_get_texture_id (memory);
  for (const auto &known : images)
    if (known->context == cl.handle () && known->texture == texture && known->width == width
        && known->height == height && known->written == writes) {
      counts.image_hits++;
      return known->image;
    }
  counts.image_misses++;
  std::erase_if (images, [&] (const auto &stale) {
    return stale->context == cl.handle () && stale->users == 0 && stale->written == writes;
  });
  auto made = std::make_shared<SharedImage> ();
  made->context = cl.handle ();
  made->texture = texture;
  made->width = width;
  made->height = height;
  made->written = writes;
  made->image =
      ::cl::ImageGL (cl.handle, writes ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, texture);
  images.push_back (made);
  cl.add_dependent (made);
  return made->image;
}

std::vector<SharedImage *>
SharedTextures::images_in (std::span<Frame *const> frames, cl_context context)
{
  std::vector<SharedImage *> found;
  for (const Frame *frame : frames)
    for (int i = 0; i < frame->n_planes; i++)
      for (const auto &image : images_kept_with (gst_buffer_peek_memory (frame->buffer (), i)))
        if (image->context == context && image->image () == frame->planes[i].memory ())
          found.push_back (image.get ());
  return found;
}

/* OpenCL must find done what GL was asked to do. With cl_khr_gl_event the device waits, else the host. */
GLsync
SharedTextures::wait_for_gl (std::vector<::cl::Event> &wait)
{
  const GLsync fence = has_gl_event ? insert_fence (gl.get ()) : nullptr;
  ::cl::Event event;
  if (fence && create_event_from_sync (cl.device, cl.handle, fence, event) == CL_SUCCESS) {
    wait.push_back (event);
    return fence;
  }
  if (fence) {
    gl.get ()->gl_vtable->DeleteSync (fence);
    has_gl_event = false;
    GST_INFO ("%s makes no events of GL fences: the host waits for GL", cl.device.name.c_str ());
  }
  finish_gl (gl.get ());
  return nullptr;
}

/* Until what waits for it has begun. */
void
SharedTextures::keep_fence (GLsync fence, const ::cl::Event &acquired)
{
  if (fence && acquired ())
    fences.push_back ({fence, acquired});
  else if (fence)
    gl.get ()->gl_vtable->DeleteSync (fence);
}

void
SharedTextures::forget_fences (bool all)
{
  while (!fences.empty ()
         && (all || fences.front ().acquired.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () <= CL_COMPLETE)) {
    gl.get ()->gl_vtable->DeleteSync (fences.front ().sync);
    fences.pop_front ();
  }
}

void
SharedTextures::acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &wait)
{
  forget_fences (false);
  std::vector<::cl::Event> before;
  const GLsync fence = wait_for_gl (before);
  const std::lock_guard lock (images_mutex);
  std::vector<::cl::Memory> to_acquire;
  const std::vector<SharedImage *> images = images_in (frames, cl.handle ());
  for (const SharedImage *image : images)
    if (image->users == 0)
      to_acquire.push_back (image->image);
    else
      wait.push_back (image->acquired);
  ::cl::Event event;
  try {
    if (!to_acquire.empty ())
      ::cl::CommandQueue (queue, true).enqueueAcquireGLObjects (&to_acquire, &before, &event);
  } catch (...) {
    keep_fence (fence, event);
    throw;
  }
  for (SharedImage *image : images)
    if (image->users++ == 0)
      image->acquired = event;
  keep_fence (fence, event);
}

::cl::Event
SharedTextures::release (std::span<Frame *const> frames, cl_command_queue queue)
{
  const std::lock_guard lock (images_mutex);
  const ::cl::CommandQueue commands (queue, true);
  std::vector<::cl::Memory> to_release;
  std::vector<::cl::Event> others;
  ::cl::Event event;
  for (SharedImage *image : images_in (frames, cl.handle ())) {
    if (--image->users > 0) {
      if (!event ())
        commands.enqueueMarkerWithWaitList (nullptr, &event);
      image->done.push_back (event);
      continue;
    }
    to_release.push_back (image->image);
    others.insert (others.end (), image->done.begin (), image->done.end ());
    image->done.clear ();
    image->acquired = ::cl::Event ();
  }
  if (!to_release.empty ())
    commands.enqueueReleaseGLObjects (&to_release, &others, &event);
  commands.flush ();
  return event;
}

}  // namespace

std::unique_ptr<GlTextures>
share_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info)
{
  return std::make_unique<SharedTextures> (std::move (context), std::move (gl), info);
}

}  // namespace gst::cl
