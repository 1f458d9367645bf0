/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks how to write the video, and shows progress. */
#pragma once

#include "export.hpp"
#include "gui.hpp"
#include "model.hpp"

#include <filesystem>

namespace studio {

class Exporter {
public:
  Exporter (Model &model, GtkWindow *window)
      : model (model), window (window), label (make_label ("")),
        progress (make (GTK_TYPE_PROGRESS_BAR, "show-text", TRUE, "valign", GTK_ALIGN_CENTER, "hexpand", TRUE))
  {
    GtkWidget *stop =
        make_text_button ("process-stop-symbolic", "Cancel", "Stop, and delete what was written", [this] { cancel (); });
    bar = make_box (GTK_ORIENTATION_HORIZONTAL, 10, {label, progress, named (stop, "cancel")});
    hidden (with (bar, "border-width", 6));
  }

  ~Exporter () { abandon (); }
  Exporter (const Exporter &) = delete;
  Exporter &operator= (const Exporter &) = delete;

  /* The bar with the progress; hidden while nothing is written. */
  GtkWidget *widget () const { return bar; }
  /* Opens the dialog. */
  void ask ()
  {
    ensure (!running, "A video is being exported: wait for it, or cancel it");
    if (containers ().empty ())
      container_for ("");
    new Dialog (*this);
  }

  /* Writes the video with the current filters and the file type's first encoder. */
  void export_to (const std::string &path) { start (new_job (path)); }

  void cancel ()
  {
    if (!running)
      return;
    const std::string path = running->job ().path;
    abandon ();
    gtk_widget_hide (bar);
    say ("The export was cancelled", "Nothing was written to " + path, GTK_MESSAGE_INFO);
  }

  bool is_running () const { return bool (running); }
  /* Cancels silently, because the window is closed. */
  void abandon ()
  {
    stop_timer (timer);
    running.reset ();
  }

  Hook<const std::string &, const std::string &, GtkMessageType> say;
  Hook<> on_start;

private:
  /* How many seconds of a source without an end are written. */
  static constexpr double usual_length = 10;

  static std::string file_name (const std::string &path) { return text_of (g_filename_display_basename (path.c_str ())); }

  /* Lives as long as its window. */
  struct Dialog {
    Exporter &exporter;
    GtkWidget *window, *path, *type, *encoder, *quality, *sound, *length;
    int rows = 0;

    explicit Dialog (Exporter &exporter) : exporter (exporter)
    {
      window = gtk_dialog_new_with_buttons ("Export the video", exporter.window,
          GtkDialogFlags (GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT), "_Cancel", GTK_RESPONSE_CANCEL, nullptr);
      GtkWidget *go = gtk_dialog_add_button (GTK_DIALOG (window), "_Export", GTK_RESPONSE_ACCEPT);
      add_style (named (go, "export"), "suggested-action");
      gtk_widget_set_can_default (go, TRUE);
      gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_ACCEPT);
      path = make (GTK_TYPE_ENTRY, "name", "export-path", "width-chars", 44, "activates-default", TRUE);
      std::vector<Choice> types;
      for (const Container &each : containers ())
        types.push_back ({"." + each.extension, each.title + " (." + each.extension + ")"});
      type = named (make_combo (types, [this] (const std::string &) { choose_type (); }), "export-type");
      encoder = named (gtk_combo_box_text_new (), "export-encoder");
      quality = make_combo ({{"small", "Small file"}, {"good", "Good"}, {"best", "Best"}}, {});
      with (quality, "active", int (Quality::good), "name", "export-quality");
      sound = make (GTK_TYPE_CHECK_BUTTON, "label", "Keep the sound", "name", "export-sound", "active", TRUE);
      length = with (gtk_spin_button_new_with_range (1, 36000, 1), "name", "export-length", "value", usual_length, "halign",
          GTK_ALIGN_START);
      GtkWidget *open = make_button ("document-open-symbolic", "Choose a folder and a name", [this] { browse (); });
      connect_event<GdkEvent *> (path, "focus-out-event", [this] (GdkEvent *) { path_typed (); });
      connect<int> (window, "response", [this] (int response) { respond (response); });

      auto *grid = GTK_GRID (make (GTK_TYPE_GRID, "row-spacing", 8, "column-spacing", 10, "border-width", 12));
      add_row (grid, "File", path, open);
      add_row (grid, "File type", type);
      add_row (grid, "Encoder", encoder);
      add_row (grid, "Quality", quality);
      const bool is_file = exporter.model.source ().kind == Source::Kind::file;
      is_file ? add_row (grid, "", sound) : add_row (grid, "Seconds", length);
      gtk_container_add (GTK_CONTAINER (gtk_dialog_get_content_area (GTK_DIALOG (window))), GTK_WIDGET (grid));
      show_path (exporter.proposed_path ());
      with (type, "active", 0);
      gtk_widget_show_all (window);
    }

    std::string path_text () const { return gtk_entry_get_text (GTK_ENTRY (path)); }
    void show_path (const std::string &text) { gtk_entry_set_text (GTK_ENTRY (path), text.c_str ()); }

    void add_row (GtkGrid *grid, const char *label, GtkWidget *control, GtkWidget *beside = nullptr)
    {
      const int row = rows++;
      gtk_grid_attach (grid, make_label (label), 0, row, 1, 1);
      gtk_grid_attach (grid, expanding (control), 1, row, beside ? 1 : 2, 1);
      if (beside)
        gtk_grid_attach (grid, beside, 2, row, 1, 1);
    }

    const Container &container () const { return containers ()[size_t (gtk_combo_box_get_active (GTK_COMBO_BOX (type)))]; }
    void choose_type ()
    {
      gtk_combo_box_text_remove_all (GTK_COMBO_BOX_TEXT (encoder));
      for (const Encoder &each : container ().encoders)
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (encoder), each.factory.c_str (), each.title.c_str ());
      gtk_combo_box_set_active (GTK_COMBO_BOX (encoder), 0);
      std::filesystem::path named = path_text ();
      if (!named.empty ())
        show_path (named.replace_extension (container ().extension));
      gtk_widget_set_sensitive (sound, !container ().sound.empty ());
    }

    /* Selects the file type of the name's extension, if it is one. */
    void path_typed ()
    {
      gtk_combo_box_set_active_id (GTK_COMBO_BOX (type), std::filesystem::path (path_text ()).extension ().c_str ());
    }

    void browse ()
    {
      choose_file (GTK_WINDOW (window), "Export the video", file_name (path_text ()).c_str (), false,
          [this] (const std::string &chosen) {
            show_path (chosen);
            path_typed ();
          });
    }

    ExportJob job () const
    {
      ExportJob job = exporter.new_job (path_text ());
      const char *chosen = gtk_combo_box_get_active_id (GTK_COMBO_BOX (encoder));
      job.encoder = chosen ? chosen : job.encoder;
      job.quality = Quality (gtk_combo_box_get_active (GTK_COMBO_BOX (quality)));
      job.sound = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (sound));
      job.seconds = gtk_spin_button_get_value (GTK_SPIN_BUTTON (length));
      return job;
    }

    bool may_replace (const std::string &file) const
    {
      return !g_file_test (file.c_str (), G_FILE_TEST_EXISTS)
             || studio::ask (GTK_WINDOW (window), file_name (file) + " exists already. Replace it?", "_Cancel", "_Replace");
    }

    void respond (int response)
    {
      if (response == GTK_RESPONSE_ACCEPT) {
        path_typed ();
        try {
          ExportJob wanted = job ();
          if (!may_replace (wanted.path))
            return;
          exporter.start (std::move (wanted));
        } catch (const std::exception &error) {
          exporter.say (error.what (), "", GTK_MESSAGE_ERROR);
        }
      }
      gtk_widget_destroy (window);
      delete this;
    }
  };

  ExportJob new_job (const std::string &path) const
  {
    ExportJob job{.source = model.source (), .format = model.format (), .filters = model.filter_words (), .path = path};
    job.container = &container_for (path);
    job.encoder = job.container->encoders[0].factory;
    job.seconds = usual_length;
    return job;
  }

  /* Beside the source, or in the user's video folder. */
  std::string proposed_path () const
  {
    const Chars source (g_filename_from_uri (model.source ().what.c_str (), nullptr, nullptr));
    const char *videos = g_get_user_special_dir (G_USER_DIRECTORY_VIDEOS);
    const std::filesystem::path home = videos ? videos : g_get_home_dir ();
    if (model.source ().kind != Source::Kind::file || !source)
      return home / "filtered.mp4";
    const std::filesystem::path from = source.get ();
    return from.parent_path () / (from.stem ().string () + "-filtered.mp4");
  }

  void start (ExportJob job)
  {
    ensure (!running, "A video is being exported: wait for it, or cancel it");
    show_text (label, "Exporting " + file_name (job.path));
    running = std::make_unique<Export> (std::move (job), [this] (const Problem *problem) { ended (problem); });
    tick ();
    on_start ();
    gtk_widget_show (bar);
    timer = every (200, [this] { return tick (); });
  }

  /* Called by the export, which must not be destroyed here. */
  void ended (const Problem *problem)
  {
    gtk_widget_hide (bar);
    stop_timer (timer);
    if (!running)
      return;
    const std::string path = running->job ().path;
    later ([finished = std::shared_ptr<Export> (std::move (running))] {});
    if (problem)
      say ("The video was not exported: " + problem->text, problem->details, GTK_MESSAGE_ERROR);
    else
      say ("The video was exported to " + file_name (path), path, GTK_MESSAGE_INFO);
  }

  bool tick ()
  {
    const double share = running->progress ();
    const std::optional<double> left = running->time_left ();
    const std::string text =
        printed ("%.0f %%", 100 * share) + (left ? printed (", %d:%02d left", int (*left) / 60, int (*left) % 60) : "");
    with (progress, "fraction", share, "text", text.c_str ());
    return true;
  }

  Model &model;
  GtkWindow *window;
  GtkWidget *bar, *label, *progress;
  std::unique_ptr<Export> running;
  guint timer = 0;
};

}  // namespace studio
