/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclbasetransform.hpp"

#include <gst/cl/gstclbufferpool.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_base_transform_debug);
#define GST_CAT_DEFAULT gst_cl_base_transform_debug

using gst::cl::ContextRef;

struct GstClBaseTransformPrivate {
  ~GstClBaseTransformPrivate () { gst_clear_object (&context); }

  /* both under the object lock */
  std::string device;
  GstClContext *context = nullptr;
};

enum { PROP_DEVICE = 1 };

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
  if (id != PROP_DEVICE) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  self->priv->device = g_value_get_string (value) ? g_value_get_string (value) : "";
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_base_transform_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_DEVICE)
    g_value_set_string (value, device_of (GST_CL_BASE_TRANSFORM (object)).c_str ());
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
    const ContextRef dropped (std::exchange (self->priv->context, nullptr));
    GST_OBJECT_UNLOCK (self);
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
  const ContextRef context = gst_cl_base_transform_get_context (GST_CL_BASE_TRANSFORM (base));
  if (gst_cl_handle_context_query (GST_ELEMENT (base), query, context.get ()))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->query (base, direction, query);
}

static GstCaps *
gst_cl_base_transform_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstClBaseTransformClass *klass = GST_CL_BASE_TRANSFORM_GET_CLASS (base);
  GstCaps *result = gst::cl::with_memory (caps, direction == GST_PAD_SINK ? *klass->src_memory : *klass->sink_memory);
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}

/* Where downstream takes anything, frames keep the memory that they come in: nobody asked for another, and what changes
 * nothing can pass. */
static GstCaps *
gst_cl_base_transform_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SINK) {
    GstCaps *peer = gst_pad_peer_query_caps (base->srcpad, nullptr);
    GstCaps *same = gst::cl::with_memory (caps,
        {gst::cl::has_opencl_memory (caps) ? gst::cl::MemoryKind::opencl : gst::cl::MemoryKind::system});
    GstCaps *preferred = gst_caps_intersect (other, same);
    if (gst_caps_is_any (peer) && !gst_caps_is_empty (preferred))
      gst_caps_replace (&other, preferred);
    gst_caps_unref (preferred);
    gst_caps_unref (same);
    gst_caps_unref (peer);
  }
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

/* Subclasses bring a pool of their own in prepare_output_buffer(), whether or not they begin as passthrough. */
static gboolean
gst_cl_base_transform_decide_allocation (GstBaseTransform *, GstQuery *query)
{
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
  if (need_pool) {
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
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  bool stays_true = meta->info->api != GST_VIDEO_META_API_TYPE;
  for (; tags && *tags && stays_true; tags++)
    stays_true = g_strv_contains (true_tags, *tags);
  if (stays_true)
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->transform_meta (base, out, meta, in);
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
  self->priv = new GstClBaseTransformPrivate;
}
