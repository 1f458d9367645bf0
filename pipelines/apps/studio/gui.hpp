/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GTK from C++: signals with lambdas, and the small widgets that all parts of the window use. */
#pragma once

#include "catalog.hpp"

#include <gtk/gtk.h>

namespace studio {

/* Like connect(), for an event that others may handle as well. */
template <typename Event, typename Handler>
void
connect_event (GtkWidget *widget, const char *signal, Handler handler)
{
  connect<Event> (widget, signal, [handler = std::move (handler)] (Event event) -> gboolean {
    handler (event);
    return FALSE;
  });
}

/* Calls a function in the main loop when the property has changed in any thread, as long as the widget lives. */
void watch_property (GtkWidget *widget, GObject *object, const char *property, std::function<void ()> changed);

/* Calls a function at this interval, as long as it returns true. */
guint every (guint milliseconds, std::function<bool ()> what);
/* Calls a function in the main loop; from any thread. */
void later (std::function<void ()> what);

/* Makes a widget from names and values of its properties. */
template <typename... Properties>
GtkWidget *
make (GType type, Properties... properties)
{
  return GTK_WIDGET (g_object_new (type, properties..., nullptr));
}

/* Sets properties, and returns the widget. */
template <typename... Properties>
GtkWidget *
with (GtkWidget *widget, Properties... properties)
{
  g_object_set (widget, properties..., nullptr);
  return widget;
}

GtkWidget *make_box (GtkOrientation orientation, int spacing, std::initializer_list<GtkWidget *> children = {});
GtkWidget *make_label (const std::string &text, const char *style = nullptr);
/* A label that wraps its text to as many lines as necessary. */
GtkWidget *make_wrapped_label (const std::string &text, const char *style = nullptr);
/* clicked: called when the button is clicked. */
GtkWidget *make_button (const char *icon, const std::string &tip, std::function<void ()> clicked = {});
/* As small as its icon, without a frame. */
GtkWidget *make_small_button (const char *icon, const std::string &tip, std::function<void ()> clicked = {});
/* Lets the user choose a file to open, or to save under a name, and calls `chosen` with its path, or with its URI if as_uri is
 * set. */
void choose_file (GtkWindow *window, const char *title, const char *name_to_save, bool as_uri,
    const std::function<void (const std::string &)> &chosen);
/* Asks a question with two answers; returns whether the second one was chosen. */
bool ask (GtkWindow *window, const std::string &question, const char *no, const char *yes);
void copy_to_clipboard (const std::string &text);
/* Reads or writes a whole file as text. Both throw std::runtime_error. */
std::string read_file (const std::string &path);
void write_file (const std::string &path, const std::string &text);
/* A box to choose from; ids are nicks. */
GtkWidget *make_combo (const std::vector<Choice> &choices, std::function<void (const std::string &)> chosen);
/* For content that may be higher than its place. */
GtkWidget *make_scroller (GtkWidget *child);
GtkWidget *make_icon (const char *icon);
/* A button with an image beside its text. */
GtkWidget *make_text_button (const char *icon, const std::string &text, const std::string &tip, std::function<void ()> clicked);
/* Opens at the button; returns the popover. */
GtkWidget *add_popover (GtkWidget *menu_button, GtkWidget *content, int border);
GtkWidget *add_style (GtkWidget *widget, const char *style);
void clear (GtkWidget *container);
void show_text (GtkWidget *label, const std::string &text);
/* Removes a timer unless it has ended. */
void stop_timer (guint &timer);

/* These return the widget: sets the name to find it by; lets it expand horizontally; hides it until it is shown explicitly. */
GtkWidget *named (GtkWidget *widget, const std::string &name);
GtkWidget *expanding (GtkWidget *widget);
GtkWidget *hidden (GtkWidget *widget);

struct Named {
  std::string name, about, text = {};
  /* the user's own, who can delete it */
  bool own = false;
};

/* A menu of named items to choose, with entries to save the current one and to delete. */
struct NameMenu {
  /* Of the button: title, tooltip and widget name. */
  std::string title, tip, id;
  /* Placeholder of the empty entry. */
  std::string prompt;
  /* Called whenever the menu opens. */
  std::function<std::vector<Named> ()> list;
  std::function<void (const std::string &)> choose, save, remove;
};

/* A button that opens the menu; the menu lives as long as the button. */
GtkWidget *make_name_menu (NameMenu menu);

/* The bar above the video that shows complete error messages; long ones can be scrolled, selected and copied. */
class MessageBar {
public:
  MessageBar ()
      : bar (make (GTK_TYPE_INFO_BAR, "show-close-button", TRUE)), heading (named (make_message ("heading"), "message")),
        details (make_message (nullptr)),
        scroller (with (make_scroller (details), "propagate-natural-height", TRUE, "max-content-height", greatest_height))
  {
    retry = gtk_info_bar_add_button (GTK_INFO_BAR (bar), "Try again", GTK_RESPONSE_APPLY);
    GtkWidget *copier = make_small_button ("edit-copy-symbolic", "Copy the message",
        [this] { copy_to_clipboard (text () + "\n" + gtk_label_get_text (GTK_LABEL (details))); });
    GtkContainer *area = GTK_CONTAINER (gtk_info_bar_get_content_area (GTK_INFO_BAR (bar)));
    gtk_container_add (area, expanding (make_box (GTK_ORIENTATION_VERTICAL, 2, {heading, scroller})));
    gtk_container_add (area, copier);
    connect<int> (bar, "response", [this] (int response) {
      hide ();
      if (response == GTK_RESPONSE_APPLY)
        on_retry ();
    });
    hidden (bar);
  }

  GtkWidget *widget () const { return bar; }

  void say (const std::string &said, const std::string &more, GtkMessageType type, bool with_retry)
  {
    show_text (heading, said);
    show_text (details, more);
    gtk_widget_set_visible (scroller, !more.empty ());
    gtk_widget_set_visible (retry, with_retry);
    with (bar, "message-type", type, "visible", TRUE, "revealed", TRUE);
  }

  void hide () { with (bar, "revealed", FALSE, "visible", FALSE); }

  /* "" if nothing is shown. */
  std::string text () const { return gtk_widget_get_visible (bar) ? gtk_label_get_text (GTK_LABEL (heading)) : ""; }
  bool shows_error () const
  {
    return gtk_widget_get_visible (bar) && gtk_info_bar_get_message_type (GTK_INFO_BAR (bar)) == GTK_MESSAGE_ERROR;
  }

  Hook<> on_retry;

private:
  /* fits some lines of a compiler's log; longer logs scroll */
  static constexpr int greatest_height = 150;

  static GtkWidget *make_message (const char *style)
  {
    return with (make_wrapped_label ("", style), "wrap-mode", PANGO_WRAP_WORD_CHAR, "selectable", TRUE, "can-focus", FALSE);
  }

  GtkWidget *bar, *heading, *details, *scroller, *retry;
};

}  // namespace studio
