/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live pipeline: a source, filters that can be added and removed while it plays, and a sink. Independent of the window. */
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

/* Everything that a user can change, except the source. */
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

/* Costs of one filter, from its stats. */
struct Costs {
  double milliseconds = 0;
  std::string device;
};

class Model {
public:
  /* The sink shows the pictures; it gets only formats that a window can show. */
  explicit Model (GstElement *sink);
  ~Model ();
  Model (const Model &) = delete;
  Model &operator= (const Model &) = delete;

  /* Called in the main context. */
  Hook<const Problem &> on_problem;
  Hook<> on_state;
  Hook<> on_end;
  Hook<GstElement *, const GstStructure *> on_message;
  /* Called before the filters or the format change, with the changing object and property; null for the list of filters. */
  Hook<const void *, const std::string &> before_change;

  /* If the new source cannot be made, throws std::runtime_error and keeps the old one. */
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
  /* In nanoseconds; nothing if the source has no position. */
  std::optional<gint64> position () const;
  std::optional<gint64> duration () const;
  void seek (gint64 position);

  /* In the order in which frames pass them. */
  const std::vector<Filter> &filters () const { return row; }
  /* prepare is called with the element before its first frame */
  size_t add (const std::string &kind, std::optional<size_t> at = {}, const std::function<void (GObject *)> &prepare = {});
  void remove (size_t index);
  void move (size_t from, size_t to);
  void set_on (size_t index, bool on);
  void replace (std::vector<Ref<GstElement>> filters);

  /* Call this before a change that does not use the functions here. */
  void about_to_change (const void *what = nullptr, const std::string &name = "");
  /* Call this after a property was changed: filters a paused picture again, or restarts a failed pipeline. */
  void touched ();
  /* Sets a property of a filter, or of an object in it. Stops the filter for this if necessary. */
  void set_value (GObject *object, GParamSpec *spec, const GValue *value);
  /* The same from text; throw std::invalid_argument. */
  void set_text (GObject *object, GParamSpec *spec, const std::string &text);
  void set_property (size_t index, const std::string &name, const std::string &text);
  /* Throws std::runtime_error. */
  void load_preset (GstElement *filter, const std::string &name);
  void set_profiling (bool on);
  Costs costs (size_t index) const;

  Split &split () { return *halves; }
  const Split &split () const { return *halves; }
  bool settled (std::chrono::milliseconds patience) { return linked->settled (patience); }

  Snapshot snapshot () const;
  void restore (const Snapshot &then);

  /* The words of the filters that are on, with "!" between them. */
  std::vector<std::string> filter_words () const { return row_words (active ()); }
  std::vector<std::string> words () const { return launch_words (from, wanted_format, active ()); }
  /* Takes filters, and the source if there is one, from a line; returns the parts that it ignored. */
  std::vector<std::string> open (const std::string &text);

private:
  void hear (GstMessage *message);
  void fail (const Problem &problem);
  void apply ();
  void set_state ();
  /* Whether a paused picture can be fetched again. */
  bool stands () const { return !playing && !failed && supply && !from.is_live (); }
  void refresh ();
  /* patience: see FilterRow::flush() */
  void flush_to (gint64 position, std::chrono::milliseconds patience = {});
  std::optional<gint64> shown_at () const;
  size_t checked (size_t index) const;
  std::vector<Ref<GstElement>> active () const;

  GstPadProbeReturn at_barrier (GstPadProbeInfo *info);

  Ref<GstElement> pipeline, supply, stock, head, sink;
  std::unique_ptr<FilterRow> linked;
  std::unique_ptr<Split> halves;
  guint watch = 0;
  Source from;
  std::string wanted_format = "BGRx";
  /* the caps for the source: the wanted format, or formats that can be converted to it; under the mutex */
  std::mutex mutex;
  Caps wished;
  std::vector<Filter> row;
  bool playing = false, failed = false, looping = true, profiling = false;
  /* several calls are making one change */
  bool changing = false;
  /* the current or next picture may have been filtered before the last change */
  bool stale = false;
  /* the number of pictures at that time */
  guint64 changed_at = 0;
  /* the last known position of the paused picture, and its next position */
  gint64 stood_at = 0;
  std::optional<gint64> sought;
};

}  // namespace studio
