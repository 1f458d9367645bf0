/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks how to write the video, and shows progress. */
#pragma once

#include "export.hpp"
#include "gui.hpp"
#include "model.hpp"

namespace studio {

class Exporter {
public:
  Exporter (Model &model, GtkWindow *window);
  ~Exporter () { abandon (); }
  Exporter (const Exporter &) = delete;
  Exporter &operator= (const Exporter &) = delete;

  /* The bar with the progress; hidden while nothing is written. */
  GtkWidget *widget () const { return bar; }
  /* Opens the dialog. */
  void ask ();
  /* Writes the video with the current filters and the file type's first encoder. */
  void export_to (const std::string &path) { start (new_job (path)); }
  void cancel ();
  bool is_running () const { return bool (running); }
  /* Cancels silently, because the window is closed. */
  void abandon ();

  Hook<const std::string &, const std::string &, GtkMessageType> say;
  Hook<> on_start;

private:
  struct Dialog;
  ExportJob new_job (const std::string &path) const;
  std::string proposed_path () const;
  void start (ExportJob job);
  void ended (const Problem *problem);
  bool tick ();

  Model &model;
  GtkWindow *window;
  GtkWidget *bar, *label, *progress;
  std::unique_ptr<Export> running;
  guint timer = 0;
};

}  // namespace studio
