/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/interop.hpp"

#include "config.h"
#include "core/debug.hpp"
#include "gl/sharing.hpp"
#ifdef HAVE_VULKAN
#include "gl/external.hpp"
#endif

#include <map>
#include <mutex>
#include <optional>

GST_DEBUG_CATEGORY (gst_cl_gl_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_cl_gl_debug

namespace gst::cl {

namespace {

void
init_interop_debug ()
{
  GST_CL_ENSURE_CATEGORY (gst_cl_gl_debug, "clgl", "exchange of frames between GL and OpenCL");
}

/* A GL context owns the verdicts about it. */
struct Trial {
  cl_device_id device;
  GlPath path;
  GstVideoFormat format;

  auto operator<=> (const Trial &) const = default;
};

using Verdicts = std::map<Trial, Verdict>;

std::mutex verdicts_mutex;

/* Call it with verdicts_mutex held. */
Verdicts &
verdicts_of (GstGLContext *gl)
{
  static const GQuark quark = g_quark_from_static_string ("gst-cl-gl-verdicts");
  auto *verdicts = static_cast<Verdicts *> (g_object_get_qdata (G_OBJECT (gl), quark));
  if (!verdicts) {
    verdicts = new Verdicts;
    g_object_set_qdata_full (G_OBJECT (gl), quark, verdicts, [] (gpointer data) { delete static_cast<Verdicts *> (data); });
  }
  return *verdicts;
}

GstVideoInfo
trial_info (GstVideoFormat format)
{
  GstVideoInfo info;
  gst_video_info_set_format (&info, format, 64, 48);
  return info;
}

Verdict
try_path (GlPath path, const ContextRef &context, GstGLContext *gl, GstVideoFormat format)
{
  try {
    const GstVideoInfo info = trial_info (format);
    GlLink link = make_gl_link (path, context, GlContextRef::retain (gl), info);
    return run_gl_trial (link, info);
  } catch (const std::exception &error) {
    return {.reason = reason_of (error)};
  }
}

std::optional<Verdict>
known_verdict (GstGLContext *gl, const Trial &trial)
{
  const std::lock_guard lock (verdicts_mutex);
  const Verdicts &known = verdicts_of (gl);
  const auto found = known.find (trial);
  return found == known.end () ? std::nullopt : std::optional (found->second);
}

/* Stores a verdict, unless there is one: all elements get the first. */
Verdict
remember_verdict (GstGLContext *gl, const Trial &trial, const Verdict &verdict)
{
  const std::lock_guard lock (verdicts_mutex);
  return verdicts_of (gl).emplace (trial, verdict).first->second;
}

/* A test runs in the GL thread, which may work for other elements, so no lock is held meanwhile. */
Verdict
find_verdict (GlPath path, const ContextRef &context, GstGLContext *gl, GstVideoFormat format)
{
  init_interop_debug ();
  const Device &device = Context::of (context.get ()).device;
  const Trial trial{device.handle (), path, format};
  if (const auto known = known_verdict (gl, trial))
    return *known;
  Verdict verdict;
  if (path == GlPath::shared)
    verdict.reason = refuses_sharing (device, gl);
  if (verdict.reason.empty ())
    verdict = try_path (path, context, gl, format);
  if (verdict.works)
    GST_INFO ("%s works between %s and %" GST_PTR_FORMAT " for %s, %.0f us a frame", name_of (path), device.name.c_str (), gl,
        gst_video_format_to_string (format), verdict.microseconds);
  else
    GST_INFO ("no %s between %s, driver %s, and %" GST_PTR_FORMAT " for %s: %s", name_of (path), device.name.c_str (),
        device.driver_version.c_str (), gl, gst_video_format_to_string (format), verdict.reason.c_str ());
  return remember_verdict (gl, trial, verdict);
}

Verdict
probe (GlPath path, const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  try {
    return find_verdict (path, wrap_context (device, ::cl::Context (device.handle), nullptr), gl, format);
  } catch (const std::exception &error) {
    return {.reason = error.what ()};
  }
}

Failure
refusal_of_gl (const char *what, const std::string &reason)
{
  return refusal (MemoryKind::gl, std::string ("OpenCL and OpenGL cannot exchange frames ") + what, reason);
}

/* Starts a pool of GStreamer's textures, with sync points for readers in other GL contexts. */
PoolRef
start_gl_pool (PoolRef pool, GstCaps *caps, guint min_buffers)
{
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  return start_pool (std::move (pool), caps, min_buffers, "GL memory", config);
}

}  // namespace

Verdict
probe_sharing (const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  return probe (GlPath::shared, device, gl, format);
}

Verdict
probe_external (const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  return probe (GlPath::external, device, gl, format);
}

Verdict
probe_staged (const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  return probe (GlPath::staged, device, gl, format);
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
  const std::lock_guard lock (verdicts_mutex);
  std::erase_if (verdicts_of (gl), [] (const auto &each) { return !each.second.works; });
}

GlLink
make_gl_link (GlPath path, const ContextRef &context, GlContextRef gl, const GstVideoInfo &info)
{
  init_interop_debug ();
  GlLink link{path, context, nullptr,
      [path, context, gl] (GstCaps *caps, guint min_buffers) {
        return start_gl_pool (propose_gl_pool (path, context, gl.get ()), caps, min_buffers);
      },
      [gl] { run_in_gl_thread (gl.get (), [&gl] { require_sound_gl (gl.get ()); }); }};
  if (path == GlPath::shared) {
    if (!is_bound_to (context.get (), gl.get ()))
      link.context = bound_context (Context::of (context.get ()).device, gl.get ());
    link.textures = share_textures (link.context, std::move (gl), info);
  } else if (path == GlPath::external) {
#ifdef HAVE_VULKAN
    link.textures = external_textures (context, std::move (gl), info);
#else
    throw refusal_of_gl ("in external memory", "this build lacks Vulkan");
#endif
  }
  return link;
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
