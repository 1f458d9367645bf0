/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gui.hpp"

#include "core/text.hpp"

#include <fstream>
#include <iterator>
#include <memory>

namespace studio {

namespace {

using Task = std::function<bool ()>;

gboolean
run_task (gpointer data)
{
  try {
    return (*static_cast<Task *> (data)) ();
  } catch (const std::exception &error) {
    complain (error.what ());
  }
  return G_SOURCE_REMOVE;
}

void
free_task (gpointer data)
{
  delete static_cast<Task *> (data);
}

GtkWidget *
filled (GtkWidget *button, GtkWidget *content, const std::string &tip)
{
  gtk_container_add (GTK_CONTAINER (button), content);
  gtk_widget_set_tooltip_text (button, tip.c_str ());
  return button;
}

/* The popover of a name menu. */
struct Popover {
  NameMenu menu;
  GtkWidget *popover, *list, *entry;
};
using PopoverRef = std::shared_ptr<Popover>;

GtkWidget *
make_row (const PopoverRef &state, const NamedThing &thing)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *text = make_box (GTK_ORIENTATION_VERTICAL, 1, {make_label (thing.name, "menu-name")});
  if (!thing.about.empty ()) {
    GtkWidget *about = make_label (thing.about, "dim-label");
    add_style (about, "menu-about");
    gtk_label_set_max_width_chars (GTK_LABEL (about), 44);
    gtk_container_add (GTK_CONTAINER (text), about);
  }
  gtk_container_add (GTK_CONTAINER (button), text);
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  named (expanding (button), state->menu.id + "-" + thing.name);
  connect<> (button, "clicked", [state, name = thing.name] {
    gtk_popover_popdown (GTK_POPOVER (state->popover));
    /* the callback may destroy the button */
    later ([state, name] { state->menu.choose (name); });
  });
  GtkWidget *row = make_box (GTK_ORIENTATION_HORIZONTAL, 4, {button});
  if (thing.can_delete) {
    GtkWidget *away = make_small_button ("edit-delete-symbolic", "Delete " + thing.name);
    named (away, state->menu.id + "-delete-" + thing.name);
    connect<> (away, "clicked", [state, row, name = thing.name] {
      state->menu.remove (name);
      gtk_widget_hide (row);
    });
    gtk_container_add (GTK_CONTAINER (row), away);
  }
  return row;
}

void
fill (const PopoverRef &state)
{
  clear (state->list);
  for (const NamedThing &thing : state->menu.list ())
    gtk_container_add (GTK_CONTAINER (state->list), make_row (state, thing));
  gtk_entry_set_text (GTK_ENTRY (state->entry), "");
  gtk_widget_show_all (state->list);
}

void
save (const PopoverRef &state)
{
  const std::string name = gtk_entry_get_text (GTK_ENTRY (state->entry));
  if (name.empty ())
    return;
  gtk_popover_popdown (GTK_POPOVER (state->popover));
  state->menu.save (name);
}

}  // namespace

guint
every (guint milliseconds, Task what)
{
  return g_timeout_add_full (G_PRIORITY_DEFAULT, milliseconds, run_task, new Task (std::move (what)), free_task);
}

void
later (std::function<void ()> what)
{
  const auto task = [what = std::move (what)] {
    what ();
    return false;
  };
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, run_task, new Task (task), free_task);
}

void
watch_property (GtkWidget *widget, GObject *object, const char *property, std::function<void ()> changed)
{
  const auto alive = std::make_shared<bool> (true);
  const std::string signal = std::string ("notify::") + property;
  const gulong id = connect<GParamSpec *> (object, signal.c_str (), [alive, changed] (GParamSpec *) {
    if (g_main_context_is_owner (nullptr))
      changed ();
    else
      later ([alive, changed] {
        if (*alive)
          changed ();
      });
  });
  /* the widget may be destroyed first, which `alive` tells; the object may outlive it */
  connect<> (widget, "destroy", [alive, kept = Ref<GObject> (object), id] {
    *alive = false;
    g_signal_handler_disconnect (kept.get (), id);
  });
}

GtkWidget *
make_box (GtkOrientation orientation, int spacing, std::initializer_list<GtkWidget *> children)
{
  GtkWidget *box = gtk_box_new (orientation, spacing);
  for (GtkWidget *child : children)
    gtk_container_add (GTK_CONTAINER (box), child);
  return box;
}

GtkWidget *
make_label (const std::string &text, const char *style)
{
  GtkWidget *label = gtk_label_new (text.c_str ());
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (style)
    add_style (label, style);
  return label;
}

GtkWidget *
make_wrapped_label (const std::string &text, const char *style)
{
  GtkWidget *label = make_label (text, style);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  return label;
}

GtkWidget *
make_button (const char *icon, const std::string &tip, std::function<void ()> clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);
  if (clicked)
    connect<> (button, "clicked", std::move (clicked));
  gtk_widget_set_tooltip_text (button, tip.c_str ());
  return button;
}

GtkWidget *
make_small_button (const char *icon, const std::string &tip, std::function<void ()> clicked)
{
  GtkWidget *button = make_button (icon, tip, std::move (clicked));
  add_style (button, "small");
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

std::string
choose_file (GtkWindow *window, const char *title, const char *name_to_save, bool as_uri)
{
  const auto action = name_to_save ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN;
  const auto dialog = Ref<GtkFileChooserNative>::take (
      gtk_file_chooser_native_new (title, window, action, name_to_save ? "_Save" : "_Open", "_Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (dialog.get ());
  if (name_to_save) {
    gtk_file_chooser_set_current_name (chooser, name_to_save);
    gtk_file_chooser_set_do_overwrite_confirmation (chooser, TRUE);
  }
  if (gtk_native_dialog_run (GTK_NATIVE_DIALOG (dialog.get ())) != GTK_RESPONSE_ACCEPT)
    return "";
  return text_of (as_uri ? gtk_file_chooser_get_uri (chooser) : gtk_file_chooser_get_filename (chooser));
}

std::string
read_file (const std::string &path)
{
  std::ifstream file (path, std::ios::binary);
  ensure (bool (file), path + " cannot be read");
  return gst::cl::plain_text ({std::istreambuf_iterator<char> (file), {}});
}

void
write_file (const std::string &path, const std::string &text)
{
  std::ofstream file (path, std::ios::binary);
  ensure (bool (file << text << std::flush), path + " cannot be written");
}

GtkWidget *
make_toggle (const char *icon, const std::string &tip)
{
  return filled (gtk_toggle_button_new (), make_icon (icon), tip);
}

GtkWidget *
make_text_button (const char *icon, const std::string &text, const std::string &tip, std::function<void ()> clicked)
{
  GtkWidget *content = make_box (GTK_ORIENTATION_HORIZONTAL, 6, {make_icon (icon), gtk_label_new (text.c_str ())});
  GtkWidget *button = filled (gtk_button_new (), content, tip);
  connect<> (button, "clicked", std::move (clicked));
  return button;
}

GtkWidget *
make_menu_button (GtkWidget *content, const std::string &tip, const std::string &name)
{
  return named (filled (gtk_menu_button_new (), content, tip), name);
}

GtkWidget *
make_icon (const char *icon)
{
  return gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);
}

GtkWidget *
make_scroller (GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new (nullptr, nullptr);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scroller), child);
  return scroller;
}

void
add_style (GtkWidget *widget, const char *style)
{
  gtk_style_context_add_class (gtk_widget_get_style_context (widget), style);
}

void
clear (GtkWidget *container)
{
  gtk_container_foreach (
      GTK_CONTAINER (container), [] (GtkWidget *child, gpointer) { gtk_widget_destroy (child); }, nullptr);
}

GtkWidget *
named (GtkWidget *widget, const std::string &name)
{
  gtk_widget_set_name (widget, name.c_str ());
  return widget;
}

GtkWidget *
expanding (GtkWidget *widget)
{
  gtk_widget_set_hexpand (widget, TRUE);
  return widget;
}

GtkWidget *
hidden (GtkWidget *widget)
{
  gtk_widget_show_all (widget);
  gtk_widget_set_no_show_all (widget, TRUE);
  gtk_widget_hide (widget);
  return widget;
}

GtkWidget *
make_name_menu (NameMenu menu)
{
  GtkWidget *button = make_menu_button (gtk_label_new (menu.title.c_str ()), menu.tip, menu.id);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  const auto state = std::make_shared<Popover> (
      Popover{std::move (menu), gtk_popover_new (button), make_box (GTK_ORIENTATION_VERTICAL, 0), gtk_entry_new ()});
  gtk_entry_set_placeholder_text (GTK_ENTRY (state->entry), state->menu.prompt.c_str ());
  named (expanding (state->entry), state->menu.id + "-name");
  GtkWidget *keep = named (gtk_button_new_with_label ("Save"), state->menu.id + "-save");
  connect<> (state->entry, "activate", [state] { save (state); });
  connect<> (keep, "clicked", [state] { save (state); });
  GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 6,
      {state->list, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL),
          make_box (GTK_ORIENTATION_HORIZONTAL, 6, {state->entry, keep})});
  gtk_container_set_border_width (GTK_CONTAINER (content), 8);
  gtk_container_add (GTK_CONTAINER (state->popover), content);
  gtk_widget_show_all (content);
  connect<> (state->popover, "map", [state] { fill (state); });
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), state->popover);
  return button;
}

}  // namespace studio
