/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link.hpp"

#include "gl.hpp"

namespace test {

GstBuffer *
filled (gsize bytes, int value)
{
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, bytes, nullptr);
  gst_buffer_memset (buffer, 0, guint8 (value), bytes);
  return buffer;
}

GstBuffer *
timed (GstBuffer *buffer, GstClockTime pts, GstClockTime duration)
{
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  return buffer;
}

void
interrupt (Link &link, Interruption by, GstBuffer *before)
{
  if (by == Interruption::Discont)
    GST_BUFFER_FLAG_SET (before, GST_BUFFER_FLAG_DISCONT);
  else if (by == Interruption::Gap)
    fail_unless (gst_harness_push_event (link.harness (), gst_event_new_gap (GST_BUFFER_PTS (before), 0)));
  else if (by == Interruption::Segment)
    link.begin_segment ();
  else
    link.flush ();
}

static std::string
quoted (const std::string &text)
{
  std::string result = "\"";
  for (const char letter : text)
    result += (letter == '"' || letter == '\\' ? "\\" : "") + std::string (1, letter);
  return result + "\"";
}

std::string
chain_of (const std::string &filters)
{
  return "clchain filters=" + quoted (filters);
}

std::vector<std::string>
element_names ()
{
  std::vector<std::string> names;
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "cl");
  for (GList *at = features; at; at = at->next)
    if (GST_IS_ELEMENT_FACTORY (at->data))
      names.push_back (GST_OBJECT_NAME (at->data));
  gst_plugin_feature_list_free (features);
  std::ranges::sort (names);
  return names;
}

std::vector<Report>
errors_of (GstBus *bus)
{
  std::vector<Report> reports;
  while (const Own message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) {
    g_autoptr (GError) error = nullptr;
    char *debug = nullptr;
    gst_message_parse_error (message, &error, &debug);
    reports.push_back ({error->domain, error->code, GST_OBJECT_NAME (message->src), error->message, text_of (debug)});
  }
  return reports;
}

int
count_warnings (GstBus *bus)
{
  int count = 0;
  while (const Own message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))
    count++;
  return count;
}

std::string
joined (const std::vector<Report> &reports)
{
  std::string text;
  for (const Report &report : reports)
    text += "\n  " + report.all ();
  return text;
}

Link::Link (const std::string &launch, const std::string &caps, const std::string &out_caps) : description (launch)
{
  static GstStaticPadTemplate source = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GError *error = nullptr;
  const Own bin = gst_parse_bin_from_description (launch.c_str (), TRUE, &error);
  test_check (bin && !error, "cannot make \"%s\": %s", launch.c_str (), error ? error->message : "");
  messages = gst_bus_new ();
  gst_element_set_bus (bin, messages);
  if ((caps + out_caps).find ("memory:GLMemory") != std::string::npos
      || (caps + out_caps).find ("memory:CUDAMemory") != std::string::npos)
    share_gl (bin);

  /* The harness asserts that its element plays, and would hide the reason for a failure. */
  if (gst_element_set_state (bin, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
    test_fail ("\"%s\" does not start:%s", launch.c_str (), joined (errors ()).c_str ());

  h = gst_harness_new_empty ();
  gst_harness_add_element_full (h, bin, &source, "sink", &sink, "src");
  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_latency, this, nullptr);
  gst_harness_set_sink_caps_str (h, (out_caps.empty () ? caps : out_caps).c_str ());
  gst_harness_set_src_caps_str (h, caps.c_str ());
}

/* Makes the harness live, with the latency that it was told. */
GstPadProbeReturn
Link::answer_latency (GstPad *, GstPadProbeInfo *info, gpointer self)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY || static_cast<Link *> (self)->is_live)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

Link::~Link ()
{
  for (GstElement *element : found)
    gst_object_unref (element);
  gst_element_set_bus (h->element, nullptr);
  gst_harness_teardown (h);
  gst_object_unref (messages);
}

GstElement *
Link::element (const char *factory)
{
  GstElement *element = gst_harness_find_element (h, factory);
  test_check (element, "no %s in \"%s\"", factory, description.c_str ());
  found.push_back (element);
  return element;
}

void
Link::begin_segment ()
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

void
Link::flush ()
{
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  begin_segment ();
}

void
Link::end ()
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

GstClockTime
Link::latency ()
{
  is_live = true;
  const GstClockTime time = gst_harness_query_latency (h);
  is_live = false;
  return time;
}

std::pair<double, double>
Link::pointer_from (double x, double y)
{
  GstStructure *move = gst_structure_new ("application/x-gst-navigation", "event", G_TYPE_STRING, "mouse-move", "pointer_x",
      G_TYPE_DOUBLE, x, "pointer_y", G_TYPE_DOUBLE, y, nullptr);
  gst_harness_push_upstream_event (h, gst_event_new_navigation (move));
  while (const Own event = gst_harness_try_pull_upstream_event (h))
    if (GST_EVENT_TYPE (event.get ()) == GST_EVENT_NAVIGATION
        && gst_structure_get (
            gst_event_get_structure (event), "pointer_x", G_TYPE_DOUBLE, &x, "pointer_y", G_TYPE_DOUBLE, &y, nullptr))
      return {x, y};
  test_fail ("\"%s\" lets no pointer through", description.c_str ());
}

void
Link::turn_back ()
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = segment.position = 3600 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

void
Link::set (const char *factory, const std::string &property, const std::string &value)
{
  gst_util_set_object_arg (G_OBJECT (element (factory)), property.c_str (), value.c_str ());
}

GstFlowReturn
Link::push (GstBuffer *buffer)
{
  return gst_harness_push (h, buffer);
}

GstBuffer *
Link::pull ()
{
  GstBuffer *buffer = gst_harness_try_pull (h);
  test_check (buffer, "\"%s\" gave no buffer%s", description.c_str (), joined (errors ()).c_str ());
  return buffer;
}

GstBuffer *
Link::filter (GstBuffer *buffer)
{
  const GstFlowReturn flow = push (buffer);
  test_check (
      flow == GST_FLOW_OK, "\"%s\" returned %s%s", description.c_str (), gst_flow_get_name (flow), joined (errors ()).c_str ());
  return pull ();
}

std::vector<Report>
Link::errors ()
{
  return errors_of (messages);
}

GstStructure *
stats_of (GstElement *element)
{
  GstStructure *stats = nullptr;
  g_object_get (element, "stats", &stats, nullptr);
  test_check (stats, "%s has no stats", GST_OBJECT_NAME (element));
  return stats;
}

void
control (gpointer object, const char *property, std::initializer_list<std::pair<GstClockTime, double>> values,
    GstInterpolationMode mode)
{
  const Own source = gst_interpolation_control_source_new ();
  g_object_set (source, "mode", mode, nullptr);
  for (const auto &[time, value] : values)
    fail_unless (gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), time, value));
  GstObject *const controlled = GST_OBJECT (object);
  gst_object_add_control_binding (controlled, gst_direct_control_binding_new_absolute (controlled, property, source));
}

GstCaps *
caps_at (GstElement *element, const char *pad)
{
  const Own found = gst_element_get_static_pad (element, pad);
  return gst_pad_get_current_caps (found);
}

GstCaps *
negotiated (const std::string &launch, const std::string &in, const std::string &wanted)
{
  GstHarness *harness = gst_harness_new_parse (launch.c_str ());
  gst_harness_set_sink_caps_str (harness, wanted.c_str ());
  gst_harness_set_src_caps_str (harness, in.c_str ());
  GstCaps *caps = caps_at (harness->element, "src");
  gst_harness_teardown (harness);
  return caps;
}

guint64
stat (GstElement *element, const char *field)
{
  const Own stats = stats_of (element);
  guint64 value = 0;
  test_check (
      gst_structure_get_uint64 (stats, field, &value), "stats has no guint64 %s: %" GST_PTR_FORMAT, field, stats.get ());
  return value;
}

std::string
stat_text (GstElement *element, const char *field)
{
  const Own stats = stats_of (element);
  const char *text = gst_structure_get_string (stats, field);
  test_check (text, "stats has no string %s: %" GST_PTR_FORMAT, field, stats.get ());
  return text;
}

}  // namespace test
