/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player.hpp"

#include "report.hpp"

gst::cl::ContextRef
open_context (const std::string &device)
{
  return checked_call (
      [&] (GError **error) { return gst::cl::ContextRef (gst_cl_context_new (device.c_str (), error)); }, "no OpenCL device");
}

GstVideoFormat
video_format (const std::string &name)
{
  const GstVideoFormat format = gst_video_format_from_string (name.c_str ());
  ensure (format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED, "no video format is called " + name);
  return format;
}

Player::Player (const std::string &launch, GstClContext *context)
{
  GError *error = nullptr;
  pipeline = Element (gst_parse_launch (launch.c_str (), &error));
  const Error owned (error);
  if (error)
    throw std::runtime_error (launch + ": " + error->message);
  GstContext *shared = gst_cl_context_to_gst_context (context);
  gst_element_set_context (pipeline.get (), shared);
  gst_context_unref (shared);
}

std::string
Player::read_bus (std::vector<std::string> &messages) const
{
  constexpr auto heeded = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
  const Ref<GstBus> bus = bus_of (pipeline.get ());
  std::string text;
  while (const Message message{gst_bus_pop_filtered (bus.get (), heeded)}) {
    if (GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_ELEMENT)
      messages.push_back (text_of (gst_structure_to_string (gst_message_get_structure (message.get ()))));
    else if (text.empty ())
      text = parse_problem (message.get ()).first->message;
  }
  return text;
}

std::string
Player::wait () const
{
  /* a signal does not interrupt waiting for the bus */
  constexpr GstClockTime glance = 100 * GST_MSECOND;
  const Ref<GstBus> bus = bus_of (pipeline.get ());
  Message message;
  while (!message && !interrupted)
    message.reset (gst_bus_timed_pop_filtered (bus.get (), glance, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  const bool failed = message && GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_ERROR;
  return failed ? parse_problem (message.get ()).first->message : "";
}
