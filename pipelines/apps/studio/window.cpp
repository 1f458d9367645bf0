/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window.hpp"

#include <algorithm>

namespace studio {

namespace {

constexpr const char *style = R"(
.screen { background: #101214; }
.panel { padding: 10px 12px 14px 12px; }
.heading { font-weight: bold; }
.property { font-size: 0.93em; }
.filter-row { padding: 5px 6px 5px 10px; }
.cost { font-size: 0.86em; font-feature-settings: "tnum"; color: alpha(currentColor, 0.65); }
.small { min-height: 22px; min-width: 22px; padding: 1px; }
spinbutton.compact { min-height: 26px; }
spinbutton.compact button { min-width: 16px; padding: 0 2px; border-left: none; }
spinbutton.compact entry { padding-left: 6px; padding-right: 2px; min-width: 0; }
.menu-name { font-weight: bold; }
.menu-about { font-size: 0.9em; }
.statusbar { font-size: 0.9em; padding: 4px 10px; border-top: 1px solid alpha(currentColor, 0.15); }
.line { font-family: monospace; color: alpha(currentColor, 0.7); }
.side { border-left: 1px solid alpha(currentColor, 0.15); }
.build-status { font-size: 0.92em; color: #8ae234; }
.build-status.bad { color: #ff8b7b; }
.hint { background: alpha(#edd400, 0.14); padding: 5px 10px; }
.log, .log text { font-size: 0.9em; }
.log { border-top: 1px solid alpha(currentColor, 0.15); }
)";

GtkWidget *
new_window (GtkApplication *application)
{
  const Ref<GtkCssProvider> provider = Ref<GtkCssProvider>::take (gtk_css_provider_new ());
  gtk_css_provider_load_from_data (provider.get (), style, -1, nullptr);
  gtk_style_context_add_provider_for_screen (
      gdk_screen_get_default (), GTK_STYLE_PROVIDER (provider.get ()), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_set (gtk_settings_get_default (), "gtk-application-prefer-dark-theme", TRUE, nullptr);
  /* 1280x800 together with GTK's frame and title */
  return make (GTK_TYPE_APPLICATION_WINDOW, "application", application, "title", "OpenCL studio", "default-width", 1270,
      "default-height", 744);
}

struct Search {
  const std::string &name;
  GtkWidget *found = nullptr;
};

/* A GtkCallback for the widget and everything in it. Menu items are found by their text. */
void
look_at (GtkWidget *widget, gpointer search)
{
  auto *wanted = static_cast<Search *> (search);
  const bool is_item = GTK_IS_MODEL_BUTTON (widget);
  const std::string name = is_item ? text_property (widget, "text") : gtk_widget_get_name (widget);
  if (wanted->name == name && gtk_widget_get_mapped (widget))
    wanted->found = widget;
  if (GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), look_at, search);
}

}  // namespace

Window::Window (GtkApplication *application)
    : application (application), window (new_window (application)), pipeline (video.sink ()), history (pipeline),
      list (pipeline, build_chains ()), panel (pipeline), editor (pipeline, GTK_WINDOW (window)),
      source (pipeline, GTK_WINDOW (window)), exports (pipeline, GTK_WINDOW (window)), scopes (pipeline)
{
  video.attach (pipeline);
  complain = [this] (const std::string &text) { say (text, ""); };
  build ();
  add_actions ();
  listen ();
  pipeline.set_profiling (true);
  connect<GdkEvent *> (window, "delete-event", [this] (GdkEvent *) -> gboolean {
    return exports.is_running ()
           && !ask (get (), "A video is being exported. Cancel the export and quit?", "_Go on exporting", "_Quit");
  });
  connect<> (window, "destroy", [this] { silence (); });
  /* the window manager may leave full screen by itself, and so does Escape */
  connect_event<GdkEventWindowState *> (window, "window-state-event", [this] (GdkEventWindowState *event) {
    if ((event->changed_mask & GDK_WINDOW_STATE_FULLSCREEN) && !(event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN))
      set_full_screen (false);
  });
  connect<GdkEventKey *> (window, "key-press-event", [this] (GdkEventKey *event) -> gboolean {
    if (event->keyval != GDK_KEY_Escape || (!full_screen && !video.region ().is_drawing ()))
      return FALSE;
    if (full_screen) {
      set_full_screen (false);
    } else {
      video.region ().clear ();
      video.redraw ();
    }
    return TRUE;
  });
  timer = every (400, [this] { return tick (); });
  gtk_widget_show_all (window);
  update ();
}

/* Disconnects callbacks, because their widgets are destroyed. */
void
Window::silence ()
{
  stop_timer (timer);
  complain = [] (const std::string &text) { g_warning ("%s", text.c_str ()); };
  history.on_change = nullptr;
  exports.abandon ();
  pipeline.on_problem = nullptr;
  pipeline.on_state = nullptr;
  pipeline.on_message = nullptr;
  pipeline.on_end = nullptr;
}

void
Window::listen ()
{
  pipeline.on_problem = [this] (const Problem &problem) {
    /* the editor shows its own compiler's messages */
    if (!problem.fatal && problem.source == list.selected () && Editor::edits (list.selected ()))
      return;
    say (problem.text, problem.details, problem.fatal ? GTK_MESSAGE_ERROR : GTK_MESSAGE_WARNING);
  };
  pipeline.on_state = [this] { update (); };
  pipeline.on_end = [this] {
    pipeline.pause ();
    update ();
  };
  pipeline.on_message = [this] (GstElement *element, const GstStructure *fields) {
    if (gst_structure_has_name (fields, "GstClProgramBuild"))
      editor.hear (element, fields);
  };
  list.prepare = Editor::prepare;
  list.on_select = [this] (GstElement *filter) {
    panel.show (filter);
    editor.show (filter);
    video.region ().show (filter);
    video.redraw ();
    update ();
  };
  editor.on_settings = [this] { panel.show (list.selected ()); };
  source.on_change = [this] {
    messages.hide ();
    update ();
  };
  video.on_split = [this] { update (); };
  video.on_double_click = [this] { set_full_screen (!full_screen); };
  video.zoom ().on_change = [this] { show_zoom (); };
  messages.on_retry = [this] { pipeline.restart (); };
  exports.say = [this] (
                    const std::string &text, const std::string &details, GtkMessageType type) { say (text, details, type); };
  exports.on_start = [this] { messages.hide (); };
  history.on_change = [this] (bool restored) {
    /* the change that causes this call has not happened yet */
    later ([this, restored] {
      if (!timer) /* the window is destroyed */
        return;
      if (restored)
        list.rebuild (list.selected_index ());
      update ();
    });
  };
}

/* Also searches dialogs and menus, which are separate windows. */
std::optional<GdkRectangle>
place_of (const std::string &name)
{
  Search search{name};
  const std::unique_ptr<GList, Releases<g_list_free>> windows (gtk_window_list_toplevels ());
  for (const GList *i = windows.get (); i; i = i->next)
    look_at (GTK_WIDGET (i->data), &search);
  if (!search.found)
    return {};
  GtkWidget *top = gtk_widget_get_toplevel (search.found);
  GdkRectangle place{0, 0, gtk_widget_get_allocated_width (search.found), gtk_widget_get_allocated_height (search.found)};
  gtk_widget_translate_coordinates (search.found, top, 0, 0, &place.x, &place.y);
  int x = 0, y = 0;
  gdk_window_get_origin (gtk_widget_get_window (top), &x, &y);
  return GdkRectangle{x + place.x, y + place.y, place.width, place.height};
}

void
Window::say (const std::string &text, const std::string &details, GtkMessageType type)
{
  messages.say (text, details, type, type == GTK_MESSAGE_ERROR && pipeline.has_failed ());
}

void
Window::update ()
{
  source.update ();
  const bool playing = pipeline.is_playing () && !pipeline.has_failed ();
  with (play_image, "icon-name", playing ? "media-playback-pause-symbolic" : "media-playback-start-symbolic");
  gtk_widget_set_sensitive (undo_button, history.can_undo ());
  gtk_widget_set_sensitive (redo_button, history.can_redo ());
  for (const auto &[action, is_on] : toggles)
    g_simple_action_set_state (action, g_variant_new_boolean (is_on ()));
  gtk_widget_set_visible (transport, pipeline.source ().kind == Source::Kind::file && !full_screen);
  show_line ();
  /* the cause of the error may have been removed */
  if (!pipeline.has_failed () && messages.shows_error () && failing)
    messages.hide ();
  failing = pipeline.has_failed ();
}

/* Shortens a kernel's text, which has many lines. */
void
Window::show_line ()
{
  std::string line = launch_line (pipeline.words ());
  std::ranges::replace (line, '\n', ' ');
  if (line != gtk_label_get_text (GTK_LABEL (line_label)))
    show_text (line_label, line);
}

bool
Window::tick ()
{
  const gint64 now = g_get_monotonic_time ();
  const guint64 frames = pipeline.split ().frames ();
  const double rate = last_time ? 1e6 * double (frames - last_frames) / double (now - last_time) : 0;
  last_time = now;
  last_frames = frames;
  const auto [milliseconds, device] = list.update_costs ();
  const auto [width, height] = pipeline.split ().size ();
  show_text (rate_label, printed ("%.1f frames/s   %d×%d   kernels %.2f ms", rate, width, height, milliseconds));
  with (device_label, "label", device.c_str (), "tooltip-text", device.c_str ());
  panel.refresh ();
  video.refresh ();
  show_zoom ();
  const std::optional<gint64> position = pipeline.position (), duration = pipeline.duration ();
  if (position && duration) {
    silent = true;
    gtk_range_set_range (GTK_RANGE (seeker), 0, double (*duration));
    gtk_range_set_value (GTK_RANGE (seeker), double (*position));
    const auto clock = [] (gint64 ns) { return printed ("%d:%02d", int (ns / GST_SECOND / 60), int (ns / GST_SECOND % 60)); };
    show_text (time, clock (*position) + " / " + clock (*duration));
    silent = false;
  }
  show_line ();
  return true;
}

}  // namespace studio
