/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The studio's pipeline without its window: filters are added, removed and moved, and properties change, while frames flow; the
   saved line plays the same frames. */
#include "catalog.hpp"
#include "history.hpp"
#include "region.hpp"
#include "studio.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gst/video/video.h>
#include <iterator>
#include <ranges>
#include <regex>
#include <stdexcept>

namespace {

void
check_catalog ()
{
  std::vector<std::string> names;
  for (const FilterKind &kind : filter_kinds ()) {
    names.push_back (kind.name);
    g_assert_false (kind.title.empty ());
    g_assert_false (kind.description.empty ());
  }
  const auto has = [&] (const char *name) { return std::ranges::find (names, name) != names.end (); };
  g_assert_true (has ("clmedian") && has ("clhistogram") && has ("cltemporal"));
  g_assert_false (has ("clblend") || has ("clcompare") || has ("clupload"));
  g_assert_cmpuint (test_patterns ().size (), >, 10);
}

void
check_every_filter ()
{
  Studio studio ("smpte");
  for (const FilterKind &kind : filter_kinds ()) {
    g_test_message ("%s", kind.name.c_str ());
    /* these need settings first */
    if (kind.name == "clprogram" || kind.name == "clchain")
      continue;
    studio.model.add (kind.name);
    g_assert_true (studio.flows (3));
    studio.model.remove (0);
  }
  g_assert_true (studio.flows ());
}

void
check_edits ()
{
  Studio studio ("white");
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
  studio.add ("clcolormatrix", "preset", "invert");
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  /* inverts, then adds half of full scale, so that the order matters */
  studio.add ("clconvolve", "bias", "0.5");
  g_assert_cmpfloat_with_epsilon (mean (studio.frame ()), 127.5, 2);
  studio.model.move (1, 0);
  g_assert_cmpstr (studio.model.filters ()[0].kind ().c_str (), ==, "clconvolve");
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  studio.model.set_on (1, false);
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
  studio.model.set_on (1, true);
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  studio.model.remove (1);
  studio.model.remove (0);
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
}

/* A picture of 64 x 48 pixels that is shown at four times its size, in the middle of something larger. */
void
check_region ()
{
  constexpr Area area{20, 10, 256, 192};
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.add ("clcolormatrix", "preset", "invert");
  studio.model.set_property (0, "roi-source", "meta");
  studio.model.play ();
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
  History history (studio.model);
  Region region (studio.model);
  const auto drag = [&] (int x, int y, int to_x, int to_y) {
    g_assert_true (region.press (area, area.x + 4 * x, area.y + 4 * y));
    region.drag (area, area.x + 4 * (x + to_x) / 2., area.y + 4 * (y + to_y) / 2.);
    region.drag (area, area.x + 4 * to_x, area.y + 4 * to_y);
    region.release ();
    return region.text ();
  };
  region.set_drawing (true);
  g_assert_false (region.press (area, 100, 100)); /* no filter is selected */
  region.show (studio.model.filters ()[0].element.get ());
  g_assert_cmpstr (drag (0, 0, 32, 48).c_str (), ==, "0,0,32,48");
  const Bytes half = studio.frame ();
  g_assert_cmpfloat (mean (half, 64, 0, 32), <, 5);
  g_assert_cmpfloat (mean (half, 64, 32, 64), >, 250);
  g_assert_cmpstr (drag (10, 10, 26, 30).c_str (), ==, "16,0,32,48"); /* moved, as far as the frame lets it */
  g_assert_cmpstr (drag (16, 48, 8, 20).c_str (), ==, "8,0,40,20");   /* a corner */
  g_assert_cmpstr (drag (8, 20, 60, 40).c_str (), ==, "48,0,12,40");  /* a corner beyond the one that stays */
  const std::optional<Area> outline = region.outline (area);
  g_assert_true (outline && outline->x == 20 + 4 * 48 && outline->y == 10 && outline->width == 48 && outline->height == 160);
  g_assert_cmpstr (drag (2, 45, 2, 45).c_str (), ==, "0,0,64,48"); /* a click */
  drag (4, 4, 20, 20);
  region.clear ();
  g_assert_cmpstr (region.text ().c_str (), ==, "0,0,64,48");
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  while (history.can_undo ())
    history.undo ();
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
}

/* Changes as fast as they can be asked for. A serialized query would take events past a row that is being linked. */
void
check_haste ()
{
  Studio studio ("ball");
  std::atomic<int> queries = 0;
  const Ref<GstBin> pipeline = Ref<GstBin>::take (GST_BIN (gst_object_get_parent (GST_OBJECT (studio.sink.get ()))));
  const Ref<GstElement> stock = Ref<GstElement>::take (gst_bin_get_by_name (pipeline.get (), "stock"));
  const Ref<GstPad> entrance = pad_of (stock.get (), "src");
  const gulong probe = add_probe (entrance.get (), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, [&] (GstPadProbeInfo *info) {
    queries += is_serialized (gst_pad_probe_info_get_query (info));
    return GST_PAD_PROBE_OK;
  });
  Model &model = studio.model;
  const std::function<void (int)> changes[]{[&] (int) { model.add ("clmedian"); }, [&] (int) { model.add ("cltemporal", 0); },
      [&] (int) { model.move (0, model.filters ().size () - 1); }, [&] (int i) { model.set_on (0, i % 2); },
      [&] (int) { model.remove (0); }};
  for (int i = 0; i < 200; i++) {
    changes[model.filters ().empty () ? 0 : i % 5](i);
    if (studio.model.filters ().size () > 4)
      studio.model.replace ({});
    if (i % 10 == 0)
      g_usleep (5000);
    g_main_context_iteration (nullptr, FALSE);
  }
  g_assert_true (studio.flows ());
  gst_pad_remove_probe (entrance.get (), probe);
  g_assert_cmpint (queries, ==, 0);
}

void
check_pause ()
{
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.model.add ("clcolormatrix");
  studio.model.pause ();
  g_assert_true (studio.comes_to_stand (false));
  /* the paused frame is filtered again */
  studio.model.set_property (0, "preset", "invert");
  g_assert_true (studio.comes_to_stand (true));
  studio.model.set_on (0, false);
  g_assert_true (studio.comes_to_stand (false));
  studio.model.play ();
  g_assert_true (studio.flows ());
}

/* A seek while the events of a change, above all caps, are passing through the filters. */
void
check_seek_haste ()
{
  Studio studio ("ball");
  g_assert_true (studio.flows (3));
  for (int i = 0; i < 100; i++) {
    if (studio.model.filters ().empty ())
      studio.model.add (i % 4 ? "clmedian" : "cltemporal");
    else
      studio.model.remove (0);
    if (i % 3 == 0)
      studio.model.set_format (i % 2 ? "GRAY8" : "BGRx");
    g_usleep (gulong (i % 25) * 200);
    studio.model.seek (i % 20 * GST_SECOND);
    if (i % 2)
      g_main_context_iteration (nullptr, FALSE);
    if (i % 10 == 9)
      g_assert_true (studio.flows (2));
  }
  g_assert_true (studio.flows ());
}

/* Rapid changes of filters and properties: the last one is shown, whatever state earlier frames are in. */
void
check_pause_haste ()
{
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.add ("clcolormatrix", "preset", "invert");
  for (int i = 0; i < 60; i++) {
    const bool dark = i % 2;
    for (int change = 0; change <= i % 4; change++) {
      studio.model.set_on (0, change % 2 ? dark : !dark);
      if (i % 3 == 0)
        g_usleep (gulong (i) * 50);
      if (i % 5 == 0)
        g_main_context_iteration (nullptr, FALSE);
    }
    if (i % 7 == 0)
      studio.model.seek (i * GST_SECOND);
    studio.model.set_on (0, dark);
    studio.model.set_property (0, "mix", i % 3 ? "1" : "0.999");
    g_assert_true (wait_for ([&] { return studio.model.settled (std::chrono::milliseconds (0)); }));
    g_assert_true (studio.comes_to_stand (dark));
  }
  /* a paused picture stays at its position when it is fetched again */
  studio.model.seek (GST_SECOND);
  for (int i = 0; i < 10; i++) {
    studio.model.set_property (0, "mix", i % 2 ? "1" : "0");
    g_assert_true (studio.comes_to_stand (i % 2));
  }
  g_assert_cmpint (studio.model.position ().value_or (-1), ==, GST_SECOND);
}

void
check_split ()
{
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.add ("clcolormatrix", "preset", "invert");
  studio.model.add ("clblur");
  /* delayed frames, and a format that must be converted */
  studio.model.add ("cltemporal");
  studio.model.split ().set_position (0.25);
  studio.model.play ();
  for (const char *format : {"BGRx", "RGB", "GRAY8"}) {
    studio.model.set_format (format);
    g_assert_true (studio.flows (12));
    const Bytes bytes = studio.frame ();
    g_assert_cmpfloat (mean (bytes, 64, 0, 16), >, 250);
    g_assert_cmpfloat (mean (bytes, 64, 16, 64), <, 5);
  }
  studio.model.split ().set_position (0);
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
}

void
check_errors ()
{
  Studio studio ("white");
  g_assert_true (studio.flows ());
  studio.model.add ("clmedian");
  studio.model.set_property (0, "device", "no such device");
  g_assert_true (wait_for ([&] { return !studio.problems.empty (); }));
  g_assert_true (studio.model.has_failed ());
  g_assert_nonnull (std::strstr (studio.problems[0].c_str (), "no such device"));
  /* after the correction it continues */
  studio.model.set_property (0, "device", "");
  studio.problems.clear ();
  g_assert_true (studio.flows ());
  const std::function<void ()> refused[]{[&] { studio.model.set_property (0, "radius", "wide"); },
      [&] { studio.model.set_property (0, "nonsense", "1"); }, [&] { studio.model.add ("clnonsense"); },
      [&] { studio.model.add ("clupload"); }, [&] { studio.model.remove (7); },
      [&] { studio.model.open ("clmedian ! nonsense"); }, [&] { studio.model.open ("gst-launch-1.0 'videotestsrc"); },
      [&] { studio.model.set_source (file_source ("/nonexistent/video.mp4")); }};
  for (const auto &action : refused)
    try {
      action ();
      g_assert_not_reached ();
    } catch (const std::exception &) {
    }
  g_assert_true (studio.flows ());
  g_assert_cmpuint (studio.model.filters ().size (), ==, 1);
}

void
check_files ()
{
  const Folder folder;
  const std::string path = folder / "a clip's \"name\".avi", written = folder / "clip";
  const Running writer = parse_launch (
      "videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48 ! jpegenc ! avimux ! filesink location=" + written);
  gst_element_set_state (writer.get (), GST_STATE_PLAYING);
  constexpr auto ends = GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  const Message end (gst_bus_timed_pop_filtered (bus_of (writer.get ()).get (), GST_CLOCK_TIME_NONE, ends));
  gst_element_set_state (writer.get (), GST_STATE_NULL);
  std::filesystem::rename (written, path);

  Studio studio;
  studio.model.set_source (file_source (path));
  studio.model.add ("clsobel");
  studio.model.play ();
  /* ten frames, so it must start again */
  g_assert_true (studio.flows (35));
  g_assert_true (studio.model.duration ().has_value ());
  studio.model.set_looping (false);
  g_assert_true (wait_for ([&] { return studio.ended; }));
  /* pausing after the end shows the last frame */
  studio.model.pause ();
  const guint64 before = studio.frames ();
  studio.model.set_property (0, "scale", "0.5");
  g_assert_true (wait_for ([&] { return studio.frames () > before; }));

  Studio again;
  again.model.open (launch_script (studio.model.words ()));
  g_assert_cmpstr (again.model.source ().what.c_str (), ==, studio.model.source ().what.c_str ());
  again.model.play ();
  g_assert_true (again.flows ());
  /* a file without video */
  std::ofstream (path) << "nonsense";
  again.model.set_source (file_source (path));
  g_assert_true (wait_for ([&] { return !again.problems.empty (); }));
}

void
check_quoting ()
{
  for (const std::string text : {"plain", "two words", "a \"quoted\" word", "it's", "back\\slash", "line\nbreak", "\"all\"",
           "a ! b", "dollar $HOME `x`", "end\\", "Größe", "semi;colon, comma", "name=value", ""}) {
    const Ref<GstElement> source (gst_element_factory_make ("filesrc", nullptr));
    g_object_set (source.get (), "location", text.c_str (), nullptr);
    const std::string shown = value_text (G_OBJECT (source.get ()), spec_of (source.get (), "location"));
    const std::string line = "gst-launch-1.0 " + shell_word (assignment ("location", shown));
    gchar **argv = nullptr;
    g_assert_true (g_shell_parse_argv (line.c_str (), nullptr, &argv, nullptr));
    const Strings owned (argv);
    const gchar *words[] = {"filesrc", argv[1], "!", "fakesink", nullptr};
    const Ref<GstElement> parsed (gst_parse_launchv (words, nullptr));
    g_assert_nonnull (parsed.get ());
    std::string found;
    for_each_element (gst_bin_iterate_sources (GST_BIN (parsed.get ())),
        [&] (GstElement *element) { found = text_property (element, "location"); });
    g_assert_cmpstr (found.c_str (), ==, text.c_str ());
  }
}

Bytes
bytes_of (const std::string &path)
{
  std::ifstream file (path, std::ios::binary);
  return Bytes (std::istreambuf_iterator<char> (file), {});
}

Bytes
played (const std::string &script, const Folder &folder)
{
  std::ofstream (folder / "line.sh") << script;
  const std::string command = "cd '" + folder.path + "' && sh ./line.sh >log 2>&1 || { cat log; exit 1; }";
  g_assert_cmpint (std::system (command.c_str ()), ==, 0);
  return bytes_of (folder / "out");
}

/* The model and its launch line give the same bytes, and a parsed line is written unchanged. */
void
check_line ()
{
  const Folder folder;
  Ref<GstElement> sink (gst_element_factory_make ("filesink", nullptr));
  g_object_set (sink.get (), "location", (folder / "shown").c_str (), nullptr);
  Source source = picture ("ball");
  source.frames = 12;
  std::vector<std::string> words;
  {
    Model model (sink.get ());
    bool ended = false;
    model.on_end = [&] { ended = true; };
    model.on_problem = [] (const Problem &problem) { g_error ("%s", problem.text.c_str ()); };
    model.set_looping (false);
    model.open ("clnoise type=speckle strength=0.1 ! clconvolve matrix=\"0 -1 0; -1 5 -1; 0 -1 0\" ! cltemporal ! clsobel "
                "output=l1 planes=r+b scale=0.3");
    model.add ("clmedian");
    model.set_on (4, false);
    model.set_source (source);
    model.split ().set_position (0);
    model.play ();
    g_assert_true (wait_for ([&] { return ended; }));
    words = model.words ();
  }
  words.pop_back ();
  words.insert (words.end (), {"video/x-raw,format=BGRx", "!", "filesink", "location=out"});
  const std::string script = launch_script (words);
  g_test_message ("%s", script.c_str ());
  const Bytes line = played (script, folder);
  const Bytes shown = bytes_of (folder / "shown");
  g_assert_cmpuint (line.size (), ==, 12 * 64 * 48 * 4);
  g_assert_true (shown == line);

  /* as an editor on another system saves it */
  const std::string edited = "\xef\xbb\xbf" + std::regex_replace (script, std::regex ("\n"), "\r\n");
  Studio again;
  g_assert_cmpuint (again.model.open (edited).size (), ==, 0);
  Studio other;
  other.model.open (launch_line (again.model.words ()));
  g_assert_true (again.model.words () == other.model.words ());
  g_assert_cmpuint (other.model.filters ().size (), ==, 4);
  g_assert_cmpint (other.model.source ().width, ==, 64);
}

}  // namespace

int
main (int argc, char **argv)
{
  return run_checks (argc, argv,
      {{"catalog", check_catalog}, {"quoting", check_quoting}, {"edits", check_edits}, {"region", check_region},
          {"every-filter", check_every_filter}, {"haste", check_haste}, {"seek-haste", check_seek_haste},
          {"pause", check_pause}, {"pause-haste", check_pause_haste}, {"split", check_split}, {"errors", check_errors},
          {"files", check_files}, {"line", check_line}});
}
