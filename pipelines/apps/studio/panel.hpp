/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controls for the properties of one filter. */
#pragma once

#include "editor.hpp"
#include "gui.hpp"
#include "model.hpp"

#include <cstring>

namespace studio {

/* Makes a widget for a property from its GParamSpec. The widget follows changes of the property, and calls `set` with a value of the spec's type. Null if no widget supports the
 * type. */
GtkWidget *make_control (GObject *object, GParamSpec *spec, std::function<void (const GValue *)> set);

class Panel {
public:
  explicit Panel (Model &model) : model (model)
  {
    content = add_style (make_box (GTK_ORIENTATION_VERTICAL, 6), "panel");
    scroller = with (make_scroller (content), "vexpand", TRUE);
    show_nothing ();
  }

  GtkWidget *widget () const { return scroller; }
  /* Null shows a hint for beginners. */
  void show (GstElement *filter)
  {
    clear (content);
    shown = Ref<GstElement> (filter);
    shown_child = child_type (filter);
    if (!filter) {
      show_nothing ();
      return;
    }
    GstElementFactory *factory = gst_element_get_factory (filter);
    GtkWidget *about =
        make_wrapped_label (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_DESCRIPTION), "dim-label");
    GtkWidget *heading = expanding (make_label (GST_OBJECT_NAME (factory), "heading"));
    gtk_container_add (GTK_CONTAINER (content), make_box (GTK_ORIENTATION_HORIZONTAL, 6, {heading, make_presets (filter)}));
    gtk_container_add (GTK_CONTAINER (content), about);
    /* the kernel's own arguments come first */
    if (Editor::edits (filter))
      add_children (filter);
    gtk_container_add (GTK_CONTAINER (content), rows (G_OBJECT (filter), properties_of (G_OBJECT (filter), Group::own)));
    if (!Editor::edits (filter))
      add_children (filter);
    GtkWidget *grid = rows (G_OBJECT (filter), properties_of (G_OBJECT (filter), Group::common));
    GtkWidget *common = make (GTK_TYPE_EXPANDER, "label", "Region, planes, mix and more", "expanded", gboolean (common_open),
        "child", with (grid, "margin-top", 6));
    connect<GParamSpec *> (common, "notify::expanded",
        [this, common] (GParamSpec *) { common_open = gtk_expander_get_expanded (GTK_EXPANDER (common)); });
    gtk_container_add (GTK_CONTAINER (content), common);
    gtk_widget_show_all (content);
  }

  /* Call this when the filter's children have changed, for example a kernel's arguments. */
  void refresh ()
  {
    if (shown && child_type (shown.get ()) != shown_child)
      show (Ref<GstElement> (shown).get ());
  }

private:
  static constexpr int name_width = 96;

  static GtkWidget *make_reset (GObject *object, GParamSpec *spec, const std::function<void (const GValue *)> &set)
  {
    const std::string tip = std::string ("Set ") + spec->name + " to its default";
    GtkWidget *button = make_small_button ("edit-undo-symbolic", tip, [set, object, spec] {
      Value value (spec->value_type);
      usual_value (value, object, spec);
      set (value.get ());
    });
    const auto update = [button, object, spec] {
      const bool usual = is_default (object, spec);
      with (button, "sensitive", gboolean (!usual), "opacity", usual ? 0.0 : 1.0);
    };
    update ();
    watch_property (button, object, spec->name, update);
    return button;
  }

  static GType child_type (GstElement *filter)
  {
    const std::vector<Ref<GObject>> children = children_of (filter);
    return children.size () == 1 ? G_OBJECT_TYPE (children[0].get ()) : G_TYPE_NONE;
  }

  void show_nothing ()
  {
    GtkWidget *hint = with (make_label ("Add a filter, and its properties appear here.", "dim-label"), "wrap", TRUE, "xalign",
        0.5, "margin-top", 40);
    gtk_container_add (GTK_CONTAINER (content), hint);
    gtk_widget_show_all (content);
  }

  GtkWidget *rows (GObject *object, const std::vector<GParamSpec *> &specs)
  {
    GtkWidget *grid = make (GTK_TYPE_GRID, "row-spacing", 6, "column-spacing", 8);
    for (int row = 0; GParamSpec * spec : specs) {
      /* the editor shows a kernel's text */
      if (std::strcmp (spec->name, "source") == 0 && spec_of (object, "location"))
        continue;
      const auto set = [this, object, spec] (const GValue *value) { model.set_value (object, spec, value); };
      GtkWidget *control = make_control (object, spec, set);
      if (!control)
        continue;
      const char *blurb = g_param_spec_get_blurb (spec);
      const std::string tip = blurb ? blurb : spec->name, title = std::string (spec->name) + ": " + tip;
      GtkWidget *name = with (
          make_label (g_param_spec_get_nick (spec), "property"), "width-request", name_width, "tooltip-text", title.c_str ());
      gtk_widget_set_tooltip_text (control, tip.c_str ());
      gtk_grid_attach (GTK_GRID (grid), name, 0, row, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), expanding (control), 1, row, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), make_reset (object, spec, set), 2, row++, 1, 1);
    }
    return grid;
  }

  GtkWidget *make_presets (GstElement *filter)
  {
    const Ref<GstElement> kept (filter);
    const auto list = [kept] {
      std::vector<Named> things;
      for (const std::string &name : presets_of (kept.get ()))
        things.push_back ({.name = name, .about = "", .own = true});
      return things;
    };
    const auto choose = [this, kept] (const std::string &name) {
      model.load_preset (kept.get (), name);
      show (kept.get ());
    };
    return make_name_menu ({.title = "Presets",
        .tip = "Load the settings of this filter by name, or save them; every GStreamer program sees them",
        .id = "presets",
        .prompt = "Name for these settings",
        .list = list,
        .choose = choose,
        .save = [kept] (const std::string &name) { change_preset (kept.get (), name, gst_preset_save_preset, "saved"); },
        .remove = [kept] (
                      const std::string &name) { change_preset (kept.get (), name, gst_preset_delete_preset, "deleted"); }});
  }

  /* Adds controls for objects inside the filter, such as a program's parameters. */
  void add_children (GstElement *filter)
  {
    for (const Ref<GObject> &child : children_of (filter)) {
      const std::vector<GParamSpec *> specs = properties_of (child.get (), Group::own);
      if (specs.empty ())
        continue;
      const bool arguments = Editor::edits (filter);
      const char *title = GST_IS_OBJECT (child.get ()) ? GST_OBJECT_NAME (child.get ()) : "child";
      gtk_container_add (GTK_CONTAINER (content), make_label (arguments ? "Arguments of the kernel" : title, "heading"));
      GtkWidget *grid = rows (child.get (), specs);
      g_object_set_data_full (G_OBJECT (grid), "child", g_object_ref (child.get ()), g_object_unref);
      gtk_container_add (GTK_CONTAINER (content), grid);
    }
  }

  Model &model;
  Ref<GstElement> shown;
  GtkWidget *scroller, *content;
  GType shown_child = G_TYPE_NONE;
  bool common_open = false;
};

}  // namespace studio
