/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "catalog.hpp"
#include "panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

namespace studio {

namespace {

/* larger ranges cannot be set with a slider */
constexpr double endless = 1e7;
/* on a linear slider, small numbers of such a long range share a few pixels */
constexpr double long_range = 400;

/* The minimum and maximum of a number; nothing for other types. */
std::optional<std::pair<double, double>>
range_of (const GParamSpec *spec)
{
  const auto range = [] (const auto *typed) { return std::pair (double (typed->minimum), double (typed->maximum)); };
  if (G_IS_PARAM_SPEC_INT (spec))
    return range (G_PARAM_SPEC_INT (spec));
  if (G_IS_PARAM_SPEC_UINT (spec))
    return range (G_PARAM_SPEC_UINT (spec));
  if (G_IS_PARAM_SPEC_INT64 (spec))
    return range (G_PARAM_SPEC_INT64 (spec));
  if (G_IS_PARAM_SPEC_UINT64 (spec))
    return range (G_PARAM_SPEC_UINT64 (spec));
  if (G_IS_PARAM_SPEC_FLOAT (spec))
    return range (G_PARAM_SPEC_FLOAT (spec));
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    return range (G_PARAM_SPEC_DOUBLE (spec));
  return std::nullopt;
}

/* 1, 2 or 5 times a power of ten, at most `number`. */
double
round_down (double number)
{
  const double power = std::pow (10, std::floor (std::log10 (number)));
  const double first = number / power;
  return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

double
number_of (const GValue *value)
{
  Value real (G_TYPE_DOUBLE);
  g_value_transform (value, real.get ());
  return g_value_get_double (real.get ());
}

void
set_number (GValue *value, double number)
{
  Value real (G_TYPE_DOUBLE);
  g_value_set_double (real.get (), number);
  g_value_transform (real.get (), value);
}

/* The scale of a slider: linear for short ranges, logarithmic for long ones, so that small numbers have enough room. */
struct NumberScale {
  explicit NumberScale (const GParamSpec *spec)
  {
    integer = !G_IS_PARAM_SPEC_DOUBLE (spec) && !G_IS_PARAM_SPEC_FLOAT (spec);
    std::tie (low, high) = *range_of (spec);
    least_allowed = low;
    greatest_allowed = high;
    const double range = high - low;
    slider = range < endless;
    increment = integer ? 1 : std::isfinite (range) ? round_down (std::clamp (range / 100, 1e-3, 0.1)) : 0.1;
    /* numbers in units of full scale are linear, however fine */
    unit = integer ? 1 : 0.1;
    logarithmic = slider && range / unit > long_range;
  }

  /* Limits a slider of an unlimited range to the surroundings of a useful number. */
  void reach_around (double number)
  {
    if (slider)
      return;
    constexpr double far = 1e9;
    least_allowed = std::max (low, -far);
    greatest_allowed = std::min (high, far);
    const double size = std::max (integer ? 10.0 : 1.0, 2 * std::abs (number));
    low = number < 0 ? -size : std::max (low, 0.0);
    high = size;
    increment = integer ? 1 : round_down (std::clamp ((high - low) / 100, 1e-3, 0.1));
    slider = true;
    logarithmic = false;
  }

  /* the number of integer steps on the slider; 0 if they are not countable */
  int steps () const { return integer && !logarithmic ? int (high - low) : 0; }
  int digits () const
  {
    return integer ? 0 : std::clamp (int (std::ceil (-std::log10 (increment))), 1, 4) + (increment <= 0.01 ? 1 : 0);
  }

  /* Returns 0 to 1. */
  double place_of (double number) const
  {
    number = std::clamp (number, low, high);
    if (!logarithmic)
      return (number - low) / (high - low);
    return (bent (number) - bent (low)) / (bent (high) - bent (low));
  }

  double number_at (double place) const
  {
    place = std::clamp (place, 0.0, 1.0);
    double number = low + place * (high - low);
    if (logarithmic) {
      const double at = std::lerp (bent (low), bent (high), place);
      number = origin () + std::copysign (std::expm1 (std::abs (at)) * unit, at);
    }
    /* rounds to sensible steps, without trailing digits */
    const double grain = integer       ? 1
                         : logarithmic ? std::min (increment, round_down (std::max (std::abs (number) / 50, 1e-4)))
                                       : increment;
    return std::clamp (std::round (number / grain) * grain, low, high);
  }

  /* A number's distance from the origin, on a logarithmic scale. */
  double bent (double number) const
  {
    const double distance = number - origin ();
    return std::copysign (std::log1p (std::abs (distance) / unit), distance);
  }

  /* The origin is 0 if the range includes it. */
  double origin () const { return low < 0 && high > 0 ? 0 : low; }

  /* limits of the slider, and of the number */
  double low = 0, high = 1, least_allowed = 0, greatest_allowed = 1, increment = 1, unit = 1;
  bool integer = true, logarithmic = false;
  /* unlimited ranges have none */
  bool slider = true;
};

/* A property, and the state of widgets that show it. While they are being set, they emit no change. */
struct Shown {
  GObject *object;
  GParamSpec *spec;
  std::function<void (const GValue *)> set;
  bool silent = false;

  void send (const std::function<void (GValue *)> &fill)
  {
    if (silent)
      return;
    Value value (spec->value_type);
    fill (value.get ());
    set (value.get ());
  }
  void send_text (const std::string &wanted)
  {
    send ([&] (GValue *value) {
      if (G_VALUE_HOLDS_STRING (value))
        g_value_set_string (value, wanted.c_str ());
      else
        ensure (wanted.empty () || gst_value_deserialize_with_pspec (value, wanted.c_str (), spec),
            std::string (spec->name) + " cannot be \"" + wanted + "\"");
    });
  }
  std::string text () const { return value_text (object, spec); }
};

using State = std::shared_ptr<Shown>;

/* Shows the value now, and whenever it changes; the streaming thread may change it. */
void
follow (GtkWidget *widget, const State &state, std::function<void (const GValue *)> show)
{
  const auto update = [state, show = std::move (show)] {
    Value value (state->spec->value_type);
    g_object_get_property (state->object, state->spec->name, value.get ());
    state->silent = true;
    show (value.get ());
    state->silent = false;
  };
  update ();
  watch_property (widget, state->object, state->spec->name, update);
}

GtkWidget *
make_number (const State &state)
{
  NumberScale made (state->spec);
  if (!GST_IS_ELEMENT (state->object)) {
    Value value (state->spec->value_type);
    g_object_get_property (state->object, state->spec->name, value.get ());
    made.reach_around (number_of (value.get ()));
  }
  const NumberScale scale = made;
  GtkWidget *spin = gtk_spin_button_new_with_range (scale.least_allowed, scale.greatest_allowed, scale.increment);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), scale.digits ());
  const int letters = scale.slider ? 5 : 9;
  add_style (with (spin, "width-chars", letters, "max-width-chars", letters), "compact");
  connect<> (spin, "value-changed", [state, spin] {
    state->send ([spin] (GValue *value) { set_number (value, gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin))); });
  });
  if (!scale.slider) {
    follow (spin, state, [spin] (const GValue *value) { with (spin, "value", number_of (value)); });
    return with (spin, "halign", GTK_ALIGN_END);
  }
  const double step = scale.steps () > 0 ? 1.0 / scale.steps () : 0.01;
  GtkWidget *slider = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, step);
  with (slider, "draw-value", FALSE, "round-digits", -1, "name", state->spec->name, "hexpand", TRUE);
  connect<> (slider, "value-changed", [state, slider, scale] {
    state->send ([&] (GValue *value) { set_number (value, scale.number_at (gtk_range_get_value (GTK_RANGE (slider)))); });
  });
  GtkWidget *box = make_box (GTK_ORIENTATION_HORIZONTAL, 6, {slider, spin});
  follow (box, state, [spin, slider, scale] (const GValue *value) {
    const double number = number_of (value);
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), number);
    /* a slider that the user holds stays in place */
    if (scale.number_at (gtk_range_get_value (GTK_RANGE (slider))) != number)
      gtk_range_set_value (GTK_RANGE (slider), scale.place_of (number));
  });
  return box;
}

GtkWidget *
make_switch (const State &state)
{
  GtkWidget *widget = make (GTK_TYPE_SWITCH, "halign", GTK_ALIGN_START, "valign", GTK_ALIGN_CENTER);
  connect<GParamSpec *> (widget, "notify::active", [state, widget] (GParamSpec *) {
    state->send ([widget] (GValue *value) { g_value_set_boolean (value, gtk_switch_get_active (GTK_SWITCH (widget))); });
  });
  follow (widget, state,
      [widget] (const GValue *value) { gtk_switch_set_active (GTK_SWITCH (widget), g_value_get_boolean (value)); });
  return widget;
}

GtkWidget *
make_choice (const State &state)
{
  std::vector<Choice> choices = choices_of (state->spec);
  for (auto &[nick, title] : choices)
    title = nick;
  GtkWidget *combo = make_combo (choices, [state] (const std::string &nick) { state->send_text (nick); });
  follow (combo, state,
      [state, combo] (const GValue *) { gtk_combo_box_set_active_id (GTK_COMBO_BOX (combo), state->text ().c_str ()); });
  return combo;
}

GtkWidget *
make_checks (const State &state)
{
  GtkWidget *box = make (GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE, "max-children-per-line", 4u, "hexpand", TRUE);
  const GFlagsClass *values = G_PARAM_SPEC_FLAGS (state->spec)->flags_class;
  std::vector<std::pair<GtkToggleButton *, guint>> checks;
  for (guint i = 0; i < values->n_values; i++) {
    /* single bits only: a name for several bits would need a third state */
    if (!values->values[i].value || (values->values[i].value & (values->values[i].value - 1)))
      continue;
    GtkWidget *check =
        make (GTK_TYPE_CHECK_BUTTON, "label", values->values[i].value_nick, "tooltip-text", values->values[i].value_name);
    checks.emplace_back (GTK_TOGGLE_BUTTON (check), values->values[i].value);
    gtk_container_add (GTK_CONTAINER (box), check);
  }
  for (const auto &[check, bit] : checks) {
    connect<> (check, "toggled", [state, checks] {
      guint flags = 0;
      for (const auto &[other, value] : checks)
        flags |= gtk_toggle_button_get_active (other) ? value : 0;
      state->send ([flags] (GValue *value) { g_value_set_flags (value, flags); });
    });
  }
  follow (box, state, [checks] (const GValue *value) {
    for (const auto &[check, bit] : checks)
      gtk_toggle_button_set_active (check, (g_value_get_flags (value) & bit) != 0);
  });
  return box;
}

/* For strings, and other types that GStreamer can parse. */
GtkWidget *
make_entry (const State &state)
{
  GtkWidget *entry = make (GTK_TYPE_ENTRY, "width-chars", 8, "hexpand", TRUE);
  const auto commit = [state, entry] {
    const std::string text = gtk_entry_get_text (GTK_ENTRY (entry));
    if (text != state->text ())
      state->send_text (text);
  };
  connect<> (entry, "activate", commit);
  connect_event<GdkEvent *> (entry, "focus-out-event", [commit] (GdkEvent *) { commit (); });
  follow (entry, state, [state, entry] (const GValue *) { gtk_entry_set_text (GTK_ENTRY (entry), state->text ().c_str ()); });
  return entry;
}

GtkWidget *
make_file (const State &state)
{
  GtkWidget *button = expanding (gtk_file_chooser_button_new ("A file with a kernel", GTK_FILE_CHOOSER_ACTION_OPEN));
  connect<> (button, "file-set",
      [state, button] { state->send_text (text_of (gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (button)))); });
  follow (button, state, [button] (const GValue *value) {
    if (const char *path = g_value_get_string (value); path && *path)
      gtk_file_chooser_set_filename (GTK_FILE_CHOOSER (button), path);
    else
      gtk_file_chooser_unselect_all (GTK_FILE_CHOOSER (button));
  });
  return button;
}

}  // namespace

GtkWidget *
make_control (GObject *object, GParamSpec *spec, std::function<void (const GValue *)> set)
{
  const auto state = std::make_shared<Shown> (Shown{object, spec, std::move (set)});
  if (range_of (spec))
    return make_number (state);
  if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    return make_switch (state);
  if (G_IS_PARAM_SPEC_ENUM (spec))
    return make_choice (state);
  if (G_IS_PARAM_SPEC_FLAGS (spec))
    return make_checks (state);
  if (G_IS_PARAM_SPEC_STRING (spec) && std::strcmp (spec->name, "location") == 0)
    return make_file (state);
  if (G_IS_PARAM_SPEC_STRING (spec) || spec->value_type == GST_TYPE_STRUCTURE)
    return make_entry (state);
  return nullptr;
}

}  // namespace studio
