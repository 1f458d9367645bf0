/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stream.hpp"

#include "core/vendors.hpp"
#include "core/wait.hpp"
#include "interop/caps.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>

namespace gst::cl {

namespace {

constexpr guint pool_buffers = Stream::most_frames_under_way;

/* For caps that passed negotiation but are not video, or whose size overflows GStreamer's types. */
Failure
refusal_of (GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  g_autofree gchar *text = gst_caps_to_string (caps);
  const gchar *format = gst_structure_get_string (structure, "format");
  int width = 0, height = 0;
  if (const gchar *mode = gst_structure_get_string (structure, "interlace-mode"); mode && g_str_equal (mode, "alternate"))
    if (!has_single_fields (caps))
      return Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
          "Caps with interlace-mode=alternate lack the feature " GST_CAPS_FEATURE_FORMAT_INTERLACED ".", text);
  if (!format || !gst_structure_get_int (structure, "width", &width) || !gst_structure_get_int (structure, "height", &height))
    return Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "Caps that are no video.", text);
  return Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Video frames of " + std::to_string (width) + "x" + std::to_string (height) + " " + format
          + " are too large for GStreamer.",
      text);
}

GstVideoInfo
parse_caps (GstCaps *caps)
{
  GstVideoInfo info;
  if (!video_info_from_caps (info, caps))
    throw refusal_of (caps);
  /* GStreamer replaces this field by its default in caps without a colorimetry */
  if (const gchar *site = gst_structure_get_string (gst_caps_get_structure (caps, 0), "chroma-site"))
    info.chroma_site = gst_video_chroma_site_from_string (site);
  return info;
}

}  // namespace

Stream::Stream (ContextRef context_, Links links, std::span<const StagePlan> stages, GstCaps *in_caps, GstCaps *out_caps,
    std::shared_ptr<GlLink> out_link_)
    : context (std::move (context_)), in_video (parse_caps (in_caps)), out_video (parse_caps (out_caps ? out_caps : in_caps)),
      input (context, links, picture_in_buffer (in_video), memory_kind (in_caps)),
      out_link (out_link_ ? std::move (out_link_) : input.link), out_info (picture_in_buffer (out_video)),
      out_kind (memory_kind (out_caps ? out_caps : in_caps)), out_other (links.find (out_kind)), writer (context, out_info),
      pool (out_caps ? make_pool (out_caps) : PoolRef ())
{
  set_stages (stages);
  if (out_caps && is_foreign (out_kind)) {
    g_autoptr (GstCaps) caps = with_memory (out_caps, {MemoryKind::opencl});
    staging_pool = create_pool (context, caps, out_other || out_link->textures ? 0 : pool_buffers);
  }
}

Stream::Stream (ContextRef context_, Links links, const FilterDescription &description, GstCaps *in_caps, GstCaps *out_caps,
    Reporter &reporter)
    : Stream (
        std::move (context_), std::move (links), std::array{StagePlan{&description, &reporter, nullptr}}, in_caps, out_caps)
{
}

void
Stream::set_stages (std::span<const StagePlan> stages)
{
  if (chain)
    earlier_builds += chain->builds ();
  chain.reset ();
  chain = std::make_unique<Chain> (
      context, in_video, out_video, has_textures () ? Backend::image : Context::of (context.get ()).device.backend, stages);
  is_new = true;
  allocations_at_first.reset ();
}

PoolRef
Stream::make_pool (GstCaps *caps) const
{
  if (out_kind == MemoryKind::gl)
    return out_link->create_pool (caps, pool_buffers);
  return out_other ? out_other->create_pool (caps, pool_buffers) : create_pool (context, caps, pool_buffers);
}

Stream::~Stream ()
{
  chain->finish ();
  for (const auto &each : {input.link, out_link})
    if (each)
      each->textures.reset (); /* releases the references to the buffers */
  next_output = {};
  for (const PoolRef &each : {pool, staging_pool})
    if (each)
      gst_buffer_pool_set_active (each.get (), FALSE);
}

std::optional<guint64>
Stream::number_at (GstClockTime timestamp) const
{
  if (GST_VIDEO_INFO_FPS_N (&input.info) == 0)
    return std::nullopt;
  return gst_util_uint64_scale_round (
      timestamp, GST_VIDEO_INFO_FPS_N (&input.info), GST_VIDEO_INFO_FPS_D (&input.info) * GST_SECOND);
}

/* Maps wait a little longer than the watchdog, so that the watchdog reports first. */
void
Stream::watch (Fence &fence)
{
  constexpr unsigned longer = 500;
  const auto &stages = chain->all ();
  const auto found = std::ranges::find_if (stages, [] (const auto &stage) { return stage->abilities ().patience > 0; });
  if (found == stages.end () || !fence)
    return;
  const unsigned patience = (*found)->abilities ().patience;
  if (!watchdog)
    watchdog = std::make_unique<Watchdog> ();
  fence.patience = patience + longer;
  const std::string name = (*found)->algorithm ();
  watchdog->watch (fence.event, patience, [this, &reporter = (*found)->reporter, name, patience] {
    reporter.fail (Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "The kernel " + name + " has not finished a frame within " + std::to_string (patience) + " ms.",
        "It may loop for ever; only the driver can stop it. The property timeout sets the limit."));
    Context::of (context.get ()).failed = true;
    Context::of (context.get ()).hung = true; /* ends other waits */
  });
}

void
Stream::wait_for (const ::cl::Event &event) const
{
  if (watchdog)
    watchdog->wait (event);
  else
    gst::cl::wait_for (event);
}

bool
Stream::is_hung () const
{
  return watchdog && watchdog->has_fired () && !under_way.empty () && !is_done (under_way.back ().end);
}

void
Stream::drain ()
{
  try {
    while (!under_way.empty ()) {
      wait_for (under_way.front ().end);
      under_way.pop_front ();
    }
  } catch (const Overdue &) {
    return; /* the error is already reported; the frames stay under way */
  } catch (...) {
    give_up ();
    throw;
  }
  chain->finish ();
  throw_unread (context.get ());
}

/* After a failure that concerns every frame on the device. */
void
Stream::give_up () noexcept
{
  Context::of (context.get ()).failed = true;
  chain->finish ();
  under_way.clear ();
}

void
Stream::limit_frames_under_way (const Fence &fence)
{
  Reaper &reaper = Context::of (context.get ()).reaper;
  under_way.push_back ({fence.event, reaper.left ()});
  while (under_way.size () > most_frames_under_way) {
    const UnderWay oldest = std::move (under_way.front ());
    under_way.pop_front ();
    wait_for (oldest.end);
    /* without this, a source that is never blocked allocates more and more buffers while the reaper waits for a processor */
    reaper.wait_for (oldest.left);
  }
}

bool
is_loss (const ::cl::Error &error)
{
  switch (error.err ()) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_GL_OBJECT:
    case CL_INVALID_COMMAND_QUEUE:
    case vendors::nvidia_illegal_access:
      return true;
    default:
      return false;
  }
}

}  // namespace gst::cl
