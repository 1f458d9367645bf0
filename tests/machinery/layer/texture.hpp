/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Textures, their images, and copies between the two. */
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <span>
#include <vector>

#include "gl.hpp"

namespace layer {

/* A texture's format and the corresponding CL image format. */
struct Format {
  GLint internal;
  GLenum transfer;         /* the channels of GL transfers */
  GLenum type;             /* the type of one channel */
  cl_image_format shown;   /* the format in the specification's table */
  cl_image_format backing; /* the CL device's actual format, because it may not support CL_RG */
  unsigned channels;       /* channels of a texel */
  unsigned image_channels; /* channels of a pixel of the backing image */
  unsigned channel_bytes;

  std::size_t texel_bytes () const { return channels * channel_bytes; }
  std::size_t pixel_bytes () const { return image_channels * channel_bytes; }
  bool is_exact () const { return channels == image_channels; }
};

/* Null if the layer does not share textures of this format. */
const Format *find_format (GLint internal);
const Format *find_format (const cl_image_format &shown);

struct Texture {
  GLenum target = 0;
  GLuint name = 0;
  GLint internal = 0;
  GLint width = 0, height = 0;

  bool operator== (const Texture &) const = default;
};

/* All functions below run on the GL thread. */

/* CL_SUCCESS, or the error that the specification gives to this texture. */
cl_int describe (const Gl &gl, GLenum target, GLuint name, Texture *texture);

/* Marks the texture, to distinguish it from a later one with the same name. Returns false if GL is too old for labels. */
bool mark (const Gl &gl, GLuint name);
/* Whether the texture exists and, unless was_marked is false, is the marked one. */
bool is_alive (const Gl &gl, GLuint name, bool was_marked);

/* Reads texels without padding, row after row. */
bool read_texels (const Gl &gl, const Texture &texture, const Format &format, std::vector<std::uint8_t> &texels);
bool write_texels (const Gl &gl, const Texture &texture, const Format &format, std::span<const std::uint8_t> texels);

void texels_to_image (const Format &format, std::span<const std::uint8_t> texels, std::uint8_t *pixels);
void image_to_texels (const Format &format, const std::uint8_t *pixels, std::span<std::uint8_t> texels);

/* Pixels of magenta, if the format has colours: the content for GL readers that do not wait for OpenCL. */
std::vector<std::uint8_t> poison (const Format &format, std::size_t pixels);

}  // namespace layer
