/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/tracks.hpp"

#include "config.h"
#include "core/error.hpp"
#include "core/loader.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

struct Tracks::Match {
  double distance;
  size_t track, seen;
};

namespace {

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

double
distance (const Detection &a, const Detection &b)
{
  const auto x = double (middle_x (a) - middle_x (b)), y = double (middle_y (a) - middle_y (b));
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
  for (size_t i = 0; i < seen.size (); i++) /* ignores an id that appears twice in a frame */
    numbered[i] = seen[i].id >= 0 && std::ranges::count (seen, seen[i].id, &Detection::id) == 1;
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

namespace {

[[noreturn]] void
refuse (const std::string &why)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "roi-source=analytics needs GStreamer's analytics library of 1.24 or later, which came with the libraries of "
      "gst-plugins-bad. Install it, or use roi-source=meta or list.",
      why);
}

#ifdef HAVE_ANALYTICS

/* GstAnalyticsMtd. */
struct Item {
  guint id;
  gpointer meta;
};

struct Library {
  std::string missing; /* why it cannot be used */
  gpointer (*meta_of) (GstBuffer *);
  gboolean (*iterate) (gpointer meta, gpointer *state, guintptr type, Item *item);
  int (*relation) (gpointer meta, guint first, guint second);
  guintptr (*detection_type) ();
  guintptr (*tracking_type) ();
  gboolean (*location) (const Item *, gint *x, gint *y, gint *width, gint *height, gfloat *confidence);
  /* since 1.26, and in radians around the middle */
  gboolean (*turned_location) (const Item *, gint *x, gint *y, gint *width, gint *height, gfloat *turn, gfloat *confidence);
  GQuark (*label) (const Item *);
  gboolean (*tracking) (const Item *, guint64 *id, GstClockTime *first, GstClockTime *last, gboolean *lost);
  guintptr (*classes_type) ();
  gsize (*n_classes) (const Item *);
  gfloat (*class_level) (const Item *, gsize number);
  GQuark (*class_label) (const Item *, gsize number);
  gpointer (*add_meta) (GstBuffer *);
  gboolean (*add_detection) (gpointer meta, GQuark label, gint x, gint y, gint width, gint height, gfloat confidence, Item *);
  gboolean (*add_tracking) (gpointer meta, guint64 id, GstClockTime first, Item *);
  gboolean (*add_classes) (gpointer meta, gsize n, gfloat *levels, GQuark *labels, Item *);
  gboolean (*set_last) (Item *, GstClockTime);
  gboolean (*set_lost) (Item *);
  gboolean (*relate) (gpointer meta, int relation, guint first, guint second);
};

Library
load ()
{
  Library all{};
  Loader library ("libgstanalytics-1.0.so.0");
  if (!library.is_open ()) {
    all.missing = "libgstanalytics-1.0.so.0 is not installed";
    return all;
  }
  library.need (all.meta_of, "gst_buffer_get_analytics_relation_meta")
      .need (all.iterate, "gst_analytics_relation_meta_iterate")
      .need (all.relation, "gst_analytics_relation_meta_get_relation")
      .need (all.detection_type, "gst_analytics_od_mtd_get_mtd_type")
      .need (all.tracking_type, "gst_analytics_tracking_mtd_get_mtd_type")
      .need (all.location, "gst_analytics_od_mtd_get_location")
      .need (all.label, "gst_analytics_od_mtd_get_obj_type")
      .need (all.tracking, "gst_analytics_tracking_mtd_get_info")
      .need (all.classes_type, "gst_analytics_cls_mtd_get_mtd_type")
      .need (all.n_classes, "gst_analytics_cls_mtd_get_length")
      .need (all.class_level, "gst_analytics_cls_mtd_get_level")
      .need (all.class_label, "gst_analytics_cls_mtd_get_quark")
      .need (all.add_classes, "gst_analytics_relation_meta_add_cls_mtd")
      .need (all.add_meta, "gst_buffer_add_analytics_relation_meta")
      .need (all.add_detection, "gst_analytics_relation_meta_add_od_mtd")
      .need (all.add_tracking, "gst_analytics_relation_meta_add_tracking_mtd")
      .need (all.set_last, "gst_analytics_tracking_mtd_update_last_seen")
      .need (all.set_lost, "gst_analytics_tracking_mtd_set_lost")
      .need (all.relate, "gst_analytics_relation_meta_set_relation");
  library.want (all.turned_location, "gst_analytics_od_mtd_get_oriented_location");
  if (!library.missing.empty ())
    all.missing = "libgstanalytics-1.0.so.0 lacks " + library.missing;
  return all;
}

const Library &
loaded ()
{
  static const Library library = load ();
  return library;
}

std::vector<Item>
items_of (const Library &library, gpointer meta, guintptr type)
{
  std::vector<Item> items;
  gpointer state = nullptr;
  for (Item item; library.iterate (meta, &state, type, &item);)
    items.push_back (item);
  return items;
}

/* The upright rectangle around one that is turned. */
void
turn (Detection &of, double angle)
{
  const double sine = std::abs (std::sin (angle)), cosine = std::abs (std::cos (angle));
  const auto width = int64_t (std::ceil (double (of.width) * cosine + double (of.height) * sine - 1e-3));
  const auto height = int64_t (std::ceil (double (of.width) * sine + double (of.height) * cosine - 1e-3));
  const int64_t beside = (width - of.width + 1) >> 1, above = (height - of.height + 1) >> 1; /* may be negative */
  of.x -= beside, of.y -= above;
  of.width += 2 * beside, of.height += 2 * above;
}

Detection
detection_of (const Library &library, const Item &item)
{
  gint x = 0, y = 0, width = 0, height = 0;
  gfloat angle = 0, confidence = 0;
  if (!library.turned_location || !library.turned_location (&item, &x, &y, &width, &height, &angle, &confidence))
    library.location (&item, &x, &y, &width, &height, &confidence);
  const gchar *label = g_quark_to_string (library.label (&item));
  Detection found{x, y, width, height, -1, label ? label : "", confidence};
  if (angle != 0)
    turn (found, angle);
  return found;
}

/* Returns false if the new meta has nothing like the item. */
bool
copy_tracking (const Library &library, const Item &item, gpointer meta, Item &made)
{
  guint64 id = 0;
  GstClockTime first = 0, last = 0;
  gboolean lost = FALSE;
  if (!library.tracking (&item, &id, &first, &last, &lost) || !library.add_tracking (meta, id, first, &made))
    return false;
  library.set_last (&made, last);
  if (lost)
    library.set_lost (&made);
  return true;
}

bool
copy_classes (const Library &library, const Item &item, gpointer meta, Item &made)
{
  std::vector<gfloat> levels;
  std::vector<GQuark> labels;
  for (gsize i = 0, n = library.n_classes (&item); i < n; i++) {
    levels.push_back (library.class_level (&item, i));
    labels.push_back (library.class_label (&item, i));
  }
  return library.add_classes (meta, labels.size (), levels.data (), labels.data (), &made);
}

#endif

}  // namespace

bool
is_analytics (const GstMeta *meta)
{
  return !g_strcmp0 (g_type_name (meta->info->api), "GstAnalyticsRelationMetaAPI");
}

void
add_detections ([[maybe_unused]] GstBuffer *to, [[maybe_unused]] GstMeta *from, [[maybe_unused]] const NewPlace &place)
{
#ifdef HAVE_ANALYTICS
  const Library &library = loaded ();
  if (!library.missing.empty ())
    return;
  const gpointer meta = library.add_meta (to);
  std::vector<std::pair<guint, guint>> ids; /* before and now */
  Item made;
  for (const Item &item : items_of (library, from, library.detection_type ())) {
    const Detection seen = detection_of (library, item);
    const auto now = place ({int (seen.x), int (seen.y), int (seen.width), int (seen.height)});
    if (now
        && library.add_detection (meta, library.label (&item), now->x, now->y, now->width, now->height, seen.confidence, &made))
      ids.emplace_back (item.id, made.id);
  }
  const auto copy_all = [&] (guintptr type, auto copy) {
    for (const Item &item : items_of (library, from, type))
      if (copy (library, item, meta, made))
        ids.emplace_back (item.id, made.id);
  };
  copy_all (library.tracking_type (), copy_tracking);
  copy_all (library.classes_type (), copy_classes);
  for (const auto &first : ids)
    for (const auto &second : ids)
      if (const int relation = library.relation (from, first.first, second.first))
        library.relate (meta, relation, first.second, second.second);
#endif
}

std::vector<Detection>
analytics_on ([[maybe_unused]] GstBuffer *buffer)
{
  std::vector<Detection> all;
#ifdef HAVE_ANALYTICS
  const Library &library = loaded ();
  const gpointer meta = library.missing.empty () ? library.meta_of (buffer) : nullptr;
  if (!meta)
    return all;
  const std::vector<Item> trackings = items_of (library, meta, library.tracking_type ());
  for (const Item &item : items_of (library, meta, library.detection_type ())) {
    all.push_back (detection_of (library, item));
    for (const Item &each : trackings) {
      guint64 id = 0;
      GstClockTime first = 0, last = 0;
      gboolean lost = FALSE;
      if ((library.relation (meta, item.id, each.id) || library.relation (meta, each.id, item.id))
          && library.tracking (&each, &id, &first, &last, &lost))
        all.back ().id = int64_t (id & G_MAXINT64);
    }
  }
#endif
  return all;
}

void
require_analytics ()
{
#ifdef HAVE_ANALYTICS
  if (const Library &library = loaded (); !library.missing.empty ())
    refuse (library.missing);
#else
  refuse ("this build is without it (Meson's option analytics)");
#endif
}

}  // namespace gst::cl
