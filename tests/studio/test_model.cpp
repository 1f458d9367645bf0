/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The studio's pipeline without its window: filters are added, removed and moved, and properties change, while frames flow; the
   saved line plays the same frames. */
#include "catalog.hpp"
#include "history.hpp"
#include "region.hpp"
#include "studio.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <glib/gstdio.h>
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
  Studio studio;
  studio.model.set_source (picture ("smpte"));
  studio.model.play ();
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
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.model.play ();
  g_assert_cmpfloat (mean (studio.frame ()), >, 250);
  studio.model.add ("clcolormatrix");
  studio.model.set_property (0, "preset", "invert");
  g_assert_cmpfloat (mean (studio.frame ()), <, 5);
  /* inverts, then adds half of full scale, so that the order matters */
  studio.model.add ("clconvolve");
  studio.model.set_property (1, "bias", "0.5");
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
  studio.model.add ("clcolormatrix");
  studio.model.set_property (0, "preset", "invert");
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

/* Changes as fast as they can be asked for. */
void
check_haste ()
{
  Studio studio;
  studio.model.set_source (picture ("ball"));
  studio.model.play ();
  for (int i = 0; i < 200; i++) {
    switch (studio.model.filters ().empty () ? 0 : i % 5) {
      case 0:
        studio.model.add ("clmedian");
        break;
      case 1:
        studio.model.add ("cltemporal", 0);
        break;
      case 2:
        studio.model.move (0, studio.model.filters ().size () - 1);
        break;
      case 3:
        studio.model.set_on (0, i % 2);
        break;
      default:
        studio.model.remove (0);
        break;
    }
    if (studio.model.filters ().size () > 4)
      studio.model.replace ({});
    if (i % 10 == 0)
      g_usleep (5000);
    g_main_context_iteration (nullptr, FALSE);
  }
  g_assert_true (studio.flows ());
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
  Studio studio;
  studio.model.set_source (picture ("ball"));
  studio.model.play ();
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
  studio.model.add ("clcolormatrix");
  studio.model.set_property (0, "preset", "invert");
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
  studio.model.add ("clcolormatrix");
  studio.model.set_property (0, "preset", "invert");
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
  Studio studio;
  studio.model.set_source (picture ("white"));
  studio.model.play ();
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
  const auto refused = [&] (const std::function<void ()> &action) {
    try {
      action ();
    } catch (const std::exception &) {
      return true;
    }
    return false;
  };
  g_assert_true (refused ([&] { studio.model.set_property (0, "radius", "wide"); }));
  g_assert_true (refused ([&] { studio.model.set_property (0, "nonsense", "1"); }));
  g_assert_true (refused ([&] { studio.model.add ("clnonsense"); }));
  g_assert_true (refused ([&] { studio.model.add ("clupload"); }));
  g_assert_true (refused ([&] { studio.model.remove (7); }));
  g_assert_true (refused ([&] { studio.model.open ("clmedian ! nonsense"); }));
  g_assert_true (refused ([&] { studio.model.open ("gst-launch-1.0 'videotestsrc"); }));
  g_assert_true (refused ([&] { studio.model.set_source (file_source ("/nonexistent/video.mp4")); }));
  g_assert_true (studio.flows ());
  g_assert_cmpuint (studio.model.filters ().size (), ==, 1);
}

void
check_files ()
{
  const Chars folder (g_dir_make_tmp ("studio-XXXXXX", nullptr));
  const std::string path = std::string (folder.get ()) + "/a clip's \"name\".avi";
  const std::string line =
      "videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48 ! jpegenc ! avimux ! filesink location="
      + std::string (folder.get ()) + "/clip";
  const Ref<GstElement> writer (gst_parse_launch (line.c_str (), nullptr));
  gst_element_set_state (writer.get (), GST_STATE_PLAYING);
  const Ref<GstBus> bus = Ref<GstBus>::take (gst_element_get_bus (writer.get ()));
  gst_message_unref (
      gst_bus_timed_pop_filtered (bus.get (), GST_CLOCK_TIME_NONE, GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state (writer.get (), GST_STATE_NULL);
  g_rename ((std::string (folder.get ()) + "/clip").c_str (), path.c_str ());

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
  std::remove (path.c_str ());
  g_rmdir (folder.get ());
}

void
check_quoting ()
{
  for (const std::string text : {"plain", "two words", "a \"quoted\" word", "it's", "back\\slash", "line\nbreak", "\"all\"",
           "a ! b", "dollar $HOME `x`", "end\\", "Größe", "semi;colon, comma", "name=value", ""}) {
    const Ref<GstElement> source (gst_element_factory_make ("filesrc", nullptr));
    g_object_set (source.get (), "location", text.c_str (), nullptr);
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (source.get ()), "location");
    const std::string line =
        "gst-launch-1.0 " + shell_word (assignment ("location", value_text (G_OBJECT (source.get ()), spec)));
    gchar **argv = nullptr;
    g_assert_true (g_shell_parse_argv (line.c_str (), nullptr, &argv, nullptr));
    const Strings owned (argv);
    const gchar *words[] = {"filesrc", argv[1], "!", "fakesink", nullptr};
    const Ref<GstElement> parsed (gst_parse_launchv (words, nullptr));
    g_assert_nonnull (parsed.get ());
    GstIterator *elements = gst_bin_iterate_sources (GST_BIN (parsed.get ()));
    Value item;
    g_assert_cmpint (gst_iterator_next (elements, item.get ()), ==, GST_ITERATOR_OK);
    gchar *location = nullptr;
    g_object_get (g_value_get_object (item.get ()), "location", &location, nullptr);
    gst_iterator_free (elements);
    const std::string found = text_of (location);
    g_assert_cmpstr (found.c_str (), ==, text.c_str ());
  }
}

Bytes
played (const std::string &script, const std::string &folder)
{
  std::ofstream (folder + "/line.sh") << script;
  const std::string command = "cd '" + folder + "' && sh ./line.sh >log 2>&1 || { cat log; exit 1; }";
  g_assert_cmpint (std::system (command.c_str ()), ==, 0);
  std::ifstream file (folder + "/out", std::ios::binary);
  return Bytes (std::istreambuf_iterator<char> (file), {});
}

/* The model and its launch line give the same bytes, and a parsed line is written unchanged. */
void
check_line ()
{
  const Chars folder (g_dir_make_tmp ("studio-XXXXXX", nullptr));
  Ref<GstElement> sink (gst_element_factory_make ("filesink", nullptr));
  g_object_set (sink.get (), "location", (std::string (folder.get ()) + "/shown").c_str (), nullptr);
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
  const Bytes line = played (script, folder.get ());
  std::ifstream file (std::string (folder.get ()) + "/shown", std::ios::binary);
  const Bytes shown (std::istreambuf_iterator<char> (file), {});
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
  for (const char *name : {"line.sh", "log", "out", "shown"})
    std::remove ((std::string (folder.get ()) + "/" + name).c_str ());
  g_rmdir (folder.get ());
}

}  // namespace

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, nullptr);
  if (!has_device ()) {
    g_print ("1..0 # SKIP no OpenCL device\n");
    return 0;
  }
  g_test_add_func ("/studio/catalog", check_catalog);
  g_test_add_func ("/studio/quoting", check_quoting);
  g_test_add_func ("/studio/edits", check_edits);
  g_test_add_func ("/studio/region", check_region);
  g_test_add_func ("/studio/every-filter", check_every_filter);
  g_test_add_func ("/studio/haste", check_haste);
  g_test_add_func ("/studio/seek-haste", check_seek_haste);
  g_test_add_func ("/studio/pause", check_pause);
  g_test_add_func ("/studio/pause-haste", check_pause_haste);
  g_test_add_func ("/studio/split", check_split);
  g_test_add_func ("/studio/errors", check_errors);
  g_test_add_func ("/studio/files", check_files);
  g_test_add_func ("/studio/line", check_line);
  return g_test_run ();
}
