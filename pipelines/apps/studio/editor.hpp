/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pane for the text of a clprogram's kernel, and for the compiler's messages. */
#pragma once

#include "examples.hpp"
#include "model.hpp"

#ifdef HAVE_GTKSOURCEVIEW
#include <gtksourceview/gtksource.h>
#endif

namespace studio {

class Editor {
public:
  Editor (Model &model, GtkWindow *window) : model (model), window (window)
  {
    hint = with (make_wrapped_label ("", "hint"), "selectable", TRUE, "no-show-all", TRUE);
    output =
        make (GTK_TYPE_TEXT_VIEW, "editable", FALSE, "monospace", TRUE, "left-margin", 8, "top-margin", 4, "visible", TRUE);
    output_box = make (GTK_TYPE_SCROLLED_WINDOW, "child", output, "height-request", 84, "no-show-all", TRUE);
    add_style (output_box, "log");
    pane = hidden (make_box (GTK_ORIENTATION_VERTICAL, 0, {make_toolbar (), make_text (), hint, output_box}));
  }

  GtkWidget *widget () const { return pane; }

  /* Whether the filter runs a kernel of the user's. */
  static bool edits (GstElement *element)
  {
    return element && spec_of (element, "source") && spec_of (element, "location") && spec_of (element, "params");
  }
  /* Shows the filter's text; null shows none. */
  void show (GstElement *element)
  {
    filter = Ref<GstElement> (edits (element) ? element : nullptr);
    gtk_widget_set_visible (pane, bool (filter));
    if (!filter)
      return;
    std::string shown = text_property (element, "source");
    const std::string location = text_property (element, "location");
    if (shown.empty () && g_file_test (location.c_str (), G_FILE_TEST_IS_REGULAR))
      shown = read_file (location);
    silent = true;
#ifdef HAVE_GTKSOURCEVIEW
    gtk_source_buffer_begin_not_undoable_action (GTK_SOURCE_BUFFER (buffer));
#endif
    gtk_text_buffer_set_text (buffer, shown.c_str (), -1);
#ifdef HAVE_GTKSOURCEVIEW
    gtk_source_buffer_end_not_undoable_action (GTK_SOURCE_BUFFER (buffer));
#endif
    silent = false;
    mark (0);
    show_text (status, "");
    gtk_widget_hide (hint);
    gtk_widget_hide (output_box);
  }

  void set_text (const std::string &shown)
  {
    gtk_text_buffer_set_text (buffer, shown.c_str (), -1);
  }

  void apply ()
  {
    stop_timer (timer);
    if (!filter)
      return;
    const std::string wanted = text ();
    if (wanted == text_property (filter.get (), "source") && !model.has_failed ())
      return;
    show_text (status, "building…");
    model.set_text (G_OBJECT (filter.get ()), spec_of (filter.get (), "source"), wanted);
  }

  /* Gives a new filter a kernel. */
  static void prepare (GObject *object)
  {
    if (edits (GST_ELEMENT (object)))
      g_object_set (object, "source", first_example ().text.c_str (), nullptr);
  }

  /* Called when an example has set other properties. */
  Hook<> on_settings;
  /* Takes the message GstClProgramBuild of a filter. */
  void hear (GstElement *element, const GstStructure *build)
  {
    if (!filter || element != filter.get ())
      return;
    gboolean success = FALSE;
    gdouble ms = 0;
    gint line = 0;
    gst_structure_get (build, "success", G_TYPE_BOOLEAN, &success, "build-ms", G_TYPE_DOUBLE, &ms, nullptr);
    gst_structure_get_int (build, "line", &line);
    const std::string message = field_of (build, "message"), advice = field_of (build, "hint"), said = field_of (build, "log");
    const std::string place = line > 0 ? "line " + std::to_string (line) + ": " : "";
    show_text (status, success ? printed ("built in %.0f ms", ms) : place + message);
    gtk_widget_set_tooltip_text (status, message.empty () ? nullptr : message.c_str ());
    GtkStyleContext *style = gtk_widget_get_style_context (status);
    success ? gtk_style_context_remove_class (style, "bad") : gtk_style_context_add_class (style, "bad");
    show_text (hint, advice);
    gtk_widget_set_visible (hint, !advice.empty ());
    mark (success ? 0 : line);
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (output)), said.c_str (), -1);
    gtk_widget_set_visible (output_box, said.find_first_not_of (" \n") != std::string::npos);
  }

  std::string log () const
  {
    return gtk_label_get_text (GTK_LABEL (status));
  }
  /* Undoes or redoes typing if the text has the focus; returns false otherwise. */
  bool undo (bool again)
  {
    if (!gtk_widget_has_focus (view))
      return false;
#ifdef HAVE_GTKSOURCEVIEW
    GtkSourceBuffer *source = GTK_SOURCE_BUFFER (buffer);
    if (again ? gtk_source_buffer_can_redo (source) : gtk_source_buffer_can_undo (source))
      again ? gtk_source_buffer_redo (source) : gtk_source_buffer_undo (source);
#endif
    return true;
  }

private:
  /* how long typing must pause before the text is compiled */
  static constexpr guint rest_ms = 300;
  static constexpr const char *error_tag = "error";

  GtkWidget *make_toolbar ()
  {
    GtkWidget *chosen = make (GTK_TYPE_MENU_BUTTON, "child", gtk_label_new ("Examples"), "tooltip-text",
        "Load the text and settings of an example", "name", "examples", "popup", make_examples ());
    GtkWidget *open = make_button ("document-open-symbolic", "Read the text from a file", [this] {
      choose_file (window, "Open a kernel", nullptr, false, [this] (const std::string &path) { set_text (read_file (path)); });
    });
    GtkWidget *save = make_button ("document-save-symbolic", "Save the text to a file", [this] {
      choose_file (
          window, "Save the kernel", "kernel.cl", false, [this] (const std::string &path) { write_file (path, text ()); });
    });
    GtkWidget *run =
        make_text_button ("media-playback-start-symbolic", "Apply", "Compile and run (Ctrl+Return)", [this] { apply (); });
    status = expanding (make_label ("", "build-status"));
    GtkWidget *bar =
        make_box (GTK_ORIENTATION_HORIZONTAL, 6, {make_label ("Kernel", "heading"), status, chosen, open, save, run});
    gtk_box_set_child_packing (GTK_BOX (bar), status, TRUE, TRUE, 6, GTK_PACK_START);
    return with (bar, "border-width", 6);
  }

  GtkWidget *make_text ()
  {
#ifdef HAVE_GTKSOURCEVIEW
    GtkSourceLanguage *language =
        gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (), "opencl");
    GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
    const auto source = Ref<GtkSourceBuffer>::take (GTK_SOURCE_BUFFER (g_object_new (GTK_SOURCE_TYPE_BUFFER, "language",
        language, "style-scheme", gtk_source_style_scheme_manager_get_scheme (schemes, "oblivion"), nullptr)));
    view = make (GTK_SOURCE_TYPE_VIEW, "buffer", source.get (), "show-line-numbers", TRUE, "auto-indent", TRUE,
        "insert-spaces-instead-of-tabs", TRUE, "tab-width", 2, "highlight-current-line", TRUE);
#else
    view = gtk_text_view_new ();
#endif
    with (view, "monospace", TRUE, "left-margin", 6);
    buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
    gtk_text_buffer_create_tag (buffer, error_tag, "paragraph-background", "#7a1f1f", nullptr);
    connect<> (buffer, "changed", [this] { changed (); });
    connect<GdkEventKey *> (view, "key-press-event", [this] (GdkEventKey *event) -> gboolean {
      const bool wanted =
          (event->state & GDK_CONTROL_MASK) && (event->keyval == GDK_KEY_Return || event->keyval == GDK_KEY_KP_Enter);
      if (wanted)
        apply ();
      return wanted;
    });
    return make (GTK_TYPE_SCROLLED_WINDOW, "child", view, "height-request", 110, "vexpand", TRUE);
  }

  GtkWidget *make_examples ()
  {
    GtkWidget *menu = gtk_menu_new ();
    for (const Example &example : examples ()) {
      GtkWidget *item = gtk_menu_item_new_with_label (example.name.c_str ());
      gtk_widget_set_tooltip_text (item, example.about.c_str ());
      connect<> (item, "activate", [this, example] { load (example); });
      gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
    }
    gtk_widget_show_all (menu);
    return menu;
  }

  void load (const Example &example)
  {
    if (!filter)
      return;
    model.about_to_change (filter.get (), "source");
    g_object_set (filter.get (), "params", nullptr, "kernel", "", "defines", "", "history", 0, nullptr);
    const auto set = [&] (bool of_child) {
      for (const auto &[name, value] : example.settings)
        if (const auto [object, spec] = find_property (filter.get (), name);
            spec && (object.get () != G_OBJECT (filter.get ())) == of_child) {
          Value parsed (spec->value_type);
          parse (parsed, spec, value);
          g_object_set_property (object.get (), spec->name, parsed.get ());
        }
    };
    set (false);
    set_text (example.text);
    apply ();
    set (true); /* the text declares them */
    on_settings ();
  }

  std::string text () const
  {
    GtkTextIter begin, end;
    gtk_text_buffer_get_bounds (buffer, &begin, &end);
    return text_of (gtk_text_buffer_get_text (buffer, &begin, &end, FALSE));
  }

  void changed ()
  {
    if (silent)
      return;
    stop_timer (timer);
    timer = every (rest_ms, [this] {
      timer = 0;
      apply ();
      return false;
    });
  }

  void mark (int line)
  {
    GtkTextIter begin, end;
    gtk_text_buffer_get_bounds (buffer, &begin, &end);
    gtk_text_buffer_remove_tag_by_name (buffer, error_tag, &begin, &end);
    if (line <= 0)
      return;
    gtk_text_buffer_get_iter_at_line (buffer, &begin, line - 1);
    end = begin;
    if (!gtk_text_iter_forward_line (&end))
      gtk_text_buffer_get_end_iter (buffer, &end);
    gtk_text_buffer_apply_tag_by_name (buffer, error_tag, &begin, &end);
    gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (view), &begin, 0.1, FALSE, 0, 0);
  }

  Model &model;
  GtkWindow *window;
  Ref<GstElement> filter;
  GtkTextBuffer *buffer = nullptr;
  GtkWidget *pane, *view, *status, *hint, *output, *output_box;
  guint timer = 0;
  bool silent = false;
};

}  // namespace studio
