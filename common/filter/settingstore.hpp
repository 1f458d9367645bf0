/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an element that was made from a description, and what it reports: shared by all base classes. */
#pragma once

#include "filter/operation.hpp"
#include "filter/settings.hpp"
#include "filter/stream.hpp"

#include <map>
#include <mutex>
#include <set>

namespace gst::cl {

/** Property ids. A filter's own properties are 1, 2, ...; these follow far behind. */
enum : guint { PROP_COMMON = 1000, PROP_STATS = 2000 };

/** Messages and figures of one element. */
class GST_CL_API ElementReporter : public Reporter {
public:
  /** The element outlives every stream that reports here. */
  explicit ElementReporter (GstElement *element_) : element (element_) {}

  void post_message (GstStructure *content) override;
  void set_figure (const char *name, double value) override;
  void fail (const Failure &failure) override
  {
    run_guarded (element, [&] { throw failure; });
  }
  void warn (const Failure &failure) override;
  GstElement *owner () const override { return element; }
  void forget_figures ();
  /** As fields of stats. */
  void append_to (GstStructure *stats);

private:
  GstElement *const element;
  std::mutex mutex;
  std::map<std::string, double> figures;
};

/** Guarded by the element's object lock. */
class GST_CL_API SettingStore {
public:
  SettingStore (GstElement *element, const FilterDescription &description);

  /** Installs the description's properties, the common ones and `stats`. For class_init. */
  static void install (GObjectClass *klass, const FilterDescription &description);

  /** As the vfuncs of GObjectClass; false for an id that is none of install()'s. */
  bool set_property (guint id, const GValue *value);
  bool get_property (guint id, GValue *value);
  /** For GObjectClass.dispatch_properties_changed: what was set takes effect whole, with the next latch(). */
  void publish (guint n, GParamSpec **pspecs);

  /** What the next frame is filtered with, after controllers have set it for stream_time where that is valid. */
  Settings latch (GstClockTime stream_time);

  /** What the element's own properties are set to. */
  Values own_values () const;

  /** At the start: posts an error (RESOURCE, SETTINGS) and returns false where a text was never valid. */
  bool check_complete ();
  /** What check_complete() would say, with the property's name. */
  std::optional<std::string> complaint () const;
  /** Replaces what `stats` shows. */
  void set_stats (StreamStats stats);

  ElementReporter reporter;

private:
  /** The table, the values and the index in both that a property id stands for. */
  struct Slot {
    std::span<const Property> table;
    Values &values;
    unsigned index;

    bool exists () const { return index < table.size (); }
  };

  Slot find_slot (guint id);
  bool accept_text (guint id, const Property &property, const GValue *value);

  GstElement *const element;
  const FilterDescription &description;
  /** `set` as the properties read, `live` what the next frame takes; a whole g_object_set() goes from one to the other
   *  at once. */
  Settings set, live;
  /** Texts that were refused while no valid one had been set, by property. */
  std::map<unsigned, std::string> complaints;
  /** Texts of which a valid value was set once. */
  std::set<unsigned> accepted;
  StreamStats stats;
};

}  // namespace gst::cl
