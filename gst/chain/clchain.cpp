/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clchain: runs several filters of this plugin as one element. The bytes are the same as with separate elements, but each
 * frame is uploaded and downloaded once, neighbouring filters cost the host one element's work, and share a kernel where
 * possible. It is a bin: filters of one frame that follow each other are one element in it, others are elements themselves. */
#include "chain/sequence.hpp"
#include "filter/gstclwindowfilter.hpp"
#include "filter/settingstore.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace gst::cl::clchain {

struct ChainSettings {
  std::string filters;
  bool qos = true;
};

constexpr Property properties[] = {
    property<&ChainSettings::filters> ("filters", "The filters in gst-launch syntax: \"clnoise ! clmedian radius=2\""),
    property<&ChainSettings::qos> ("qos", "Handle Quality-of-Service events"),
};

const FilterDescription description{
    .long_name = "OpenCL filter chain",
    .description = "Runs several filters as one element, with one upload and download and fewer kernels",
    .properties = properties,
    .operation = {.settings = copy_settings<ChainSettings>},
};

/* Properties of the elements in the bin that the chain sets. */
constexpr const char *handed_on[] = {"device", "interop", "profile", "qos"};

using Elements = std::vector<Ref<GstElement>>;

/* The filters in the order of the children, and the elements that frames pass through. */
struct Row {
  ChainFilters filters;
  std::shared_ptr<const Elements> elements = std::make_shared<const Elements> ();
};

using RowRef = std::shared_ptr<const Row>;

struct ChainState {
  explicit ChainState (GstElement *element) : common (element), store (element, description) {}

  /* only store properties */
  ClElement common;
  SettingStore store;

  std::mutex mutex;
  /* the value of the property, under the mutex */
  RowRef wanted = std::make_shared<const Row> ();
  /* why no filters were ever set, and the new filters; guarded by the mutex */
  std::string refused = "it is not set; write for example filters=\"clnoise ! clmedian radius=2\"", refused_text;

  /* the elements in the bin; guarded by the stream lock of the sink pad */
  RowRef active = wanted;
  std::atomic<bool> stops = false;        /* on the way to READY, where further frames are refused */
  GstPad *sink = nullptr, *src = nullptr; /* the element's */
  MaskHolderRef mask = std::make_shared<MaskHolder> ();
};

struct GstClChain {
  GstBin parent;
  ChainState *state;
};

struct GstClChainClass {
  GstBinClass parent_class;
};

void init_child_proxy (gpointer iface, gpointer data);

GST_DEBUG_CATEGORY_STATIC (gst_cl_chain_debug);
#define GST_CAT_DEFAULT gst_cl_chain_debug

G_DEFINE_TYPE_WITH_CODE (
    GstClChain, gst_cl_chain, GST_TYPE_BIN, GST_DEBUG_CATEGORY_INIT (gst_cl_chain_debug, "clchain", 0, description.long_name);
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_cl_preset_init) G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, init_child_proxy))

#define GST_CL_CHAIN(obj) (reinterpret_cast<GstClChain *> (obj))

constexpr auto state_of = [] (gpointer self) { return GST_CL_CHAIN (self)->state; };
constexpr auto common_of = [] (gpointer self) -> ClElement & { return state_of (self)->common; };
constexpr auto store_of = [] (gpointer self) -> SettingStore & { return state_of (self)->store; };
constexpr auto mask_of = [] (gpointer self) -> MaskHolderRef & { return state_of (self)->mask; };
constexpr auto store_if_made = [] (gpointer self) { return state_of (self) ? &store_of (self) : nullptr; };

RowRef
wanted_row (gpointer self)
{
  ChainState &state = *GST_CL_CHAIN (self)->state;
  const std::lock_guard lock (state.mutex);
  return state.wanted;
}

std::string
name_of (size_t i)
{
  return "filter" + std::to_string (i);
}

/* If the old and the new filters are one sequence each, the old sequence continues with the new filters. */
RowRef
make_row (const ChainFilters &filters, const Row &old)
{
  const bool is_one = std::ranges::all_of (filters, joins_sequence) && std::ranges::none_of (filters, begins_sequence)
                      && std::ranges::none_of (old.filters, begins_sequence);
  if (GstClFilterSequence *sequence = is_one && old.elements->size () == 1 ? as_sequence (old.elements->front ()) : nullptr) {
    set_filters (sequence, filters);
    return std::make_shared<const Row> (filters, old.elements);
  }
  Elements elements;
  for (auto begin = filters.begin (); begin != filters.end ();) {
    auto end = begin;
    while (end != filters.end () && joins_sequence (*end) && (end == begin || !begins_sequence (*end)))
      ++end;
    if (begin != end)
      elements.push_back (make_sequence ({begin, end}));
    else
      elements.push_back (Ref<GstElement>::retain (GST_ELEMENT (begin->get ())));
    begin = std::max (end, begin + 1);
  }
  return std::make_shared<const Row> (filters, std::make_shared<const Elements> (std::move (elements)));
}

/* Drains an element under its stream lock, as an event in the stream would; another thread may stop the element. */
void
drain (const Ref<GstElement> &element)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element.get (), "sink");
  GST_PAD_STREAM_LOCK (pad);
  const bool flows = !GST_PAD_IS_FLUSHING (pad);
  if (flows && G_TYPE_CHECK_INSTANCE_TYPE (element.get (), GST_TYPE_CL_WINDOW_FILTER))
    gst_cl_window_filter_drain (reinterpret_cast<GstClWindowFilter *> (element.get ()));
  if (flows)
    gst_cl_filter_drain (reinterpret_cast<GstClFilter *> (element.get ()));
  GST_PAD_STREAM_UNLOCK (pad);
}

/* Elements push the frames that they hold before they leave the bin. Their state is locked for good, because a change of the
 * bin's state in another thread may still have them on its list, and would start them again. */
void
remove_elements (GstClChain *self, const Elements &elements)
{
  std::ranges::for_each (elements, drain);
  for (const Ref<GstElement> &each : elements) {
    gst_element_set_locked_state (each.get (), TRUE);
    gst_element_set_state (each.get (), GST_STATE_NULL);
    gst_bin_remove (GST_BIN (self), each.get ());
  }
}

void
set_target (GstPad *ghost, const Ref<GstElement> &element, const char *name)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element.get (), name);
  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
}

void
add_elements (GstClChain *self, const Elements &elements)
{
  for (const Ref<GstElement> &each : elements) {
    for (const char *name : handed_on)
      g_object_bind_property (self, name, each.get (), name, G_BINDING_SYNC_CREATE);
    gst_cl_filter_get_mask (each.get ()) = mask_of (self);
    gst_bin_add (GST_BIN (self), each.get ());
  }
  for (size_t i = 1; i < elements.size (); i++)
    gst_element_link_pads_full (elements[i - 1].get (), "src", elements[i].get (), "sink", GST_PAD_LINK_CHECK_NOTHING);
  set_target (self->state->sink, elements.front (), "sink");
  set_target (self->state->src, elements.back (), "src");
  for (auto each = elements.rbegin (); each != elements.rend (); ++each)
    gst_element_sync_state_with_parent (each->get ());
}

/* Puts the new filters into the bin. The stream lock of the sink pad is held. */
void
apply_row (GstClChain *self)
{
  const RowRef wanted = wanted_row (self), old = std::exchange (self->state->active, wanted);
  if (wanted->elements == old->elements)
    return;
  remove_elements (self, *old->elements);
  add_elements (self, *wanted->elements);
  if (GST_PAD_IS_ACTIVE (self->state->sink))
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* Sets the property if the text is valid. While frames flow, the next frame uses the new filters. */
bool
set_text (GstClChain *self, const std::string &text)
{
  ChainState &state = *self->state;
  ChainFilters filters;
  g_autoptr (GError) error = nullptr;
  const bool parsed = run_guarded (&error, [&] { filters = parse_chain (text); });
  if (!parsed) {
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("The property filters is not valid: %s", error->message),
        ("filters=\"%s\"; the last value stays", text.c_str ()));
    const std::lock_guard lock (state.mutex);
    if (state.wanted->filters.empty ()) {
      state.refused = error->message;
      state.refused_text = text;
    }
    return false;
  }
  RowRef old;
  {
    const std::lock_guard lock (state.mutex);
    old = state.wanted;
    state.wanted = make_row (filters, *old);
  }
  for (size_t i = 0; i < old->filters.size (); i++)
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self), G_OBJECT (old->filters[i].get ()), name_of (i).c_str ());
  for (size_t i = 0; i < filters.size (); i++)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self), G_OBJECT (filters[i].get ()), name_of (i).c_str ());
  if (!GST_PAD_IS_ACTIVE (state.sink) && GST_PAD_STREAM_TRYLOCK (state.sink)) {
    apply_row (self);
    GST_PAD_STREAM_UNLOCK (state.sink);
  }
  return true;
}

Ref<GstStructure>
stats_of (gpointer element)
{
  GstStructure *stats = nullptr;
  g_object_get (element, "stats", &stats, nullptr);
  return Ref (stats);
}

/* Adds the statistics of one more element, which filters the results of the elements before it. */
void
add_stats (GstStructure *sum, const GstStructure *more)
{
  for (const char *name : {"device", "path"})
    if (!*gst_structure_get_string (sum, name))
      gst_structure_set_value (sum, name, gst_structure_get_value (more, name));
  const std::string before = gst_structure_get_string (sum, "algorithm"), own = gst_structure_get_string (more, "algorithm");
  gst_structure_set (sum, "algorithm", G_TYPE_STRING, (before + (before.empty () ? "" : " ! ") + own).c_str (), nullptr);
  for (int i = 0; i < gst_structure_n_fields (more); i++) {
    const char *name = gst_structure_nth_field_name (more, guint (i));
    guint64 count = 0, added = 0;
    if (gst_structure_get_uint64 (sum, name, &count) && gst_structure_get_uint64 (more, name, &added))
      gst_structure_set (sum, name, G_TYPE_UINT64, g_str_equal (name, "frames") ? added : count + added, nullptr);
  }
}

void
add_reach (GstStructure *sum, const GstStructure *more)
{
  for (const char *name : {"frames-before", "frames-after"}) {
    guint frames = 0, added = 0;
    gst_structure_get_uint (sum, name, &frames);
    gst_structure_get_uint (more, name, &added);
    gst_structure_set (
        sum, name, G_TYPE_UINT, frames > FrameReach::unbounded - added ? FrameReach::unbounded : frames + added, nullptr);
  }
  gboolean counts = FALSE;
  if (gst_structure_get_boolean (more, "counts-frames", &counts) && counts)
    gst_structure_set (sum, "counts-frames", G_TYPE_BOOLEAN, counts, nullptr);
}

/* The functions of hand_on_properties(), which the functions below call. */
void (*set_described_property) (GObject *, guint, const GValue *, GParamSpec *);
void (*get_described_property) (GObject *, guint, GValue *, GParamSpec *);

void
gst_cl_chain_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const bool is_filters = g_str_equal (pspec->name, "filters");
  const gchar *text = is_filters ? g_value_get_string (value) : nullptr;
  if (!is_filters || set_text (GST_CL_CHAIN (object), text ? text : ""))
    set_described_property (object, id, value, pspec);
  if (g_str_equal (pspec->name, "gl-interop")) /* the old name */
    g_object_notify (object, "interop");
}

void
gst_cl_chain_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  get_described_property (object, id, value, pspec);
  if (id != PROP_STATS)
    return;
  const RowRef row = wanted_row (object);
  auto *sum = static_cast<GstStructure *> (g_value_get_boxed (value));
  for (const Ref<GstElement> &each : *row->elements)
    add_stats (sum, stats_of (each.get ()).get ());
  for (const Ref<GstClFilter> &each : row->filters)
    add_reach (sum, stats_of (each.get ()).get ());
}

/* Sets controlled values like the elements in the bin do with their own controllers. */
void
sync_values (GstClChain *self, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment = nullptr;
  if (event)
    gst_event_parse_segment (event, &segment);
  if (segment && segment->format == GST_FORMAT_TIME)
    store_of (self).latch (gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
}

GstPadProbeReturn
before_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstClChain *self = GST_CL_CHAIN (data);
  if (self->state->stops) {
    gst_mini_object_unref (GST_MINI_OBJECT (info->data));
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_FLUSHING;
    return GST_PAD_PROBE_HANDLED;
  }
  apply_row (self);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER && gst_object_has_active_control_bindings (GST_OBJECT (self)))
    sync_values (self, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

GstStateChangeReturn
gst_cl_chain_change_state (GstElement *element, GstStateChange transition)
{
  GstClChain *self = GST_CL_CHAIN (element);
  ChainState &state = *self->state;
  const bool starts = transition == GST_STATE_CHANGE_NULL_TO_READY || transition == GST_STATE_CHANGE_READY_TO_PAUSED;
  state.stops = transition == GST_STATE_CHANGE_PAUSED_TO_READY;
  if (starts || state.stops) { /* the frame in work, which may have put filters in, passes before they stop */
    GST_PAD_STREAM_LOCK (state.sink);
    if (starts)
      apply_row (self);
    GST_PAD_STREAM_UNLOCK (state.sink);
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    std::unique_lock lock (state.mutex);
    const std::string refused = state.refused, text = state.refused_text;
    const bool is_set = !state.wanted->filters.empty ();
    lock.unlock ();
    if (!is_set) {
      GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("The property filters is not valid: %s", refused.c_str ()),
          ("filters=\"%s\"", text.c_str ()));
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  return GST_ELEMENT_CLASS (gst_cl_chain_parent_class)->change_state (element, transition);
}

guint
count_children (GstChildProxy *proxy)
{
  return guint (wanted_row (proxy)->filters.size ());
}

GObject *
child_by_index (GstChildProxy *proxy, guint i)
{
  const RowRef row = wanted_row (proxy);
  return i < row->filters.size () ? G_OBJECT (gst_object_ref (row->filters[i].get ())) : nullptr;
}

/* The element's own name comes first. */
GObject *
child_by_name (GstChildProxy *proxy, const gchar *name)
{
  const RowRef row = wanted_row (proxy);
  for (const Ref<GstClFilter> &child : row->filters)
    if (g_strcmp0 (GST_OBJECT_NAME (child.get ()), name) == 0)
      return G_OBJECT (gst_object_ref (child.get ()));
  for (size_t i = 0; i < row->filters.size (); i++)
    if (name_of (i) == name)
      return child_by_index (proxy, guint (i));
  return nullptr;
}

void
init_child_proxy (gpointer iface, gpointer)
{
  auto *proxy = static_cast<GstChildProxyInterface *> (iface);
  proxy->get_children_count = count_children;
  proxy->get_child_by_index = child_by_index;
  proxy->get_child_by_name = child_by_name;
}

void
gst_cl_chain_dispose (GObject *object)
{
  ChainState &state = *GST_CL_CHAIN (object)->state;
  std::unique_lock lock (state.mutex);
  RowRef old = std::exchange (state.wanted, std::make_shared<const Row> ());
  lock.unlock ();
  state.active = state.wanted;
  for (size_t i = 0; i < old->filters.size (); i++)
    gst_child_proxy_child_removed (GST_CHILD_PROXY (object), G_OBJECT (old->filters[i].get ()), name_of (i).c_str ());
  old.reset ();
  G_OBJECT_CLASS (gst_cl_chain_parent_class)->dispose (object);
}

void
gst_cl_chain_class_init (GstClChainClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  delete_with_instance<&GstClChain::state, &gst_cl_chain_parent_class> (object);
  publish_settings<store_if_made, &gst_cl_chain_parent_class> (object);
  hand_on_properties<common_of, store_of> (object);
  ClElement::install_properties (object);
  SettingStore::install (object, description);
  set_described_property = std::exchange (object->set_property, gst_cl_chain_set_property);
  get_described_property = std::exchange (object->get_property, gst_cl_chain_get_property);
  object->dispose = gst_cl_chain_dispose;

  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  element->change_state = gst_cl_chain_change_state;
  gst_element_class_set_static_metadata (
      element, description.long_name, description.klass, description.description, "The gst-plugins-cl developers");
  add_pad_template (element, "sink", GST_PAD_SINK, GST_PAD_ALWAYS, all_memory_kinds (), 0, false, true);
  add_pad_template (element, "src", GST_PAD_SRC, GST_PAD_ALWAYS, all_memory_kinds (), 0, false, true);
  add_mask_pad<mask_of> (element);
}

GstPad *
add_pad (GstClChain *self, const char *name)
{
  GstPadTemplate *pad_template = gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_ghost_pad_new_no_target_from_template (name, pad_template);
  /* caps without a framerate are not a subset of the template */
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

void
gst_cl_chain_init (GstClChain *self)
{
  self->state = new ChainState (GST_ELEMENT (self));
  self->state->sink = add_pad (self, "sink");
  self->state->src = add_pad (self, "src");
  constexpr auto frames = GstPadProbeType (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
  gst_pad_add_probe (self->state->sink, frames, before_frame, self, nullptr);
}

GST_ELEMENT_REGISTER_DEFINE (clchain, "clchain", GST_RANK_NONE, gst_cl_chain_get_type ())

}  // namespace gst::cl::clchain

#undef GST_CAT_DEFAULT
