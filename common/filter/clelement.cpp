/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/clelement.hpp"

#include "config.h"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace gst::cl {

/* outside the range of SettingStore, so that a class can have both */
enum : guint { PROP_DEVICE = 3000, PROP_INTEROP, PROP_GL_INTEROP };

ClElement::ClElement (GstElement *element_) : element (element_)
{
#ifdef HAVE_CUDA
  interops.push_back (make_cuda_element (element));
#endif
#ifdef HAVE_DMABUF
  interops.push_back (make_dmabuf_element (element));
#endif
#ifdef HAVE_GL
  interops.push_back (make_gl_element (element));
#endif
}

ClElement::~ClElement ()
{
  gst_clear_object (&own_context);
  gst_clear_caps (&answered);
}

void
ClElement::install_properties (GObjectClass *klass)
{
  /**
   * GstClBaseTransform:device:
   *
   * Which OpenCL device to use; see gst_cl_context_new(). Takes effect when the element goes from READY to PAUSED; a
   * change after that waits for the next time, and is warned of in the log.
   */
  g_object_class_install_property (klass, PROP_DEVICE,
      g_param_spec_string ("device", "Device",
          "OpenCL device, read on the way to PAUSED: \"\" for $GST_CL_DEVICE or the best one, gpu, cpu, accelerator, "
          "PLATFORM:DEVICE numbers, or part of a name",
          "", GParamFlags (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)));

  constexpr int flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING;
  /**
   * GstClBaseTransform:interop:
   *
   * How frames in GL, CUDA and DMABuf memory are reached. Can be changed while PLAYING.
   */
  g_object_class_install_property (klass, PROP_INTEROP,
      g_param_spec_enum ("interop", "Interop", "How frames in GL, CUDA and DMABuf memory are reached", interop_get_type (),
          int (Interop::automatic), GParamFlags (flags)));

  /**
   * GstClBaseTransform:gl-interop:
   *
   * The old name of #GstClBaseTransform:interop.
   */
  g_object_class_install_property (klass, PROP_GL_INTEROP,
      g_param_spec_enum ("gl-interop", "GL interop", "The old name of interop", interop_get_type (), int (Interop::automatic),
          GParamFlags (flags | G_PARAM_DEPRECATED)));
}

bool
ClElement::set_property (guint id, const GValue *value)
{
  if (id == PROP_DEVICE) {
    const std::string wanted = g_value_get_string (value) ? g_value_get_string (value) : "";
    GST_OBJECT_LOCK (element);
    const bool is_late = GST_STATE (element) > GST_STATE_READY && wanted != wanted_device;
    wanted_device = wanted;
    GST_OBJECT_UNLOCK (element);
    if (is_late)
      GST_WARNING_OBJECT (
          element, "device=\"%s\" takes effect when the element goes from READY to PAUSED again", wanted.c_str ());
  } else if (id == PROP_INTEROP || id == PROP_GL_INTEROP) {
    interop = Interop (g_value_get_enum (value));
    for (const auto &each : interops)
      each->set_interop (interop);
  } else {
    return false;
  }
  return true;
}

bool
ClElement::get_property (guint id, GValue *value) const
{
  if (id == PROP_DEVICE)
    g_value_set_string (value, device ().c_str ());
  else if (id == PROP_INTEROP || id == PROP_GL_INTEROP)
    g_value_set_enum (value, int (interop.load ()));
  else
    return false;
  return true;
}

std::string
ClElement::device () const
{
  const ObjectLock lock (element);
  return wanted_device;
}

ContextRef
ClElement::context () const
{
  const ObjectLock lock (element);
  return ContextRef::retain (own_context);
}

bool
ClElement::ensure_context ()
{
  forget_failures (element);
  ahead.reset ();
  has_frames = false;
  return run_guarded (element, [this] { ensure_element_context (element, device ().c_str (), &own_context); });
}

/* Negotiation will choose other formats for filters that do not convert. */
void
ClElement::build_ahead (Expected frames)
{
  if (frames.result && !frames.stages.front ().description->converts ()
      && GST_VIDEO_INFO_FORMAT (&*frames.result) != GST_VIDEO_INFO_FORMAT (&frames.info))
    return;
  ahead.emplace (context (), std::move (frames));
}

void
ClElement::finish_builds ()
{
  if (ahead)
    ahead->finish (context (), !has_frames);
  ahead.reset ();
}

bool
ClElement::set_context (GstContext *offered)
{
  gst_cl_handle_set_context (element, device ().c_str (), offered, &own_context);
  bool relink = false;
  for (const auto &each : interops)
    relink = each->set_context (offered) || relink;
  return relink;
}

bool
ClElement::query_context (GstQuery *query)
{
  return gst_cl_handle_context_query (element, query, context ().get ())
         || (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT
             && std::ranges::any_of (interops, [query] (const auto &each) { return each->query_context (query); }));
}

void
ClElement::release ()
{
  ahead.reset ();
  is_timed = false;
  replace_context (element, &own_context, {}); /* before the GL context with which it may share objects */
  for (const auto &each : interops)
    each->reset ();
}

void
ClElement::see_event (GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    is_timed = true;
}

/* Sinks that show frames in time send QoS events (GST_EVENT_QOS). Encoders do not; a pause before an encoder matters if the
 * source is live. */
bool
ClElement::streams_on () const
{
  if (GST_STATE (element) != GST_STATE_PLAYING)
    return false;
  if (is_timed)
    return true;
  const std::vector<Ref<GstPad>> pads = sink_pads_of (element);
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean is_live = FALSE;
  if (!pads.empty () && gst_pad_peer_query (pads.front ().get (), query))
    gst_query_parse_latency (query, &is_live, nullptr, nullptr);
  return is_live;
}

MemoryElement *
ClElement::interop_of (MemoryKind kind) const
{
  const auto found = std::ranges::find (interops, kind, [] (const auto &each) { return each->kind; });
  return found == interops.end () ? nullptr : found->get ();
}

/* Prefers OpenCL memory, which only elements of this library take, so that a chain of them exchanges frames with other elements
 * only at its ends. Kinds of memory that the device cannot reach without a copy come last, because a neighbouring element
 * copies frames faster. */
std::vector<MemoryKind>
ClElement::preferred (MemoryKind from, const std::vector<MemoryKind> &possible) const
{
  const ContextRef current = context ();
  if (!current)
    return possible;
  const MemoryElement *source = interop_of (from);
  const bool system_is_free = !source && Context::of (current.get ()).device.host_memory == HostMemory::shared;
  std::vector<MemoryKind> better, worse;
  for (const auto &each : interops) {
    const bool is_good =
        source ? each->is_direct () || (each.get () == source && !each->knows_way ()) : each->is_direct () && !system_is_free;
    (is_good ? better : worse).push_back (each->kind);
  }
  std::ranges::stable_partition (better, [from] (MemoryKind kind) { return kind == from; });
  std::vector<MemoryKind> kinds{MemoryKind::opencl};
  kinds.insert (kinds.end (), better.begin (), better.end ());
  kinds.push_back (MemoryKind::system);
  kinds.insert (kinds.end (), worse.begin (), worse.end ());
  std::erase_if (kinds, [&] (MemoryKind kind) { return std::ranges::find (possible, kind) == possible.end (); });
  return kinds;
}

void
ClElement::explore (GstCaps *caps, GstCaps *choice)
{
  const ContextRef current = context ();
  GstVideoInfo info;
  /* cldeinterlace leaves interlacing open */
  if (!current || gst_caps_get_size (choice) < 2 || !gst_caps_is_fixed (caps) || !video_info_from_caps (info, caps))
    return;
  const MemoryKind from = memory_kind (caps);
  const bool system_is_free = Context::of (current.get ()).device.host_memory == HostMemory::shared;
  for (const auto &each : interops) {
    /* a converted input may have a format that this memory cannot hold */
    if (!has_memory_kind (choice, each->kind) || !can_have (each->kind, GST_VIDEO_INFO_FORMAT (&info))
        || (!interop_of (from) && system_is_free))
      continue;
    each->explore (current, info);
    if (each->is_direct ())
      return;
  }
}

/* The kernel may not give this user a DMABuf heap. */
bool
ClElement::keeps (MemoryKind kind) const
{
  return kind != MemoryKind::dmabuf || interop_of (kind)->is_direct ();
}

/* Adopts a neighbour's context, so that frames need not be copied between the two elements. Elements that write OpenCL memory
 * for this one are asked to renegotiate. */
bool
ClElement::adopt_context (GstClContext *theirs)
{
  if (context ().get () == theirs)
    return false;
  replace_context (element, &own_context, ContextRef::retain (theirs));
  GST_INFO_OBJECT (element, "changing to another OpenCL context: %" GST_PTR_FORMAT, theirs);
  for (const Ref<GstPad> &pad : sink_pads_of (element))
    gst_pad_push_event (pad.get (), gst_event_new_reconfigure ());
  return true;
}

/* Whether a neighbour's context should replace this element's: it has another context of OpenCL on the same device, and sharing
 * with GL is not lost. */
bool
ClElement::prefers_context (GstClContext *theirs) const
{
  const ContextRef mine = context ();
  return mine && theirs && Context::of (mine.get ()).open != Context::of (theirs).open && !Context::of (theirs).failed
         && Context::of (mine.get ()).device.handle () == Context::of (theirs).device.handle ()
         && (!Context::of (mine.get ()).open->companion || Context::of (theirs).open->companion);
}

/* An element downstream may have changed to a context that shares objects with GL. */
void
ClElement::follow_downstream (GstPad *src_pad)
{
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  GstContext *answer = nullptr;
  if (gst_pad_peer_query (src_pad, query))
    gst_query_parse_context (query, &answer);
  const ContextRef theirs (gst_cl_context_from_gst_context (answer));
  if (theirs && Context::of (theirs.get ()).open->companion && prefers_context (theirs.get ()))
    adopted = adopt_context (theirs.get ());
}

void
ClElement::decide_allocation (GstPad *src_pad, GstQuery *query)
{
  GstCaps *caps = nullptr;
  gst_query_parse_allocation (query, &caps, nullptr);
  if (caps && memory_kind (caps) == MemoryKind::opencl)
    follow_downstream (src_pad);
  note_answer (query);
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  /* metas about downstream's memory do not concern upstream; with GstVideoCropMeta decoders would not crop, but this element
   * filters whole pictures */
  const GQuark memory_tag = g_quark_from_static_string (GST_META_TAG_MEMORY_STR);
  for (guint i = gst_query_get_n_allocation_metas (query); i-- > 0;) {
    const GType api = gst_query_parse_nth_allocation_meta (query, i, nullptr);
    if (api == GST_VIDEO_META_API_TYPE || api == GST_VIDEO_CROP_META_API_TYPE || gst_meta_api_type_has_tag (api, memory_tag))
      gst_query_remove_nth_allocation_meta (query, i);
  }
}

bool
ClElement::propose_allocation (GstQuery *query)
{
  GstCaps *caps = nullptr;
  gboolean need_pool = FALSE;
  GstVideoInfo info;
  gst_query_parse_allocation (query, &caps, &need_pool);
  const ContextRef current = context ();
  if (!caps || !current || !video_info_from_caps (info, caps))
    return false;
  if (MemoryElement *memory = interop_of (memory_kind (caps))) {
    if (!run_guarded (element, [&] { memory->propose (current, caps, need_pool, query); }))
      return false;
  } else if (need_pool) {
    const PoolRef pool (gst_cl_buffer_pool_new (current.get ()));
    set_pool_owner (pool.get (), element);
    offer_pool (query, pool.get (), caps);
  }
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr);
  return true;
}

void
ClElement::note_answer (GstQuery *query)
{
  GstCaps *caps = nullptr;
  gst_query_parse_allocation (query, &caps, nullptr);
  gst_caps_replace (&answered, caps);
  takes_video_meta = gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr);
}

/* The answer to upstream may have concerned frames that do not pass, so downstream is asked again for the first passing frame
 * of an unusual layout. */
BufferRef
ClElement::for_downstream (GstPad *src_pad, GstBuffer *buffer)
{
  if (!gst_buffer_get_video_meta (buffer))
    return BufferRef::retain (buffer);
  const Ref<GstCaps> caps (gst_pad_get_current_caps (src_pad));
  GstVideoInfo info;
  if (!caps || memory_kind (caps.get ()) != MemoryKind::system || !video_info_from_caps (info, caps.get ()))
    return BufferRef::retain (buffer);
  const GstVideoInfo picture = picture_in_buffer (info);
  if (has_default_layout (buffer, picture))
    return BufferRef::retain (buffer);
  if (!answered || !gst_caps_is_equal (answered, caps.get ())) {
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps.get (), FALSE);
    gst_pad_peer_query (src_pad, query);
    note_answer (query);
  }
  return takes_video_meta ? BufferRef::retain (buffer) : copy_in_default_layout (buffer, picture);
}

/* Links GL, the last, first, because GL may change the element's context. */
MemoryLinks
ClElement::link (std::span<GstCaps *const> caps)
{
  MemoryLinks links;
  const auto info_of = [&] (MemoryKind kind, GstVideoInfo &info) {
    const auto found = std::ranges::find_if (caps, [kind] (GstCaps *each) { return each && memory_kind (each) == kind; });
    return found != caps.end () && video_info_from_caps (info, *found);
  };
  GstVideoInfo info;
  for (auto each = interops.rbegin (); each != interops.rend (); ++each) {
    std::shared_ptr<MemoryLink> link;
    if (info_of ((*each)->kind, info))
      link = (*each)->link (context (), info);
    else if (info_of (MemoryKind::system, info))
      link = (*each)->link_unnamed (context (), info);
    if (!link)
      continue;
    adopt_context (link->context.get ());
    links.push_back (std::move (link));
  }
  return links;
}

bool
ClElement::was_relinked (GstBuffer *buffer)
{
  has_frames = true;
  bool relinked = std::exchange (adopted, false);
  const FrameBuffer *frame = frame_buffer_of (buffer);
  if (frame && prefers_context (frame->context_object ()))
    relinked = adopt_context (frame->context_object ());
  for (const auto &each : interops)
    relinked = each->is_stale (buffer) || relinked;
  return relinked;
}

bool
ends_segment (const GstSegment &segment, GstBuffer *buffer)
{
  const GstClockTime time = GST_BUFFER_PTS (buffer);
  if (!(segment.flags & GST_SEGMENT_FLAG_SEGMENT) || segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (time))
    return false;
  if (segment.rate < 0)
    return time <= segment.start;
  return GST_CLOCK_TIME_IS_VALID (segment.stop) && GST_BUFFER_DURATION_IS_VALID (buffer)
         && time + GST_BUFFER_DURATION (buffer) >= segment.stop;
}

void
add_pad_template (GstElementClass *klass, const char *name, GstPadDirection direction, GstPadPresence presence,
    const std::vector<MemoryKind> &kinds, GType type, bool every_format, bool single_fields)
{
  /* All elements share one object: GStreamer skips intersecting caps with themselves, which would take milliseconds. */
  static auto *const all = new std::map<std::tuple<std::vector<MemoryKind>, bool, bool, bool>, GstCaps *>;
  static std::mutex mutex;
  const std::lock_guard lock (mutex);
  GstCaps *&caps = (*all)[{kinds, !type, every_format, single_fields}];
  if (!caps)
    caps = keep (make_template_caps (kinds, !type, every_format, single_fields));
  gst_element_class_add_pad_template (klass, type ? gst_pad_template_new_with_gtype (name, direction, presence, caps, type)
                                                  : gst_pad_template_new (name, direction, presence, caps));
}

void
require_whole_frames (GstElement *element, const GstCaps *caps)
{
  if (!has_single_fields (caps))
    return;
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autofree gchar *text = gst_caps_to_string (caps);
  throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      std::string (factory ? GST_OBJECT_NAME (factory) : "This element")
          + " takes whole frames, but each buffer has one field (interlace-mode=alternate). Put deinterlace before it.",
      text);
}

}  // namespace gst::cl
