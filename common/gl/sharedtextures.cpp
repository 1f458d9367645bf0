/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of GL textures by cl_khr_gl_sharing: images kept with the textures, acquired around each frame's commands. */
#include "gl/sharing.hpp"

#include "core/debug.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clgl", "exchange of frames between GL and OpenCL">)

namespace gst::cl {

namespace {

/* Guards the images of every texture, and their users. */
std::mutex images_mutex;

/* A texture's image in one CL context, for reading or for writing: a driver may copy a texture less often if the image is
 * read only, and GL may go on reading the texture. Behind a tee several elements may use the image at once: the first one
 * acquires it, the last one releases it. */
struct SharedImage : Dependent {
  cl_context context;
  guint texture;
  int width, height;
  bool written;
  ::cl::ImageGL image;

  int users = 0;
  /** Acquired for a frame that has yet to come. */
  bool ahead = false;
  ::cl::Event acquired;
  /** The last commands of the users that are done. */
  std::vector<::cl::Event> done;

  void release () noexcept override
  {
    {
      const std::lock_guard lock (images_mutex);
      context = nullptr;
      acquired = ::cl::Event ();
      done.clear ();
    }
    drop ();
  }

  /** For the end of the texture, which the image must not outlive. A context that ends at the same time may call this, too. */
  void drop () noexcept
  {
    const std::lock_guard lock (drop_mutex);
    image = ::cl::ImageGL ();
  }

private:
  std::mutex drop_mutex;
};

using SharedImages = std::vector<std::shared_ptr<SharedImage>>;

class SharedTextures;

/* Frames that an element has read, which another element releases with its result. */
struct Deferred {
  const SharedTextures *owner;
  BufferRef buffer; /* goes after the images */
  SharedImages images;
  /** The last command that reads them. */
  ::cl::Event read;
};

/* A driver's acquire and release may cost more than many kernels, so a chain of elements pays them once: the element that
 * reads textures also acquires the next results, and the element that writes textures also releases the textures that were
 * read. One per CL context, guarded by images_mutex. */
struct Chain {
  int readers = 0, writers = 0;
  SharedImages wanted;
  std::vector<Deferred> deferred;
};

std::map<cl_context, std::shared_ptr<Chain>> chains;

/* The context's chain, which lives as long as somebody keeps it. */
std::shared_ptr<Chain>
chain_of (cl_context context)
{
  const std::lock_guard lock (images_mutex);
  std::erase_if (chains, [] (const auto &each) { return each.second.use_count () == 1; });
  auto &chain = chains[context];
  if (!chain)
    chain = std::make_shared<Chain> ();
  return chain;
}

/* The images of a texture, kept with its GstMemory, which frees them before the texture, in the GL thread as well. */
struct KeptImages {
  GlContextRef gl;
  SharedImages images;

  ~KeptImages ()
  {
    run_in_gl_thread (gl.get (), [this] {
      for (const std::shared_ptr<SharedImage> &image : images)
        image->drop ();
      images.clear ();
    });
  }
};

/* With images_mutex held. */
SharedImages &
images_kept_with (GstMemory *memory)
{
  auto &kept = kept_with<KeptImages> (memory, "gst-cl-shared-images");
  if (!kept.gl)
    kept.gl = GlContextRef::retain (reinterpret_cast<GstGLBaseMemory *> (memory)->context);
  return kept.images;
}

using CreateEventFromSync = cl_event (*) (cl_context, cl_GLsync, cl_int *);

/* Null where the device has no cl_khr_gl_event. */
CreateEventFromSync
find_create_event (const Device &device)
{
  if (!device.has_extension ("cl_khr_gl_event"))
    return nullptr;
  return reinterpret_cast<CreateEventFromSync> (
      clGetExtensionFunctionAddressForPlatform (device.platform (), "clCreateEventFromGLsyncKHR"));
}

class SharedTextures : public TextureFrames {
public:
  SharedTextures (ContextRef context_, GlContextRef gl_, const GstVideoInfo &info)
      : TextureFrames (GlPath::shared, std::move (context_), std::move (gl_), info), cl (Context::of (context.get ())),
        create_event (find_create_event (cl.device)), chain (chain_of (cl.handle ()))
  {
  }
  ~SharedTextures () override;

  void acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &wait) override
  {
    forget_fences (false);
    require_sound_gl (gl.get ());
    const std::lock_guard lock (images_mutex);
    const ::cl::CommandQueue commands (queue, true);
    SharedImages images = images_in (frames, cl.handle ());
    take_role (images);
    /* the textures that were read last, if no writer released them */
    Release late;
    take_deferred (late, false);
    enqueue (late, commands);

    std::vector<::cl::Memory> to_acquire;
    std::erase_if (images, [&] (const auto &image) {
      std::erase (chain->wanted, image);
      if (image->ahead)
        wait.push_back (image->acquired);
      return std::exchange (image->ahead, false);
    });
    const SharedImages ahead = role == Role::reader ? std::exchange (chain->wanted, {}) : SharedImages{};
    for (const SharedImages *group : {&std::as_const (images), &ahead})
      for (const auto &image : *group)
        if (image->users == 0)
          to_acquire.push_back (image->image);
        else
          wait.push_back (image->acquired);
    ::cl::Event event;
    if (!to_acquire.empty ()) {
      std::vector<::cl::Event> before;
      const GLsync fence = wait_for_gl (before);
      try {
        commands.enqueueAcquireGLObjects (&to_acquire, &before, &event);
      } catch (...) {
        keep_fence (fence, event);
        throw;
      }
      keep_fence (fence, event);
    }
    for (const SharedImages *group : {&std::as_const (images), &ahead})
      for (const auto &image : *group) {
        if (image->users++ == 0)
          image->acquired = event;
        image->ahead = group == &ahead;
      }
  }

  ::cl::Event release (std::span<Frame *const> frames, cl_command_queue queue) override
  {
    const std::lock_guard lock (images_mutex);
    const ::cl::CommandQueue commands (queue, true);
    ::cl::Event event;
    const SharedImages images = images_in (frames, cl.handle ());
    if (defers ()) {
      commands.enqueueMarkerWithWaitList (nullptr, &event);
      commands.flush ();
      chain->deferred.push_back ({this, BufferRef::retain (frames[0]->buffer ()), images, event});
      for (const Frame *other : frames.subspan (1))
        chain->deferred.push_back ({this, BufferRef::retain (other->buffer ()), {}, event});
      return event;
    }
    Release now;
    for (const auto &image : images) {
      if (--image->users > 0) {
        if (!event ())
          commands.enqueueMarkerWithWaitList (nullptr, &event);
        image->done.push_back (event);
      } else {
        now.add (*image);
      }
    }
    if (role == Role::writer)
      take_deferred (now, true);
    const ::cl::Event released = enqueue (now, commands);
    return released () ? released : event;
  }

  void expect (GstBuffer *output) override
  {
    {
      const std::lock_guard lock (images_mutex);
      if (role != Role::writer || chain->readers == 0)
        return;
    }
    Frame frame = write (output);
    Frame *frames[] = {&frame};
    const std::lock_guard lock (images_mutex);
    expected = images_in (frames, cl.handle ());
    chain->wanted.insert (chain->wanted.end (), expected.begin (), expected.end ());
  }

private:
  enum class Role { unknown, reader, writer, both };
  /** Images to release, and the commands that the release waits for. */
  struct Release {
    std::vector<BufferRef> buffers; /* go after the images */
    std::vector<::cl::Memory> images;
    std::vector<::cl::Event> wait;

    void add (SharedImage &image);
  };

  /** A fence whose event an acquire waits for. */
  struct PendingFence {
    GLsync sync;
    ::cl::Event acquired;
  };

  ::cl::Memory image_of (GstGLMemory *memory, bool writes) override
  {
    const std::lock_guard lock (images_mutex);
    SharedImages &images = images_kept_with (&memory->mem.mem);
    const int width = gst_gl_memory_get_texture_width (memory), height = gst_gl_memory_get_texture_height (memory);
    const guint texture = gst_gl_memory_get_texture_id (memory);
    for (const auto &known : images)
      if (known->context == cl.handle () && known->texture == texture && known->width == width && known->height == height
          && known->written == writes) {
        counts.image_hits++;
        return known->image;
      }
    counts.image_misses++;
    std::erase_if (images, [&] (const auto &stale) {
      return !stale->context || (stale->context == cl.handle () && stale->users == 0 && stale->written == writes);
    });
    auto made = std::make_shared<SharedImage> ();
    made->context = cl.handle ();
    made->texture = texture;
    made->width = width;
    made->height = height;
    made->written = writes;
    made->image = ::cl::ImageGL (cl.handle, writes ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, texture);
    images.push_back (made);
    cl.add_dependent (made);
    return made->image;
  }

  bool waits_on_host () const override { return !create_event; }

  static SharedImages images_in (std::span<Frame *const> frames, cl_context context)
  {
    SharedImages found;
    for (const Frame *frame : frames)
      for (int i = 0; i < frame->n_planes; i++)
        for (const auto &image : images_kept_with (gst_buffer_peek_memory (frame->buffer (), i)))
          if (image->context == context && image->image () == frame->planes[i].memory ()
              && std::ranges::find (found, image) == found.end ()) /* one frame may come by two pads */
            found.push_back (image);
    return found;
  }

  /* The first frame decides: a stream's pads do not change. */
  void take_role (const SharedImages &images)
  {
    if (role != Role::unknown)
      return;
    const bool reads = std::ranges::any_of (images, [] (const auto &image) { return !image->written; });
    const bool writes = std::ranges::any_of (images, [] (const auto &image) { return image->written; });
    role = reads && writes ? Role::both : writes ? Role::writer : Role::reader;
    chain->readers += role == Role::reader;
    chain->writers += role == Role::writer;
  }

  bool defers () const { return role == Role::reader && chain->writers > 0; }

  /* Takes the deferred releases of this element, or of all. */
  void take_deferred (Release &release, bool of_all)
  {
    std::erase_if (chain->deferred, [&] (Deferred &each) {
      if (!of_all && each.owner != this)
        return false;
      for (const auto &image : each.images) {
        if (--image->users > 0) {
          image->done.push_back (each.read);
          continue;
        }
        release.add (*image);
        release.wait.push_back (each.read);
      }
      release.buffers.push_back (std::move (each.buffer));
      return true;
    });
  }

  /* Keeps the buffers until GL may use their textures again. */
  ::cl::Event enqueue (Release &release, const ::cl::CommandQueue &commands)
  {
    ::cl::Event event;
    if (release.images.empty ())
      return event;
    commands.enqueueReleaseGLObjects (&release.images, &release.wait, &event);
    commands.flush ();
    release.images.clear ();
    if (!release.buffers.empty ())
      cl.reaper.leave (event, [buffers = std::move (release.buffers)] {});
    return event;
  }

  /* GL's commands must be complete before OpenCL's begin. With cl_khr_gl_event the device waits, else the host. */
  GLsync wait_for_gl (std::vector<::cl::Event> &wait)
  {
    const GLsync fence = create_event ? insert_fence (gl.get ()) : nullptr;
    cl_int code = CL_INVALID_OPERATION;
    const ::cl::Event event (fence ? create_event (cl.handle (), reinterpret_cast<cl_GLsync> (fence), &code) : nullptr);
    if (code == CL_SUCCESS) {
      wait.push_back (event);
      return fence;
    }
    if (fence) {
      gl.get ()->gl_vtable->DeleteSync (fence);
      create_event = nullptr;
      GST_INFO ("%s makes no events from GL fences: the host waits for GL", cl.device.name.c_str ());
    }
    finish_gl (gl.get ());
    return nullptr;
  }

  /* Keeps the fence until the acquire that waits for it is complete. */
  void keep_fence (GLsync fence, const ::cl::Event &acquired)
  {
    if (fence && acquired ())
      fences.push_back ({fence, acquired});
    else if (fence)
      gl.get ()->gl_vtable->DeleteSync (fence);
  }

  void forget_fences (bool all)
  {
    while (!fences.empty () && (all || fences.front ().acquired.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () <= CL_COMPLETE)) {
      gl.get ()->gl_vtable->DeleteSync (fences.front ().sync);
      fences.pop_front ();
    }
  }

  Context &cl;
  /** Null where the host has to wait for GL. */
  CreateEventFromSync create_event;
  std::deque<PendingFence> fences;
  const std::shared_ptr<Chain> chain;
  Role role = Role::unknown;
  /** The images of the buffer that was expected last. */
  SharedImages expected;
};

SharedTextures::~SharedTextures ()
{
  run_in_gl_thread (gl.get (), [this] {
    const std::lock_guard lock (images_mutex);
    chain->readers -= role == Role::reader;
    chain->writers -= role == Role::writer;
    Release rest;
    take_deferred (rest, false);
    for (const auto &image : expected) {
      std::erase (chain->wanted, image);
      if (std::exchange (image->ahead, false) && --image->users == 0)
        rest.add (*image);
    }
    try {
      if (const ::cl::Event event = enqueue (rest, cl.compute); event ())
        cl.wait_for (event);
    } catch (const std::exception &) {
      /* the device is gone, and with it every image */
    }
    forget_fences (true);
  });
}

void
SharedTextures::Release::add (SharedImage &image)
{
  images.push_back (image.image);
  wait.insert (wait.end (), image.done.begin (), image.done.end ());
  image.done.clear ();
  image.acquired = ::cl::Event ();
}

}  // namespace

std::shared_ptr<GlLink>
share_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info)
{
  return std::make_shared<SharedTextures> (std::move (context), std::move (gl), info);
}

}  // namespace gst::cl
