/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "texture.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "settings.hpp"

namespace layer {

namespace {

constexpr cl_image_format r8 = {CL_R, CL_UNORM_INT8}, r16 = {CL_R, CL_UNORM_INT16};
constexpr cl_image_format rg8 = {CL_RG, CL_UNORM_INT8}, rg16 = {CL_RG, CL_UNORM_INT16};
constexpr cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, rgba16 = {CL_RGBA, CL_UNORM_INT16};
constexpr cl_image_format bgra8 = {CL_BGRA, CL_UNORM_INT8};

constexpr Format formats[] = {
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, rgba8, rgba8, 4, 4, 1},
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, r8, r8, 1, 1, 1},
    {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, rg8, rgba8, 2, 4, 1},
    {GL_R16, GL_RED, GL_UNSIGNED_SHORT, r16, r16, 1, 1, 2},
    {GL_RG16, GL_RG, GL_UNSIGNED_SHORT, rg16, rgba16, 2, 4, 2},
    {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, rgba16, rgba16, 4, 4, 2},
};
constexpr Format bgra = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, bgra8, bgra8, 4, 4, 1};

GLint
get_parameter (const Gl &gl, GLenum target, GLenum name)
{
  GLint value = 0;
  gl.GetTexParameteriv (target, name, &value);
  return value;
}

GLint
get_level (const Gl &gl, GLenum target, GLint level, GLenum name)
{
  GLint value = 0;
  gl.GetTexLevelParameteriv (target, level, name, &value);
  return value;
}

bool
uses_mipmaps (const Gl &gl, GLenum target)
{
  const GLint filter = get_parameter (gl, target, GL_TEXTURE_MIN_FILTER);
  return filter != GL_NEAREST && filter != GL_LINEAR;
}

/* The texture must be bound. */
bool
is_complete (const Gl &gl, const Texture &texture)
{
  if (texture.width == 0 || texture.height == 0 || get_parameter (gl, texture.target, GL_TEXTURE_BASE_LEVEL) != 0)
    return false;
  if (texture.target == GL_TEXTURE_RECTANGLE || !uses_mipmaps (gl, texture.target))
    return true;
  const int smallest = std::bit_width (static_cast<unsigned> (std::max (texture.width, texture.height))) - 1;
  const int last = std::min (get_parameter (gl, texture.target, GL_TEXTURE_MAX_LEVEL), smallest);
  for (int level = 1; level <= last; level++) {
    if (get_level (gl, texture.target, level, GL_TEXTURE_WIDTH) != std::max (texture.width >> level, 1)
        || get_level (gl, texture.target, level, GL_TEXTURE_HEIGHT) != std::max (texture.height >> level, 1))
      return false;
  }
  return true;
}

void
drop_errors (const Gl &gl)
{
  while (gl.GetError () != GL_NO_ERROR) {}
}

std::size_t
count_pixels (const Texture &texture)
{
  return static_cast<std::size_t> (texture.width) * texture.height;
}

}  // namespace

const Format *
find_format (GLint internal)
{
  if (internal == GL_R8 && !settings ().accept_r8)
    return nullptr;
  if (internal == GL_RGBA8 && settings ().bgra)
    return &bgra;
  const auto found = std::find_if (
      std::begin (formats), std::end (formats), [internal] (const Format &format) { return format.internal == internal; });
  return found == std::end (formats) ? nullptr : found;
}

const Format *
find_format (const cl_image_format &shown)
{
  const auto found = std::find_if (std::begin (formats), std::end (formats), [&shown] (const Format &format) {
    return format.shown.image_channel_order == shown.image_channel_order
           && format.shown.image_channel_data_type == shown.image_channel_data_type;
  });
  return found == std::end (formats) ? nullptr : found;
}

cl_int
describe (const Gl &gl, GLenum target, GLuint name, Texture *texture)
{
  *texture = {.target = target, .name = name};
  if (!gl.IsTexture (name))
    return CL_INVALID_GL_OBJECT;
  drop_errors (gl);
  gl.BindTexture (target, name);
  if (gl.GetError () != GL_NO_ERROR)
    return CL_INVALID_GL_OBJECT;
  texture->width = get_level (gl, target, 0, GL_TEXTURE_WIDTH);
  texture->height = get_level (gl, target, 0, GL_TEXTURE_HEIGHT);
  texture->internal = get_level (gl, target, 0, GL_TEXTURE_INTERNAL_FORMAT);
  const bool complete = is_complete (gl, *texture);
  gl.BindTexture (target, 0);
  return complete ? CL_SUCCESS : CL_INVALID_GL_OBJECT;
}

bool
mark (const Gl &gl, GLuint name)
{
  drop_errors (gl);
  gl.ObjectLabel (GL_TEXTURE, name, -1, "shared with OpenCL");
  return gl.GetError () == GL_NO_ERROR;
}

bool
is_alive (const Gl &gl, GLuint name, bool was_marked)
{
  GLsizei length = 0;
  if (!gl.IsTexture (name))
    return false;
  if (was_marked)
    gl.GetObjectLabel (GL_TEXTURE, name, 0, &length, nullptr);
  return !was_marked || length > 0;
}

bool
read_texels (const Gl &gl, const Texture &texture, const Format &format, std::vector<std::uint8_t> &texels)
{
  /* Every GL can read RGBA; channels that the texture lacks are removed afterwards. */
  std::vector<std::uint8_t> whole (count_pixels (texture) * 4 * format.channel_bytes);
  drop_errors (gl);
  GLuint framebuffer = 0;
  gl.GenFramebuffers (1, &framebuffer);
  gl.BindFramebuffer (GL_READ_FRAMEBUFFER, framebuffer);
  gl.FramebufferTexture2D (GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture.target, texture.name, 0);
  bool good = gl.CheckFramebufferStatus (GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (good) {
    gl.PixelStorei (GL_PACK_ALIGNMENT, 1);
    gl.ReadPixels (0, 0, texture.width, texture.height, GL_RGBA, format.type, whole.data ());
    good = gl.GetError () == GL_NO_ERROR;
  }
  gl.BindFramebuffer (GL_READ_FRAMEBUFFER, 0);
  gl.DeleteFramebuffers (1, &framebuffer);
  if (!good)
    return false;
  const std::size_t size = format.texel_bytes ();
  texels.resize (count_pixels (texture) * size);
  for (std::size_t i = 0; i < count_pixels (texture); i++)
    std::memcpy (&texels[i * size], &whole[i * 4 * format.channel_bytes], size);
  return true;
}

bool
write_texels (const Gl &gl, const Texture &texture, const Format &format, std::span<const std::uint8_t> texels)
{
  drop_errors (gl);
  gl.BindTexture (texture.target, texture.name);
  gl.PixelStorei (GL_UNPACK_ALIGNMENT, 1);
  gl.TexSubImage2D (texture.target, 0, 0, 0, texture.width, texture.height, format.transfer, format.type, texels.data ());
  gl.BindTexture (texture.target, 0);
  return gl.GetError () == GL_NO_ERROR;
}

void
texels_to_image (const Format &format, std::span<const std::uint8_t> texels, std::uint8_t *pixels)
{
  const std::size_t from = format.texel_bytes (), to = format.pixel_bytes ();
  const bool swap = format.backing.image_channel_order == CL_BGRA;
  for (std::size_t i = 0; i < texels.size () / from; i++) {
    std::uint8_t *pixel = pixels + i * to;
    std::memcpy (pixel, &texels[i * from], from);
    if (!format.is_exact ()) {
      /* Missing channels read as blue 0 and alpha 1. */
      std::memset (pixel + from, 0, format.channel_bytes);
      std::memset (pixel + from + format.channel_bytes, 0xff, format.channel_bytes);
    } else if (swap) {
      std::swap (pixel[0], pixel[2]);
    }
  }
}

void
image_to_texels (const Format &format, const std::uint8_t *pixels, std::span<std::uint8_t> texels)
{
  const std::size_t from = format.pixel_bytes (), to = format.texel_bytes ();
  const bool swap = format.backing.image_channel_order == CL_BGRA;
  for (std::size_t i = 0; i < texels.size () / to; i++) {
    std::memcpy (&texels[i * to], pixels + i * from, to);
    if (swap)
      std::swap (texels[i * to], texels[i * to + 2]);
  }
}

std::vector<std::uint8_t>
poison (const Format &format, std::size_t pixels)
{
  constexpr std::array<std::uint8_t, 4> magenta = {0xff, 0x00, 0xff, 0xff};
  std::vector<std::uint8_t> texels (pixels * format.texel_bytes (), 0xa5);
  if (format.channels == 4) {
    for (std::size_t i = 0; i < texels.size (); i++)
      texels[i] = magenta[i / format.channel_bytes % 4];
  }
  return texels;
}

}  // namespace layer
