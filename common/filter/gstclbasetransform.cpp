/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclbasetransform.hpp"

#include "filter/glnegotiation.hpp"
#include "filter/types.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>

GST_DEBUG_CATEGORY_STATIC (gst_cl_base_transform_debug);
#define GST_CAT_DEFAULT gst_cl_base_transform_debug

using gst::cl::Context;
using gst::cl::ContextRef;
using gst::cl::MemoryKind;

struct GstClBaseTransformPrivate {
  explicit GstClBaseTransformPrivate (GstElement *element) : gl (element) {}
  ~GstClBaseTransformPrivate () { gst_clear_object (&context); }

  /* both under the object lock */
  std::string device;
  GstClContext *context = nullptr;

  gst::cl::GlNegotiation gl;
  /* the streaming thread's: the context is no longer the one that its work was made for */
  bool adopted = false;
};

enum { PROP_DEVICE = 1, PROP_GL_INTEROP };

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstClBaseTransform, gst_cl_base_transform, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cl_base_transform_debug, "clbasetransform", 0, "base of the OpenCL elements"))

static std::string
device_of (GstClBaseTransform *self)
{
  GST_OBJECT_LOCK (self);
  std::string device = self->priv->device;
  GST_OBJECT_UNLOCK (self);
  return device;
}

ContextRef
gst_cl_base_transform_get_context (GstClBaseTransform *self)
{
  GST_OBJECT_LOCK (self);
  ContextRef context = ContextRef::retain (self->priv->context);
  GST_OBJECT_UNLOCK (self);
  return context;
}

static void
gst_cl_base_transform_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (object);
  switch (id) {
    case PROP_DEVICE:
      GST_OBJECT_LOCK (self);
      self->priv->device = g_value_get_string (value) ? g_value_get_string (value) : "";
      GST_OBJECT_UNLOCK (self);
      break;
    case PROP_GL_INTEROP:
      self->priv->gl.set_interop (gst::cl::GlInterop (g_value_get_enum (value)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
gst_cl_base_transform_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (object);
  if (id == PROP_DEVICE)
    g_value_set_string (value, device_of (self).c_str ());
  else if (id == PROP_GL_INTEROP)
    g_value_set_enum (value, int (self->priv->gl.interop ()));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static bool
ensure_context (GstClBaseTransform *self)
{
  return gst::cl::run_guarded (GST_ELEMENT (self), [self] {
    gst::cl::ensure_element_context (GST_ELEMENT (self), device_of (self).c_str (), &self->priv->context);
  });
}

static void
gst_cl_base_transform_set_context (GstElement *element, GstContext *context)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (element);
  gst_cl_handle_set_context (element, device_of (self).c_str (), context, &self->priv->context);
  if (self->priv->gl.set_context (context))
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  GST_ELEMENT_CLASS (gst_cl_base_transform_parent_class)->set_context (element, context);
}

static GstStateChangeReturn
gst_cl_base_transform_change_state (GstElement *element, GstStateChange transition)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !ensure_context (self))
    return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_cl_base_transform_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) {
    GST_OBJECT_LOCK (self);
    ContextRef dropped (std::exchange (self->priv->context, nullptr));
    GST_OBJECT_UNLOCK (self);
    dropped = ContextRef (); /* before the GL context that it may share objects with */
    self->priv->gl.reset ();
  }
  return result;
}

/* The device may have been chosen anew in READY. */
static gboolean
gst_cl_base_transform_start (GstBaseTransform *base)
{
  return ensure_context (GST_CL_BASE_TRANSFORM (base));
}

static gboolean
gst_cl_base_transform_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (base);
  const ContextRef context = gst_cl_base_transform_get_context (self);
  if (gst_cl_handle_context_query (GST_ELEMENT (base), query, context.get ())
      || (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && self->priv->gl.query_context (query)))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->query (base, direction, query);
}

/* What the other pad can have when this one has `from`, best first. */
static std::vector<MemoryKind>
kinds_for (GstClBaseTransform *self, GstPadDirection direction, MemoryKind from)
{
  GstClBaseTransformClass *klass = GST_CL_BASE_TRANSFORM_GET_CLASS (self);
  const std::vector<MemoryKind> &possible = direction == GST_PAD_SINK ? *klass->src_memory : *klass->sink_memory;
  const ContextRef context = gst_cl_base_transform_get_context (self);
  if (!context)
    return possible;
  std::vector<MemoryKind> kinds = self->priv->gl.preferred (from, Context::of (context.get ()).device);
  std::erase_if (kinds, [&] (MemoryKind kind) { return std::ranges::find (possible, kind) == possible.end (); });
  return kinds;
}

static GstCaps *
gst_cl_base_transform_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps *one = gst_caps_copy_nth (caps, i);
    const auto kinds = kinds_for (GST_CL_BASE_TRANSFORM (base), direction, gst::cl::memory_kind (one));
    result = gst_caps_merge (result, gst::cl::with_memory (one, kinds));
    gst_caps_unref (one);
  }
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}

/* Leaves of other what has this kind of memory, if anything does. */
static bool
keep_kind (GstCaps *&other, GstCaps *caps, MemoryKind kind)
{
  GstCaps *wanted = gst::cl::with_memory (caps, {kind});
  GstCaps *kept = gst_caps_intersect (other, wanted);
  const bool found = !gst_caps_is_empty (kept);
  if (found)
    gst_caps_replace (&other, kept);
  gst_caps_unref (kept);
  gst_caps_unref (wanted);
  return found;
}

/* Where downstream takes anything, frames keep the memory that they come in: nobody asked for another, and what changes
 * nothing can pass. Else what needs the fewest copies is taken, once it is known. */
static GstCaps *
gst_cl_base_transform_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstClBaseTransform *self = GST_CL_BASE_TRANSFORM (base);
  if (direction != GST_PAD_SINK)
    return gst_caps_fixate (other);
  const MemoryKind from = gst::cl::memory_kind (caps);
  GstCaps *peer = gst_pad_peer_query_caps (base->srcpad, nullptr);
  const bool takes_anything = gst_caps_is_any (peer);
  gst_caps_unref (peer);
  if (takes_anything && keep_kind (other, caps, from))
    return gst_caps_fixate (other);

  const ContextRef context = gst_cl_base_transform_get_context (self);
  GstVideoInfo info;
  const bool chooses_gl = gst::cl::has_memory_kind (other, MemoryKind::gl) && gst_caps_get_size (other) > 1;
  const bool system_is_free =
      context && Context::of (context.get ()).device.host_memory == gst::cl::HostMemory::shared;
  if (chooses_gl && context && (from == MemoryKind::gl || !system_is_free) && gst_video_info_from_caps (&info, caps))
    self->priv->gl.explore (context, info);
  for (MemoryKind kind : kinds_for (self, direction, from))
    if (keep_kind (other, caps, kind))
      break;
  return gst_caps_fixate (other);
}

static gboolean
gst_cl_base_transform_get_unit_size (GstBaseTransform *, GstCaps *caps, gsize *size)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  *size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

/* Takes a neighbour's context, so that frames need not be copied between two. Who writes OpenCL memory for this element
 * is told, and asks again. */
static bool
adopt_context (GstClBaseTransform *self, GstClContext *context)
{
  GST_OBJECT_LOCK (self);
  const bool changed = self->priv->context != context;
  const ContextRef old (changed ? std::exchange (self->priv->context, ContextRef::retain (context).release ()) : nullptr);
  GST_OBJECT_UNLOCK (self);
  if (!changed)
    return false;
  GST_INFO_OBJECT (self, "going over to another OpenCL context: %" GST_PTR_FORMAT, context);
  gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self), gst_event_new_reconfigure ());
  return true;
}

/* Whether a neighbour's context should take the place of this element's: on the same device, and no loss of what is
 * shared with GL. */
static bool
prefers_context (GstClBaseTransform *self, GstClContext *theirs)
{
  const ContextRef mine = gst_cl_base_transform_get_context (self);
  return mine && theirs && mine.get () != theirs
         && Context::of (mine.get ()).device.handle () == Context::of (theirs).device.handle ()
         && (!Context::of (mine.get ()).companion || Context::of (theirs).companion);
}

/* An element downstream may have had to go over to a context that shares objects with GL. */
static void
follow_downstream (GstClBaseTransform *self)
{
  GstQuery *query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  GstContext *answer = nullptr;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (self), query))
    gst_query_parse_context (query, &answer);
  const ContextRef theirs (gst_cl_context_from_gst_context (answer));
  if (theirs && Context::of (theirs.get ()).companion && prefers_context (self, theirs.get ()))
    self->priv->adopted = adopt_context (self, theirs.get ());
  gst_query_unref (query);
}

/* Subclasses bring a pool of their own in prepare_output_buffer(), whether or not they begin as passthrough. */
static gboolean
gst_cl_base_transform_decide_allocation (GstBaseTransform *base, GstQuery *query)
{
  GstCaps *caps = nullptr;
  gst_query_parse_allocation (query, &caps, nullptr);
  if (caps && gst::cl::memory_kind (caps) == MemoryKind::opencl)
    follow_downstream (GST_CL_BASE_TRANSFORM (base));
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  /* what speaks of downstream's memory is not upstream's business */
  for (guint i = gst_query_get_n_allocation_metas (query); i-- > 0;) {
    const GType api = gst_query_parse_nth_allocation_meta (query, i, nullptr);
    if (api == GST_VIDEO_META_API_TYPE || gst_meta_api_type_has_tag (api, g_quark_from_static_string (GST_META_TAG_MEMORY_STR)))
      gst_query_remove_nth_allocation_meta (query, i);
  }
  return TRUE;
}

static gboolean
gst_cl_base_transform_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->propose_allocation (base, decide_query, query))
    return FALSE;
  if (!decide_query)
    return TRUE; /* passthrough: downstream has answered */

  GstCaps *caps = nullptr;
  gboolean need_pool = FALSE;
  GstVideoInfo info;
  gst_query_parse_allocation (query, &caps, &need_pool);
  const ContextRef context = gst_cl_base_transform_get_context (GST_CL_BASE_TRANSFORM (base));
  if (!caps || !context || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  if (gst::cl::memory_kind (caps) == MemoryKind::gl) {
    gst::cl::GlNegotiation &gl = GST_CL_BASE_TRANSFORM (base)->priv->gl;
    if (!gst::cl::run_guarded (GST_ELEMENT (base), [&] { gl.propose (context, caps, need_pool, query); }))
      return FALSE;
  } else if (need_pool) {
    const gst::cl::PoolRef pool (gst_cl_buffer_pool_new (context.get ()));
    GstStructure *config = gst_buffer_pool_get_config (pool.get ());
    gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 0, 0);
    if (gst_buffer_pool_set_config (pool.get (), config))
      gst_query_add_allocation_pool (query, pool.get (), GST_VIDEO_INFO_SIZE (&info), 0, 0);
  }
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

/* Metas that speak of sizes or colours stay true: a filter changes neither. */
static gboolean
gst_cl_base_transform_transform_meta (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in)
{
  static const gchar *const true_tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR,
    GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  /* a point in the input's GL work; pools of GL memory bring one of their own */
  if (!g_strcmp0 (g_type_name (meta->info->api), "GstGLSyncMetaAPI"))
    return FALSE;
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  bool stays_true = meta->info->api != GST_VIDEO_META_API_TYPE;
  for (; tags && *tags && stays_true; tags++)
    stays_true = g_strv_contains (true_tags, *tags);
  if (stays_true)
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->transform_meta (base, out, meta, in);
}

std::shared_ptr<gst::cl::GlLink>
gst_cl_base_transform_link_gl (GstClBaseTransform *self, GstCaps *sink_caps, GstCaps *src_caps)
{
  const bool from_gl = gst::cl::memory_kind (sink_caps) == MemoryKind::gl;
  GstVideoInfo info;
  if ((!from_gl && gst::cl::memory_kind (src_caps) != MemoryKind::gl) || !gst_video_info_from_caps (&info, sink_caps))
    return nullptr;
  auto link = self->priv->gl.link (gst_cl_base_transform_get_context (self), info);
  adopt_context (self, link->context.get ());
  return link;
}

bool
gst_cl_base_transform_was_relinked (GstClBaseTransform *self, GstBuffer *buffer)
{
  bool relinked = std::exchange (self->priv->adopted, false);
  GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
  const gst::cl::FrameBuffer *frame = gst::cl::frame_buffer_of (memory);
  if (frame && prefers_context (self, frame->context_object ()))
    relinked = adopt_context (self, frame->context_object ());
  return self->priv->gl.is_stale (buffer) || relinked;
}

void
gst_cl_base_transform_with_current_caps (GstClBaseTransform *self,
    const std::function<void (GstCaps *, GstCaps *)> &make)
{
  const auto current_caps = [] (GstPad *pad) {
    return std::unique_ptr<GstCaps, decltype (&gst_caps_unref)> (gst_pad_get_current_caps (pad), gst_caps_unref);
  };
  const auto sink_caps = current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  const auto src_caps = current_caps (GST_BASE_TRANSFORM_SRC_PAD (self));
  if (sink_caps && src_caps)
    make (sink_caps.get (), src_caps.get ());
}

void
gst_cl_base_transform_forget_context (GstClBaseTransform *self)
{
  gst::cl::GlNegotiation::forget (gst_cl_base_transform_get_context (self));
}

void
gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass, std::vector<gst::cl::MemoryKind> sink,
    std::vector<gst::cl::MemoryKind> src)
{
  const auto add_template = [klass] (const char *name, GstPadDirection direction, const auto &kinds) {
    GstCaps *caps = gst::cl::make_template_caps (kinds);
    gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
        gst_pad_template_new (name, direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref (caps);
  };
  klass->sink_memory = new std::vector (std::move (sink));
  klass->src_memory = new std::vector (std::move (src));
  add_template ("sink", GST_PAD_SINK, *klass->sink_memory);
  add_template ("src", GST_PAD_SRC, *klass->src_memory);
}

static void
gst_cl_base_transform_finalize (GObject *object)
{
  delete GST_CL_BASE_TRANSFORM (object)->priv;
  G_OBJECT_CLASS (gst_cl_base_transform_parent_class)->finalize (object);
}

static void
gst_cl_base_transform_class_init (GstClBaseTransformClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->finalize = gst_cl_base_transform_finalize;
  object->set_property = gst_cl_base_transform_set_property;
  object->get_property = gst_cl_base_transform_get_property;
  /**
   * GstClBaseTransform:device:
   *
   * Which OpenCL device to use; see gst_cl_context_new(). Takes effect when the element goes to PAUSED.
   */
  g_object_class_install_property (object, PROP_DEVICE,
      g_param_spec_string ("device", nullptr,
          "OpenCL device: \"\" for $GST_CL_DEVICE or the best one, gpu, cpu, accelerator, PLATFORM:DEVICE numbers, or "
          "part of a name",
          "", GParamFlags (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)));

  /**
   * GstClBaseTransform:gl-interop:
   *
   * How frames in GL memory are reached. Can be changed while PLAYING.
   */
  g_object_class_install_property (object, PROP_GL_INTEROP,
      g_param_spec_enum ("gl-interop", nullptr, "How frames in GL memory are reached", gst::cl::gl_interop_get_type (),
          int (gst::cl::GlInterop::automatic),
          GParamFlags (
              G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING)));

  GST_ELEMENT_CLASS (klass)->set_context = gst_cl_base_transform_set_context;
  GST_ELEMENT_CLASS (klass)->change_state = gst_cl_base_transform_change_state;

  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_base_transform_start;
  base->query = gst_cl_base_transform_query;
  base->transform_caps = gst_cl_base_transform_transform_caps;
  base->fixate_caps = gst_cl_base_transform_fixate_caps;
  base->get_unit_size = gst_cl_base_transform_get_unit_size;
  base->decide_allocation = gst_cl_base_transform_decide_allocation;
  base->propose_allocation = gst_cl_base_transform_propose_allocation;
  base->transform_meta = gst_cl_base_transform_transform_meta;
}

static void
gst_cl_base_transform_init (GstClBaseTransform *self)
{
  self->priv = new GstClBaseTransformPrivate (GST_ELEMENT (self));
}
