/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of filters: which are on, their order, and their costs. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace studio {

class FilterList {
public:
  /* chains: a button beside the one that adds filters. */
  FilterList (Model &model, GtkWidget *chains) : model (model)
  {
    GtkWidget *title = expanding (make_label ("Filters", "heading"));
    up = make_button ("go-up-symbolic", "Move the filter up: frames pass it earlier",
        [this] { move (*selected_index (), *selected_index () - 1); });
    down = make_button ("go-down-symbolic", "Move the filter down: frames pass it later",
        [this] { move (*selected_index (), *selected_index () + 1); });
    GtkWidget *add_content = make_box (GTK_ORIENTATION_HORIZONTAL, 6, {make_icon ("list-add-symbolic"), gtk_label_new ("Add")});
    GtkWidget *add = make (GTK_TYPE_MENU_BUTTON, "child", add_content, "tooltip-text", "Add a filter", "name", "add");
    build_menu (add);
    GtkWidget *moves = add_style (make_box (GTK_ORIENTATION_HORIZONTAL, 0, {up, down}), "linked");
    GtkWidget *top = with (make_box (GTK_ORIENTATION_HORIZONTAL, 6, {title, moves, chains, add}), "border-width", 8);

    list = named (gtk_list_box_new (), "filters");
    gtk_list_box_set_placeholder (GTK_LIST_BOX (list), with (make_label ("No filters yet", "dim-label"), "xalign", 0.5,
                                                           "margin-top", 16, "margin-bottom", 16, "visible", TRUE));
    connect<GtkListBoxRow *> (list, "row-selected", [this] (GtkListBoxRow *) {
      const std::optional<size_t> index = selected_index ();
      gtk_widget_set_sensitive (up, index && *index > 0);
      gtk_widget_set_sensitive (down, index && *index + 1 < rows.size ());
      on_select (selected ());
    });
    GtkWidget *scroller = with (make_scroller (list), "propagate-natural-height", TRUE, "max-content-height", 230);
    box = make_box (GTK_ORIENTATION_VERTICAL, 0, {top, scroller});
    gtk_widget_set_sensitive (up, FALSE);
    gtk_widget_set_sensitive (down, FALSE);
  }

  GtkWidget *widget () const { return box; }

  /* Called with the selected filter, or null. */
  Hook<GstElement *> on_select;
  /* Called with a filter before its first frame. */
  Hook<GObject *> prepare;

  void add (const std::string &kind)
  {
    const std::optional<size_t> behind = selected_index ();
    rebuild (model.add (kind, behind ? *behind + 1 : model.filters ().size (), prepare));
  }

  void remove (size_t index)
  {
    model.remove (index);
    const size_t left = model.filters ().size ();
    rebuild (left ? std::optional (std::min (index, left - 1)) : std::nullopt);
  }

  void move (size_t from, size_t to)
  {
    if (from == to || to >= rows.size ())
      return;
    model.move (from, to);
    rebuild (to);
  }

  void select (size_t index)
  {
    gtk_list_box_select_row (GTK_LIST_BOX (list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), int (index)));
  }
  void set_on (size_t index, bool on) { gtk_switch_set_active (GTK_SWITCH (rows.at (index).switcher), on); }
  /* Shows the model's filters after a change elsewhere. */
  void rebuild (std::optional<size_t> selected)
  {
    rows.clear ();
    clear (list);
    for (size_t i = 0; i < model.filters ().size (); i++)
      add_row (i);
    gtk_widget_show_all (list);
    if (selected && !rows.empty ())
      select (std::min (*selected, rows.size () - 1));
    else
      on_select (nullptr);
  }

  /* Shows the costs; returns those of all filters that are on. */
  Costs update_costs ()
  {
    Costs all;
    for (size_t i = 0; i < rows.size (); i++) {
      const auto [milliseconds, device] = model.filters ()[i].on ? model.costs (i) : Costs{};
      show_text (rows[i].cost, milliseconds > 0 ? printed ("%.*f ms", milliseconds < 10 ? 2 : 1, milliseconds) : "");
      all.milliseconds += milliseconds;
      if (!device.empty ())
        all.device = device;
    }
    return all;
  }

  GstElement *selected () const
  {
    const std::optional<size_t> index = selected_index ();
    return index && *index < model.filters ().size () ? model.filters ()[*index].element.get () : nullptr;
  }

  std::optional<size_t> selected_index () const
  {
    GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (list));
    const int index = row ? gtk_list_box_row_get_index (row) : -1;
    return index >= 0 ? std::optional (size_t (index)) : std::nullopt;
  }

private:
  static inline char target_name[] = "application/x-cl-studio-filter";
  static inline const GtkTargetEntry drag_target{target_name, GTK_TARGET_SAME_APP, 0};

  static GtkWidget *menu_row (const FilterKind &kind)
  {
    GtkWidget *box = make_box (GTK_ORIENTATION_VERTICAL, 1,
        {make_label (kind.name, "menu-name"), add_style (make_label (kind.description, "dim-label"), "menu-about")});
    GtkWidget *row = make (GTK_TYPE_LIST_BOX_ROW, "child", with (box, "border-width", 5), "tooltip-text", kind.title.c_str ());
    g_object_set_data_full (G_OBJECT (row), "kind", g_strdup (kind.name.c_str ()), g_free);
    g_object_set_data_full (G_OBJECT (row), "words",
        g_utf8_casefold ((kind.name + " " + kind.title + " " + kind.description).c_str (), -1), g_free);
    return row;
  }

  static gboolean matches (GtkListBoxRow *row, gpointer entry)
  {
    const Chars wanted (g_utf8_casefold (gtk_entry_get_text (GTK_ENTRY (entry)), -1));
    return std::strstr (static_cast<const char *> (g_object_get_data (G_OBJECT (row), "words")), wanted.get ()) != nullptr;
  }

  struct Row {
    GtkWidget *switcher, *cost;
  };

  void build_menu (GtkWidget *button)
  {
    GtkWidget *search = gtk_search_entry_new ();
    GtkWidget *kinds = make (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE);
    for (const FilterKind &kind : filter_kinds ())
      gtk_container_add (GTK_CONTAINER (kinds), menu_row (kind));
    gtk_list_box_set_filter_func (GTK_LIST_BOX (kinds), matches, search, nullptr);
    connect<> (search, "search-changed", [kinds] { gtk_list_box_invalidate_filter (GTK_LIST_BOX (kinds)); });
    GtkWidget *scroller = with (make_scroller (kinds), "width-request", 330, "height-request", 420);
    GtkWidget *popover = add_popover (button, make_box (GTK_ORIENTATION_VERTICAL, 6, {search, scroller}), 6);
    const auto choose = [this, popover] (GtkListBoxRow *row) {
      const std::string kind = static_cast<const char *> (g_object_get_data (G_OBJECT (row), "kind"));
      gtk_popover_popdown (GTK_POPOVER (popover));
      add (kind);
    };
    connect<GtkListBoxRow *> (kinds, "row-activated", choose);
    /* Return takes the first filter that is left */
    connect<> (search, "activate", [kinds, search, choose] {
      for (int i = 0; GtkListBoxRow *row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (kinds), i); i++) {
        if (matches (row, search)) {
          choose (row);
          return;
        }
      }
    });
    connect<> (popover, "closed", [search] { gtk_entry_set_text (GTK_ENTRY (search), ""); });
  }

  void add_row (size_t index)
  {
    const Filter &filter = model.filters ()[index];
    GtkWidget *grip = gtk_image_new_from_icon_name ("open-menu-symbolic", GTK_ICON_SIZE_MENU);
    GtkWidget *handle =
        add_style (make (GTK_TYPE_EVENT_BOX, "child", grip, "tooltip-text", "Drag to another place"), "dim-label");
    GtkWidget *name = expanding (make_label (filter.kind ()));
    GtkWidget *cost = make_label ("", "cost");
    GtkWidget *switcher = make (
        GTK_TYPE_SWITCH, "active", gboolean (filter.on), "valign", GTK_ALIGN_CENTER, "tooltip-text", "Off: frames pass by");
    connect<GParamSpec *> (switcher, "notify::active",
        [this, index, switcher] (GParamSpec *) { model.set_on (index, gtk_switch_get_active (GTK_SWITCH (switcher))); });
    /* this callback rebuilds the rows, including this button */
    GtkWidget *away =
        make_small_button ("window-close-symbolic", "Remove", [this, index] { later ([this, index] { remove (index); }); });
    GtkWidget *line = make_box (GTK_ORIENTATION_HORIZONTAL, 8, {handle, name, cost, switcher, away});
    GtkWidget *row = make (GTK_TYPE_LIST_BOX_ROW, "child", add_style (line, "filter-row"));
    make_draggable (row, handle, index);
    gtk_container_add (GTK_CONTAINER (list), row);
    rows.push_back ({switcher, cost});
  }

  void make_draggable (GtkWidget *row, GtkWidget *handle, size_t index)
  {
    gtk_drag_source_set (handle, GDK_BUTTON1_MASK, &drag_target, 1, GDK_ACTION_MOVE);
    connect<GdkDragContext *, GtkSelectionData *, guint, guint> (
        handle, "drag-data-get", [index] (GdkDragContext *, GtkSelectionData *data, guint, guint) {
          const guint32 number = guint32 (index);
          gtk_selection_data_set (
              data, gtk_selection_data_get_target (data), 32, reinterpret_cast<const guchar *> (&number), sizeof number);
        });
    connect<GdkDragContext *> (handle, "drag-begin", [row] (GdkDragContext *context) {
      cairo_surface_t *picture = gdk_window_create_similar_surface (gtk_widget_get_window (row), CAIRO_CONTENT_COLOR_ALPHA,
          gtk_widget_get_allocated_width (row), gtk_widget_get_allocated_height (row));
      cairo_t *cairo = cairo_create (picture);
      gtk_widget_draw (row, cairo);
      cairo_destroy (cairo);
      gtk_drag_set_icon_surface (context, picture);
      cairo_surface_destroy (picture);
    });
    gtk_drag_dest_set (row, GTK_DEST_DEFAULT_ALL, &drag_target, 1, GDK_ACTION_MOVE);
    connect<GdkDragContext *, int, int, GtkSelectionData *, guint, guint> (
        row, "drag-data-received", [this, index] (GdkDragContext *, int, int, GtkSelectionData *data, guint, guint) {
          guint32 from = 0;
          if (gtk_selection_data_get_length (data) != sizeof from)
            return;
          std::memcpy (&from, gtk_selection_data_get_data (data), sizeof from);
          later ([this, from, index] { move (from, index); });
        });
  }

  Model &model;
  GtkWidget *box, *list, *up, *down;
  std::vector<Row> rows;
};

}  // namespace studio
