/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/interop.hpp"

#include "config.h"
#include "core/debug.hpp"
#include "gl/sharing.hpp"
#include "interop/trial.hpp"
#ifdef HAVE_VULKAN
#include "gl/external.hpp"
#endif

#include <mutex>
#include <tuple>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clgl", "exchange of frames between GL and OpenCL">)

namespace gst::cl {

namespace {

class GlTrial : public Trial {
public:
  GlTrial (GlLink &gl_, const GstVideoInfo &of)
      : Trial (gl_, of, GST_CAPS_FEATURE_MEMORY_GL_MEMORY, GST_GL_TEXTURE_TARGET_2D_STR), gl (gl_)
  {
    BuildCounts counts;
    if (gl.has_textures ())
      kernel = ::cl::Kernel (*Context::of (gl.context.get ()).programs.get ({{"lib/probe.cl"}, ""}, counts), "probe");
  }

private:
  /* Without textures: the cost of staging besides the kernel, GL's picture to the host and back. */
  void run (GstBuffer *from) override
  {
    if (!gl.has_textures ()) {
      (void) HostView (info, from, GST_MAP_READ);
      (void) HostView (info, out.get (), GST_MAP_WRITE);
      return;
    }
    gl.visit ([&] { enqueue (from); });
    Context::of (gl.context.get ()).wait_for (released);
  }

  /* In the GL thread. */
  void enqueue (GstBuffer *from)
  {
    Frame source = gl.read (from), target = gl.write (out.get ());
    Frame *frames[] = {&source, &target};
    std::vector<::cl::Event> wait;
    gl.acquire (frames, queue (), wait);
    try {
      for (int i = 0; i < source.n_planes; i++) {
        kernel.setArg (0, source.planes[i].memory);
        kernel.setArg (1, target.planes[i].memory);
        queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (source.planes[i].width, source.planes[i].height));
      }
    } catch (...) {
      Context::of (gl.context.get ()).wait_for (gl.release (frames, queue ()));
      throw;
    }
    released = gl.release (frames, queue ());
  }

  GlLink &gl;
  ::cl::Kernel kernel;
  ::cl::Event released;
};

/* Fills a frame by GL, inverts it into another by OpenCL, reads that by GL and compares every byte; then measures the time. info
 * describes a small frame. */
Verdict
run_gl_trial (GlLink &link, const GstVideoInfo &info)
{
  GlTrial trial (link, info);
  if (link.has_textures ())
    trial.require_inverse (trial.input ());
  return {.works = true, .reason = "", .microseconds = trial.time (trial.input ())};
}

using GlQuestion = std::tuple<cl_device_id, GlPath, GstVideoFormat>;

/* A GL context owns the verdicts about it. */
Verdicts<GlQuestion> &
verdicts_of (GstGLContext *gl)
{
  static std::mutex mutex;
  const std::lock_guard lock (mutex);
  return kept_with<Verdicts<GlQuestion>> (gl, "gst-cl-gl-verdicts");
}

Verdict
try_path (GlPath path, const ContextRef &context, GstGLContext *gl, GstVideoFormat format)
{
  try {
    if (const std::string refusal = path == GlPath::shared ? refuses_sharing (Context::of (context.get ()).device, gl) : "";
        !refusal.empty ())
      return {.reason = refusal};
    const GstVideoInfo info = trial_info (format);
    return run_gl_trial (*make_gl_link (path, context, GlContextRef::retain (gl), info), info);
  } catch (const std::exception &error) {
    return {.reason = reason_of (error)};
  }
}

Verdict
find_verdict (GlPath path, const ContextRef &context, GstGLContext *gl, GstVideoFormat format)
{
  const Device &device = Context::of (context.get ()).device;
  const auto attempt = [&] {
    const Verdict verdict = try_path (path, context, gl, format);
    GST_INFO ("%s between %s, driver %s, and %" GST_PTR_FORMAT " for %s %s", name_of (path), device.name.c_str (),
        device.driver_version.c_str (), gl, gst_video_format_to_string (format), verdict.text ().c_str ());
    return std::optional (verdict);
  };
  return *verdicts_of (gl).get ({device.handle (), path, format}, attempt);
}

Failure
refusal_of_gl (const char *what, const std::string &reason)
{
  return refusal (MemoryKind::gl, std::string ("OpenCL and OpenGL cannot exchange frames ") + what, reason);
}

}  // namespace

Verdict
probe_gl (GlPath path, const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  try {
    return find_verdict (path, wrap_context (device, ::cl::Context (device.handle), nullptr), gl, format);
  } catch (const std::exception &error) {
    return {.reason = error.what ()};
  }
}

GlChoice
choose_gl_path (const ContextRef &context, GstGLContext *gl, const GstVideoInfo &info, Interop wanted)
{
  const auto try_it = [&] (GlPath path) { return find_verdict (path, context, gl, GST_VIDEO_INFO_FORMAT (&info)); };
  if (wanted == Interop::staged)
    return {GlPath::staged, ""};
  Verdict sharing, external;
  if (wanted != Interop::external)
    sharing = try_it (GlPath::shared);
  if (wanted != Interop::sharing)
    external = try_it (GlPath::external);
  if (wanted == Interop::sharing && !sharing.works)
    throw refusal_of_gl ("by cl_khr_gl_sharing", sharing.reason);
  if (wanted == Interop::external && !external.works)
    throw refusal_of_gl ("in external memory", external.reason);
  if (external.works && (!sharing.works || external.microseconds <= sharing.microseconds))
    return {GlPath::external, ""};
  if (sharing.works)
    return {GlPath::shared, ""};
  const std::string reason = "sharing: " + sharing.reason + "; external memory: " + external.reason;
  if (wanted == Interop::require)
    throw refusal_of_gl ("without copies through the host", reason);
  return {GlPath::staged, reason};
}

void
forget_refusals (GstGLContext *gl)
{
  verdicts_of (gl).forget_refusals ();
}

std::shared_ptr<GlLink>
make_gl_link (GlPath path, const ContextRef &context, GlContextRef gl, const GstVideoInfo &info)
{
  if (path == GlPath::staged)
    return std::make_shared<TextureFrames> (path, context, std::move (gl), info);
  if (path == GlPath::external) {
#ifdef HAVE_VULKAN
    return external_textures (context, std::move (gl), info);
#else
    throw refusal_of_gl ("in external memory", "this build lacks Vulkan");
#endif
  }
  const bool is_bound = is_bound_to (context.get (), gl.get ());
  const ContextRef bound = is_bound ? context : bound_context (Context::of (context.get ()).device, gl.get ());
  return share_textures (bound, std::move (gl), info);
}

PoolRef
propose_gl_pool (GlPath path, const ContextRef &context, GstGLContext *gl)
{
#ifdef HAVE_VULKAN
  if (path == GlPath::external)
    return PoolRef (external_pool_new (find_external_memory (context, gl)));
#endif
  return PoolRef (gst_gl_buffer_pool_new (gl));
}

}  // namespace gst::cl
