/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GTK from C++: signals to lambdas, and the small widgets that all parts of the window are made of. */
#pragma once

#include "../common/glib.hpp"

#include <functional>
#include <gtk/gtk.h>
#include <string>
#include <type_traits>

namespace studio {

/* What failed in a handler; the window shows it. */
extern std::function<void (const std::string &)> complain;

/* Connects a lambda that is called with the signal's arguments, of the types given, and is freed with the connection.
   Exceptions end there: a signal comes from C. */
template <typename... Arguments, typename Handler>
gulong
connect (gpointer object, const char *signal, Handler handler)
{
  using Result = std::invoke_result_t<Handler, Arguments...>;
  const auto call = +[] (gpointer, Arguments... arguments, gpointer data) -> Result {
    try {
      return (*static_cast<Handler *> (data)) (arguments...);
    } catch (const std::exception &error) {
      complain (error.what ());
    }
    return Result ();
  };
  const auto destroy = [] (gpointer data, GClosure *) { delete static_cast<Handler *> (data); };
  return g_signal_connect_data (
      object, signal, G_CALLBACK (call), new Handler (std::move (handler)), destroy, GConnectFlags (0));
}

/* The same for an object that may outlive the widget, as long as the widget lives. */
template <typename... Arguments, typename Handler>
void
connect_while (GtkWidget *widget, gpointer object, const char *signal, Handler handler)
{
  const gulong id = connect<Arguments...> (object, signal, std::move (handler));
  connect<> (
      widget, "destroy", [kept = Ref<GObject> (G_OBJECT (object)), id] { g_signal_handler_disconnect (kept.get (), id); });
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
GtkWidget *make_button (const char *icon, const std::string &tip);
GtkWidget *make_toggle (const char *icon, const std::string &tip);
/* As small as its icon, without a frame. */
GtkWidget *make_small_button (const char *icon, const std::string &tip);
/* What a hand chooses to open, or to save under a name; "" for nothing. A path, or a URI where those are asked for. */
std::string choose_file (GtkWindow *window, const char *title, const char *name_to_save = nullptr, bool as_uri = false);
GtkWidget *make_scroller (GtkWidget *child);
void add_style (GtkWidget *widget, const char *style);
void clear (GtkWidget *container);
/* Adds an image beside the text of a button. */
GtkWidget *make_text_button (const char *icon, const std::string &text, const std::string &tip);

}  // namespace studio
