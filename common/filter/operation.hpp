/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element does to a frame, and the description from which its class is made. */
#pragma once

#include "filter/property.hpp"
#include "filter/runner.hpp"

#include <memory>
#include <optional>

namespace gst::cl {

/** The work of one element on one stream: made when the caps are known, dropped with them. One streaming thread uses
 *  it. */
class GST_CL_API Operation {
public:
  virtual ~Operation () = default;

  /** Host work after a change: tables, plans. values follow the element's own table. */
  virtual void update (const Values &values) = 0;
  /** Enqueues the kernels that write task.region of one plane. */
  virtual void run (Runner &runner, const PlaneTask &task) = 0;
  /** Whether run() is to be given images where there are any. Otherwise src and dst are buffers, by way of copies on the
   *  device, which is faster for all that reads pixels often; other planes in task.frame may still be images. */
  virtual bool takes_images () const { return false; }
  /** A short name of the method in use, for `stats`. */
  virtual std::string algorithm () const = 0;
};

/** An element as data. */
struct FilterDescription {
  const char *long_name;
  /** "Filter/Effect/Video/Hardware" and the like. */
  const char *klass;
  const char *description;
  std::span<const Property> properties;
  /** Looks at neighbours: has the border properties, and filters interlaced frames field by field. */
  bool windowed;
  std::unique_ptr<Operation> (*create) ();
  /** Whether these values leave every frame as it is. */
  bool (*neutral) (const Values &values);
  /** Why a text is no value of property i, with the bad token and its position; nothing where it is one. */
  std::optional<std::string> (*complaint) (unsigned i, const std::string &text) = nullptr;
};

}  // namespace gst::cl
