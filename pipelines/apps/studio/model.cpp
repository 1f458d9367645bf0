/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model.hpp"
#include "catalog.hpp"

#include <gst/video/video.h>

namespace studio {

namespace {

bool
is_place (std::string_view name)
{
  return name == "roi-x" || name == "roi-y" || name == "roi-width" || name == "roi-height" || name == "roi-source";
}

}  // namespace

Model::Model (GstElement *shown) : sink (shown)
{
  /* the row is linked between the two chains */
  pipeline = checked_call ([] (GError **error) {
    return Ref<GstElement> (gst_parse_launch (
        "queue name=stock ! videoconvert ! capsfilter name=head  queue name=tail max-size-buffers=2 max-size-bytes=0 "
        "max-size-time=0 ! videoconvert ! capsfilter name=window caps=video/x-raw,format=BGRx",
        error));
  });
  gst_object_set_name (GST_OBJECT (pipeline.get ()), "studio");
  const auto named = [this] (const char *name) {
    return Ref<GstElement>::take (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name));
  };
  stock = named ("stock");
  head = named ("head");
  const Ref<GstElement> tail = named ("tail"), window = named ("window");
  gst_bin_add (GST_BIN (pipeline.get ()), shown);
  gst_element_link (window.get (), shown);
  linked = std::make_unique<FilterRow> (GST_BIN (pipeline.get ()), pad_of (stock.get (), "src").get (), head.get (),
      tail.get (), [this] (const std::string &text) {
        GstElement *source = pipeline.get ();
        GST_ELEMENT_ERROR (source, CORE, NEGOTIATION, ("%s", text.c_str ()), ("no format suits both"));
      });
  add_probe (pad_of (stock.get (), "sink").get (),
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_UPSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      [this] (GstPadProbeInfo *info) { return at_barrier (info); });
  halves = std::make_unique<Split> (pad_of (head.get (), "src").get (), pad_of (window.get (), "src").get ());
  watch = watch_bus (pipeline.get (), [this] (GstMessage *message) { hear (message); });
  set_format (wanted_format);
}

/* The source runs in its own thread and must not query a row that is being linked. Its queries about caps and memory are answered
   here, and reconfigure events do not reach it when filters change. No serialized query may pass: pads send events ahead of it,
   and if they are linked meanwhile, GStreamer takes caps for sent that the new filter has not got. */
GstPadProbeReturn
Model::at_barrier (GstPadProbeInfo *info)
{
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_UPSTREAM)
    return GST_EVENT_TYPE (gst_pad_probe_info_get_event (info)) == GST_EVENT_RECONFIGURE ? GST_PAD_PROBE_DROP
                                                                                         : GST_PAD_PROBE_OK;
  if (!(info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM))
    return GST_PAD_PROBE_OK;
  GstQuery *query = gst_pad_probe_info_get_query (info);
  const std::lock_guard lock (mutex);
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    GstCaps *filter = nullptr;
    gst_query_parse_caps (query, &filter);
    const Caps answer (
        filter ? gst_caps_intersect_full (wished.get (), filter, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (wished.get ()));
    gst_query_set_caps_result (query, answer.get ());
    return GST_PAD_PROBE_HANDLED;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    GstCaps *caps = nullptr;
    gst_query_parse_accept_caps (query, &caps);
    gst_query_set_accept_caps_result (query, gst_caps_is_subset (caps, wished.get ()));
    return GST_PAD_PROBE_HANDLED;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION) {
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr);
    return GST_PAD_PROBE_HANDLED;
  }
  return is_serialized (query) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

Model::~Model ()
{
  g_source_remove (watch);
  gst_element_set_state (pipeline.get (), GST_STATE_NULL);
  for (const Filter &filter : row)
    gst_element_set_state (filter.element.get (), GST_STATE_NULL);
}

void
Model::set_source (const Source &source)
{
  const Ref<GstElement> made = make_source (source);
  gst_element_set_state (pipeline.get (), GST_STATE_READY);
  if (supply) {
    gst_element_set_state (supply.get (), GST_STATE_NULL);
    gst_bin_remove (GST_BIN (pipeline.get ()), supply.get ());
  }
  supply = made;
  from = source;
  failed = stale = false;
  stood_at = 0;
  sought.reset ();
  linked->ask_for_gap ();
  gst_bin_add (GST_BIN (pipeline.get ()), made.get ());
  gst_element_link (made.get (), stock.get ());
  /* a decoder waits for slow filters; a camera does not, so its frames are dropped */
  gst_util_set_object_arg (G_OBJECT (stock.get ()), "leaky", source.is_live () ? "downstream" : "no");
  g_object_set (stock.get (), "max-size-buffers", 2, "max-size-bytes", 0, "max-size-time", guint64 (0), nullptr);
  /* frames of a camera are shown when they arrive; waiting for their time would drop frames that a slow filter delayed */
  g_object_set (sink.get (), "sync", !source.is_live (), nullptr);
  set_state ();
}

void
Model::set_format (const std::string &format)
{
  if (format != wanted_format)
    about_to_change (&wanted_format);
  wanted_format = format;
  const std::string text = format.empty () ? "video/x-raw" : "video/x-raw,format=" + format;
  {
    const std::lock_guard lock (mutex);
    wished.reset (gst_caps_from_string ((text + ";video/x-raw").c_str ()));
  }
  linked->change ([this, text] {
    const Caps caps (gst_caps_from_string (text.c_str ()));
    g_object_set (head.get (), "caps", caps.get (), nullptr);
  });
  touched ();
}

void
Model::about_to_change (const void *what, const std::string &name)
{
  if (!changing)
    before_change (what, name);
}

size_t
Model::checked (size_t index) const
{
  if (index >= row.size ())
    throw std::out_of_range ("There is no filter number " + std::to_string (index + 1));
  return index;
}

size_t
Model::add (const std::string &kind, std::optional<size_t> at, const std::function<void (GObject *)> &prepare)
{
  const Ref<GstElement> element = make_element (kind.c_str ());
  ensure (is_filter (element.get ()), kind + " is not a filter of this plugin");
  const size_t index = std::min (at.value_or (row.size ()), row.size ());
  about_to_change ();
  row.insert (row.begin () + index, {element});
  g_object_set (element.get (), "profile", profiling, nullptr);
  if (prepare)
    prepare (G_OBJECT (element.get ()));
  apply ();
  return index;
}

void
Model::remove (size_t index)
{
  checked (index);
  about_to_change ();
  row.erase (row.begin () + index);
  apply ();
}

void
Model::move (size_t index, size_t to)
{
  const Filter filter = row[checked (index)];
  checked (to);
  about_to_change ();
  row.erase (row.begin () + index);
  row.insert (row.begin () + to, filter);
  apply ();
}

void
Model::set_on (size_t index, bool on)
{
  if (row[checked (index)].on == on)
    return;
  about_to_change ();
  row[index].on = on;
  apply ();
}

void
Model::replace (std::vector<Ref<GstElement>> filters)
{
  about_to_change ();
  row.clear ();
  for (Ref<GstElement> &element : filters) {
    g_object_set (element.get (), "profile", profiling, nullptr);
    row.push_back ({std::move (element)});
  }
  apply ();
}

/* The filters that are on. */
std::vector<Ref<GstElement>>
Model::active () const
{
  std::vector<Ref<GstElement>> found;
  for (const Filter &filter : row) {
    if (filter.on)
      found.push_back (filter.element);
  }
  return found;
}

void
Model::apply ()
{
  linked->set (active ());
  touched ();
}

void
Model::set_value (GObject *object, GParamSpec *spec, const GValue *value)
{
  /* a region's numbers are one setting to a hand */
  about_to_change (object, is_place (spec->name) ? "roi" : spec->name);
  const bool is_live =
      (spec->flags & (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)) || !(spec->flags & GST_PARAM_MUTABLE_READY);
  if (is_live || !GST_IS_ELEMENT (object)) {
    g_object_set_property (object, spec->name, value);
  } else {
    const auto kept = std::make_shared<Value> (G_VALUE_TYPE (value));
    g_value_copy (value, kept->get ());
    linked->change_stopped (Ref<GstElement> (GST_ELEMENT (object)),
        [object, spec, kept] { g_object_set_property (object, spec->name, kept->get ()); });
  }
  touched ();
}

void
Model::set_text (GObject *object, GParamSpec *spec, const std::string &text)
{
  Value value (spec->value_type);
  parse (value, spec, text);
  set_value (object, spec, value.get ());
}

void
Model::set_property (size_t index, const std::string &name, const std::string &text)
{
  GstElement *element = row[checked (index)].element.get ();
  GParamSpec *spec = spec_of (element, name.c_str ());
  if (!spec)
    throw std::invalid_argument (row[index].kind () + " has no property " + name);
  set_text (G_OBJECT (element), spec, text);
}

void
Model::load_preset (GstElement *filter, const std::string &name)
{
  about_to_change ();
  change_preset (filter, name, gst_preset_load_preset, "loaded");
  touched ();
}

void
Model::set_profiling (bool on)
{
  profiling = on;
  for (const Filter &filter : row)
    g_object_set (filter.element.get (), "profile", on, nullptr);
}

Costs
Model::costs (size_t index) const
{
  const Structure stats = stats_of (row[checked (index)].element.get ());
  if (!stats)
    return {};
  guint64 ns = 0;
  gst_structure_get_uint64 (stats.get (), "kernel-time-ns-last", &ns);
  return {double (ns) / 1e6, field_of (stats.get (), "device")};
}

std::vector<std::string>
Model::open (const std::string &text)
{
  Line line = read_line (text);
  about_to_change ();
  changing = true;
  const struct End {
    bool &flag;
    ~End () { flag = false; }
  } end{changing};
  if (line.source) {
    set_source (*line.source);
    set_format (line.format);
  }
  replace (std::move (line.filters));
  return line.left_out;
}

Snapshot
Model::snapshot () const
{
  Snapshot now{.format = wanted_format};
  for (const Filter &filter : row)
    now.filters.push_back ({filter, settings_of (filter.element.get ())});
  return now;
}

void
Model::restore (const Snapshot &then)
{
  row.clear ();
  for (const Snapshot::Setup &setup : then.filters) {
    for (const auto &[name, text] : setup.settings)
      if (const auto [object, spec] = find_property (setup.filter.element.get (), name);
          spec && value_text (object.get (), spec) != text)
        set_text (object.get (), spec, text);
    row.push_back (setup.filter);
  }
  if (then.format != wanted_format)
    set_format (then.format);
  apply ();
}

void
Model::hear (GstMessage *message)
{
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_WARNING:
      fail (problem_of (message));
      break;
    case GST_MESSAGE_EOS:
      if (looping && !from.is_live ())
        seek (0);
      else
        on_end ();
      break;
    case GST_MESSAGE_ASYNC_DONE:
      /* after several quick seeks the sink may stay paused */
      if (playing)
        set_state ();
      refresh ();
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (pipeline.get ()));
      break;
    case GST_MESSAGE_CLOCK_LOST:
      restart ();
      break;
    case GST_MESSAGE_ELEMENT:
      if (GST_IS_ELEMENT (GST_MESSAGE_SRC (message)))
        on_message (GST_ELEMENT (GST_MESSAGE_SRC (message)), gst_message_get_structure (message));
      break;
    default:
      break;
  }
}

void
Model::fail (const Problem &problem)
{
  /* one failure may cause errors of several elements; the first one gives the reason */
  if (failed)
    return;
  if (problem.fatal) {
    failed = true;
    gst_element_set_state (pipeline.get (), GST_STATE_READY);
  }
  on_problem (problem);
  on_state ();
}

}  // namespace studio
