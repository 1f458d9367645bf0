/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "adjust/colorbalance.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gst::cl {

namespace {

constexpr int least = -1000, most = 1000;

/** A channel's label, and the property whose value at 0 and 1000 stands beside. */
struct Channel {
  const char *label, *property;
  double middle;
};
constexpr Channel channels[] = {
    {"HUE", "hue", 0}, {"SATURATION", "saturation", 1}, {"BRIGHTNESS", "brightness", 0}, {"CONTRAST", "contrast", 1}};

/* The same four for all elements: they list the channels, not their values. */
const GList *
list_channels (GstColorBalance *)
{
  static const GList *const list = [] {
    GList *made = nullptr;
    for (const Channel &each : channels) {
      auto *channel = static_cast<GstColorBalanceChannel *> (g_object_new (GST_TYPE_COLOR_BALANCE_CHANNEL, nullptr));
      channel->label = g_strdup (each.label);
      channel->min_value = least;
      channel->max_value = most;
      made = g_list_append (made, channel);
    }
    return made;
  }();
  return list;
}

const Channel *
find (const GstColorBalanceChannel *wanted)
{
  const auto found =
      std::ranges::find_if (channels, [&] (const Channel &c) { return !g_ascii_strcasecmp (c.label, wanted->label); });
  return found == std::end (channels) ? nullptr : found;
}

void
set_value (GstColorBalance *balance, GstColorBalanceChannel *wanted, gint value)
{
  const Channel *channel = find (wanted);
  if (!channel)
    return;
  g_object_set (balance, channel->property, channel->middle + std::clamp (value, least, most) / double (most), nullptr);
  gst_color_balance_value_changed (balance, wanted, gst_color_balance_get_value (balance, wanted));
}

gint
get_value (GstColorBalance *balance, GstColorBalanceChannel *wanted)
{
  const Channel *channel = find (wanted);
  if (!channel)
    return 0;
  gdouble value = 0;
  g_object_get (balance, channel->property, &value, nullptr);
  return std::clamp (int (std::lround ((value - channel->middle) * most)), least, most);
}

void
interface_init (gpointer interface, gpointer)
{
  auto *balance = static_cast<GstColorBalanceInterface *> (interface);
  balance->list_channels = list_channels;
  balance->set_value = set_value;
  balance->get_value = get_value;
  balance->get_balance_type = [] (GstColorBalance *) { return GST_COLOR_BALANCE_HARDWARE; };
}

}  // namespace

void
implement_color_balance (GType type)
{
  const GInterfaceInfo info{interface_init, nullptr, nullptr};
  g_type_add_interface_static (type, GST_TYPE_COLOR_BALANCE, &info);
}

}  // namespace gst::cl
