/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclbasetransform.hpp"

#include "core/debug.hpp"
#include "filter/settingstore.hpp"

#include <algorithm>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clbasetransform", "base of the OpenCL elements">)

using gst::cl::MemoryKind;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstClBaseTransform, gst_cl_base_transform, GST_TYPE_BASE_TRANSFORM,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_cl_preset_init))

gst::cl::ClElement &
gst_cl_base_transform_get_element (gpointer self)
{
  return *GST_CL_BASE_TRANSFORM (self)->element;
}

static gboolean
gst_cl_base_transform_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  if (gst_cl_base_transform_get_element (base).query_context (query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS && direction == GST_PAD_SINK
      && GST_CL_BASE_TRANSFORM_GET_CLASS (base)->whole_frames) {
    GstCaps *caps;
    gst_query_parse_accept_caps (query, &caps);
    if (gst::cl::has_single_fields (caps)) { /* accepted here, so that the caps event arrives and is refused with an error */
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }
  const gboolean answered = GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->query (base, direction, query);
  const auto open_caps = GST_CL_BASE_TRANSFORM_GET_CLASS (base)->open_caps;
  if (!answered || !open_caps || direction != GST_PAD_SINK || GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return answered;
  GstCaps *possible = nullptr, *filter = nullptr;
  gst_query_parse_caps_result (query, &possible);
  gst_query_parse_caps (query, &filter);
  g_autoptr (GstCaps) open = open_caps (GST_CL_BASE_TRANSFORM (base), possible);
  if (filter)
    gst_caps_take (&open, gst_caps_intersect_full (filter, open, GST_CAPS_INTERSECT_FIRST));
  gst_query_set_caps_result (query, open);
  return TRUE;
}

static bool
takes_caps (GstClBaseTransform *self, GstEvent *event)
{
  GstCaps *caps;
  gst_event_parse_caps (event, &caps);
  if (!GST_CL_BASE_TRANSFORM_GET_CLASS (self)->whole_frames || !gst::cl::has_single_fields (caps))
    return true;
  if (!std::exchange (self->refused, TRUE))
    gst::cl::run_guarded (GST_ELEMENT (self), [&] { gst::cl::require_whole_frames (GST_ELEMENT (self), caps); });
  return false;
}

static gboolean
gst_cl_base_transform_sink_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && !takes_caps (GST_CL_BASE_TRANSFORM (base), event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->sink_event (base, event);
}

/* Kinds of memory of the other pad when this pad has `from`, best first. */
static std::vector<MemoryKind>
kinds_for (GstClBaseTransform *self, GstPadDirection direction, MemoryKind from)
{
  GstClBaseTransformClass *klass = GST_CL_BASE_TRANSFORM_GET_CLASS (self);
  return gst_cl_base_transform_get_element (self).preferred (
      from, direction == GST_PAD_SINK ? *klass->src_memory : *klass->sink_memory);
}

static GstCaps *
gst_cl_base_transform_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *own, GstCaps *filter)
{
  const auto map_caps = GST_CL_BASE_TRANSFORM_GET_CLASS (base)->map_caps;
  g_autoptr (GstCaps) caps = map_caps ? map_caps (GST_CL_BASE_TRANSFORM (base), direction, own) : gst_caps_ref (own);
  /* any caps can become any other */
  g_autoptr (GstCaps) sink = gst_pad_get_pad_template_caps (base->sinkpad), src = gst_pad_get_pad_template_caps (base->srcpad);
  if (caps == sink && sink == src)
    return filter ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
  GstCaps *result = gst_caps_new_empty ();
  /* Structures that differ in memory alone give the same result, but for the order, and GStreamer takes long to compare the results:
   * one of them is enough. DRM formats give other results. */
  g_autoptr (GstCaps) seen = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (caps, i);
    g_autoptr (GstCaps) plain = gst_structure_has_field (gst_caps_get_structure (one, 0), "drm-format")
                                    ? gst_caps_new_empty ()
                                    : gst::cl::with_memory (one, {MemoryKind::system});
    if (!gst_caps_is_empty (plain) && gst_caps_is_subset (plain, seen))
      continue;
    seen = gst_caps_merge (seen, gst_caps_ref (plain));
    const auto kinds = kinds_for (GST_CL_BASE_TRANSFORM (base), direction, gst::cl::memory_kind (one));
    result = gst_caps_merge (result, gst::cl::with_memory (one, kinds));
  }
  if (filter)
    gst_caps_take (&result, gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST));
  return result;
}

/* Keeps only the structures of `other` with this kind of memory, if there are any. */
static bool
keep_kind (GstCaps *&other, MemoryKind kind)
{
  g_autoptr (GstCaps) wanted = gst::cl::with_memory (other, {kind});
  g_autoptr (GstCaps) kept = gst_caps_intersect_full (other, wanted, GST_CAPS_INTERSECT_FIRST);
  const bool found = !gst_caps_is_empty (kept);
  if (found)
    gst_caps_replace (&other, kept);
  return found;
}

GstCaps *
gst_cl_put_changed_first (GstClBaseTransform *self, GstCaps *possible)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  if (gst_caps_is_empty (possible))
    return gst_caps_ref (possible);
  const gst::cl::Ref<GstCaps> downstream = gst::cl::possible_caps (GST_BASE_TRANSFORM_SRC_PAD (base));
  GstCaps *changed = GST_BASE_TRANSFORM_GET_CLASS (base)->transform_caps (base, GST_PAD_SRC, downstream.get (), nullptr);
  keep_kind (changed, gst::cl::memory_kind (possible));
  gst_caps_take (&changed, gst_caps_intersect_full (changed, possible, GST_CAPS_INTERSECT_FIRST));
  return gst_caps_merge (changed, gst_caps_ref (possible));
}

/* If downstream takes any memory, frames keep their memory, and unchanged frames can pass. If they cannot keep it, as in
 * cldownload, they go to system memory, which every element reads. Otherwise the memory that needs the fewest copies is taken,
 * once it is known. */
GstCaps *
gst_cl_base_transform_choose_memory (GstClBaseTransform *self, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction != GST_PAD_SINK)
    return other;
  const MemoryKind from = gst::cl::memory_kind (caps);
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (self), nullptr);
  const bool takes_anything = gst_caps_is_any (peer);
  /* finding a link to another kind of memory needs contexts and a trial, which take up to two seconds; OpenCL needs none */
  if ((!takes_anything && !gst::cl::has_memory_kind (other, MemoryKind::opencl)) || from == MemoryKind::dmabuf)
    gst_cl_base_transform_get_element (self).explore (caps, other);
  const MemoryKind kept = gst_cl_base_transform_get_element (self).keeps (from) ? from : MemoryKind::system;
  if (takes_anything && (keep_kind (other, kept) || keep_kind (other, MemoryKind::system)))
    return other;

  for (MemoryKind kind : kinds_for (self, direction, from))
    if (keep_kind (other, kind))
      break;
  return other;
}

/* Fixes a field where structures have it, and drops those that do not allow the value; changes nothing if none allows it. */
static void
keep_value (GstCaps *&caps, const char *field, const GValue *value)
{
  GstCaps *kept = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    gst::cl::Ref<GstCaps> one (gst_caps_copy_nth (caps, i));
    const GValue *allowed = gst_structure_get_value (gst_caps_get_structure (one.get (), 0), field);
    if (allowed && !gst_value_intersect (nullptr, allowed, value))
      continue;
    if (allowed)
      gst_caps_set_value (one.get (), field, value);
    gst_caps_append (kept, one.release ());
  }
  if (gst_caps_is_empty (kept))
    std::swap (kept, caps);
  gst_caps_unref (std::exchange (caps, kept));
}

GstCaps *
gst_cl_keep_defaults (GstCaps *caps, GstCaps *other, std::initializer_list<const char *> open)
{
  g_autoptr (GstCaps) given = gst_caps_copy_nth (caps, 0);
  GstVideoInfo info;
  if (!gst_caps_is_fixed (given) || !gst::cl::video_info_from_caps (info, given))
    return other;
  g_autoptr (GstCaps) complete = gst_video_info_to_caps (&info);
  /* fields that GStreamer itself leaves out */
  gst_caps_set_simple (complete, "multiview-mode", G_TYPE_STRING, "mono", "field-order", G_TYPE_STRING, "unknown", nullptr);
  const GstStructure *fields = gst_caps_get_structure (complete, 0);
  for (int i = 0; i < gst_structure_n_fields (fields); i++) {
    const char *name = gst_structure_nth_field_name (fields, guint (i));
    const auto is_name = [name] (const char *each) { return g_str_equal (each, name); };
    if (!gst_structure_has_field (gst_caps_get_structure (given, 0), name) && std::ranges::none_of (open, is_name))
      keep_value (other, name, gst_structure_get_value (fields, name));
  }
  return other;
}

static gboolean
gst_cl_base_transform_get_unit_size (GstBaseTransform *, GstCaps *caps, gsize *size)
{
  GstVideoInfo info;
  if (!gst::cl::video_info_from_caps (info, caps))
    return FALSE;
  *size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

GstFlowReturn
gst_cl_base_transform_pass (GstClBaseTransform *self, GstBuffer *in, GstBuffer **out)
{
  gst::cl::BufferRef passed;
  if (!gst::cl::run_guarded (
          GST_ELEMENT (self), [&] { passed = self->element->for_downstream (GST_BASE_TRANSFORM_SRC_PAD (self), in); }))
    return GST_FLOW_ERROR;
  /* in passthrough, the base class keeps its own reference and expects the same pointer */
  *out = passed.get () == in ? in : passed.release ();
  return GST_FLOW_OK;
}

void
gst_cl_base_transform_with_current_caps (GstClBaseTransform *self, const std::function<void (GstCaps *, GstCaps *)> &make)
{
  const gst::cl::Ref<GstCaps> sink_caps (gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self)));
  const gst::cl::Ref<GstCaps> src_caps (gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (self)));
  if (sink_caps && src_caps)
    make (sink_caps.get (), src_caps.get ());
}

std::optional<std::pair<GstVideoInfo, GstVideoInfo>>
gst_cl_base_transform_expect_video (GstClBaseTransform *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  std::optional<GstVideoInfo> in = gst::cl::expected_video (gst::cl::possible_caps (base->sinkpad).get ());
  if (!in)
    return {};
  const gst::cl::Ref<GstCaps> in_caps (gst_video_info_to_caps (&*in));
  const auto result = [&] (GstCaps *filter) {
    GstCaps *caps = GST_BASE_TRANSFORM_GET_CLASS (base)->transform_caps (base, GST_PAD_SINK, in_caps.get (), filter);
    if (filter) /* converters keep the format if downstream takes it */
      keep_value (caps, "format", gst_structure_get_value (gst_caps_get_structure (in_caps.get (), 0), "format"));
    return gst::cl::expected_video (gst::cl::Ref<GstCaps> (caps).get (), &*in);
  };
  /* Elements downstream need not be asked, which takes them long, if only one video is possible. */
  std::optional<GstVideoInfo> out = result (nullptr);
  if (!out)
    out = result (gst::cl::possible_caps (base->srcpad).get ());
  return out ? std::optional (std::pair (*in, *out)) : std::nullopt;
}

void
gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass, std::vector<gst::cl::MemoryKind> sink,
    std::vector<gst::cl::MemoryKind> src, bool every_format, bool whole_frames)
{
  klass->whole_frames = whole_frames;
  klass->sink_memory = new std::vector (std::move (sink));
  klass->src_memory = new std::vector (std::move (src));
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  gst::cl::add_pad_template (
      element, "sink", GST_PAD_SINK, GST_PAD_ALWAYS, *klass->sink_memory, 0, every_format, !whole_frames);
  gst::cl::add_pad_template (element, "src", GST_PAD_SRC, GST_PAD_ALWAYS, *klass->src_memory, 0, every_format, !whole_frames);
}

static void
gst_cl_base_transform_class_init (GstClBaseTransformClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  gst::cl::delete_with_instance<&GstClBaseTransform::element, &gst_cl_base_transform_parent_class> (object);
  gst::cl::hand_on_properties<gst_cl_base_transform_get_element> (object);
  gst::cl::ClElement::install_properties (object);

  constexpr auto relink = [] (GstElement *element) { gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (element)); };
  constexpr auto parent = &gst_cl_base_transform_parent_class;
  gst::cl::hand_on_contexts<gst_cl_base_transform_get_element, parent, relink> (GST_ELEMENT_CLASS (klass));
  GST_ELEMENT_CLASS (klass)->change_state = gst::cl::change_state_with_device<gst_cl_base_transform_get_element, parent>;

  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  /* The device property may have been changed in READY. */
  base->start = [] (GstBaseTransform *base) -> gboolean {
    GST_CL_BASE_TRANSFORM (base)->refused = FALSE;
    return gst_cl_base_transform_get_element (base).ensure_context ();
  };
  base->query = gst_cl_base_transform_query;
  base->sink_event = gst_cl_base_transform_sink_event;
  base->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    gst_cl_base_transform_get_element (base).see_event (event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->src_event (base, event);
  };
  base->transform_caps = gst_cl_base_transform_transform_caps;
  base->fixate_caps = [] (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other) -> GstCaps * {
    GstCaps *kept = gst_cl_keep_defaults (caps, other);
    return gst_caps_fixate (gst_cl_base_transform_choose_memory (GST_CL_BASE_TRANSFORM (base), direction, caps, kept));
  };
  base->get_unit_size = gst_cl_base_transform_get_unit_size;
  /* Subclasses have their own pool for prepare_output_buffer(), even if they begin in passthrough mode. */
  base->decide_allocation = [] (GstBaseTransform *base, GstQuery *query) -> gboolean {
    gst_cl_base_transform_get_element (base).decide_allocation (GST_BASE_TRANSFORM_SRC_PAD (base), query);
    return TRUE;
  };
  /* Passthrough mode sends no allocation query, so downstream's old answer is discarded when downstream changes. */
  base->submit_input_buffer = [] (GstBaseTransform *base, gboolean is_discont, GstBuffer *input) -> GstFlowReturn {
    const auto changes_caps = GST_CL_BASE_TRANSFORM_GET_CLASS (base)->changes_caps;
    if (changes_caps && changes_caps (GST_CL_BASE_TRANSFORM (base)))
      gst_base_transform_reconfigure_src (base);
    if (gst_pad_needs_reconfigure (GST_BASE_TRANSFORM_SRC_PAD (base)))
      gst_cl_base_transform_get_element (base).ask_downstream_again ();
    return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->submit_input_buffer (base, is_discont, input);
  };
  base->propose_allocation = [] (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query) -> gboolean {
    if (!GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->propose_allocation (base, decide_query, query))
      return FALSE;
    /* in passthrough mode downstream has answered */
    return !decide_query || gst_cl_base_transform_get_element (base).propose_allocation (query);
  };
  /* Metas about sizes or colours stay valid, because a filter changes neither. */
  base->transform_meta = [] (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in) -> gboolean {
    if (const std::optional<bool> stays = gst::cl::meta_stays_true (meta))
      return *stays;
    return GST_BASE_TRANSFORM_CLASS (gst_cl_base_transform_parent_class)->transform_meta (base, out, meta, in);
  };
}

static void
gst_cl_base_transform_init (GstClBaseTransform *self)
{
  self->element = new gst::cl::ClElement (GST_ELEMENT (self));
}
