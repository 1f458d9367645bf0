/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of filters: which are on, their order, and their costs. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

#include <vector>

namespace studio {

class FilterList {
public:
  /* chains: a button beside the one that adds filters. */
  FilterList (Model &model, GtkWidget *chains);
  GtkWidget *widget () const { return box; }

  /* Called with the selected filter, or null. */
  Hook<GstElement *> on_select;
  /* Called with a filter before its first frame. */
  Hook<GObject *> prepare;

  void add (const std::string &kind);
  void remove (size_t index);
  void move (size_t from, size_t to);
  void select (size_t index)
  {
    gtk_list_box_select_row (GTK_LIST_BOX (list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), int (index)));
  }
  void set_on (size_t index, bool on) { gtk_switch_set_active (GTK_SWITCH (rows.at (index).switcher), on); }
  /* Shows the model's filters after a change elsewhere. */
  void rebuild (std::optional<size_t> selected);
  /* Shows the costs; returns those of all filters that are on. */
  Costs update_costs ();
  GstElement *selected () const;
  std::optional<size_t> selected_index () const;

private:
  struct Row {
    GtkWidget *switcher, *cost;
  };

  void build_menu (GtkWidget *button);
  void add_row (size_t index);
  void make_draggable (GtkWidget *row, GtkWidget *handle, size_t index);

  Model &model;
  GtkWidget *box, *list, *up, *down;
  std::vector<Row> rows;
};

}  // namespace studio
