/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What videos can be written here: file types, and the installed encoders that each of them takes. */
#pragma once

#include "../common/glib.hpp"

#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <string>
#include <vector>

namespace studio {

struct Encoder {
  /* the element, and its name for people with that of the codec */
  std::string factory, title;
  /* the codec as caps */
  std::string format;

  /* Caps of the frames that it should get, where filters work in a format: of those that it can take, what most players show. */
  std::string takes (const std::string &filter_format) const;
};

struct Container {
  std::string title, extension, caps;
  /* of the muxer, for sound; "" where it has none */
  std::string sound;
  /* the best for most videos first */
  std::vector<Encoder> encoders;
};

/* File types with at least one encoder; the one for most uses first. */
const std::vector<Container> &containers ();
/* The file type of a path by its extension. Throws std::runtime_error, which lists what there is. */
const Container &container_for (const std::string &path);

enum class Quality { small, good, best };

/* Makes an encoder aim at a quality. */
void set_quality (GstElement *encoder, Quality quality);
/* For encoders that only know a bit rate: one that suits the size of the video. */
void set_bit_rate (GstElement *encoder, Quality quality, const GstVideoInfo &info);

/* What a file of that type gets for sound of these caps: the same format, where it is taken as it is, or one that an encoder
   makes. "" where the file type takes none. */
std::string sound_format (const Container &container, const GstCaps *sound);
/* The format of caps without what a parser changes. */
Caps plain_format (const GstCaps *caps);

}  // namespace studio
