/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bar above the video that shows complete error messages; long ones can be scrolled, selected and copied. */
#pragma once

#include "gui.hpp"

namespace studio {

class MessageBar {
public:
  MessageBar ();
  GtkWidget *widget () const { return bar; }

  void say (const std::string &text, const std::string &details, GtkMessageType type, bool with_retry);
  void hide ();
  /* "" if nothing is shown. */
  std::string text () const { return gtk_widget_get_visible (bar) ? gtk_label_get_text (GTK_LABEL (heading)) : ""; }
  bool shows_error () const
  {
    return gtk_widget_get_visible (bar) && gtk_info_bar_get_message_type (GTK_INFO_BAR (bar)) == GTK_MESSAGE_ERROR;
  }

  Hook<> on_retry;

private:
  GtkWidget *bar, *heading, *details, *scroller, *retry;
};

}  // namespace studio
