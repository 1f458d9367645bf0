/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts of streams, and changes of properties: how long a stream takes to start, and the effect of a property change. Each
 * measurement runs in a new process, because a process loads a driver and builds a program only once. */
#include "growth.hpp"
#include "process.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

namespace bench {

namespace {

/** Program caches of the elements and of the drivers, initially empty. */
class Caches {
public:
  Caches ();
  std::map<std::string, std::string> variables () const;

private:
  TemporaryFolder folder;
};

struct Start {
  /** From the state change to the first frame on the host. */
  double first_frame_us = 0;
  double build_ms = 0, builds = 0;
  /** The time of later frames. */
  double frame_us = 0;
};

struct Change {
  /** The properties, as "name=value". */
  std::string what;
  /** How much later than usual the latest of the following frames came. */
  double delay_us;
};

struct Changes {
  /** Time from frame to frame. */
  double period_us = 0;
  std::vector<Change> changes;
};

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

/* Starts a pipeline with the element of a case, or with `identity` for "". Throws std::runtime_error. */
Start
start_stream (const Caches &caches, const Device &device, const std::string &key, Size size)
{
  std::istringstream words = words_of (run_child (caches, "start", device, key.empty () ? nobody : key, size));
  Start start;
  words >> start.first_frame_us >> start.build_ms >> start.builds >> start.frame_us;
  return start;
}

/* A stream at 60 frames a second, or as fast as the filter allows, with empty caches; sets one property after another. */
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

constexpr double warm_start_us = 150000, cold_build_us = 3e6;
/** How many frame times late a frame may be when a property changes; a delay above the second number is not caused by other
 *  load. */
constexpr double frames_late = 1, surely_late = 5;

/* One case for every element, and further cases with large programs. */
std::vector<std::string>
start_cases (const std::string &wanted)
{
  static const std::set<std::string> large{"convolve-real 15", "gaussian 31", "median 7", "median 15", "median 31",
      "bilateral 9", "blur 49", "box 21", "erode 15", "clahe-gray 1", "temporal-median 5"};
  std::vector<std::string> keys;
  std::set<std::string> elements;
  for (const Case &what : make_cases (wanted))
    if (elements.insert (what.element).second || large.count (what.key ()))
      keys.push_back (what.key ());
  return keys;
}

Samples
first_frames (const Caches &caches, const Device &device, const std::string &key, Size size, int n)
{
  Samples samples;
  for (int i = 0; i < n; i++)
    samples.us.push_back (start_stream (caches, device, key, size).first_frame_us);
  return samples;
}

/* Two or three starts may be slow because of other load, so late ones are repeated. */
Samples
warm_starts (const Caches &caches, const Device &device, const std::string &key, Size size, double allowed)
{
  constexpr int few = 3, more = 7;
  const Samples first = first_frames (caches, device, key, size, few);
  return first.median () <= allowed ? first : first_frames (caches, device, key, size, more);
}

/* Judges how long a start takes beyond identity's. A filter whose frames take so long that no start could be in time is judged
 * by that. */
Verdict
judge_start (const std::string &what, double taken_us, double frame_us, double allowed_us)
{
  Verdict verdict{what, 1, allowed_us / std::max (taken_us, 1.0)};
  if (verdict.below () && frame_us > allowed_us / 2 && taken_us - frame_us <= allowed_us)
    verdict.why = std::to_string (int (frame_us / 1000)) + " ms are the frame's own";
  return verdict;
}

void
time_start (Growth &growth, Plot &plot, const std::string &key, const Samples &identity)
{
  const Case what = find_case (key);
  const Size size{1920, 1080};
  const double usual = identity.median ();
  const std::string warm = what.title + ", first frame within 150 ms of identity, warm cache",
                    cold = what.title + ", first frame within 3 s of identity, cold cache";
  try {
    growth.step ("start of " + what.title);
    std::optional<Caches> caches (std::in_place);
    Start start = start_stream (*caches, growth.device, key, size);
    if (start.first_frame_us - usual > cold_build_us) { /* repeats it */
      caches.emplace ();
      start = start_stream (*caches, growth.device, key, size);
    }
    const double again = warm_starts (*caches, growth.device, key, size, usual + warm_start_us + start.frame_us).median ();
    growth.verdicts.push_back (judge_start (warm, again - usual, start.frame_us, warm_start_us));
    growth.verdicts.push_back (judge_start (cold, start.first_frame_us - usual, start.frame_us, cold_build_us));
    plot.labels.push_back (what.title);
    plot.at_label ("identity", true).us = {usual / 1000};
    for (const auto &[line, us] : {std::pair{"warm cache", again}, {"cold cache", start.first_frame_us},
             {"builds, cold", start.build_ms * 1000}, {"one frame later on", start.frame_us}})
      plot.at_label (line).us = {us / 1000};
  } catch (const std::exception &error) {
    for (const std::string &target : {warm, cold})
      growth.verdicts.push_back ({target, 1, std::nullopt, "", error.what ()});
  }
}

double
worst_delay (const Changes &changes)
{
  double most = 0;
  for (const Change &change : changes.changes)
    most = std::max (most, change.delay_us / changes.period_us);
  return most;
}

void
time_change (Growth &growth, Plot &plot, const std::string &key)
{
  const std::string title = find_case (key).title;
  const Size size{1920, 1080};
  growth.step ("changes of " + title);
  Verdict verdict{title + ", a change delays no frame by more than one", 1, std::nullopt};
  try {
    std::optional<Caches> caches (std::in_place);
    Changes cold = change_stream (*caches, growth.device, key, size);
    for (int again = 0; again < 2 && worst_delay (cold) > frames_late && worst_delay (cold) < surely_late; again++) {
      caches.emplace ();
      cold = change_stream (*caches, growth.device, key, size);
    }
    const Changes warm = growth.brief () ? Changes{} : change_stream (*caches, growth.device, key, size);
    for (size_t i = 0; i < cold.changes.size (); i++) {
      plot.labels.push_back (title + ", " + cold.changes[i].what);
      plot.at_label ("cold cache").us = {std::max (cold.changes[i].delay_us / cold.period_us, 0.01)};
      if (i < warm.changes.size ())
        plot.at_label ("warm cache").us = {std::max (warm.changes[i].delay_us / warm.period_us, 0.01)};
      plot.at_label ("one frame's time", true).us = {frames_late};
    }
    verdict.reached = frames_late / std::max (worst_delay (cold), 1e-3);
  } catch (const std::exception &error) {
    verdict.why = error.what ();
  }
  growth.verdicts.push_back (verdict);
}

}  // namespace

void
time_starts (Growth &growth)
{
  Plot &plot = growth.plots.emplace_back (Plot{"start", growth.device.name,
      "from the order to play to the first frame, 1920x1080 RGBA", "filter", "milliseconds", false, true});
  growth.step ("start of identity");
  const Samples identity = first_frames (Caches (), growth.device, "", {1920, 1080}, 5);
  for (const std::string &key : start_cases (growth.options.filter))
    time_start (growth, plot, key, identity);
}

void
time_changes (Growth &growth)
{
  Plot &plot = growth.plots.emplace_back (Plot{"change", growth.device.name,
      "how late a frame is when a property changes, 1920x1080 RGBA", "change", "frames' times", false, true});
  for (const auto &[key, changes] : changes_of)
    if (key.find (growth.options.filter) != std::string::npos)
      time_change (growth, plot, key);
}

int
run_stream (const Options &options)
{
  Size size{};
  if (options.words.size () != 4 || std::sscanf (options.words[3].c_str (), "%dx%d", &size.width, &size.height) != 2)
    throw std::runtime_error ("stream wants start or change, a case, a device and a size");
  std::cout.imbue (std::locale::classic ());
  const Case what = options.words[1] == nobody ? Case{nobody, 1, nobody, Operation::threshold, "identity", {}, 15, {}}
                                               : find_case (options.words[1]);
  Frames frames = make_moved_frames (size);
  if (what.gray)
    frames = gray_of (frames, what.deep);
  if (options.words[0] == "start")
    child_start (what, options.words[2], frames);
  else
    child_change (what, options.words[1], options.words[2], frames);
  return 0;
}

}  // namespace bench
