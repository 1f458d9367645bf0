/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/settingstore.hpp"

#include "core/debug.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clsettings", "properties of the OpenCL filters">)

namespace gst::cl {

namespace {

GstStructure *
make_stats (const StreamStats &stats)
{
  const KernelTimes times = stats.timer ? stats.timer->times () : KernelTimes{};
  return gst_structure_new ("application/x-gst-cl-stats", "device", G_TYPE_STRING, stats.device.c_str (), "path", G_TYPE_STRING,
      stats.path.c_str (), "algorithm", G_TYPE_STRING, stats.algorithm.c_str (), "frames", G_TYPE_UINT64, stats.frames,
      "bytes-uploaded", G_TYPE_UINT64, stats.frame_counts.uploaded, "bytes-downloaded", G_TYPE_UINT64,
      stats.frame_counts.downloaded, "kernel-time-ns-last", G_TYPE_UINT64, times.last_ns, "kernel-time-ns-mean", G_TYPE_UINT64,
      times.frames ? times.total_ns / times.frames : 0, "kernel-time-ns-max", G_TYPE_UINT64, times.max_ns, "builds",
      G_TYPE_UINT64, stats.builds.builds, "build-ms", G_TYPE_UINT64, guint64 (stats.builds.build_ms), "cache-hits",
      G_TYPE_UINT64, stats.builds.cache_hits, "allocations", G_TYPE_UINT64, stats.allocations, "gl-image-hits", G_TYPE_UINT64,
      stats.links.image_hits, "gl-image-misses", G_TYPE_UINT64, stats.links.image_misses, "gl-texture-copies", G_TYPE_UINT64,
      stats.links.texture_copies, "imports", G_TYPE_UINT64, stats.links.imports, "device-copies", G_TYPE_UINT64,
      stats.links.copies, "staged-frames", G_TYPE_UINT64, stats.staged_frames, "regions", G_TYPE_UINT64, stats.regions,
      nullptr);
}

}  // namespace

void
ElementReporter::post_message (GstStructure *content)
{
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), content));
}

void
ElementReporter::warn (const Failure &failure)
{
  gst_element_message_full (element, GST_MESSAGE_WARNING, failure.domain, failure.code, g_strdup (failure.what ()),
      g_strdup (failure.debug.c_str ()), __FILE__, GST_FUNCTION, __LINE__);
}

void
ElementReporter::set_figure (const char *name, double value)
{
  const std::lock_guard lock (mutex);
  figures[name] = value;
}

void
ElementReporter::append_to (GstStructure *stats)
{
  const std::lock_guard lock (mutex);
  for (const auto &[name, value] : figures)
    gst_structure_set (stats, name.c_str (), G_TYPE_DOUBLE, value, nullptr);
}

SettingStore::SettingStore (GstElement *element_, const FilterDescription &description_)
    : reporter (element_), element (element_), description (description_), set{Values (description.operation.settings)},
      live (set)
{
}

void
SettingStore::install (GObjectClass *klass, const FilterDescription &description)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), description.long_name, description.klass,
      description.description, "The gst-plugins-cl developers");
  const auto install_table = [klass] (std::span<const Property> table, const Values &defaults, guint first_id) {
    for (const Property &property : table)
      g_object_class_install_property (klass, first_id++, make_param_spec (property, defaults));
  };
  const Settings defaults{Values (description.operation.settings)};
  install_table (description.properties, defaults.own, 1);
  install_table (description.common (), defaults.shared, PROP_COMMON);
  /**
   * GstClFilter:stats:
   *
   * Device, path, algorithm and counts since the stream began.
   */
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Device, path, algorithm, times and counts since the start of the stream",
          GST_TYPE_STRUCTURE, GParamFlags (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

const Property *
SettingStore::find (guint id) const
{
  const std::span<const Property> table = id >= PROP_COMMON ? description.common () : description.properties;
  const guint index = id - (id >= PROP_COMMON ? guint (PROP_COMMON) : 1);
  return index < table.size () ? &table[index] : nullptr;
}

/* Refuses a text or a list that does not parse, and keeps the old value. Start fails if there has been no valid value. */
bool
SettingStore::accept_text (const Property &property, const GValue *value)
{
  if (!property.complaint)
    return true;
  const std::optional<std::string> complaint = property.complaint (text_in (value));
  {
    const ObjectLock lock (element);
    std::optional<std::string> &known = complaints.try_emplace (&property, complaint).first->second;
    if (known)
      known = complaint;
  }
  if (complaint)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS, ("The property %s is not valid: %s", property.name, complaint->c_str ()),
        ("the last value stays"));
  return !complaint;
}

bool
SettingStore::set_property (guint id, const GValue *value)
{
  const Property *property = find (id);
  if (!property || !accept_text (*property, value))
    return property;
  const ObjectLock lock (element);
  part_of (set, id).set (*property, value);
  return true;
}

bool
SettingStore::get_property (guint id, GValue *value)
{
  const ObjectLock lock (element);
  if (id == PROP_STATS) {
    GstStructure *structure = make_stats (stats);
    const FrameReach reach = description.reach ? description.reach (set.own) : FrameReach{};
    gst_structure_set (structure, "frames-before", G_TYPE_UINT, reach.before, "frames-after", G_TYPE_UINT, reach.after,
        "counts-frames", G_TYPE_BOOLEAN, gboolean (reach.counts), nullptr);
    reporter.append_to (structure);
    g_value_take_boxed (value, structure);
    return true;
  }
  const Property *property = find (id);
  if (property)
    part_of (set, id).get (*property, value);
  return property;
}

/* Copies only the given properties, because another thread may be setting others. */
void
SettingStore::publish (guint n, GParamSpec **pspecs)
{
  const ObjectLock lock (element);
  for (guint i = 0; i < n; i++) {
    const guint id = pspecs[i]->param_id;
    const Property *property = pspecs[i]->owner_type == G_OBJECT_TYPE (element) ? find (id) : nullptr;
    if (property)
      part_of (live, id).copy (*property, part_of (set, id));
  }
  live.profile = live.common ().profile;
}

Settings
SettingStore::latch (GstClockTime stream_time)
{
  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT (element), stream_time);
  const ObjectLock lock (element);
  return live;
}

std::optional<std::string>
SettingStore::complaint () const
{
  const ObjectLock lock (element);
  for (const auto &[property, text] : complaints)
    if (text)
      return std::string ("The property ") + property->name + " is not valid: " + *text;
  return std::nullopt;
}

Values
SettingStore::own_values () const
{
  const ObjectLock lock (element);
  return set.own;
}

bool
SettingStore::check_complete ()
{
  const std::optional<std::string> found = complaint ();
  {
    const ObjectLock lock (element);
    stats = {};
  }
  reporter.forget_figures ();
  if (found)
    GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS, ("%s", found->c_str ()), (NULL));
  return !found;
}

void
SettingStore::set_stats (StreamStats stats_)
{
  const ObjectLock lock (element);
  stats = std::move (stats_);
}

}  // namespace gst::cl

namespace {

/* properties about where and how the filter runs, or that only observe it */
constexpr std::array<std::string_view, 5> skipped{"device", "interop", "profile", "qos", "stats"};

bool
is_kept (const GParamSpec *spec)
{
  const bool is_setting =
      (spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(spec->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_DEPRECATED));
  const bool is_basic = g_type_is_a (GST_TYPE_BIN, spec->owner_type);
  return is_setting && !is_basic && std::ranges::find (skipped, spec->name) == skipped.end ();
}

gchar **
property_names (GstPreset *preset)
{
  guint n = 0;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (preset), &n);
  gchar **names = g_new0 (gchar *, n + 1);
  guint kept = 0;
  for (guint i = 0; i < n; i++)
    if (is_kept (specs[i]))
      names[kept++] = g_strdup (specs[i]->name);
  return names;
}

/* The tag of a preset that holds values which GStreamer's format would lose: a structure of texts, by property. */
constexpr const char *tag = "cl-values";

/* GStreamer's implementation. */
gboolean (*save_plain) (GstPreset *, const gchar *);
gboolean (*load_plain) (GstPreset *, const gchar *);

/* GStreamer (1.26) escapes values when it saves but does not unescape them when it loads, so blanks, quotes and letters outside
 * ASCII change, or the value is missing. */
bool
is_lost (const gchar *text, GType type)
{
  constexpr const char *name = "x";
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, name, name, text);
  g_autofree gchar *read = g_key_file_get_value (file, name, name, nullptr);
  g_auto (GValue) value = G_VALUE_INIT;
  g_value_init (&value, type);
  g_autofree gchar *again = gst_value_deserialize (&value, read) ? gst_value_serialize (&value) : nullptr;
  return g_strcmp0 (again, text) != 0;
}

gboolean
save (GstPreset *preset, const gchar *name)
{
  g_autoptr (GstStructure) lost = gst_structure_new_empty (tag);
  g_auto (GStrv) names = property_names (preset);
  for (gchar **each = names; *each; each++) {
    g_auto (GValue) value = G_VALUE_INIT;
    g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS (preset), *each)->value_type);
    g_object_get_property (G_OBJECT (preset), *each, &value);
    g_autofree gchar *text = gst_value_serialize (&value);
    if (text && is_lost (text, G_VALUE_TYPE (&value)))
      gst_structure_set (lost, *each, G_TYPE_STRING, text, nullptr);
  }
  g_autofree gchar *all = gst_structure_n_fields (lost) ? gst_structure_to_string (lost) : nullptr, *before = nullptr;
  gst_preset_get_meta (preset, name, tag, &before);
  return save_plain (preset, name) && (!(all || before) || gst_preset_set_meta (preset, name, tag, all));
}

/* Notification is frozen while values are set, so that frames see all of them together. */
gboolean
load (GstPreset *preset, const gchar *name)
{
  g_object_freeze_notify (G_OBJECT (preset));
  const gboolean loaded = load_plain (preset, name);
  g_autofree gchar *all = nullptr;
  gst_preset_get_meta (preset, name, tag, &all);
  g_autoptr (GstStructure) lost = all ? gst_structure_from_string (all, nullptr) : nullptr;
  g_auto (GStrv) names = property_names (preset);
  for (gchar **each = names; lost && *each; each++) {
    const gchar *text = gst_structure_get_string (lost, *each);
    g_auto (GValue) value = G_VALUE_INIT;
    g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS (preset), *each)->value_type);
    if (text && gst_value_deserialize (&value, text))
      g_object_set_property (G_OBJECT (preset), *each, &value);
  }
  g_object_thaw_notify (G_OBJECT (preset));
  return loaded;
}

}  // namespace

void
gst_cl_preset_init (gpointer iface, gpointer)
{
  auto *preset = static_cast<GstPresetInterface *> (iface);
  preset->get_property_names = property_names;
  save_plain = std::exchange (preset->save_preset, save);
  load_plain = std::exchange (preset->load_preset, load);
}
