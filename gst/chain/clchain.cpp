/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clchain: runs several filters of this plugin as one element. The bytes are the same as with separate elements, but each
 * frame is uploaded and downloaded once, costs the host one element's work, and neighbouring filters share a kernel where
 * possible. */
#include "chain/filters.hpp"

#include <gst/video/navigation.h>

#include <algorithm>

using namespace gst::cl;

namespace {

enum : unsigned { FILTERS };

const Property properties[] = {
    text_property ("filters", "The filters in gst-launch syntax: \"clnoise ! clmedian radius=2\"", ""),
};

/* Every frame goes through the children, so none of this is ever used. */
const FilterDescription description{
    .long_name = "OpenCL filter chain",
    .description = "Runs several filters as one element, with one upload and download and fewer kernels",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return nullptr; },
    .neutral = [] (const Values &) { return true; },
    .observes = [] (const Values &) { return true; },
    .alone = true,
    .composed = true,
};

using FilterList = std::shared_ptr<const ChainFilters>;

struct ChainState {
  /* the value of the property; guarded by the element's object lock */
  FilterList wanted = std::make_shared<const ChainFilters> ();
  /* why no filters were ever set, and what was set, under the same lock */
  std::string refused = "it is not set; write for example filters=\"clnoise ! clmedian radius=2\"", refused_text;

  /* the streaming thread's: what frames go through, and what its stream may still use for a moment */
  FilterList active, retired;
};

struct GstClChain {
  GstClFilter parent;
  ChainState *state;
};

struct GstClChainClass {
  GstClFilterClass parent_class;
};

void init_child_proxy (gpointer iface, gpointer data);

GST_DEBUG_CATEGORY_STATIC (gst_cl_chain_debug);
#define GST_CAT_DEFAULT gst_cl_chain_debug

G_DEFINE_TYPE_WITH_CODE (GstClChain, gst_cl_chain, GST_TYPE_CL_FILTER,
                         GST_DEBUG_CATEGORY_INIT (gst_cl_chain_debug, "clchain", 0, description.long_name);
                         G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, init_child_proxy))

#define GST_CL_CHAIN(obj) (reinterpret_cast<GstClChain *> (obj))

FilterList
wanted_filters (gpointer self)
{
  const ObjectLock lock (self);
  return GST_CL_CHAIN (self)->state->wanted;
}

std::string
name_of (size_t i)
{
  return "filter" + std::to_string (i);
}

/* Children post to the chain's bus, appear as its children in the hierarchy, and are announced. */
void
adopt (GstClChain *self, const ChainFilters &filters)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (GST_ELEMENT (self));
  for (const FilterRef &filter : filters) {
    gst_object_set_parent (GST_OBJECT (filter.get ()), GST_OBJECT (self));
    gst_element_set_bus (GST_ELEMENT (filter.get ()), bus);
  }
}

void
release (GstClChain *self, const ChainFilters &filters)
{
  for (size_t i = 0; i < filters.size (); i++) {
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self), G_OBJECT (filters[i].get ()), name_of (i).c_str ());
    gst_element_set_bus (GST_ELEMENT (filters[i].get ()), nullptr);
    gst_object_unparent (GST_OBJECT (filters[i].get ()));
  }
}

/* Whether the text is the new value of the property. */
bool
set_filters (GstClChain *self, const std::string &text)
{
  ChainState &state = *self->state;
  FilterList filters;
  g_autoptr (GError) error = nullptr;
  const bool parsed = run_guarded (&error, [&] { filters = std::make_shared<const ChainFilters> (parse_chain (text)); });
  if (!parsed) {
    GST_WARNING_OBJECT (self, "filters refused: %s", error->message);
    GST_OBJECT_LOCK (self);
    if (state.wanted->empty ()) {
      state.refused = error->message;
      state.refused_text = text;
    }
    GST_OBJECT_UNLOCK (self);
    return false;
  }
  adopt (self, *filters);
  GST_OBJECT_LOCK (self);
  const FilterList old = std::exchange (state.wanted, filters);
  GST_OBJECT_UNLOCK (self);
  release (self, *old);
  for (size_t i = 0; i < filters->size (); i++)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self), G_OBJECT ((*filters)[i].get ()), name_of (i).c_str ());
  return true;
}

/* Of the class as the description made it. */
void (*set_described_property) (GObject *, guint, const GValue *, GParamSpec *);

void
gst_cl_chain_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const bool is_filters = g_str_equal (pspec->name, properties[FILTERS].name);
  const gchar *text = is_filters ? g_value_get_string (value) : nullptr;
  if (!is_filters || set_filters (GST_CL_CHAIN (object), text ? text : ""))
    set_described_property (object, id, value, pspec);
}

std::vector<StagePlan>
plans_of (const ChainFilters &filters)
{
  std::vector<StagePlan> plans;
  for (const FilterRef &child : filters)
    plans.push_back (
        {&gst_cl_filter_get_description (child.get ()), &gst_cl_filter_get_store (child.get ()).reporter, nullptr});
  return plans;
}

/* A new set takes effect with the next frame, or when its kernels are ready. */
bool
gst_cl_chain_latch (
    GstClFilter *filter, GstClockTime stream_time, std::vector<Settings> &settings, const GstClFilterClass::IsReady &is_ready)
{
  ChainState &state = *GST_CL_CHAIN (filter)->state;
  const Settings own = gst_cl_filter_get_store (filter).latch (stream_time);
  FilterList wanted = wanted_filters (filter);
  std::vector<Settings> wanted_settings;
  for (const FilterRef &child : *wanted) {
    wanted_settings.push_back (gst_cl_filter_get_store (child.get ()).latch (stream_time));
    wanted_settings.back ().common.copy (COMMON_PROFILE, own.common);
  }
  if (!is_ready (plans_of (*wanted), wanted_settings) && !settings.empty ())
    return false;
  const bool changed = wanted != state.active;
  /* the previous set is no longer in use; the one before this frame still is */
  state.retired = changed ? std::exchange (state.active, wanted) : nullptr;
  settings = std::move (wanted_settings);
  return changed;
}

std::vector<StagePlan>
gst_cl_chain_stages (GstClFilter *filter)
{
  ChainState &state = *GST_CL_CHAIN (filter)->state;
  if (!state.active)
    state.active = wanted_filters (filter);
  return plans_of (*state.active);
}

void
gst_cl_chain_filtered (GstClFilter *filter, const Stream &stream)
{
  const ChainFilters &filters = *GST_CL_CHAIN (filter)->state->active;
  for (size_t i = 0; i < filters.size (); i++)
    gst_cl_filter_get_store (filters[i].get ()).set_stats (stream.stats_of (i));
}

gboolean
gst_cl_chain_start (GstBaseTransform *base)
{
  GstClChain *self = GST_CL_CHAIN (base);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_chain_parent_class)->start (base))
    return FALSE;
  GST_OBJECT_LOCK (self);
  const FilterList filters = self->state->wanted;
  const std::string refused = self->state->refused, text = self->state->refused_text;
  GST_OBJECT_UNLOCK (self);
  if (filters->empty ()) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("The property filters is not valid: %s", refused.c_str ()),
        ("filters=\"%s\"", text.c_str ()));
    return FALSE;
  }
  for (const FilterRef &child : *filters)
    if (!gst_cl_filter_get_store (child.get ()).check_complete ())
      return FALSE;
  return TRUE;
}

gboolean
gst_cl_chain_stop (GstBaseTransform *base)
{
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS (gst_cl_chain_parent_class)->stop (base);
  GST_CL_CHAIN (base)->state->active.reset ();
  GST_CL_CHAIN (base)->state->retired.reset ();
  return stopped;
}

/* Keys for clthreshold, for example. Children have no neighbours, so that their copy goes nowhere. */
gboolean
gst_cl_chain_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION) {
    const FilterList filters = wanted_filters (base);
    for (const FilterRef &child : *filters)
      GST_BASE_TRANSFORM_GET_CLASS (child.get ())->src_event (GST_BASE_TRANSFORM (child.get ()), gst_event_ref (event));
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_chain_parent_class)->src_event (base, event);
}

void
gst_cl_chain_set_bus (GstElement *element, GstBus *bus)
{
  GST_ELEMENT_CLASS (gst_cl_chain_parent_class)->set_bus (element, bus);
  const FilterList filters = wanted_filters (element);
  for (const FilterRef &child : *filters)
    gst_element_set_bus (GST_ELEMENT (child.get ()), bus);
}

guint
count_children (GstChildProxy *proxy)
{
  return guint (wanted_filters (proxy)->size ());
}

GObject *
child_by_index (GstChildProxy *proxy, guint i)
{
  const FilterList filters = wanted_filters (proxy);
  return i < filters->size () ? G_OBJECT (gst_object_ref ((*filters)[i].get ())) : nullptr;
}

/* Its own name comes first. */
GObject *
child_by_name (GstChildProxy *proxy, const gchar *name)
{
  const FilterList filters = wanted_filters (proxy);
  for (const FilterRef &child : *filters)
    if (g_strcmp0 (GST_OBJECT_NAME (child.get ()), name) == 0)
      return G_OBJECT (gst_object_ref (child.get ()));
  for (size_t i = 0; i < filters->size (); i++)
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
  GstClChain *self = GST_CL_CHAIN (object);
  GST_OBJECT_LOCK (self);
  const FilterList old = std::exchange (self->state->wanted, std::make_shared<const ChainFilters> ());
  GST_OBJECT_UNLOCK (self);
  release (self, *old);
  G_OBJECT_CLASS (gst_cl_chain_parent_class)->dispose (object);
}

void
gst_cl_chain_finalize (GObject *object)
{
  ChainState *state = GST_CL_CHAIN (object)->state;
  /* the base class's stream may still report to children */
  const FilterList active = state->active;
  delete state;
  G_OBJECT_CLASS (gst_cl_chain_parent_class)->finalize (object);
}

void
gst_cl_chain_class_init (GstClChainClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.latch = gst_cl_chain_latch;
  klass->parent_class.stages = gst_cl_chain_stages;
  klass->parent_class.filtered = gst_cl_chain_filtered;

  set_described_property = G_OBJECT_CLASS (klass)->set_property;
  G_OBJECT_CLASS (klass)->set_property = gst_cl_chain_set_property;
  G_OBJECT_CLASS (klass)->dispose = gst_cl_chain_dispose;
  G_OBJECT_CLASS (klass)->finalize = gst_cl_chain_finalize;
  GST_ELEMENT_CLASS (klass)->set_bus = gst_cl_chain_set_bus;
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_chain_start;
  base->stop = gst_cl_chain_stop;
  base->src_event = gst_cl_chain_src_event;
}

void
gst_cl_chain_init (GstClChain *self)
{
  self->state = new ChainState;
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE (clchain, "clchain", GST_RANK_NONE, gst_cl_chain_get_type ())
