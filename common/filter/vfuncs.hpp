/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Virtual functions of GObject and GstElement classes that are the same in every base class of this library. They forward to an
 * instance's ClElement and SettingStore. `parent` is the address of the parent_class that G_DEFINE_TYPE makes. For
 * class_init. */
#pragma once

#include "filter/clelement.hpp"
#include "filter/settingstore.hpp"

namespace gst::cl {

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

/** Forwards contexts from neighbours and applications; calls relink (element) if the stream must be linked again. */
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

/** Gives an element its device in READY. */
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

/** Implements GstPreset for the elements: presets hold the filter's settings, but not settings of the machine. The interface's
 *  init function. */
GST_CL_API void gst_cl_preset_init (gpointer iface, gpointer data);
