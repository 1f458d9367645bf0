/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/tracks.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

struct Tracks::Match {
  int64_t distance;
  size_t track, seen;
};

namespace {

/* Ignores an id that appears twice in a frame. */
bool
has_own_id (const Detection &one, std::span<const Detection> all)
{
  return one.id >= 0 && std::ranges::count (all, one.id, &Detection::id) == 1;
}

int64_t
middle_x (const Detection &of)
{
  return 2 * of.x + of.width;
}

int64_t
middle_y (const Detection &of)
{
  return 2 * of.y + of.height;
}

bool
touch (const Detection &a, const Detection &b)
{
  return std::abs (middle_x (a) - middle_x (b)) <= a.width + b.width
         && std::abs (middle_y (a) - middle_y (b)) <= a.height + b.height;
}

int64_t
distance (const Detection &a, const Detection &b)
{
  const int64_t x = middle_x (a) - middle_x (b), y = middle_y (a) - middle_y (b);
  return x * x + y * y;
}

/* Extrapolates the motion between two positions, `frames` apart, by `more` frames. */
int64_t
moved (int64_t from, int64_t to, uint64_t frames, uint64_t more)
{
  return int64_t (std::llround (double (to - from) / double (frames) * double (more) / 2));
}

}  // namespace

void
Tracks::Track::add (const Detection &seen, uint64_t frame)
{
  if (n_positions == positions.size ())
    std::shift_left (positions.begin (), positions.end (), 1);
  else
    n_positions++;
  positions[n_positions - 1] = {frame, middle_x (seen), middle_y (seen)};
  last = seen;
  seen_at = frame;
}

Detection
Tracks::Track::at (uint64_t frame) const
{
  Detection there = last;
  const Position &first = positions.front (), &newest = positions[n_positions - 1];
  if (frame == newest.frame || first.frame == newest.frame)
    return there;
  there.x += moved (first.x, newest.x, newest.frame - first.frame, frame - newest.frame);
  there.y += moved (first.y, newest.y, newest.frame - first.frame, frame - newest.frame);
  return there;
}

/* Finds the tracks that each detection may continue: the same id first, then the nearest track. */
std::vector<Tracks::Match>
Tracks::matches_of (std::span<const Detection> seen) const
{
  std::vector<Match> matches;
  std::vector<bool> numbered (seen.size ());
  for (size_t i = 0; i < seen.size (); i++)
    numbered[i] = has_own_id (seen[i], seen);
  for (size_t t = 0; t < tracks.size (); t++) {
    const Detection &last = tracks[t].last, expected = tracks[t].at (frame);
    for (size_t i = 0; i < seen.size (); i++) {
      const bool by_id = numbered[i] && seen[i].id == last.id;
      const bool by_place = !numbered[i] && seen[i].label == last.label && (touch (seen[i], expected) || touch (seen[i], last));
      if (by_id || by_place)
        matches.push_back ({by_id ? -1 : std::min (distance (seen[i], expected), distance (seen[i], last)), t, i});
    }
  }
  std::ranges::stable_sort (matches, {}, &Match::distance);
  return matches;
}

std::vector<Detection>
Tracks::step (std::span<const Detection> seen, unsigned hold)
{
  frame++;
  std::vector<Detection> result (seen.begin (), seen.end ());
  if (hold == 0) {
    clear ();
    return result;
  }
  std::vector<bool> continued (tracks.size ()), known (seen.size ());
  for (const auto &[distance, track, i] : matches_of (seen))
    if (!continued[track] && !known[i]) {
      continued[track] = known[i] = true;
      tracks[track].add (seen[i], frame);
    }
  std::erase_if (tracks, [&] (const Track &each) { return frame - each.seen_at > hold; });
  for (const Track &each : tracks)
    if (each.seen_at < frame)
      result.push_back (each.at (frame));
  for (size_t i = 0; i < seen.size (); i++)
    if (!known[i])
      tracks.emplace_back ().add (seen[i], frame);
  return result;
}

}  // namespace gst::cl
