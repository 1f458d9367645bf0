/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Textures, the images that stand for them, and the way between the two. */
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <span>
#include <vector>

#include "gl.hpp"

namespace layer {

/* A texture's format and the CL image that stands for it. */
struct Format {
  GLint internal;
  GLenum transfer;         /* the channels, as GL moves them */
  GLenum type;             /* of one channel */
  cl_image_format shown;   /* what the specification's table gives */
  cl_image_format backing; /* what the CL device really holds: it may lack CL_RG */
  unsigned channels;       /* of a texel */
  unsigned image_channels; /* of a pixel of the backing */
  unsigned channel_bytes;

  std::size_t texel_bytes () const { return channels * channel_bytes; }
  std::size_t pixel_bytes () const { return image_channels * channel_bytes; }
  bool is_exact () const { return channels == image_channels; }
};

/* Null where the layer does not share textures of this format. */
const Format *find_format (GLint internal);
const Format *find_format (const cl_image_format &shown);

struct Texture {
  GLenum target = 0;
  GLuint name = 0;
  GLint internal = 0;
  GLint width = 0, height = 0;

  bool operator== (const Texture &) const = default;
};

/* All that follows runs on the GL thread. */

/* CL_SUCCESS, or the error that the specification gives to this texture. */
cl_int describe (const Gl &gl, GLenum target, GLuint name, Texture *texture);

/* Marks the texture, so that another one that gets its name is known for it. False where GL is too old for labels. */
bool mark (const Gl &gl, GLuint name);
/* Whether the texture exists and, unless was_marked is false, is the one that was marked. */
bool is_alive (const Gl &gl, GLuint name, bool was_marked);

/* Texels lie next to each other, rows too. */
bool read_texels (const Gl &gl, const Texture &texture, const Format &format, std::vector<std::uint8_t> &texels);
bool write_texels (const Gl &gl, const Texture &texture, const Format &format, std::span<const std::uint8_t> texels);

void texels_to_image (const Format &format, std::span<const std::uint8_t> texels, std::uint8_t *pixels);
void image_to_texels (const Format &format, const std::uint8_t *pixels, std::span<std::uint8_t> texels);

/* Magenta where there are colours: what a GL reader sees who does not wait for OpenCL. */
std::vector<std::uint8_t> poison (const Format &format, std::size_t pixels);

}  // namespace layer
