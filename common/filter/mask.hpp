/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request pad `mask` of filters: pictures that say how much of the filtered frame each pixel gets. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <vector>

namespace gst::cl {

/** In 255ths, row by row. */
struct Mask {
  int width, height;
  std::vector<guint8> values;
};

using MaskRef = std::shared_ptr<const Mask>;

/** Where the pad leaves its last picture. Any thread. */
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

/** For class_init. */
void add_mask_template (GstElementClass *klass);
/** For GstElementClass.request_new_pad: the only pad of that template, or null where it is there already. holder outlives it. */
GstPad *make_mask_pad (GstElement *element, GstPadTemplate *pad_template, MaskHolder &holder);

}  // namespace gst::cl
