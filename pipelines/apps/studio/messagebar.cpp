/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "messagebar.hpp"

namespace studio {

namespace {

/* fits some lines of a compiler's log; longer logs scroll */
constexpr int greatest_height = 150;

GtkWidget *
make_text (const char *style)
{
  return with (make_wrapped_label ("", style), "wrap-mode", PANGO_WRAP_WORD_CHAR, "selectable", TRUE, "can-focus", FALSE);
}

}  // namespace

MessageBar::MessageBar ()
    : bar (make (GTK_TYPE_INFO_BAR, "show-close-button", TRUE)), heading (named (make_text ("heading"), "message")),
      details (make_text (nullptr)),
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

void
MessageBar::say (const std::string &said, const std::string &more, GtkMessageType type, bool with_retry)
{
  show_text (heading, said);
  show_text (details, more);
  gtk_widget_set_visible (scroller, !more.empty ());
  gtk_widget_set_visible (retry, with_retry);
  with (bar, "message-type", type, "visible", TRUE, "revealed", TRUE);
}

void
MessageBar::hide ()
{
  with (bar, "revealed", FALSE, "visible", FALSE);
}

}  // namespace studio
