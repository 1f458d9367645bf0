/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of inputs with caps of their own, by pad. */
#pragma once

#include "filter/clelement.hpp"
#include "filter/source.hpp"

#include <functional>

namespace gst::cl {

using PadRef = Ref<GstPad, gst_object_ref, gst_object_unref>;

/** The streaming thread's. */
class PadSources {
public:
  /** Sees to it that frames of info from pad have a source. That may take the element to another OpenCL context, which outdates
   *  all that there are. */
  void require (ClElement &element, GstPad *pad, const GstVideoInfo &info);
  /** That of the pad, or null. */
  std::shared_ptr<OwnSource> find (GstPad *pad) const;
  /** Lets go of those whose pads the element does not have any longer. */
  void forget_others (GstElement *element);
  void clear () { all.clear (); }

private:
  struct Entry {
    PadRef pad;
    std::shared_ptr<OwnSource> source;
  };

  std::vector<Entry> all;
};

}  // namespace gst::cl
