/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GTK from C++: signals to lambdas, and the small widgets that all parts of the window are made of. */
#pragma once

#include "../common/glib.hpp"

#include <gtk/gtk.h>

namespace studio {

/* As connect(), for an event that others may handle as well. */
template <typename Event, typename Handler>
void
connect_event (GtkWidget *widget, const char *signal, Handler handler)
{
  connect<Event> (widget, signal, [handler = std::move (handler)] (Event event) -> gboolean {
    handler (event);
    return FALSE;
  });
}

/* Calls it in the main loop when the property has changed, in whichever thread, as long as the widget lives. */
void watch_property (GtkWidget *widget, GObject *object, const char *property, std::function<void ()> changed);

/* Runs it every so often, as long as it returns true. */
guint every (guint milliseconds, std::function<bool ()> what);
/* Runs it in the main loop, from any thread. */
void later (std::function<void ()> what);

GtkWidget *make_box (GtkOrientation orientation, int spacing, std::initializer_list<GtkWidget *> children = {});
GtkWidget *make_label (const std::string &text, const char *style = nullptr);
/* Shows its whole text, in as many lines as it takes. */
GtkWidget *make_wrapped_label (const std::string &text, const char *style = nullptr);
/* clicked: what the button does. */
GtkWidget *make_button (const char *icon, const std::string &tip, std::function<void ()> clicked = {});
GtkWidget *make_toggle (const char *icon, const std::string &tip);
/* As small as its icon, without a frame. */
GtkWidget *make_small_button (const char *icon, const std::string &tip, std::function<void ()> clicked = {});
/* What a hand chooses to open, or to save under a name; "" for nothing. A path, or a URI where those are asked for. */
std::string choose_file (GtkWindow *window, const char *title, const char *name_to_save = nullptr, bool as_uri = false);
/* Whole files as text. Both throw std::runtime_error. */
std::string read_file (const std::string &path);
void write_file (const std::string &path, const std::string &text);
GtkWidget *make_scroller (GtkWidget *child);
GtkWidget *make_icon (const char *icon);
/* Adds an image beside the text of a button. */
GtkWidget *make_text_button (const char *icon, const std::string &text, const std::string &tip, std::function<void ()> clicked);
GtkWidget *make_menu_button (GtkWidget *content, const std::string &tip, const std::string &name);
void add_style (GtkWidget *widget, const char *style);
void clear (GtkWidget *container);

/* These return the widget: by this name it is found; it takes what place there is from left to right; it is shown only when that
   is asked for. */
GtkWidget *named (GtkWidget *widget, const std::string &name);
GtkWidget *expanding (GtkWidget *widget);
GtkWidget *hidden (GtkWidget *widget);

struct NamedThing {
  std::string name, about;
  bool can_delete = false;
};

/* A menu of named things to choose, to save what there is as another, and to delete. */
struct NameMenu {
  /* On the button, its tooltip, and its widget's name. */
  std::string title, tip, id;
  /* In the entry while it is empty. */
  std::string prompt;
  /* Called whenever the menu opens. */
  std::function<std::vector<NamedThing> ()> list;
  std::function<void (const std::string &)> choose, save, remove;
};

/* A button that opens the menu, which lives as long as it. */
GtkWidget *make_name_menu (NameMenu menu);

}  // namespace studio
