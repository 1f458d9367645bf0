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

using MenuRef = std::shared_ptr<const NameMenu>;

GtkWidget *
make_row (const MenuRef &menu, GtkWidget *popover, const Named &thing)
{
  GtkWidget *text = make_box (GTK_ORIENTATION_VERTICAL, 1, {make_label (thing.name, "menu-name")});
  if (!thing.about.empty ())
    gtk_container_add (
        GTK_CONTAINER (text), with (add_style (make_label (thing.about, "dim-label"), "menu-about"), "max-width-chars", 44));
  GtkWidget *button = expanding (make (GTK_TYPE_BUTTON, "child", text, "relief", GTK_RELIEF_NONE));
  named (button, menu->id + "-" + thing.name);
  connect<> (button, "clicked", [menu, popover, name = thing.name] {
    gtk_popover_popdown (GTK_POPOVER (popover));
    /* the callback may destroy the button */
    later ([menu, name] { menu->choose (name); });
  });
  GtkWidget *row = make_box (GTK_ORIENTATION_HORIZONTAL, 4, {button});
  if (thing.own) {
    GtkWidget *away = make_small_button ("edit-delete-symbolic", "Delete " + thing.name, [menu, row, name = thing.name] {
      menu->remove (name);
      gtk_widget_hide (row);
    });
    gtk_container_add (GTK_CONTAINER (row), named (away, menu->id + "-delete-" + thing.name));
  }
  return row;
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
  GtkWidget *label = make (GTK_TYPE_LABEL, "label", text.c_str (), "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END);
  return style ? add_style (label, style) : label;
}

GtkWidget *
make_wrapped_label (const std::string &text, const char *style)
{
  return with (make_label (text, style), "wrap", TRUE, "ellipsize", PANGO_ELLIPSIZE_NONE);
}

GtkWidget *
make_button (const char *icon, const std::string &tip, std::function<void ()> clicked)
{
  GtkWidget *button = make (GTK_TYPE_BUTTON, "image", make_icon (icon), "tooltip-text", tip.c_str ());
  if (clicked)
    connect<> (button, "clicked", std::move (clicked));
  return button;
}

GtkWidget *
make_small_button (const char *icon, const std::string &tip, std::function<void ()> clicked)
{
  return with (
      add_style (make_button (icon, tip, std::move (clicked)), "small"), "relief", GTK_RELIEF_NONE, "valign", GTK_ALIGN_CENTER);
}

void
choose_file (GtkWindow *window, const char *title, const char *name_to_save, bool as_uri,
    const std::function<void (const std::string &)> &chosen)
{
  const auto action = name_to_save ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN;
  const auto dialog = Ref<GtkFileChooserNative>::take (
      gtk_file_chooser_native_new (title, window, action, name_to_save ? "_Save" : "_Open", "_Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (dialog.get ());
  if (name_to_save) {
    gtk_file_chooser_set_current_name (chooser, name_to_save);
    gtk_file_chooser_set_do_overwrite_confirmation (chooser, TRUE);
  }
  if (gtk_native_dialog_run (GTK_NATIVE_DIALOG (dialog.get ())) == GTK_RESPONSE_ACCEPT)
    chosen (text_of (as_uri ? gtk_file_chooser_get_uri (chooser) : gtk_file_chooser_get_filename (chooser)));
}

bool
ask (GtkWindow *window, const std::string &question, const char *no, const char *yes)
{
  GtkWidget *dialog =
      gtk_message_dialog_new (window, GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", question.c_str ());
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), no, GTK_RESPONSE_CANCEL, yes, GTK_RESPONSE_ACCEPT, nullptr);
  const int answer = gtk_dialog_run (GTK_DIALOG (dialog));
  gtk_widget_destroy (dialog);
  return answer == GTK_RESPONSE_ACCEPT;
}

void
copy_to_clipboard (const std::string &text)
{
  gtk_clipboard_set_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD), text.c_str (), -1);
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
make_text_button (const char *icon, const std::string &text, const std::string &tip, std::function<void ()> clicked)
{
  GtkWidget *content = make_box (GTK_ORIENTATION_HORIZONTAL, 6, {make_icon (icon), gtk_label_new (text.c_str ())});
  GtkWidget *button = make (GTK_TYPE_BUTTON, "child", content, "tooltip-text", tip.c_str ());
  connect<> (button, "clicked", std::move (clicked));
  return button;
}

GtkWidget *
make_combo (const std::vector<Choice> &choices, std::function<void (const std::string &)> chosen)
{
  GtkWidget *combo = expanding (gtk_combo_box_text_new ());
  for (const auto &[nick, title] : choices)
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), nick.c_str (), title.c_str ());
  connect<> (combo, "changed", [combo, chosen = std::move (chosen)] {
    if (const char *nick = gtk_combo_box_get_active_id (GTK_COMBO_BOX (combo)); nick && chosen)
      chosen (nick);
  });
  return combo;
}

GtkWidget *
make_icon (const char *icon)
{
  return gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);
}

GtkWidget *
make_scroller (GtkWidget *child)
{
  return make (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER, "child", child);
}

GtkWidget *
add_popover (GtkWidget *menu_button, GtkWidget *content, int border)
{
  GtkWidget *popover = gtk_popover_new (menu_button);
  gtk_container_add (GTK_CONTAINER (popover), with (content, "border-width", border));
  gtk_widget_show_all (content);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (menu_button), popover);
  return popover;
}

GtkWidget *
add_style (GtkWidget *widget, const char *style)
{
  gtk_style_context_add_class (gtk_widget_get_style_context (widget), style);
  return widget;
}

void
clear (GtkWidget *container)
{
  gtk_container_foreach (
      GTK_CONTAINER (container), [] (GtkWidget *child, gpointer) { gtk_widget_destroy (child); }, nullptr);
}

void
show_text (GtkWidget *label, const std::string &text)
{
  gtk_label_set_text (GTK_LABEL (label), text.c_str ());
}

void
stop_timer (guint &timer)
{
  if (timer)
    g_source_remove (std::exchange (timer, 0u));
}

GtkWidget *
named (GtkWidget *widget, const std::string &name)
{
  return with (widget, "name", name.c_str ());
}

GtkWidget *
expanding (GtkWidget *widget)
{
  return with (widget, "hexpand", TRUE);
}

GtkWidget *
hidden (GtkWidget *widget)
{
  gtk_widget_show_all (widget);
  return with (widget, "no-show-all", TRUE, "visible", FALSE);
}

GtkWidget *
make_name_menu (NameMenu made)
{
  const auto menu = std::make_shared<const NameMenu> (std::move (made));
  GtkWidget *button = make (GTK_TYPE_MENU_BUTTON, "child", gtk_label_new (menu->title.c_str ()), "tooltip-text",
      menu->tip.c_str (), "name", menu->id.c_str (), "valign", GTK_ALIGN_CENTER);
  GtkWidget *list = make_box (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *entry = make (GTK_TYPE_ENTRY, "placeholder-text", menu->prompt.c_str (), "hexpand", TRUE);
  GtkWidget *saver = named (gtk_button_new_with_label ("Save"), menu->id + "-save");
  GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 6,
      {list, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL),
          make_box (GTK_ORIENTATION_HORIZONTAL, 6, {named (entry, menu->id + "-name"), saver})});
  GtkWidget *popover = add_popover (button, content, 8);
  const auto save = [menu, popover, entry] {
    const std::string name = gtk_entry_get_text (GTK_ENTRY (entry));
    if (name.empty ())
      return;
    gtk_popover_popdown (GTK_POPOVER (popover));
    menu->save (name);
  };
  connect<> (entry, "activate", save);
  connect<> (saver, "clicked", save);
  connect<> (popover, "map", [menu, popover, list, entry] {
    clear (list);
    for (const Named &thing : menu->list ())
      gtk_container_add (GTK_CONTAINER (list), make_row (menu, popover, thing));
    gtk_entry_set_text (GTK_ENTRY (entry), "");
    gtk_widget_show_all (list);
  });
  return button;
}

}  // namespace studio
