/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video files that this machine can write: file types, and the installed encoders for each. */
#pragma once

#include "../common/glib.hpp"

#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <string>
#include <vector>

namespace studio {

struct Encoder {
  /* the element's name, and a title with the codec's name */
  std::string factory, title;
  /* the codec as caps */
  std::string format;

  /* The caps of frames for the encoder, if filters work in a format: of those that it takes, the ones that most players
   * support. */
  std::string takes (const std::string &filter_format) const;
};

struct Container {
  std::string title, extension, caps;
  /* the element that muxes sound; "" if there is none */
  std::string sound = {};
  /* the best for most videos comes first */
  std::vector<Encoder> encoders = {};
};

/* File types with at least one encoder; the most common comes first. */
const std::vector<Container> &containers ();
/* The file type for a path's extension. Throws std::runtime_error, which lists the types. */
const Container &container_for (const std::string &path);

enum class Quality { small, good, best };

/* Sets an encoder's quality. */
void set_quality (GstElement *encoder, Quality quality);
/* For encoders with a bit rate only: sets one that suits the size of the video. */
void set_bit_rate (GstElement *encoder, Quality quality, const GstVideoInfo &info);

/* The format of sound for a file of this type: the source's, if the file type takes it unchanged, or an encoder's. "" if the
   file type takes none. */
std::string sound_format (const Container &container, const GstCaps *sound);
/* Caps without the fields that a parser changes. */
Caps plain_format (const GstCaps *caps);

}  // namespace studio
