/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chain/sequence.hpp"

#include "filter/gstclwindowfilter.hpp"
#include "filter/stream.hpp"

namespace gst::cl {

namespace {

const FilterDescription sequence_description{
    .long_name = "OpenCL filters in a row",
    .description = "Runs several filters as one, with fewer kernels",
    .neutral = [] (const Values &) { return true; },
    .observes = [] (const Values &) { return true; },
};

using FilterList = std::shared_ptr<const ChainFilters>;

}  // namespace

struct GstClFilterSequence {
  struct State {
    /* guarded by the element's object lock */
    FilterList wanted = std::make_shared<const ChainFilters> ();

    /* for the streaming thread: the filters that frames pass, and filters that its stream may still use for a moment */
    FilterList active, retired;

    /* for the streaming thread: the filters of the next frame, as stages, and their settings */
    FilterList planned;
    std::vector<StagePlan> plans;
    std::vector<Settings> next;
  };

  GstClFilter parent;
  State *state;
};

namespace {

struct GstClFilterSequenceClass {
  GstClFilterClass parent_class;
};

G_DEFINE_TYPE (GstClFilterSequence, gst_cl_filter_sequence, GST_TYPE_CL_FILTER)

#define GST_CL_FILTER_SEQUENCE(obj) (reinterpret_cast<GstClFilterSequence *> (obj))

FilterList
wanted_filters (gpointer self)
{
  const ObjectLock lock (self);
  return GST_CL_FILTER_SEQUENCE (self)->state->wanted;
}

std::vector<StagePlan>
plans_of (const ChainFilters &filters)
{
  std::vector<StagePlan> plans;
  for (const Ref<GstClFilter> &child : filters)
    plans.push_back (gst_cl_filter_get_plan (child.get ()));
  return plans;
}

/* The first filter decides on the caps. */
template <auto function, typename... Arguments>
auto
ask_first (GstClBaseTransform *self, Arguments... arguments)
{
  const FilterList filters = wanted_filters (self);
  GstClBaseTransform *first_one = filters->empty () ? nullptr : &filters->front ().get ()->parent;
  const auto ask = first_one ? GST_CL_BASE_TRANSFORM_GET_CLASS (first_one)->*function : nullptr;
  using Result = decltype (ask (first_one, arguments...));
  if (ask)
    return ask (first_one, arguments...);
  if constexpr (std::is_same_v<Result, GstCaps *>)
    return gst_caps_ref (std::get<GstCaps *> (std::tuple (arguments...)));
  else
    return Result ();
}

/* A new set takes effect with the next frame, or when its kernels are ready. */
bool
gst_cl_filter_sequence_latch (
    GstClFilter *filter, GstClockTime stream_time, std::vector<Settings> &settings, const GstClFilterClass::IsReady &is_ready)
{
  GstClFilterSequence::State &state = *GST_CL_FILTER_SEQUENCE (filter)->state;
  const Settings own = gst_cl_filter_get_store (filter).latch (stream_time);
  FilterList wanted = wanted_filters (filter);
  if (std::exchange (state.planned, wanted) != wanted)
    state.plans = plans_of (*wanted);
  state.next.clear ();
  for (const Ref<GstClFilter> &child : *wanted) {
    state.next.push_back (gst_cl_filter_get_store (child.get ()).latch (stream_time));
    state.next.back ().profile = own.profile;
  }
  if (!is_ready (state.plans, state.next) && !settings.empty ())
    return false;
  const bool changed = wanted != state.active;
  /* the previous set is no longer in use; the one before this frame still is */
  state.retired = changed ? std::exchange (state.active, wanted) : nullptr;
  std::swap (settings, state.next);
  return changed;
}

std::vector<StagePlan>
gst_cl_filter_sequence_stages (GstClFilter *filter)
{
  GstClFilterSequence::State &state = *GST_CL_FILTER_SEQUENCE (filter)->state;
  if (!state.active)
    state.active = wanted_filters (filter);
  return plans_of (*state.active);
}

void
gst_cl_filter_sequence_filtered (GstClFilter *filter, const Stream &stream)
{
  const ChainFilters &filters = *GST_CL_FILTER_SEQUENCE (filter)->state->active;
  for (size_t i = 0; i < filters.size (); i++)
    gst_cl_filter_get_store (filters[i].get ()).set_stats (stream.stats_of (i));
}

gboolean
gst_cl_filter_sequence_start (GstBaseTransform *base)
{
  const FilterList filters = wanted_filters (base);
  for (const Ref<GstClFilter> &child : *filters)
    if (!gst_cl_filter_get_store (child.get ()).check_complete ())
      return FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_sequence_parent_class)->start (base);
}

gboolean
gst_cl_filter_sequence_stop (GstBaseTransform *base)
{
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS (gst_cl_filter_sequence_parent_class)->stop (base);
  GST_CL_FILTER_SEQUENCE (base)->state->active.reset ();
  GST_CL_FILTER_SEQUENCE (base)->state->retired.reset ();
  GST_CL_FILTER_SEQUENCE (base)->state->planned.reset ();
  return stopped;
}

/* Hands on navigation events, for example keys for clthreshold. The children have no peers, so their own copy is dropped. */
gboolean
gst_cl_filter_sequence_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION) {
    const FilterList filters = wanted_filters (base);
    for (const Ref<GstClFilter> &child : *filters)
      GST_BASE_TRANSFORM_GET_CLASS (child.get ())->src_event (GST_BASE_TRANSFORM (child.get ()), gst_event_ref (event));
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_sequence_parent_class)->src_event (base, event);
}

/* Children post to the sequence's bus. */
void
gst_cl_filter_sequence_set_bus (GstElement *element, GstBus *bus)
{
  GST_ELEMENT_CLASS (gst_cl_filter_sequence_parent_class)->set_bus (element, bus);
  const FilterList filters = wanted_filters (element);
  for (const Ref<GstClFilter> &child : *filters)
    gst_element_set_bus (GST_ELEMENT (child.get ()), bus);
}

void
gst_cl_filter_sequence_dispose (GObject *object)
{
  set_filters (GST_CL_FILTER_SEQUENCE (object), {});
  G_OBJECT_CLASS (gst_cl_filter_sequence_parent_class)->dispose (object);
}

void
gst_cl_filter_sequence_finalize (GObject *object)
{
  GstClFilterSequence::State *state = GST_CL_FILTER_SEQUENCE (object)->state;
  /* the base class's stream may still report to children */
  const FilterList active = state->active;
  delete state;
  G_OBJECT_CLASS (gst_cl_filter_sequence_parent_class)->finalize (object);
}

void
gst_cl_filter_sequence_class_init (GstClFilterSequenceClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &sequence_description);
  klass->parent_class.latch = gst_cl_filter_sequence_latch;
  klass->parent_class.stages = gst_cl_filter_sequence_stages;
  klass->parent_class.filtered = gst_cl_filter_sequence_filtered;
  klass->parent_class.parent_class.map_caps = ask_first<&GstClBaseTransformClass::map_caps>;
  klass->parent_class.parent_class.open_caps = ask_first<&GstClBaseTransformClass::open_caps>;
  klass->parent_class.parent_class.learn_caps = ask_first<&GstClBaseTransformClass::learn_caps>;
  klass->parent_class.parent_class.changes_caps = ask_first<&GstClBaseTransformClass::changes_caps>;

  G_OBJECT_CLASS (klass)->dispose = gst_cl_filter_sequence_dispose;
  G_OBJECT_CLASS (klass)->finalize = gst_cl_filter_sequence_finalize;
  GST_ELEMENT_CLASS (klass)->set_bus = gst_cl_filter_sequence_set_bus;
  /* no plugin registers this class, but programs such as video editors read the factory of every element in a bin */
  GST_ELEMENT_CLASS (klass)->elementfactory = gst_element_factory_find ("clchain");
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_filter_sequence_start;
  base->stop = gst_cl_filter_sequence_stop;
  base->src_event = gst_cl_filter_sequence_src_event;
}

void
gst_cl_filter_sequence_init (GstClFilterSequence *self)
{
  self->state = new GstClFilterSequence::State;
}

}  // namespace

bool
joins_sequence (const Ref<GstClFilter> &filter)
{
  /* others do more than their operation */
  const auto *klass = G_TYPE_INSTANCE_GET_CLASS (filter.get (), GST_TYPE_CL_FILTER, GstClFilterClass);
  const auto *base = GST_BASE_TRANSFORM_CLASS (g_type_class_peek (GST_TYPE_CL_FILTER));
  return begins_sequence (filter)
         || (klass->description->has_regions () && !klass->create_operation
             && GST_BASE_TRANSFORM_CLASS (klass)->transform_meta == base->transform_meta
             && !G_TYPE_CHECK_INSTANCE_TYPE (filter.get (), GST_TYPE_CL_WINDOW_FILTER));
}

bool
begins_sequence (const Ref<GstClFilter> &filter)
{
  return gst_cl_filter_get_description (filter.get ()).recolors;
}

Ref<GstElement>
make_sequence (const ChainFilters &filters)
{
  auto *sequence = GST_CL_FILTER_SEQUENCE (gst_object_ref_sink (g_object_new (gst_cl_filter_sequence_get_type (), nullptr)));
  set_filters (sequence, filters);
  return Ref<GstElement> (GST_ELEMENT (sequence));
}

GstClFilterSequence *
as_sequence (const Ref<GstElement> &element)
{
  return G_TYPE_CHECK_INSTANCE_TYPE (element.get (), gst_cl_filter_sequence_get_type ())
             ? GST_CL_FILTER_SEQUENCE (element.get ())
             : nullptr;
}

void
set_filters (GstClFilterSequence *sequence, const ChainFilters &filters)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (GST_ELEMENT (sequence));
  for (const Ref<GstClFilter> &filter : filters) {
    gst_object_set_parent (GST_OBJECT (filter.get ()), GST_OBJECT (sequence));
    gst_element_set_bus (GST_ELEMENT (filter.get ()), bus);
  }
  auto wanted = std::make_shared<const ChainFilters> (filters);
  GST_OBJECT_LOCK (sequence);
  const FilterList old = std::exchange (sequence->state->wanted, std::move (wanted));
  GST_OBJECT_UNLOCK (sequence);
  for (const Ref<GstClFilter> &filter : *old) {
    gst_element_set_bus (GST_ELEMENT (filter.get ()), nullptr);
    gst_object_unparent (GST_OBJECT (filter.get ()));
  }
}

}  // namespace gst::cl
