/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images made from textures: creation, queries, and destruction. */
#include <bit>

#include "external.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

constexpr cl_mem_flags access_flags = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE;

/* The targets in the specification. */
bool
is_legal_target (cl_GLenum target)
{
  switch (target) {
    case GL_TEXTURE_1D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_BUFFER:
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_RECTANGLE:
      return true;
  }
  return target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
}

cl_int
check_arguments (const Context &context, cl_mem_flags flags, cl_GLenum target, cl_GLint level)
{
  if (!context.associated)
    return CL_INVALID_CONTEXT;
  if (!context.gl)
    return CL_INVALID_OPERATION;
  if (!are_access_flags (flags) || !is_legal_target (target))
    return CL_INVALID_VALUE;
  if (level != 0)
    return CL_INVALID_MIP_LEVEL;
  return target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE ? CL_SUCCESS : CL_INVALID_GL_OBJECT;
}

cl_int
create (const Context &context, cl_mem_flags flags, const Texture &texture, bool marked, cl_mem *handle)
{
  auto image = std::make_shared<Image> ();
  image->context = context.handle;
  image->group = context.binding.context;
  image->flags = flags ? flags : CL_MEM_READ_WRITE;
  image->texture = texture;
  image->marked = marked;
  image->format = find_format (texture.internal);
  if (!image->format)
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  const cl_int error = create_image (image);
  *handle = image->handle;
  return error;
}

cl_mem CL_API_CALL
create_from_gl_texture (
    cl_context handle, cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint name, cl_int *errcode_ret)
{
  const std::shared_ptr<Context> context = find_context (handle);
  if (!context)
    return next ().clCreateFromGLTexture (handle, flags, target, level, name, errcode_ret);
  cl_int error = check_arguments (*context, flags, target, level);
  Texture texture;
  bool marked = false;
  const auto look = [&] (const Gl &gl) {
    error = describe (gl, target, name, &texture);
    marked = error == CL_SUCCESS && mark (gl, name);
  };
  if (error == CL_SUCCESS && !context->gl->run (look))
    error = CL_INVALID_CONTEXT;
  cl_mem image = nullptr;
  if (error == CL_SUCCESS)
    error = create (*context, flags, texture, marked, &image);
  set_error (errcode_ret, error);
  return image;
}

/* Refuses kinds of GL objects that the plugin does not use. */
template <typename... Rest>
cl_mem CL_API_CALL
refuse (cl_context handle, cl_mem_flags flags, Rest... rest)
{
  const std::shared_ptr<Context> context = find_context (handle);
  cl_int error = CL_INVALID_CONTEXT;
  if (context && context->associated)
    error = are_access_flags (flags) ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
  set_error (std::get<cl_int *> (std::tuple (rest...)), error);
  return nullptr;
}

cl_int CL_API_CALL
get_gl_object_info (cl_mem object, cl_gl_object_type *type, cl_GLuint *name)
{
  const std::shared_ptr<Image> image = find_image (object);
  if (!image || image->memory)
    return CL_INVALID_GL_OBJECT;
  if (type)
    *type = CL_GL_OBJECT_TEXTURE2D;
  if (name)
    *name = image->texture.name;
  return CL_SUCCESS;
}

cl_int CL_API_CALL
get_gl_texture_info (cl_mem object, cl_gl_texture_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  const std::shared_ptr<Image> image = find_image (object);
  if (!image || image->memory)
    return CL_INVALID_GL_OBJECT;
  const cl_GLint none = 0;
  switch (name) {
    case CL_GL_TEXTURE_TARGET:
      return give (&image->texture.target, sizeof image->texture.target, capacity, value, size_ret);
    case CL_GL_MIPMAP_LEVEL:
    case CL_GL_NUM_SAMPLES:
      return give (&none, sizeof none, capacity, value, size_ret);
  }
  return CL_INVALID_VALUE;
}

/* Hides the backing image. */
Answer
image_info (cl_mem object, cl_uint what)
{
  const std::shared_ptr<Image> image = find_image (object);
  if (!image)
    return {};
  switch (what) {
    case CL_IMAGE_FORMAT:
      return bytes (image->format->shown);
    case CL_IMAGE_ELEMENT_SIZE:
      return bytes (image->format->texel_bytes ());
    case CL_IMAGE_ROW_PITCH:
      return bytes (image->format->texel_bytes () * image->texture.width);
    case CL_MEM_FLAGS:
      return bytes (image->flags);
    case CL_MEM_HOST_PTR:
      return bytes<void *> (nullptr);
  }
  return {};
}

/* GL calls do not pass through the layer, so glDeleteTextures is detected by its effects. */
void
check_texture (const Image &image)
{
  const std::shared_ptr<Context> context = find_context (image.context);
  bool alive = true;
  if (!image.memory && context && context->gl)
    context->gl->run ([&] (const Gl &gl) { alive = is_alive (gl, image.texture.name, image.marked); });
  if (!alive)
    report ("deleted-texture", "texture %u was deleted before the last object made from it", image.texture.name);
}

cl_int CL_API_CALL
release_mem_object (cl_mem handle)
{
  if (const std::shared_ptr<Object> object = drop_reference (ledger ().objects, handle)) {
    const auto image = std::dynamic_pointer_cast<Image> (object);
    count (image ? "textures-released" : "dmabufs-released");
    if (image)
      check_texture (*image);
    if (object->acquired)
      report ("released-acquired", "the object of %s is released while OpenCL holds it", object->what ().c_str ());
  }
  return next ().clReleaseMemObject (handle);
}

}  // namespace

bool
are_access_flags (cl_mem_flags flags)
{
  return (flags & ~access_flags) == 0 && std::popcount (flags) <= 1;
}

cl_int
create_image (const std::shared_ptr<Image> &image)
{
  image->pixels = allocate (image->size (), 0);
  if (!image->pixels)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
      .image_width = static_cast<std::size_t> (image->texture.width),
      .image_height = static_cast<std::size_t> (image->texture.height)};
  cl_int error = CL_SUCCESS;
  image->handle = next ().clCreateImage (
      image->context, image->flags | CL_MEM_USE_HOST_PTR, &image->format->backing, &description, image->pixels.get (), &error);
  if (error != CL_SUCCESS)
    return error;
  watch (image);
  count ("textures-created");
  return CL_SUCCESS;
}

void
hook_images (cl_icd_dispatch &dispatch)
{
  dispatch.clCreateFromGLTexture = create_from_gl_texture;
  dispatch.clCreateFromGLTexture2D = create_from_gl_texture;
  dispatch.clCreateFromGLTexture3D = refuse;
  dispatch.clCreateFromGLBuffer = refuse;
  dispatch.clCreateFromGLRenderbuffer = refuse;
  dispatch.clGetGLObjectInfo = get_gl_object_info;
  dispatch.clGetGLTextureInfo = get_gl_texture_info;
  LAYER_HOOK (dispatch, target, queries<image_info>, clGetImageInfo);
  LAYER_HOOK (dispatch, target, queries<image_info>, clGetMemObjectInfo);
  LAYER_HOOK (dispatch, target, retains<&Ledger::objects>, clRetainMemObject);
  dispatch.clReleaseMemObject = release_mem_object;
}

}  // namespace layer
