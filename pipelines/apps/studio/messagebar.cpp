/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "messagebar.hpp"

namespace studio {

namespace {

/* fits some lines of a compiler's log; longer logs scroll */
constexpr int greatest_height = 150;

GtkWidget *
make_text (const char *style)
{
  GtkWidget *label = make_wrapped_label ("", style);
  gtk_label_set_line_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  return label;
}

}  // namespace

MessageBar::MessageBar ()
    : bar (gtk_info_bar_new ()), heading (named (make_text ("heading"), "message")), details (make_text (nullptr)),
      scroller (make_scroller (details))
{
  gtk_info_bar_set_show_close_button (GTK_INFO_BAR (bar), TRUE);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), greatest_height);
  retry = gtk_info_bar_add_button (GTK_INFO_BAR (bar), "Try again", GTK_RESPONSE_APPLY);
  GtkWidget *copier = make_small_button ("edit-copy-symbolic", "Copy the message", [this] {
    const std::string whole = text () + "\n" + gtk_label_get_text (GTK_LABEL (details));
    gtk_clipboard_set_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD), whole.c_str (), -1);
  });
  GtkWidget *content = expanding (make_box (GTK_ORIENTATION_VERTICAL, 2, {heading, scroller}));
  GtkWidget *area = gtk_info_bar_get_content_area (GTK_INFO_BAR (bar));
  gtk_container_add (GTK_CONTAINER (area), content);
  gtk_container_add (GTK_CONTAINER (area), copier);
  connect<int> (bar, "response", [this] (int response) {
    hide ();
    if (response == GTK_RESPONSE_APPLY)
      on_retry ();
  });
  hidden (bar);
}

void
MessageBar::say (const std::string &said, const std::string &more, GtkMessageType type, bool with_retry)
{
  gtk_info_bar_set_message_type (GTK_INFO_BAR (bar), type);
  gtk_label_set_text (GTK_LABEL (heading), said.c_str ());
  gtk_label_set_text (GTK_LABEL (details), more.c_str ());
  gtk_widget_set_visible (scroller, !more.empty ());
  gtk_widget_set_visible (retry, with_retry);
  gtk_widget_show (bar);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (bar), TRUE);
}

void
MessageBar::hide ()
{
  gtk_info_bar_set_revealed (GTK_INFO_BAR (bar), FALSE);
  gtk_widget_hide (bar);
}

}  // namespace studio
