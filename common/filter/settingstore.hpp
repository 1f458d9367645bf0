/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties and reports of an element that is made from a description; all base classes share them, and the
 * virtual functions that forward to them. */
#pragma once

#include "filter/operation.hpp"

#include <map>
#include <mutex>

namespace gst::cl {

/** Property ids. A filter's own properties have the ids 1, 2, ...; these ids leave room for them. */
enum : guint { PROP_COMMON = 1000, PROP_STATS = 2000 };

/** The messages and figures of one element. Thread-safe. */
class GST_CL_API ElementReporter : public Reporter {
public:
  /** The element must outlive every stream that reports here. */
  explicit ElementReporter (GstElement *element_) : element (element_) {}

  void post_message (GstStructure *content) override;
  void set_figure (const char *name, double value) override;
  void fail (const Failure &failure) override
  {
    run_guarded (element, [&] { throw failure; });
  }
  void warn (const Failure &failure) override;
  GstElement *owner () const override { return element; }
  void forget_figures ()
  {
    const std::lock_guard lock (mutex);
    figures.clear ();
  }
  /** Adds the figures to stats as fields. */
  void append_to (GstStructure *stats);

private:
  GstElement *const element;
  std::mutex mutex;
  std::map<std::string, double> figures;
};

/** An element's settings, protected by its object lock. */
class GST_CL_API SettingStore {
public:
  SettingStore (GstElement *element, const FilterDescription &description);

  /** Installs the description's properties, the common properties and `stats`. For class_init. */
  static void install (GObjectClass *klass, const FilterDescription &description);

  /** Like the virtual functions of GObjectClass. Return false for an id that install() has not installed. */
  bool set_property (guint id, const GValue *value);
  bool get_property (guint id, GValue *value);
  /** For GObjectClass.dispatch_properties_changed: makes all set values take effect together, at the next latch(). */
  void publish (guint n, GParamSpec **pspecs);

  /** Returns the settings for the next frame. If stream_time is valid, synchronises controllers first. */
  Settings latch (GstClockTime stream_time);

  /** The values of the element's own properties. */
  Values own_values () const;

  /** Call this at start. Posts an error (RESOURCE, SETTINGS) and returns false if a text property has never had a valid
   *  value. */
  bool check_complete ();
  /** The error that check_complete() would post, with the property's name. */
  std::optional<std::string> complaint () const;
  /** Sets the numbers that `stats` shows. */
  void set_stats (StreamStats stats);

  ElementReporter reporter;

private:
  /** The property with an id; null if there is none. */
  const Property *find (guint id) const;
  static Values &part_of (Settings &settings, guint id) { return id >= PROP_COMMON ? settings.shared : settings.own; }
  bool accept_text (const Property &property, const GValue *value);

  GstElement *const element;
  const FilterDescription &description;
  /** `set`: the values that applications read. `live`: the values for the next frame; g_object_set() copies all its properties to
   *  it together. */
  Settings set, live;
  /** For each property whose text was set: why it is invalid; nothing after it has had a valid text. */
  std::map<const Property *, std::optional<std::string>> complaints;
  StreamStats stats;
};

/** Deletes the object that a pointer in the instance owns: before the parent class finalizes, or after it if the parent still
 *  uses the object. */
template <auto member, auto parent, bool after_parent = false>
void
delete_with_instance (GObjectClass *klass)
{
  klass->finalize = [] (GObject *object) {
    const auto pointer_of = [object]<typename Type, typename Part> (
                                Part *Type::*pointer) { return reinterpret_cast<Type *> (object)->*pointer; };
    auto *part = pointer_of (member);
    if (!after_parent)
      delete part;
    G_OBJECT_CLASS (*parent)->finalize (object);
    if (after_parent)
      delete part;
  };
}

/** Forwards properties to parts of the instance. Each part_of (object) has set_property() and get_property(), which return
 *  false for ids of other properties. */
template <auto... part_of>
void
hand_on_properties (GObjectClass *klass)
{
  klass->set_property = [] (GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    if (!(part_of (object).set_property (id, value) || ...))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  };
  klass->get_property = [] (GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    if (!(part_of (object).get_property (id, value) || ...))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  };
}

/** Publishes settings once at the end of a g_object_set(), so that no frame sees only some of them. store_of (object) returns
 *  null while the instance is under construction. */
template <auto store_of, auto parent>
void
publish_settings (GObjectClass *klass)
{
  klass->dispatch_properties_changed = [] (GObject *object, guint n, GParamSpec **pspecs) {
    if (SettingStore *store = store_of (object))
      store->publish (n, pspecs);
    G_OBJECT_CLASS (*parent)->dispatch_properties_changed (object, n, pspecs);
  };
}

}  // namespace gst::cl

/** Implements GstPreset for the elements: presets hold the filter's settings, but not settings of the machine. The interface's
 *  init function. */
GST_CL_API void gst_cl_preset_init (gpointer iface, gpointer data);
