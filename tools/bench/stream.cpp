/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace bench {

Caches::Caches ()
{
  for (const char *name : {"/pocl", "/cuda"})
    g_mkdir_with_parents ((folder.path + name).c_str (), 0700);
}

std::map<std::string, std::string>
Caches::variables () const
{
  std::map<std::string, std::string> all{
      {"XDG_CACHE_HOME", folder.path}, {"POCL_CACHE_DIR", folder.path + "/pocl"}, {"CUDA_CACHE_PATH", folder.path + "/cuda"}};
  /* a registry is not a program cache, but would be in the same folder */
  if (!g_getenv ("GST_REGISTRY_1_0"))
    all["GST_REGISTRY_1_0"] = std::string (g_get_user_cache_dir ()) + "/cl-bench-registry.bin";
  return all;
}

namespace {

const char *const nobody = "identity";

/* Properties to set one after another; some need new programs, others do not. */
const std::map<std::string, std::vector<std::string>> changes_of{
    {"convolve-real 3", {"preset=gaussian5", "bias=0.1", "matrix=1 2 3 4 3 2 1", "border=reflect", "matrix=1 2;3 4"}},
    {"median 3", {"radius=2", "threshold=0.1", "radius=3", "radius=7", "percentile=0.3", "radius=1"}},
    {"blur 13", {"sigma=3", "radius=9", "radius=12", "type=box", "type=gaussian"}},
    {"bilateral 5", {"sigma-range=0.2", "radius=3", "window=square", "distance=intensity", "radius=2"}},
    {"erode 3", {"radius=2", "radius=7", "shape=ellipse", "iterations=2", "border=wrap"}},
    {"unsharp 7", {"amount=2", "sigma=2", "threshold=0.05", "method=laplacian"}},
    {"sobel 3", {"scale=2", "output=l1", "domain=intensity", "output=x"}},
    {"threshold 1", {"threshold=0.3", "type=trunc", "domain=intensity", "method=otsu", "method=mean"}},
    {"colormatrix 1", {"preset=invert", "preset=grayscale"}},
    {"levels 1", {"gamma=1.2", "white=0.7", "auto=true"}},
    {"noise 1", {"strength=0.1", "type=uniform", "mono=true", "type=speckle"}},
    {"equalize 1", {"strength=0.5", "method=clahe", "tiles-x=12", "clip-limit=4"}},
};

Output
run_child (const Caches &caches, const char *what, const Device &device, const std::string &key, Size size)
{
  return run_program ({own_program (), "stream", what, key, device.index, size.text ()}, caches.variables ());
}

/* The words of the last line of a child's output; a driver may have printed lines before it. */
std::istringstream
words_of (const Output &output)
{
  const std::string line = last_line (output.out);
  if (!output.ok || line.empty ())
    throw std::runtime_error ("a stream failed: " + output.err);
  std::istringstream words (line);
  words.imbue (std::locale::classic ());
  return words;
}

Case
child_case (const std::string &key)
{
  return key == nobody ? Case{nobody, 1, nobody, Operation::threshold, "identity", {}, 15, {}} : find_case (key);
}

void
child_start (const Case &what, const std::string &device, const Frames &frames)
{
  Pipeline pipeline (nullptr, device, what, frames);
  const double begin = now_us ();
  pipeline.start ();
  pipeline.run (what.delay + 1);
  const double us = now_us () - begin;
  const bool ours = what.filter != nobody;
  Samples later;
  for (int i = 0; i < 3; i++)
    later.us.push_back (pipeline.run (1));
  std::cout << us << " " << (ours ? pipeline.count ("build-ms") : 0) << " " << (ours ? pipeline.count ("builds") : 0) << " "
            << later.minimum () << std::endl;
}

/* The time until each frame is complete; a change of a property counts with the first one. */
Samples
stream_frames (Pipeline &pipeline, int n, double period_us, const std::string &change)
{
  Samples taken;
  double due = now_us ();
  for (int i = 0; i < n; i++) {
    due += period_us;
    if (const double wait = due - now_us (); wait > 0)
      std::this_thread::sleep_for (std::chrono::duration<double, std::micro> (wait));
    const double begin = now_us ();
    if (const size_t equals = change.find ('='); i == 0 && equals != std::string::npos)
      gst_util_set_object_arg (
          G_OBJECT (pipeline.element ()), change.substr (0, equals).c_str (), change.substr (equals + 1).c_str ());
    pipeline.run (1);
    taken.us.push_back (now_us () - begin);
  }
  return taken;
}

/* Prints the period, and for every change the delay and the property. */
void
child_change (const Case &what, const std::string &key, const std::string &device, const Frames &frames)
{
  constexpr int frames_each = 16;
  constexpr double least_period_us = 1e6 / 60, headroom = 1.5;
  Pipeline pipeline (nullptr, device, what, frames);
  pipeline.start ();
  pipeline.run (10);
  const double period = std::max (least_period_us, headroom * pipeline.run (5));
  std::cout << period;
  for (const std::string &change : changes_of.at (key)) {
    const Samples calm = stream_frames (pipeline, frames_each, period, "");
    const Samples after = stream_frames (pipeline, frames_each, period, change);
    /* a setting that is slower permanently causes no delay, so its later frame time counts as usual, too */
    const Samples settled{{after.us.begin () + frames_each / 2, after.us.end ()}};
    std::cout << "\t" << after.maximum () - std::max (calm.median (), settled.median ()) << "\t" << change;
  }
  std::cout << std::endl;
}

}  // namespace

Start
start_stream (const Caches &caches, const Device &device, const std::string &key, Size size)
{
  std::istringstream words = words_of (run_child (caches, "start", device, key.empty () ? nobody : key, size));
  Start start;
  words >> start.first_frame_us >> start.build_ms >> start.builds >> start.frame_us;
  return start;
}

std::vector<std::string>
changing_cases ()
{
  std::vector<std::string> keys;
  for (const auto &[key, changes] : changes_of)
    keys.push_back (key);
  return keys;
}

Changes
change_stream (const Caches &caches, const Device &device, const std::string &key, Size size)
{
  std::istringstream line = words_of (run_child (caches, "change", device, key, size));
  Changes result;
  line >> result.period_us;
  std::string field;
  std::getline (line, field, '\t');
  while (std::getline (line, field, '\t')) {
    Change change{"", g_ascii_strtod (field.c_str (), nullptr)};
    std::getline (line, change.what, '\t');
    result.changes.push_back (change);
  }
  return result;
}

int
run_stream (const Options &options)
{
  Size size{};
  if (options.words.size () != 4 || std::sscanf (options.words[3].c_str (), "%dx%d", &size.width, &size.height) != 2)
    throw std::runtime_error ("stream wants start or change, a case, a device and a size");
  std::cout.imbue (std::locale::classic ());
  const Case what = child_case (options.words[1]);
  Frames frames = make_moved_frames (size);
  if (what.gray)
    frames = gray_of (frames);
  if (options.words[0] == "start")
    child_start (what, options.words[2], frames);
  else
    child_change (what, options.words[1], options.words[2], frames);
  return 0;
}

}  // namespace bench
