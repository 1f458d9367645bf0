/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control.hpp"
#include "catalog.hpp"
#include "scale.hpp"
#include "values.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace studio {

namespace {

/* Widgets that show a value, and tell when a hand changes it: while they are being set they are silent. */
struct Shown {
  Setting setting;
  bool silent = false;

  void send (const std::function<void (GValue *)> &fill)
  {
    if (silent)
      return;
    Value value (setting.spec->value_type);
    fill (value.get ());
    setting.set (value.get ());
  }
};

using State = std::shared_ptr<Shown>;

/* Shows the value now, and whenever it changes; changes may come from the streaming thread. */
void
follow (GtkWidget *widget, const State &state, std::function<void (const GValue *)> show)
{
  const auto update = [state, show = std::move (show)] {
    Value value (state->setting.spec->value_type);
    g_object_get_property (state->setting.object, state->setting.spec->name, value.get ());
    state->silent = true;
    show (value.get ());
    state->silent = false;
  };
  update ();
  watch_property (widget, state->setting.object, state->setting.spec->name, update);
}

GtkWidget *
make_number (const State &state)
{
  NumberScale made (state->setting.spec);
  if (!GST_IS_ELEMENT (state->setting.object)) {
    Value value (state->setting.spec->value_type);
    g_object_get_property (state->setting.object, state->setting.spec->name, value.get ());
    made.reach_around (number_of (value.get ()));
  }
  const NumberScale scale = made;
  GtkWidget *spin = gtk_spin_button_new_with_range (scale.least (), scale.greatest (), scale.step ());
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), scale.digits ());
  const int letters = scale.has_slider () ? 5 : 9;
  gtk_entry_set_width_chars (GTK_ENTRY (spin), letters);
  gtk_entry_set_max_width_chars (GTK_ENTRY (spin), letters);
  add_style (spin, "compact");
  connect<> (spin, "value-changed", [state, spin] {
    state->send ([spin] (GValue *value) { set_number (value, gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin))); });
  });
  if (!scale.has_slider ()) {
    gtk_widget_set_halign (spin, GTK_ALIGN_END);
    follow (
        spin, state, [spin] (const GValue *value) { gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), number_of (value)); });
    return spin;
  }
  const double step = scale.steps () > 0 ? 1.0 / scale.steps () : 0.01;
  GtkWidget *slider = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, step);
  gtk_scale_set_draw_value (GTK_SCALE (slider), FALSE);
  gtk_range_set_round_digits (GTK_RANGE (slider), -1);
  gtk_widget_set_hexpand (slider, TRUE);
  gtk_widget_set_name (slider, state->setting.spec->name);
  connect<> (slider, "value-changed", [state, slider, scale] {
    state->send ([&] (GValue *value) { set_number (value, scale.number_at (gtk_range_get_value (GTK_RANGE (slider)))); });
  });
  GtkWidget *box = make_box (GTK_ORIENTATION_HORIZONTAL, 6, {slider, spin});
  follow (box, state, [spin, slider, scale] (const GValue *value) {
    const double number = number_of (value);
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), number);
    /* a slider that a hand holds stays where it is held */
    if (scale.number_at (gtk_range_get_value (GTK_RANGE (slider))) != number)
      gtk_range_set_value (GTK_RANGE (slider), scale.place_of (number));
  });
  return box;
}

GtkWidget *
make_switch (const State &state)
{
  GtkWidget *widget = gtk_switch_new ();
  gtk_widget_set_halign (widget, GTK_ALIGN_START);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  connect<GParamSpec *> (widget, "notify::active", [state, widget] (GParamSpec *) {
    state->send ([widget] (GValue *value) { g_value_set_boolean (value, gtk_switch_get_active (GTK_SWITCH (widget))); });
  });
  follow (widget, state,
      [widget] (const GValue *value) { gtk_switch_set_active (GTK_SWITCH (widget), g_value_get_boolean (value)); });
  return widget;
}

GtkWidget *
make_combo (const State &state)
{
  GtkWidget *combo = gtk_combo_box_text_new ();
  const GEnumClass *values = G_PARAM_SPEC_ENUM (state->setting.spec)->enum_class;
  for (guint i = 0; i < values->n_values; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (combo), values->values[i].value_nick);
  gtk_widget_set_hexpand (combo, TRUE);
  connect<> (combo, "changed", [state, combo, values] {
    const int active = gtk_combo_box_get_active (GTK_COMBO_BOX (combo));
    if (active >= 0)
      state->send ([&] (GValue *value) { g_value_set_enum (value, values->values[active].value); });
  });
  follow (combo, state, [combo, values] (const GValue *value) {
    for (guint i = 0; i < values->n_values; i++) {
      if (values->values[i].value == g_value_get_enum (value))
        gtk_combo_box_set_active (GTK_COMBO_BOX (combo), int (i));
    }
  });
  return combo;
}

GtkWidget *
make_checks (const State &state)
{
  GtkWidget *box = gtk_flow_box_new ();
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (box), GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (box), 4);
  gtk_widget_set_hexpand (box, TRUE);
  const GFlagsClass *values = G_PARAM_SPEC_FLAGS (state->setting.spec)->flags_class;
  std::vector<std::pair<GtkToggleButton *, guint>> checks;
  for (guint i = 0; i < values->n_values; i++) {
    /* single bits: a name for several would need a third state */
    if (!values->values[i].value || (values->values[i].value & (values->values[i].value - 1)))
      continue;
    GtkWidget *check = gtk_check_button_new_with_label (values->values[i].value_nick);
    gtk_widget_set_tooltip_text (check, values->values[i].value_name);
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

/* Strings, and whatever else GStreamer can read from text. */
GtkWidget *
make_entry (const State &state)
{
  GtkWidget *entry = gtk_entry_new ();
  gtk_entry_set_width_chars (GTK_ENTRY (entry), 8);
  gtk_widget_set_hexpand (entry, TRUE);
  const auto commit = [state, entry] {
    const std::string text = gtk_entry_get_text (GTK_ENTRY (entry));
    if (text == value_text (state->setting.object, state->setting.spec))
      return;
    state->send ([&] (GValue *value) {
      if (G_VALUE_HOLDS_STRING (value))
        g_value_set_string (value, text.c_str ());
      else if (!text.empty () && !gst_value_deserialize_with_pspec (value, text.c_str (), state->setting.spec))
        throw std::invalid_argument (std::string (state->setting.spec->name) + " cannot be \"" + text + "\"");
    });
  };
  connect<> (entry, "activate", commit);
  connect<GdkEvent *> (entry, "focus-out-event", [commit] (GdkEvent *) {
    commit ();
    return FALSE;
  });
  follow (entry, state, [state, entry] (const GValue *) {
    gtk_entry_set_text (GTK_ENTRY (entry), value_text (state->setting.object, state->setting.spec).c_str ());
  });
  return entry;
}

GtkWidget *
make_file (const State &state)
{
  GtkWidget *button = gtk_file_chooser_button_new ("A file with a kernel", GTK_FILE_CHOOSER_ACTION_OPEN);
  gtk_widget_set_hexpand (button, TRUE);
  connect<> (button, "file-set", [state, button] {
    const std::string path = text_of (gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (button)));
    state->send ([&path] (GValue *value) { g_value_set_string (value, path.c_str ()); });
  });
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
make_control (const Setting &setting)
{
  const auto state = std::make_shared<Shown> (Shown{.setting = setting});
  const GParamSpec *spec = setting.spec;
  if (is_number (spec))
    return make_number (state);
  if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    return make_switch (state);
  if (G_IS_PARAM_SPEC_ENUM (spec))
    return make_combo (state);
  if (G_IS_PARAM_SPEC_FLAGS (spec))
    return make_checks (state);
  if (G_IS_PARAM_SPEC_STRING (spec) && std::strcmp (spec->name, "location") == 0)
    return make_file (state);
  if (G_IS_PARAM_SPEC_STRING (spec) || spec->value_type == GST_TYPE_STRUCTURE)
    return make_entry (state);
  return nullptr;
}

}  // namespace studio
