/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pipeline on the current device. */
#pragma once

#include "../common/glib.hpp"

#include "core/context.hpp"

#include <gst/video/video.h>

#include <vector>

using Element = Ref<GstElement>;

/* Opens the device; throws std::runtime_error. */
gst::cl::ContextRef open_context (const std::string &device);

/* Finds a format by name; throws std::runtime_error. */
GstVideoFormat video_format (const std::string &name);

/* A pipeline in a context; stops when it is destroyed. */
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
  /* Reads the bus: returns an error as text, and appends element messages. */
  std::string read_bus (std::vector<std::string> &messages) const;
  /* Waits until the stream ends or fails, or the program is interrupted; returns an error as text. */
  std::string wait () const;

private:
  Element pipeline;
};
