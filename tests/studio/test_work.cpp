/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Further functions of the studio: undo, presets, export, scopes. */
#include "catalog.hpp"
#include "export.hpp"
#include "history.hpp"
#include "scopes.hpp"
#include "studio.hpp"

#include <cstdio>
#include <fstream>

namespace {

std::string
words_of (const Model &model)
{
  return joined (model.filter_words (), " ");
}

void
check_undo ()
{
  Studio studio;
  History history (studio.model);
  studio.add ("clcolormatrix", "preset", "invert");
  studio.model.set_property (0, "preset", "sepia");
  studio.model.add ("clmedian", 0);
  studio.model.set_on (0, false);
  studio.model.set_format ("GRAY8");
  const Ref<GstElement> matrix = studio.model.filters ()[1].element;
  studio.model.remove (1);
  history.undo ();
  g_assert_true (studio.model.filters ()[1].element == matrix);
  history.undo ();
  g_assert_cmpstr (studio.model.format ().c_str (), ==, "BGRx");
  history.undo ();
  g_assert_true (words_of (studio.model) == "clmedian ! clcolormatrix preset=sepia");
  history.undo ();
  /* moving a slider is one change */
  history.undo ();
  g_assert_true (words_of (studio.model) == "clcolormatrix");
  history.undo ();
  g_assert_true (words_of (studio.model) == "");
  g_assert_false (history.can_undo ());
  for (int i = 0; i < 6; i++)
    history.redo ();
  g_assert_false (history.can_redo ());
  g_assert_true (words_of (studio.model) == "");
  g_assert_cmpuint (studio.model.filters ().size (), ==, 1);
  history.undo ();
  g_assert_true (words_of (studio.model) == "clcolormatrix preset=sepia");
  /* a new change discards redo */
  studio.model.set_property (1, "preset", "none");
  g_assert_false (history.can_redo ());
}

/* After undo, frames come from the restored filters. */
void
check_undo_shows ()
{
  Studio studio;
  History history (studio.model);
  studio.model.set_source (picture ("white"));
  studio.model.play ();
  studio.add ("clcolormatrix", "preset", "invert");
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  studio.model.remove (0);
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
  history.undo ();
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  history.undo ();
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
}

/* Filters in a clchain keep their properties in the line, and in undo. */
void
check_inner_filters ()
{
  Studio studio;
  History history (studio.model);
  studio.model.open ("clchain filters=\"clmedian radius=2 ! clthreshold\"");
  GstElement *chain = studio.model.filters ()[0].element.get ();
  const Ref<GObject> inner = Ref<GObject>::take (gst_child_proxy_get_child_by_index (GST_CHILD_PROXY (chain), 0));
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (inner.get ()), "radius");
  Value value (G_TYPE_INT);
  g_value_set_int (value.get (), 1);
  studio.model.set_value (inner.get (), spec, value.get ());
  g_assert_true (words_of (studio.model).find ("filter0::radius=1") != std::string::npos);
  Studio again;
  again.model.open (words_of (studio.model));
  g_assert_true (words_of (again.model) == words_of (studio.model));
  history.undo ();
  g_assert_true (words_of (studio.model).find ("radius=1") == std::string::npos);
}

void
check_presets ()
{
  Studio studio;
  studio.model.set_profiling (true);
  studio.model.add ("clthreshold");
  GstElement *filter = studio.model.filters ()[0].element.get ();
  g_assert_true (presets_of (filter).empty ());
  studio.model.set_property (0, "threshold", "0.25");
  studio.model.set_property (0, "method", "otsu");
  change_preset (filter, "dark", gst_preset_save_preset, "saved");
  studio.model.set_profiling (false);
  studio.model.set_property (0, "threshold", "0.75");
  studio.model.set_property (0, "method", "mean");
  studio.model.load_preset (filter, "dark");
  g_assert_true (words_of (studio.model) == "clthreshold threshold=0.25 method=otsu");
  /* presets do not contain where and how a filter runs */
  gboolean profiles = TRUE;
  g_object_get (filter, "profile", &profiles, nullptr);
  g_assert_false (profiles);
  g_assert_cmpuint (presets_of (filter).size (), ==, 1);
  change_preset (filter, "dark", gst_preset_delete_preset, "deleted");
  g_assert_true (presets_of (filter).empty ());
}

/* The file's video codec, and its length. */
std::pair<std::string, gint64>
look_into (const std::string &path)
{
  const Ref<GstDiscoverer> discoverer = Ref<GstDiscoverer>::take (gst_discoverer_new (20 * GST_SECOND, nullptr));
  const std::string uri = text_of (gst_filename_to_uri (path.c_str (), nullptr));
  const auto info = Ref<GstDiscovererInfo>::take (gst_discoverer_discover_uri (discoverer.get (), uri.c_str (), nullptr));
  GList *videos = info ? gst_discoverer_info_get_video_streams (info.get ()) : nullptr;
  if (!videos)
    return {};
  const Caps caps (gst_discoverer_stream_info_get_caps (GST_DISCOVERER_STREAM_INFO (videos->data)));
  gst_discoverer_stream_info_list_free (videos);
  return {gst_structure_get_name (gst_caps_get_structure (caps.get (), 0)),
      gint64 (gst_discoverer_info_get_duration (info.get ()))};
}

ExportJob
new_job (const Folder &folder, const Container &container, const Encoder &encoder)
{
  return {.source = picture ("ball"),
      .format = "BGRx",
      .filters = {"clcolormatrix", "preset=invert"},
      .path = folder / ("video." + container.extension),
      .container = &container,
      .encoder = encoder.factory,
      .seconds = 0.4};
}

/* Waits for the end of an export; returns what went wrong, and how far it came. */
std::pair<std::string, double>
exported (const ExportJob &job)
{
  bool ended = false;
  std::string wrong;
  const Export running (job, [&] (const Problem *problem) {
    ended = true;
    wrong = problem ? problem->text + " " + problem->details : "";
  });
  g_assert_true (wait_for ([&] { return ended; }));
  return {wrong, running.progress ()};
}

/* The first encoder of every installed file type. */
void
check_export ()
{
  g_assert_false (containers ().empty ());
  for (const Container &container : containers ()) {
    const Folder folder;
    const ExportJob job = new_job (folder, container, container.encoders[0]);
    g_test_message ("%s: %s", container.title.c_str (), job.encoder.c_str ());
    const auto [wrong, progress] = exported (job);
    g_assert_cmpstr (wrong.c_str (), ==, "");
    g_assert_cmpfloat (progress, >, 0.8);
    g_assert_true (folder.names () == std::vector<std::string>{"video." + container.extension});
    const auto [codec, length] = look_into (job.path);
    g_assert_true (container.encoders[0].format.starts_with (codec));
    g_assert_cmpint (std::abs (length - 400 * GST_MSECOND), <=, 100 * GST_MSECOND);
  }
}

void
check_export_fails ()
{
  const Folder folder;
  const Container &container = containers ()[0];
  ExportJob job = new_job (folder, container, container.encoders[0]);
  std::ofstream (job.path) << "old";
  job.seconds = 1000;
  {
    const Export cancelled (job, [] (const Problem *) { g_assert_not_reached (); });
    g_assert_true (wait_for ([&] { return folder.names ().size () > 1; }));
  }
  g_assert_cmpuint (folder.names ().size (), ==, 1);
  job.source = {.kind = Source::Kind::file, .what = text_of (gst_filename_to_uri (job.path.c_str (), nullptr))};
  std::string refused;
  try {
    exported (job);
  } catch (const std::exception &error) {
    refused = error.what ();
  }
  g_assert_nonnull (strstr (refused.c_str (), "is the input"));
  const std::string old = std::exchange (job.path, folder / "new");
  g_assert_true (exported (job).first.starts_with ("The source has no video that can be read "));
  job.path = old;
  job.source = picture ("ball");
  job.filters = {"clmedian", "device=nonsense"};
  g_assert_nonnull (strstr (exported (job).first.c_str (), "No OpenCL device"));
  std::ifstream file (job.path);
  g_assert_true (std::string (std::istreambuf_iterator<char> (file), {}) == "old");
  g_assert_cmpuint (folder.names ().size (), ==, 1);
}

void
check_scopes ()
{
  Studio studio ("red");
  g_assert_true (studio.flows ());
  const Sample frame = studio.model.split ().latest ();
  const Scopes scopes = measure (frame.get ());
  for (const auto &[found, expected] : {std::pair (scopes.pixels, 64u * 48), {scopes.histogram[Scopes::red][255], 64 * 48},
           {scopes.histogram[Scopes::green][0], 64 * 48}, {scopes.histogram[Scopes::luma][54], 64 * 48},
           {scopes.waveform[0][54], 48}, {scopes.waveform[1][54], 0}, {scopes.waveform[252][54], 48}})
    g_assert_cmpuint (found, ==, expected);
  g_assert_cmpuint (measure (nullptr).pixels, ==, 0);
}

}  // namespace

int
main (int argc, char **argv)
{
  const Folder data;
  g_setenv ("XDG_DATA_HOME", data.path.c_str (), TRUE);
  return run_checks (argc, argv,
      {{"undo", check_undo}, {"undo-shows", check_undo_shows}, {"inner-filters", check_inner_filters},
          {"presets", check_presets}, {"export", check_export}, {"export-fails", check_export_fails},
          {"scopes", check_scopes}});
}
