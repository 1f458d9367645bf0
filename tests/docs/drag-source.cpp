/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small window at the right edge of the screen from which a file can be dragged, as from a file manager. Prints where it is.
   usage: drag-source FILE */
#include <gtk/gtk.h>

static void
give (GtkWidget *, GdkDragContext *, GtkSelectionData *data, guint, guint, gpointer uri)
{
  gchar *uris[] = {static_cast<gchar *> (uri), nullptr};
  gtk_selection_data_set_uris (data, uris);
}

int
main (int argc, char **argv)
{
  gtk_init (&argc, &argv);
  if (argc != 2)
    return 2;
  g_autofree gchar *uri = g_filename_to_uri (argv[1], nullptr, nullptr);
  GtkWidget *window = gtk_window_new (GTK_WINDOW_POPUP), *box = gtk_event_box_new ();
  gtk_container_add (GTK_CONTAINER (box), gtk_label_new ("file"));
  gtk_container_add (GTK_CONTAINER (window), box);
  gtk_window_resize (GTK_WINDOW (window), 60, 60);
  gtk_window_move (GTK_WINDOW (window), 1320, 800);
  gtk_drag_source_set (box, GDK_BUTTON1_MASK, nullptr, 0, GDK_ACTION_COPY);
  gtk_drag_source_add_uri_targets (box);
  g_signal_connect (box, "drag-data-get", G_CALLBACK (give), uri);
  gtk_widget_show_all (window);
  while (gtk_events_pending ())
    gtk_main_iteration ();
  g_print ("1350 830\n");
  gtk_main ();
  return 0;
}
