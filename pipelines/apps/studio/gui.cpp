/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gui.hpp"

#include <memory>

namespace studio {

std::function<void (const std::string &)> complain = [] (const std::string &text) { g_warning ("%s", text.c_str ()); };

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
  /* the widget tells whether it is still there */
  const auto alive = std::make_shared<bool> (true);
  connect<> (widget, "destroy", [alive] { *alive = false; });
  const std::string signal = std::string ("notify::") + property;
  connect_while<GParamSpec *> (widget, object, signal.c_str (), [alive, changed] (GParamSpec *) {
    if (g_main_context_is_owner (nullptr))
      changed ();
    else
      later ([alive, changed] {
        if (*alive)
          changed ();
      });
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
make_button (const char *icon, const std::string &tip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);
  gtk_widget_set_tooltip_text (button, tip.c_str ());
  return button;
}

GtkWidget *
make_small_button (const char *icon, const std::string &tip)
{
  GtkWidget *button = make_button (icon, tip);
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

GtkWidget *
make_toggle (const char *icon, const std::string &tip)
{
  GtkWidget *button = gtk_toggle_button_new ();
  gtk_container_add (GTK_CONTAINER (button), gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON));
  gtk_widget_set_tooltip_text (button, tip.c_str ());
  return button;
}

GtkWidget *
make_text_button (const char *icon, const std::string &text, const std::string &tip)
{
  GtkWidget *button = gtk_button_new ();
  gtk_container_add (
      GTK_CONTAINER (button), make_box (GTK_ORIENTATION_HORIZONTAL, 6,
                                  {gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON), gtk_label_new (text.c_str ())}));
  gtk_widget_set_tooltip_text (button, tip.c_str ());
  return button;
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

}  // namespace studio
