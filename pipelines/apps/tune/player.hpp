/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pipeline on the device at hand. */
#pragma once

#include "../common/glib.hpp"

#include "core/context.hpp"

#include <gst/video/video.h>

#include <vector>

using Element = Ref<GstElement>;

/* Of the device; throws std::runtime_error. */
gst::cl::ContextRef open_context (const std::string &device);

/* By its name; throws std::runtime_error. */
GstVideoFormat video_format (const std::string &name);

/* A pipeline in the context, which is stopped when it goes. */
class Player {
public:
  /* Throws std::runtime_error. */
  Player (const std::string &launch, GstClContext *context);
  ~Player () { gst_element_set_state (pipeline.get (), GST_STATE_NULL); }
  Player (const Player &) = delete;
  Player &operator= (const Player &) = delete;

  Element named (const std::string &name) const
  {
    return Element::take (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name.c_str ()));
  }
  void play () const { gst_element_set_state (pipeline.get (), GST_STATE_PLAYING); }
  /* What the bus has: an error as text, and element messages. */
  std::string read_bus (std::vector<std::string> &messages) const;
  /* Until the stream ends, or fails, or the program is interrupted; an error as text. */
  std::string wait () const;

private:
  Element pipeline;
};
