/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exposes the arguments of a kernel as properties of an object, for controllers and sliders. */
#pragma once

#include "program/params.hpp"

namespace gst::cl {

/** The object "params" of an element. Its properties are the arguments of the kernel: numbers, switches, and vectors as texts.
 *  Setting one sets the field in the element's property `params`. The object may outlive the element. Thread-safe. */
class ParamsChild {
public:
  explicit ParamsChild (GstElement *owner_) : owner (owner_) {}
  ~ParamsChild () { gst_clear_object (&object); }
  ParamsChild (const ParamsChild &) = delete;
  ParamsChild &operator= (const ParamsChild &) = delete;

  /** Returns a reference; null before the first argument is known. */
  GstObject *ref () const;
  /** Replaces the object if a kernel has other arguments; the element then emits child-removed and child-added. */
  void announce (const std::vector<ProgramArgument> &arguments);

private:
  GstElement *const owner;
  /* protected by the owner's object lock */
  GstObject *object = nullptr;
};

}  // namespace gst::cl
