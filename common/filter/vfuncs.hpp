/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of GObject and GstElement classes that do the same in every base class of this library: they hand on to an
 * instance's ClElement and SettingStore. `parent` is the address of the parent_class that G_DEFINE_TYPE makes. For class_init. */
#pragma once

#include "filter/clelement.hpp"
#include "filter/settingstore.hpp"

namespace gst::cl {

/** Deletes what a pointer in the instance owns: before the parent class's part, or after it where that still uses it. */
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

/** The properties of parts of the instance: each part_of (object) has set_property() and get_property(), which are false for ids of
 *  something else. */
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

/** Publishes settings once at the end of a g_object_set(), however many properties it set: no frame sees half of them. store_of
 *  (object) is a pointer, null where the instance is not made yet. */
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

/** Contexts that neighbours and applications set, of which `relink` (element) is told where the stream has to be linked anew. */
template <auto element_of, auto parent, auto relink>
void
hand_on_contexts (GstElementClass *klass)
{
  klass->set_context = [] (GstElement *element, GstContext *context) {
    if (element_of (element).set_context (context))
      relink (element);
    GST_ELEMENT_CLASS (*parent)->set_context (element, context);
  };
}

/** An element has its device from READY on. */
template <auto element_of, auto parent>
GstStateChangeReturn
change_state_with_device (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !element_of (element).ensure_context ())
    return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn result = GST_ELEMENT_CLASS (*parent)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    element_of (element).release ();
  return result;
}

}  // namespace gst::cl

/** GstPreset for the elements: settings of the filter by name, without those of the machine that it runs on. The interface's init
 *  function. */
GST_CL_API void gst_cl_preset_init (gpointer iface, gpointer data);
