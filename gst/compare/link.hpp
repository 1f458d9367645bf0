/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that clcompare's pad `reference` gets linked; without a link every frame would wait forever. */
#pragma once

#include "core/context.hpp"

#include <gst/gst.h>

#include <atomic>
#include <vector>

namespace gst::cl {

/** A pad without a link in PAUSED may still get one from an element that creates its pads while it prerolls, such as decodebin.
 *  clcompare fails if there is no such element, or if all of them have signalled no-more-pads. It keeps waiting for an element
 *  that never signals, like every GstAggregator. */
class LinkWatch {
public:
  LinkWatch (GstElement *element, GstPad *pad) : element (element), pad (pad) {}
  ~LinkWatch () { stop (); }
  LinkWatch (const LinkWatch &) = delete;
  LinkWatch &operator= (const LinkWatch &) = delete;

  /** Returns false, with an error message, if no link can come. */
  bool start ()
  {
    stop ();
    if (gst_pad_is_linked (pad))
      return true;
    find_makers ();
    if (makers.empty ()) {
      report ();
      return false;
    }
    pending = int (makers.size ());
    for (const Ref<GstElement> &maker : makers)
      g_signal_connect (maker.get (), "no-more-pads", G_CALLBACK (no_more_pads), this);
    return true;
  }

  void stop ()
  {
    for (const Ref<GstElement> &maker : makers)
      g_signal_handlers_disconnect_by_data (maker.get (), this);
    makers.clear ();
  }

private:
  static bool makes_pads (GstElement *other)
  {
    for (GList *at = gst_element_get_pad_template_list (other); at; at = at->next) {
      const auto *templ = static_cast<GstPadTemplate *> (at->data);
      if (GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SRC && GST_PAD_TEMPLATE_PRESENCE (templ) == GST_PAD_SOMETIMES)
        return true;
    }
    return false;
  }

  void find_makers ()
  {
    g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (element));
    if (!parent)
      return;
    const ObjectLock lock (parent);
    for (GList *at = GST_IS_BIN (parent) ? GST_BIN_CHILDREN (parent) : nullptr; at; at = at->next)
      if (at->data != element && makes_pads (GST_ELEMENT (at->data)))
        makers.push_back (Ref<GstElement>::retain (GST_ELEMENT (at->data)));
  }

  static void no_more_pads (GstElement *, gpointer self)
  {
    auto *const watch = static_cast<LinkWatch *> (self);
    if (--watch->pending == 0 && !gst_pad_is_linked (watch->pad))
      watch->report ();
  }

  void report ()
  {
    GST_ELEMENT_ERROR (element, CORE, NEGOTIATION,
        ("The pad \"%s\" is not linked, so there is nothing to compare with. Link the other video to it, as in "
         "\"decodebin ! videoconvert ! %s.%s\".",
            GST_PAD_NAME (pad), GST_OBJECT_NAME (element), GST_PAD_NAME (pad)),
        (nullptr));
  }

  GstElement *const element;
  GstPad *const pad;
  std::vector<Ref<GstElement>> makers;
  std::atomic<int> pending = 0;
};

}  // namespace gst::cl
