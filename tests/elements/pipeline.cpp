/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.hpp"

namespace test {

constexpr GstClockTime patience = 60 * GST_SECOND;
constexpr GstMessageType endings = (GstMessageType) (GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

Pipeline::Pipeline (const std::string &description) : launch (description)
{
  GError *error = nullptr;
  pipeline = gst_parse_launch (launch.c_str (), &error);
  test_check (pipeline && !error, "cannot make \"%s\": %s", launch.c_str (), error ? error->message : "");
  test_check (GST_IS_PIPELINE (pipeline), "\"%s\" is no pipeline", launch.c_str ());
  messages = gst_element_get_bus (pipeline);
}

Pipeline::~Pipeline ()
{
  for (GstElement *element : found)
    gst_object_unref (element);
  gst_object_unref (messages);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GstElement *
Pipeline::element (const char *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  if (!element) {
    GstIterator *made = gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline), name);
    GValue value = G_VALUE_INIT;
    if (gst_iterator_next (made, &value) == GST_ITERATOR_OK)
      element = GST_ELEMENT (g_value_dup_object (&value));
    g_value_unset (&value);
    gst_iterator_free (made);
  }
  test_check (element, "no element %s in \"%s\"", name, launch.c_str ());
  found.push_back (element);
  return element;
}

bool
Pipeline::reach (GstState state)
{
  if (gst_element_set_state (pipeline, state) == GST_STATE_CHANGE_FAILURE)
    return false;
  return gst_element_get_state (pipeline, nullptr, nullptr, patience) != GST_STATE_CHANGE_FAILURE
         && GST_STATE (pipeline) == state;
}

void
Pipeline::must_reach (GstState state)
{
  if (reach (state))
    return;
  test_fail ("\"%s\" does not reach %s:%s", launch.c_str (), gst_element_state_get_name (state),
      joined (errors_of (messages)).c_str ());
}

void
Pipeline::play_to_end ()
{
  must_reach (GST_STATE_PLAYING);
  const Own message = gst_bus_timed_pop_filtered (messages, patience, endings);
  test_check (message, "\"%s\" does not end", launch.c_str ());
  GError *error = nullptr;
  char *debug = nullptr;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  test_check (!error, "\"%s\" fails: %s | %s", launch.c_str (), error->message, debug);
}

void
Pipeline::seek (GstClockTime time)
{
  const auto flags = GstSeekFlags (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, flags, gint64 (time)));
  must_reach (GST_STATE_PAUSED);
}

GstClockTime
Pipeline::shown_by (const char *sink)
{
  GstSample *last = nullptr;
  g_object_get (element (sink), "last-sample", &last, nullptr);
  const Own sample = last;
  test_check (sample, "%s shows no frame of \"%s\"", sink, launch.c_str ());
  return gst_segment_to_stream_time (
      gst_sample_get_segment (sample), GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
}

std::vector<Report>
Pipeline::play_to_error (const std::string &element)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered (messages, patience, endings);
  test_check (message, "\"%s\" neither fails nor ends", launch.c_str ());
  test_check (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "\"%s\" ends without an error", launch.c_str ());
  gst_bus_post (messages, message);
  std::vector<Report> reports = errors ();
  std::erase_if (reports, [&] (const Report &report) { return report.from != element; });
  return reports;
}

std::vector<Report>
Pipeline::errors ()
{
  g_usleep (G_USEC_PER_SEC / 20);
  return errors_of (messages);
}

void
expect_one_error (const std::vector<Report> &errors, GQuark domain, int code, const std::vector<std::string> &words)
{
  std::string all;
  for (const Report &report : errors)
    all += format ("\n  %s %d: ", g_quark_to_string (report.domain), report.code) + report.all ();
  test_check (errors.size () == 1, "expected one error, got %zu:%s", errors.size (), all.c_str ());
  test_check (errors[0].is (domain, code), "expected %s %d, got%s", g_quark_to_string (domain), code, all.c_str ());
  expect_words (errors[0].all (), words);
}

void
expect_refusal (const std::string &element, const char *property, const std::string &value,
    const std::vector<std::string> &words, const char *instead)
{
  Pipeline pipeline ("videotestsrc num-buffers=2 ! " + element + " name=filter ! fakesink");
  g_object_set (pipeline.element ("filter"), property, value.c_str (), nullptr);
  test_check (!pipeline.reach (GST_STATE_PAUSED), "%s=\"%s\" is accepted", property, value.c_str ());
  const std::vector<Report> errors = pipeline.errors ();
  expect_one_error (errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, words);
  expect_words (errors[0].all (), {property});
  pipeline.must_reach (GST_STATE_NULL);
  if (!instead)
    return;
  g_object_set (pipeline.element ("filter"), property, instead, nullptr);
  pipeline.play_to_end ();
}

}  // namespace test
