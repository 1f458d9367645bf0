/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request pad `mask` of filters. Its pictures tell how much of the filtered frame each pixel gets. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <vector>

namespace gst::cl {

/** A mask; values are in 255ths, row by row. */
struct Mask {
  int width, height;
  std::vector<guint8> values;
};

using MaskRef = std::shared_ptr<const Mask>;

/** Holds the pad's last picture. Thread-safe. */
class MaskHolder {
public:
  void set (MaskRef mask)
  {
    const std::lock_guard lock (mutex);
    last = std::move (mask);
  }
  MaskRef get ()
  {
    const std::lock_guard lock (mutex);
    return last;
  }

private:
  std::mutex mutex;
  MaskRef last;
};

using MaskHolderRef = std::shared_ptr<MaskHolder>;

/** Adds a pad to an element, and activates it if the element runs. */
GST_CL_API void add_running_pad (GstElement *element, GstPad *pad);

/** What add_mask_pad() takes. */
GST_CL_API void add_mask_template (GstElementClass *klass);
GST_CL_API GstPad *make_mask_pad (GstElement *element, GstPadTemplate *pad_template, MaskHolder &holder);
GST_CL_API void drop_mask_pad (GstElement *element, GstPad *pad);

/** Gives elements the pad, for class_init. holder_of (element): a MaskHolderRef that outlives the pad. */
template <auto holder_of>
void
add_mask_pad (GstElementClass *klass)
{
  add_mask_template (klass);
  klass->release_pad = drop_mask_pad;
  klass->request_new_pad = [] (GstElement *element, GstPadTemplate *pad_template, const gchar *, const GstCaps *) {
    return make_mask_pad (element, pad_template, *holder_of (element));
  };
}

}  // namespace gst::cl
