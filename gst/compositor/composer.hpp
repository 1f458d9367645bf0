/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines the pictures of all pads. */
#pragma once

#include "compositor/overlays.hpp"
#include "compositor/place.hpp"

namespace gst::cl {

class FrameComposer : public Composer {
public:
  FrameComposer ();

  void update (const Values &changed) override { values = changed; }
  void compose (Runner &writer, const ComposeTask &task) override;
  std::string algorithm () const override { return "layers"; }

private:
  struct Drawing;

  std::vector<Drawing> place (const ComposeTask &task) const;
  void draw (Runner &writer, const Canvas &canvas, const Drawing &drawing, bool profile);
  void fill_background (Runner &writer, const Canvas &canvas, const GstVideoInfo &info) const;
  Background background () const { return Background (values->integer (BACKGROUND)); }

  std::optional<Values> values;
  /** Distinguishes what inputs keep for this composer from what they keep for others. */
  const guint64 serial;
};

}  // namespace gst::cl
