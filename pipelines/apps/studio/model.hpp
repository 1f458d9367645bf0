/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live pipeline: a source, filters that come and go while it plays, and a sink. Knows no window. */
#pragma once

#include "filterrow.hpp"
#include "launch.hpp"
#include "split.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace studio {

struct Filter {
  Ref<GstElement> element;
  bool on = true;
  std::string kind () const { return GST_OBJECT_NAME (gst_element_get_factory (element.get ())); }
  bool operator== (const Filter &) const = default;
};

/* All that a hand can change but the source. */
struct Snapshot {
  struct Setup {
    Filter filter;
    std::vector<std::pair<std::string, std::string>> settings;
    bool operator== (const Setup &) const = default;
  };
  std::string format;
  std::vector<Setup> filters;
  bool operator== (const Snapshot &) const = default;
};

/* Of one filter, from its stats. */
struct Costs {
  double milliseconds = 0;
  std::string device;
};

class Model {
public:
  /* The sink shows pictures; only formats that a window can show reach it. */
  explicit Model (GstElement *sink);
  ~Model ();
  Model (const Model &) = delete;
  Model &operator= (const Model &) = delete;

  /* Called in the main context. */
  Hook<const Problem &> on_problem;
  Hook<> on_state;
  Hook<> on_end;
  Hook<GstElement *, const GstStructure *> on_message;
  /* Called before the filters or the format change, with what changes and the property of it; null where it is their row. */
  Hook<const void *, const std::string &> before_change;

  /* Throws std::runtime_error and keeps the old source where the new one cannot be made. */
  void set_source (const Source &source);
  const Source &source () const { return from; }
  void set_format (const std::string &format);
  const std::string &format () const { return wanted_format; }

  void play ();
  void pause ();
  bool is_playing () const { return playing; }
  bool has_failed () const { return failed; }
  /* Plays again after an error. */
  void restart ();
  void set_looping (bool loop) { looping = loop; }
  bool is_looping () const { return looping; }
  /* In nanoseconds; nothing where the source has none. */
  std::optional<gint64> position () const;
  std::optional<gint64> duration () const;
  void seek (gint64 position);

  /* Filters stand in the order in which frames pass them. */
  const std::vector<Filter> &filters () const { return row; }
  /* prepare sees the element before it filters its first frame */
  size_t add (const std::string &kind, std::optional<size_t> at = {}, const std::function<void (GObject *)> &prepare = {});
  void remove (size_t index);
  void move (size_t from, size_t to);
  void set_on (size_t index, bool on);
  void replace (std::vector<Ref<GstElement>> filters);

  /* Before something is changed by other ways than these. */
  void about_to_change (const void *what = nullptr, const std::string &name = "");
  /* After a property was changed: a stopped picture is filtered anew, a failed pipeline tries again. */
  void touched ();
  /* Of a filter, or of an object in it. Stops the filter for it where it has to be. */
  void set_value (GObject *object, GParamSpec *spec, const GValue *value);
  /* The same from text; throws std::invalid_argument. */
  void set_property (size_t index, const std::string &name, const std::string &text);
  void set_profiling (bool on);
  Costs costs (size_t index) const;

  Split &split () { return *halves; }
  const Split &split () const { return *halves; }
  bool settled (std::chrono::milliseconds patience) { return linked->settled (patience); }

  Snapshot snapshot () const;
  void restore (const Snapshot &then);

  /* Of the filters, with "!" between them. Filters that are off are left out. */
  std::vector<std::string> filter_words () const { return row_words (active ()); }
  std::vector<std::string> words (const std::string &last = "autovideosink") const
  {
    return launch_words (from, wanted_format, active (), last);
  }
  /* Takes filters, and the source if there is one, from a line; returns what was left out of it. */
  std::vector<std::string> open (const std::string &text);

private:
  void hear (GstMessage *message);
  void fail (const Problem &problem);
  void end ();
  void apply ();
  void set_state ();
  /* A picture that can be fetched again. */
  bool stands () const { return !playing && !failed && supply && !from.is_live (); }
  void refresh ();
  /* patience: of FilterRow::flush() */
  void flush_to (gint64 position, std::chrono::milliseconds patience = {});
  std::optional<gint64> shown_at () const;
  size_t checked (size_t index) const;
  std::vector<Ref<GstElement>> active () const;

  GstPadProbeReturn at_barrier (GstPadProbeInfo *info);
  Ref<GstElement> build ();

  Ref<GstElement> pipeline, supply, stock, head, sink;
  std::unique_ptr<FilterRow> linked;
  std::unique_ptr<Split> halves;
  guint watch = 0;
  Source from;
  std::string wanted_format = "BGRx";
  /* what the source is told to make: the same, or what can be converted */
  std::mutex mutex;
  Caps wished;
  std::vector<Filter> row;
  bool playing = false, failed = false, looping = true, profiling = false;
  /* by several calls, which are one change */
  bool changing = false;
  /* the picture that stands, or is on its way, may have been filtered before the last change */
  bool stale = false;
  /* how many pictures had come by then */
  guint64 changed_at = 0;
  /* where the picture stood when it was last known, and where it is wanted next */
  gint64 stood_at = 0;
  std::optional<gint64> sought;
};

}  // namespace studio
