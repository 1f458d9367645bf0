/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts of streams, and changes of properties. */
#include "growth.hpp"
#include "stream.hpp"

#include <algorithm>
#include <set>

namespace bench {

namespace {

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
    growth.progress.step (growth.device.name + " start of " + what.title);
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
  growth.progress.step (growth.device.name + " changes of " + title);
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
  Plot plot{"start", growth.device.name, "from the order to play to the first frame, 1920x1080 RGBA", "filter", "milliseconds",
      false, true, {}};
  growth.progress.step (growth.device.name + " start of identity");
  const Samples identity = first_frames (Caches (), growth.device, "", {1920, 1080}, 5);
  for (const std::string &key : start_cases (growth.options.filter))
    time_start (growth, plot, key, identity);
  growth.plots.push_back (std::move (plot));
}

void
time_changes (Growth &growth)
{
  Plot plot{"change", growth.device.name, "how late a frame is when a property changes, 1920x1080 RGBA", "change",
      "frames' times", false, true, {}};
  for (const std::string &key : changing_cases ())
    if (key.find (growth.options.filter) != std::string::npos)
      time_change (growth, plot, key);
  growth.plots.push_back (std::move (plot));
}

}  // namespace bench
