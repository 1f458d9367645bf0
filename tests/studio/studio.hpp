/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The studio's model, with access to its frames. */
#pragma once

#include "../../pipelines/apps/common/mappedframe.hpp"
#include "model.hpp"

#include <filesystem>
#include <gst/app/app.h>

using namespace studio;

constexpr std::chrono::seconds patience (60);

using Bytes = std::vector<guint8>;

/* Runs the main context until a condition holds. */
template <typename Condition>
bool
wait_for (Condition holds)
{
  const gint64 end = g_get_monotonic_time () + std::chrono::microseconds (patience).count ();
  while (!holds ()) {
    if (g_get_monotonic_time () > end)
      return false;
    g_main_context_iteration (nullptr, FALSE);
    g_usleep (1000);
  }
  return true;
}

inline Source
picture (const char *pattern, int width = 64, int height = 48)
{
  return {.what = pattern, .width = width, .height = height, .rate = 30};
}

/* A folder that is deleted with its contents. */
class Folder {
public:
  Folder () : path (text_of (g_dir_make_tmp ("studio-XXXXXX", nullptr))) {}
  ~Folder () { std::filesystem::remove_all (path); }
  std::string operator/ (const std::string &name) const { return path + "/" + name; }
  std::vector<std::string> names () const
  {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator (path))
      found.push_back (entry.path ().filename ());
    return found;
  }
  const std::string path;
};

/* A model whose frames arrive here. */
class Studio {
public:
  /* pattern: plays this test picture. */
  explicit Studio (const char *pattern = nullptr) : sink (gst_element_factory_make ("appsink", nullptr)), model (sink.get ())
  {
    g_object_set (sink.get (), "max-buffers", 1u, "drop", TRUE, "wait-on-eos", FALSE, nullptr);
    model.on_problem = [this] (const Problem &problem) {
      problems.push_back (problem.text + " " + problem.details);
      g_test_message ("problem: %s", problems.back ().c_str ());
    };
    model.on_end = [this] { ended = true; };
    if (pattern) {
      model.set_source (picture (pattern));
      model.play ();
    }
  }

  /* The last filter of the row. */
  void add (const char *kind, const char *property, const char *value)
  {
    model.set_property (model.add (kind), property, value);
  }

  guint64 frames () const { return model.split ().frames (); }

  /* Frames that were under way during a change do not count. */
  bool flows (guint64 n = 8)
  {
    if (!model.settled (patience))
      return false;
    const guint64 before = frames ();
    return wait_for ([&] { return frames () >= before + n || !problems.empty (); }) && problems.empty ();
  }

  Bytes frame ()
  {
    const bool flowed = flows ();
    g_assert_true (flowed);
    const Sample sample (gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), 20 * GST_SECOND));
    const MappedFrame mapped (sample.get ());
    g_assert_true (bool (mapped));
    return visible_bytes (mapped.frame);
  }

  /* The brightness of a new paused frame since the last call; -1 if there is none. The model's main loop must run meanwhile. */
  int still ()
  {
    const Sample sample (gst_app_sink_try_pull_preroll (GST_APP_SINK (sink.get ()), 20 * GST_MSECOND));
    if (!sample.get ())
      return -1;
    guint8 byte = 0;
    gst_buffer_extract (gst_sample_get_buffer (sample.get ()), 0, &byte, 1);
    return byte;
  }

  bool comes_to_stand (bool dark)
  {
    return wait_for ([&] {
      const int brightness = still ();
      return brightness >= 0 && (dark ? brightness < 5 : brightness > 250);
    });
  }

  Ref<GstElement> sink;
  Model model;
  std::vector<std::string> problems;
  bool ended = false;
};

/* Excludes BGRx's padding byte. */
inline double
mean (const Bytes &bytes, int width = 64, int from = 0, int to = 64)
{
  double sum = 0, n = 0;
  for (size_t i = 0; i < bytes.size (); i++) {
    const int x = int (i / 4) % width;
    if (i % 4 != 3 && x >= from && x < to) {
      sum += bytes[i];
      ++n;
    }
  }
  return sum / n;
}

inline bool
has_device ()
{
  const Ref<GstElement> upload (gst_element_factory_make ("clupload", nullptr));
  const Running ready (upload ? static_cast<GstElement *> (gst_object_ref (upload.get ())) : nullptr);
  return ready && gst_element_set_state (ready.get (), GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
}

/* A program that runs these checks. */
inline int
run_checks (int argc, char **argv, std::initializer_list<std::pair<const char *, void (*) ()>> checks)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, nullptr);
  if (!has_device ()) {
    g_print ("1..0 # SKIP no OpenCL device\n");
    return 0;
  }
  for (const auto &[name, check] : checks)
    g_test_add_func ((std::string ("/studio/") + name).c_str (), check);
  return g_test_run ();
}
