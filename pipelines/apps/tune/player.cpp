/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player.hpp"

#include "interrupted.hpp"

#include <stdexcept>

namespace {

std::string
error_in (GstMessage *message)
{
  GError *error = nullptr;
  gst_message_parse_error (message, &error, nullptr);
  const std::string text = error->message;
  g_clear_error (&error);
  return text;
}

}  // namespace

Player::Player (const std::string &launch, GstClContext *context)
{
  GError *error = nullptr;
  pipeline.reset (gst_parse_launch (launch.c_str (), &error));
  const std::string text = error ? error->message : "";
  g_clear_error (&error);
  if (!pipeline || !text.empty ())
    throw std::runtime_error (launch + ": " + text);
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
  return Element (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name.c_str ()));
}

void
Player::play () const
{
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
}

std::string
Player::read_bus (std::vector<std::string> &messages) const
{
  GstBus *bus = gst_element_get_bus (pipeline.get ());
  std::string text;
  while (GstMessage *message = gst_bus_pop_filtered (bus, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      text = text.empty () ? error_in (message) : text;
    } else {
      gchar *structure = gst_structure_to_string (gst_message_get_structure (message));
      messages.emplace_back (structure);
      g_free (structure);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return text;
}

std::string
Player::wait () const
{
  /* a signal wakes nobody who waits for the bus */
  constexpr GstClockTime glance = 100 * GST_MSECOND;
  GstBus *bus = gst_element_get_bus (pipeline.get ());
  GstMessage *message = nullptr;
  while (!message && !interrupted)
    message = gst_bus_timed_pop_filtered (bus, glance, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_EOS));
  gst_object_unref (bus);
  std::string text;
  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    text = error_in (message);
  if (message)
    gst_message_unref (message);
  return text;
}
