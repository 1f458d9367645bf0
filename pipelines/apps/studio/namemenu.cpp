/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "namemenu.hpp"

namespace studio {

namespace {

struct Popover {
  NameMenu menu;
  GtkWidget *popover, *list, *entry;
};
using State = std::shared_ptr<Popover>;

GtkWidget *
make_row (const State &state, const NamedThing &thing)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *text = make_box (GTK_ORIENTATION_VERTICAL, 1, {make_label (thing.name, "menu-name")});
  if (!thing.about.empty ()) {
    GtkWidget *about = make_label (thing.about, "dim-label");
    add_style (about, "menu-about");
    gtk_label_set_max_width_chars (GTK_LABEL (about), 44);
    gtk_container_add (GTK_CONTAINER (text), about);
  }
  gtk_container_add (GTK_CONTAINER (button), text);
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_widget_set_name (button, (state->menu.id + "-" + thing.name).c_str ());
  gtk_widget_set_hexpand (button, TRUE);
  connect<> (button, "clicked", [state, name = thing.name] {
    gtk_popover_popdown (GTK_POPOVER (state->popover));
    /* the button may go with what it does */
    later ([state, name] { state->menu.choose (name); });
  });
  GtkWidget *row = make_box (GTK_ORIENTATION_HORIZONTAL, 4, {button});
  if (thing.can_delete) {
    GtkWidget *away = make_small_button ("edit-delete-symbolic", "Delete " + thing.name);
    gtk_widget_set_name (away, (state->menu.id + "-delete-" + thing.name).c_str ());
    connect<> (away, "clicked", [state, row, name = thing.name] {
      state->menu.remove (name);
      gtk_widget_hide (row);
    });
    gtk_container_add (GTK_CONTAINER (row), away);
  }
  return row;
}

void
fill (const State &state)
{
  clear (state->list);
  for (const NamedThing &thing : state->menu.list ())
    gtk_container_add (GTK_CONTAINER (state->list), make_row (state, thing));
  gtk_entry_set_text (GTK_ENTRY (state->entry), "");
  gtk_widget_show_all (state->list);
}

void
save (const State &state)
{
  const std::string name = gtk_entry_get_text (GTK_ENTRY (state->entry));
  if (name.empty ())
    return;
  gtk_popover_popdown (GTK_POPOVER (state->popover));
  state->menu.save (name);
}

}  // namespace

GtkWidget *
make_name_menu (NameMenu menu)
{
  GtkWidget *button = gtk_menu_button_new ();
  const auto state = std::make_shared<Popover> (
      Popover{std::move (menu), gtk_popover_new (button), make_box (GTK_ORIENTATION_VERTICAL, 0), gtk_entry_new ()});
  gtk_container_add (GTK_CONTAINER (button), gtk_label_new (state->menu.title.c_str ()));
  gtk_widget_set_tooltip_text (button, state->menu.tip.c_str ());
  gtk_widget_set_name (button, state->menu.id.c_str ());
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_entry_set_placeholder_text (GTK_ENTRY (state->entry), state->menu.prompt.c_str ());
  gtk_widget_set_name (state->entry, (state->menu.id + "-name").c_str ());
  gtk_widget_set_hexpand (state->entry, TRUE);
  GtkWidget *keep = gtk_button_new_with_label ("Save");
  gtk_widget_set_name (keep, (state->menu.id + "-save").c_str ());
  connect<> (state->entry, "activate", [state] { save (state); });
  connect<> (keep, "clicked", [state] { save (state); });
  GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 6,
      {state->list, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL),
          make_box (GTK_ORIENTATION_HORIZONTAL, 6, {state->entry, keep})});
  gtk_container_set_border_width (GTK_CONTAINER (content), 8);
  gtk_container_add (GTK_CONTAINER (state->popover), content);
  gtk_widget_show_all (content);
  connect<> (state->popover, "map", [state] { fill (state); });
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), state->popover);
  return button;
}

}  // namespace studio
