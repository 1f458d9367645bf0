/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player.hpp"

#include "interrupted.hpp"

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

Player::~Player ()
{
  gst_element_set_state (pipeline.get (), GST_STATE_NULL);
}

Element
Player::named (const std::string &name) const
{
  return Element::take (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name.c_str ()));
}

std::string
Player::read_bus (std::vector<std::string> &messages) const
{
  constexpr auto heeded = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
  const Ref<GstBus> bus = Ref<GstBus>::take (gst_element_get_bus (pipeline.get ()));
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
  /* a signal wakes nobody who waits for the bus */
  constexpr GstClockTime glance = 100 * GST_MSECOND;
  const Ref<GstBus> bus = Ref<GstBus>::take (gst_element_get_bus (pipeline.get ()));
  Message message;
  while (!message && !interrupted)
    message.reset (gst_bus_timed_pop_filtered (bus.get (), glance, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  const bool failed = message && GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_ERROR;
  return failed ? parse_problem (message.get ()).first->message : "";
}
