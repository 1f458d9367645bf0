/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transfer.hpp"

#include <chrono>
#include <thread>
#include <typeinfo>

#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

constexpr GLuint64 sync_timeout_ns = 10'000'000'000;

void
sleep_ms (unsigned ms)
{
  if (ms)
    std::this_thread::sleep_for (std::chrono::milliseconds (ms));
}

/* All work on the GL thread succeeds for OpenCL, even after a broken rule: PoCL 3.1 aborts if a user event fails while commands
 * wait for it. */

bool
is_unchanged (const Gl &gl, const Image &image, const char *when)
{
  Texture now;
  if (describe (gl, image.texture.target, image.texture.name, &now) == CL_SUCCESS && now == image.texture)
    return true;
  report ("texture-changed", "at %s texture %u is deleted or specified anew: was %dx%d, format 0x%x; is %dx%d, 0x%x", when,
      image.texture.name, image.texture.width, image.texture.height, image.texture.internal, now.width, now.height,
      now.internal);
  return false;
}

/* In mode corrupt every pixel is misplaced, as if two drivers disagreed on the memory layout. */
void
misplace (const Image &image)
{
  if (settings ().corrupt)
    std::rotate (image.pixels.get (), image.pixels.get () + image.format->pixel_bytes (), image.pixels.get () + image.size ());
}

/* Copies the texture to the image. */
void
load (const Gl &gl, Image &image)
{
  image.expected.clear ();
  if (!is_unchanged (gl, image, "acquire") || !read_texels (gl, image.texture, *image.format, image.expected))
    return;
  texels_to_image (*image.format, image.expected, image.pixels.get ());
  misplace (image);
  if (image.is_read_only ()) {
    image.loaded.assign (image.pixels.get (), image.pixels.get () + image.size ());
  } else if (settings ().poison) {
    image.expected = poison (*image.format, image.pixel_count ());
    write_texels (gl, image.texture, *image.format, image.expected);
  }
}

/* Copies the image to the texture. */
void
store (const Gl &gl, Image &image)
{
  std::vector<std::uint8_t> texels;
  if (image.expected.empty () || !is_unchanged (gl, image, "release")
      || !read_texels (gl, image.texture, *image.format, texels))
    return;
  if (texels != image.expected)
    report ("gl-write", "GL wrote to texture %u while OpenCL held it, or had not finished when it was acquired",
        image.texture.name);
  if (image.is_read_only ()) {
    if (!std::equal (image.loaded.begin (), image.loaded.end (), image.pixels.get ()))
      report ("read-only-written", "OpenCL wrote to texture %u through a CL_MEM_READ_ONLY object", image.texture.name);
    return;
  }
  misplace (image);
  image_to_texels (*image.format, image.pixels.get (), texels);
  write_texels (gl, image.texture, *image.format, texels);
}

/* A command of the layer in a queue: it starts when the queue's order and the wait list allow it, works on the GL thread, and
 * completes a user event for which the queue waits. */
struct Command {
  std::shared_ptr<GlThread> gl;
  std::function<void (const Gl &)> work;
  cl_event user = nullptr;

  void finish (cl_int status)
  {
    next ().clSetUserEventStatus (user, status);
    next ().clReleaseEvent (user);
    gl->conclude ();
  }
};

void CL_CALLBACK
start (cl_event, cl_int status, void *user_data)
{
  const std::shared_ptr<Command> command (static_cast<Command *> (user_data));
  const bool posted = status >= 0 && command->gl->post ([command] (const Gl &gl) {
    command->work (gl);
    command->finish (CL_COMPLETE);
  });
  if (!posted)
    command->finish (status < 0 ? status : CL_OUT_OF_RESOURCES);
}

bool
is_in_order (cl_command_queue queue)
{
  cl_command_queue_properties properties = 0;
  next ().clGetCommandQueueInfo (queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* The event after which the command may start. A marker without a wait list would wait for the whole queue, unlike a command in
 * an out-of-order queue. */
cl_int
make_ready_event (const Transfer &transfer, cl_event *ready)
{
  cl_int error = CL_SUCCESS;
  if (transfer.n_events > 0 || is_in_order (transfer.queue))
    return next ().clEnqueueMarkerWithWaitList (transfer.queue, transfer.n_events, transfer.events, ready);
  *ready = next ().clCreateUserEvent (transfer.context->handle, &error);
  if (error == CL_SUCCESS)
    next ().clSetUserEventStatus (*ready, CL_COMPLETE);
  return error;
}

/* The readers or the writers of an image's texture. */
unsigned &
holders_of (const Image &image)
{
  Holders &holders = ledger ().textures[{image.group, image.texture.name}];
  return image.is_read_only () ? holders.readers : holders.writers;
}

/* Whether the image is acquired while another object of its texture may write, or may be written. */
bool
hold (const Image &image)
{
  const Holders holders = ledger ().textures[{image.group, image.texture.name}];
  holders_of (image)++;
  return holders.writers > 0 || (holders.readers > 0 && !image.is_read_only ());
}

}  // namespace

bool
has_pending_gl_commands ()
{
  const Gl *gl = Gl::get ();
  if (!gl || !has_current_context ())
    return false;
  const GLsync fence = gl->FenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  GLint status = GL_SIGNALED;
  gl->GetSynciv (fence, GL_SYNC_STATUS, 1, nullptr, &status);
  gl->DeleteSync (fence);
  return status != GL_SIGNALED;
}

void
wait_for_sync (const Gl &gl, GLsync sync)
{
  const GLenum result = gl.ClientWaitSync (sync, 0, sync_timeout_ns);
  if (result == GL_TIMEOUT_EXPIRED)
    report ("sync-timeout", "a GL sync was not signalled within 10 s: its commands were perhaps never flushed");
  /* The sync was deleted just before this wait began. llvmpipe runs all flushed work in order, so reads of the texture still
   * follow the commands before the sync. */
  if (result == GL_WAIT_FAILED)
    count ("gl-syncs-lost");
}

cl_int
Transfer::collect ()
{
  cl_context handle = nullptr;
  next ().clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof handle, &handle, nullptr);
  context = find_context (handle);
  if (!context)
    return CL_INVALID_COMMAND_QUEUE;
  const std::string name = std::string ("clEnqueue") + (is_acquire () ? "Acquire" : "Release")
                           + (is_external () ? "ExternalMemObjectsKHR" : "GLObjects");
  if (const cl_int error = check_wait_list (n_events, events, type == CL_COMMAND_ACQUIRE_GL_OBJECTS, name.c_str ());
      error != CL_SUCCESS)
    return error;
  if ((n_objects == 0) != (handles == nullptr))
    return CL_INVALID_VALUE;
  if (!is_external () && !context->gl)
    return CL_INVALID_CONTEXT;
  for (cl_uint i = 0; i < n_objects; i++) {
    const std::shared_ptr<Object> object = find_object (handles[i]);
    if (!object || !object->needs_acquire () || object->is_external () != is_external ()
        || typeid (*object) != typeid (objects.empty () ? *object : *objects[0]))
      return is_external () || !handles[i] ? CL_INVALID_MEM_OBJECT : CL_INVALID_GL_OBJECT;
    if (object->context != context->handle)
      return CL_INVALID_CONTEXT;
    objects.push_back (object);
  }
  return CL_SUCCESS;
}

cl_int
Transfer::claim ()
{
  count ("acquires");
  if (settings ().fail_at && counter ("acquires") == settings ().fail_at)
    return CL_OUT_OF_RESOURCES;
  count ("acquired-objects", objects.size ());
  for (const std::shared_ptr<Object> &object : objects) {
    bool overlaps = false;
    const bool twice = locked ([&] (const Ledger &) {
      if (std::exchange (object->acquired, true))
        return true;
      object->was_acquired = true;
      const auto *const image = dynamic_cast<const Image *> (object.get ());
      overlaps = image && hold (*image);
      return false;
    });
    if (twice) {
      report ("double-acquire", "the object of %s is acquired already", object->what ().c_str ());
      return CL_INVALID_OPERATION;
    }
    if (overlaps)
      report ("overlapping-acquire", "%s is acquired through another object, and one may write", object->what ().c_str ());
  }
  return CL_SUCCESS;
}

cl_int
Transfer::give_back ()
{
  for (const std::shared_ptr<Object> &object : objects) {
    const bool held = locked ([&] (const Ledger &) {
      const auto *const image = dynamic_cast<const Image *> (object.get ());
      if (object->acquired && image)
        holders_of (*image)--;
      return std::exchange (object->acquired, false);
    });
    if (!held) {
      report ("release-not-acquired", "the object of %s is not acquired", object->what ().c_str ());
      return is_external () ? CL_INVALID_OPERATION : CL_INVALID_GL_OBJECT;
    }
  }
  count ("releases");
  count ("released-objects", objects.size ());
  return CL_SUCCESS;
}

cl_int
Transfer::begin ()
{
  const cl_int error = collect ();
  if (error != CL_SUCCESS)
    return error;
  return is_acquire () ? claim () : give_back ();
}

cl_int
Transfer::enqueue (const std::shared_ptr<GlThread> &gl, GLsync fence) const
{
  cl_event ready = nullptr, done = nullptr;
  cl_int error = make_ready_event (*this, &ready);
  if (error != CL_SUCCESS)
    return error;
  const auto work = [fence, acquires = is_acquire (), images = objects] (const Gl &gl) {
    if (fence) {
      wait_for_sync (gl, fence);
      gl.DeleteSync (fence);
    }
    sleep_ms (acquires ? settings ().acquire_delay_ms : settings ().release_delay_ms);
    for (const std::shared_ptr<Object> &image : images)
      (acquires ? load : store) (gl, static_cast<Image &> (*image));
    gl.Finish ();
  };
  auto command = std::make_unique<Command> (gl, work, next ().clCreateUserEvent (context->handle, &error));
  if (error == CL_SUCCESS)
    error = next ().clEnqueueMarkerWithWaitList (queue, 1, &command->user, &done);
  if (error == CL_SUCCESS) {
    gl->announce ();
    next ().clSetEventCallback (ready, CL_COMPLETE, start, command.release ());
    finish (done);
  }
  next ().clReleaseEvent (ready);
  return error;
}

void
Transfer::finish (cl_event done) const
{
  if (!event) {
    next ().clReleaseEvent (done);
    return;
  }
  remember_event (done, type);
  *event = done;
}

}  // namespace layer
