/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/external.hpp"

#include "core/debug.hpp"
#include "gl/vulkan.hpp"

#include <gst/gl/gstglfuncs.h>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clglexternal", "memory that GL and OpenCL both import">)

/* Older headers lack these names. */
#ifndef GL_TEXTURE_TILING_EXT
#define GL_TEXTURE_TILING_EXT 0x9580
#define GL_DEDICATED_MEMORY_OBJECT_EXT 0x9581
#define GL_OPTIMAL_TILING_EXT 0x9584
#define GL_HANDLE_TYPE_OPAQUE_FD_EXT 0x9586
#define GL_NUM_DEVICE_UUIDS_EXT 0x9596
#define GL_DEVICE_UUID_EXT 0x9597
#endif

#ifndef GL_COMPUTE_SHADER
#define GL_COMPUTE_SHADER 0x91B9
#endif
#ifndef GL_WRITE_ONLY
#define GL_WRITE_ONLY 0x88B9
#endif
#ifndef GL_ALL_BARRIER_BITS
#define GL_ALL_BARRIER_BITS 0xFFFFFFFF
#endif
#ifndef GL_READ_FRAMEBUFFER
#define GL_READ_FRAMEBUFFER 0x8CA8
#define GL_DRAW_FRAMEBUFFER 0x8CA9
#endif

namespace gst::cl {

namespace {

/* Discards the GL errors of earlier calls. Stops after some: a lost context reports errors without end. */
void
clear_gl_errors (const GstGLFuncs *gl)
{
  for (int n = 0; n < 16 && gl->GetError () != GL_NO_ERROR; n++)
    continue;
}

struct SharedFormat {
  GstGLFormat gl;
  /** GStreamer's unsized name of the format, or 0. */
  int unsized;
  VkFormat vulkan;
  cl_channel_order order;
  cl_channel_type type;
};

constexpr SharedFormat shared_formats[] = {
    {GST_GL_R8, GST_GL_RED, VK_FORMAT_R8_UNORM, CL_R, CL_UNORM_INT8},
    {GST_GL_RG8, GST_GL_RG, VK_FORMAT_R8G8_UNORM, CL_RG, CL_UNORM_INT8},
    {GST_GL_RGBA8, GST_GL_RGBA, VK_FORMAT_R8G8B8A8_UNORM, CL_RGBA, CL_UNORM_INT8},
    {GST_GL_R16, 0, VK_FORMAT_R16_UNORM, CL_R, CL_UNORM_INT16},
    {GST_GL_RG16, 0, VK_FORMAT_R16G16_UNORM, CL_RG, CL_UNORM_INT16},
    {GST_GL_RGBA16, 0, VK_FORMAT_R16G16B16A16_UNORM, CL_RGBA, CL_UNORM_INT16},
};

const SharedFormat *
find_shared_format (GstGLFormat format)
{
  for (const SharedFormat &known : shared_formats)
    if (known.gl == format || known.unsized == int (format))
      return &known;
  return nullptr;
}

const SharedFormat &
require_shared_format (GstGLFormat format)
{
  if (const SharedFormat *shared = find_shared_format (format))
    return *shared;
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "GL and OpenCL cannot share textures of this format.",
      "GstGLFormat " + std::to_string (format));
}

template <typename Function>
bool
load (GstGLContext *gl, Function &function, const char *name)
{
  function = reinterpret_cast<Function> (gst_gl_context_get_proc_address (gl, name));
  return function != nullptr;
}

void
check_gl (const GstGLFuncs *functions, const char *call)
{
  const GLenum error = functions->GetError ();
  if (error == GL_NO_ERROR)
    return;
  clear_gl_errors (functions);
  throw gl_failure (
      error, call, "GL cannot use memory of another interface. Set interop=staged, which copies frames through the host.");
}

std::string
load_gl (GstGLContext *gl, ExternalMemory::GlFunctions &functions)
{
  if (!gst_gl_context_check_gl_version (gl, GstGLAPI (GST_GL_API_OPENGL | GST_GL_API_OPENGL3 | GST_GL_API_GLES2), 3, 0))
    return "GL is older than 3.0";
  for (const char *extension : {"GL_EXT_memory_object", "GL_EXT_memory_object_fd"})
    if (!gst_gl_context_check_feature (gl, extension))
      return std::string ("GL lacks ") + extension;
  if (!load (gl, functions.GetUnsignedBytei_v, "glGetUnsignedBytei_vEXT")
      || !load (gl, functions.CreateMemoryObjects, "glCreateMemoryObjectsEXT")
      || !load (gl, functions.DeleteMemoryObjects, "glDeleteMemoryObjectsEXT")
      || !load (gl, functions.MemoryObjectParameteriv, "glMemoryObjectParameterivEXT")
      || !load (gl, functions.ImportMemoryFd, "glImportMemoryFdEXT")
      || !load (gl, functions.TexStorageMem2D, "glTexStorageMem2DEXT"))
    return "GL lacks functions of GL_EXT_memory_object_fd";
  return "";
}

bool
gl_has_uuid (GstGLContext *gl, const ExternalMemory::GlFunctions &functions, const Uuid &wanted)
{
  clear_gl_errors (gl->gl_vtable);
  GLint count = 0;
  gl->gl_vtable->GetIntegerv (GL_NUM_DEVICE_UUIDS_EXT, &count);
  for (GLint n = 0; n < count; n++) {
    Uuid uuid = {};
    functions.GetUnsignedBytei_v (GL_DEVICE_UUID_EXT, n, uuid.data ());
    if (gl->gl_vtable->GetError () == GL_NO_ERROR && uuid == wanted)
      return true;
  }
  return false;
}

constexpr int group_width = 32, group_height = 8;

/* Values stay unchanged, because normalised integers of 8 and 16 bits are exact in a float. */
constexpr const char *copy_source = R"(#version 430
layout (local_size_x = 32, local_size_y = 8) in;
layout (binding = 0) uniform sampler2D from;
layout (binding = 0) writeonly uniform image2D to;
void main ()
{
  ivec2 at = ivec2 (gl_GlobalInvocationID.xy);
  if (all (lessThan (at, imageSize (to))))
    imageStore (to, at, texelFetch (from, at, 0));
}
)";

constexpr GstGLAPI desktop_gl = GstGLAPI (GST_GL_API_OPENGL | GST_GL_API_OPENGL3);

}  // namespace

/* Copies by the fastest means of a GL context: a compute shader, else glCopyImageSubData, else a blit. On GPUs for data
 *  centres, which have few units that draw, the latter two are up to 14 times slower. For the GL thread. */
class TextureCopier {
public:
  TextureCopier (GstGLContext *context_) : context (context_), functions (context_)
  {
    if (functions.has_compute ())
      make_program ();
  }

  ~TextureCopier ()
  {
    if (program)
      context->gl_vtable->DeleteProgram (program);
  }

  TextureCopier (const TextureCopier &) = delete;
  TextureCopier &operator= (const TextureCopier &) = delete;

  /* Copies texture `from` of GL_TEXTURE_2D, which has the format of `to` and at least its size. Throws Failure. */
  void copy (guint from, const ExternalImage &to)
  {
    require_sound_gl (context);
    if (try_shader (from, to) || try_copy_image (from, to))
      return;
    clear_gl_errors (context->gl_vtable);
    blit (from, to);
  }

private:
  struct Functions {
    explicit Functions (GstGLContext *context)
    {
      const bool has_4_3 = gst_gl_context_check_gl_version (context, desktop_gl, 4, 3);
      if (has_4_3) {
        load (context, DispatchCompute, "glDispatchCompute");
        load (context, BindImageTexture, "glBindImageTexture");
        load (context, MemoryBarrier, "glMemoryBarrier");
      }
      if (has_4_3 || gst_gl_context_check_gl_version (context, GST_GL_API_GLES2, 3, 2)
          || gst_gl_context_check_feature (context, "GL_ARB_copy_image"))
        load (context, CopyImageSubData, "glCopyImageSubData");
    }

    bool has_compute () const { return DispatchCompute && BindImageTexture && MemoryBarrier; }

    void (GSTGLAPI *DispatchCompute) (GLuint, GLuint, GLuint) = nullptr;
    void (GSTGLAPI *BindImageTexture) (GLuint, GLuint, GLint, GLboolean, GLint, GLenum, GLenum) = nullptr;
    void (GSTGLAPI *MemoryBarrier) (GLbitfield) = nullptr;
    void (GSTGLAPI *CopyImageSubData) (GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint, GLint, GLint,
        GLsizei, GLsizei, GLsizei) = nullptr;
  };

  /* If it fails, the other ways remain. */
  void make_program ()
  {
    const GstGLFuncs *gl = context->gl_vtable;
    clear_gl_errors (gl);
    const guint shader = gl->CreateShader (GL_COMPUTE_SHADER);
    const char *source = copy_source;
    gl->ShaderSource (shader, 1, &source, nullptr);
    gl->CompileShader (shader);
    program = gl->CreateProgram ();
    gl->AttachShader (program, shader);
    gl->LinkProgram (program);
    gl->DeleteShader (shader);
    GLint is_linked = 0;
    gl->GetProgramiv (program, GL_LINK_STATUS, &is_linked);
    if (is_linked && gl->GetError () == GL_NO_ERROR)
      return;
    gl->DeleteProgram (program);
    program = 0;
  }

  bool try_shader (guint from, const ExternalImage &to)
  {
    if (!program || !to.is_storable ())
      return false;
    const GstGLFuncs *gl = context->gl_vtable;
    gl->UseProgram (program);
    gl->ActiveTexture (GL_TEXTURE0);
    gl->BindTexture (GL_TEXTURE_2D, from);
    functions.BindImageTexture (0, to.texture (), 0, GL_FALSE, 0, GL_WRITE_ONLY, to.format);
    functions.DispatchCompute ((to.width + group_width - 1) / group_width, (to.height + group_height - 1) / group_height, 1);
    functions.MemoryBarrier (GL_ALL_BARRIER_BITS);
    functions.BindImageTexture (0, 0, 0, GL_FALSE, 0, GL_WRITE_ONLY, to.format);
    gl->BindTexture (GL_TEXTURE_2D, 0);
    gst_gl_context_clear_shader (context);
    return gl->GetError () == GL_NO_ERROR;
  }

  bool try_copy_image (guint from, const ExternalImage &to)
  {
    if (!functions.CopyImageSubData)
      return false;
    functions.CopyImageSubData (
        from, GL_TEXTURE_2D, 0, 0, 0, 0, to.texture (), GL_TEXTURE_2D, 0, 0, 0, 0, to.width, to.height, 1);
    return context->gl_vtable->GetError () == GL_NO_ERROR;
  }

  void blit (guint from, const ExternalImage &to)
  {
    const GstGLFuncs *gl = context->gl_vtable;
    guint framebuffers[2];
    gl->GenFramebuffers (2, framebuffers);
    gl->BindFramebuffer (GL_READ_FRAMEBUFFER, framebuffers[0]);
    gl->FramebufferTexture2D (GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, from, 0);
    gl->BindFramebuffer (GL_DRAW_FRAMEBUFFER, framebuffers[1]);
    gl->FramebufferTexture2D (GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, to.texture (), 0);
    const bool is_complete = gst_gl_context_check_framebuffer_status (context, GL_READ_FRAMEBUFFER)
                             && gst_gl_context_check_framebuffer_status (context, GL_DRAW_FRAMEBUFFER);
    if (is_complete)
      gl->BlitFramebuffer (0, 0, to.width, to.height, 0, 0, to.width, to.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer (GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers (2, framebuffers);
    const GLenum error = gl->GetError ();
    if (!is_complete || error != GL_NO_ERROR)
      throw gl_failure (error, is_complete ? "glBlitFramebuffer" : "framebuffer incomplete",
          "GL cannot copy a texture of this format. Set interop=staged, which copies frames through the host.");
  }

  GstGLContext *const context;
  const Functions functions;
  guint program = 0;
};

ExternalMemory::ExternalMemory (const ContextRef &context, GstGLContext *gl_) : cl (context), gl (GlContextRef::retain (gl_))
{
  const Device &cl_device = Context::of (cl.get ()).device;
  Uuid uuid = {};
  std::string missing;
  cl_importer = Importer::create (cl_device, opaque_descriptors, missing);
  if (cl_importer && Importer::find_uuid (cl_device, uuid, missing))
    missing = load_gl (gl.get (), gl_functions);
  if (missing.empty () && !gl_has_uuid (gl.get (), gl_functions, uuid))
    missing = "GL and OpenCL run on different devices (their UUIDs differ)";
  if (!missing.empty ())
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, missing, "");
  device = vulkan::Device::open (uuid);
  copier = std::make_unique<TextureCopier> (gl.get ());
  GST_INFO ("GL and OpenCL both import memory of the Vulkan device %s", device->name ().c_str ());
}

ExternalMemory::~ExternalMemory ()
{
  run_in_gl_thread (gl.get (), [this] { copier.reset (); });
}

void
ExternalMemory::copy (guint from, const ExternalImage &to)
{
  copier->copy (from, to);
}

bool
ExternalMemory::knows (GstGLFormat format)
{
  return find_shared_format (format) != nullptr;
}

std::shared_ptr<ExternalImage>
ExternalMemory::create_image (GstGLFormat format, int width, int height)
{
  auto image = std::make_shared<ExternalImage> (shared_from_this (), format, width, height);
  image->import_to_gl ();
  image->import_to_cl ();
  return image;
}

ExternalImage::ExternalImage (std::shared_ptr<ExternalMemory> owner_, GstGLFormat format_, int width_, int height_)
    : format (require_shared_format (format_).gl), width (width_), height (height_), owner (std::move (owner_))
{
  allocation = owner->device->create_image (find_shared_format (format)->vulkan, width, height);
}

void
ExternalImage::import_to_gl ()
{
  const GstGLFuncs *gl = owner->gl_context ()->gl_vtable;
  const ExternalMemory::GlFunctions &extension = owner->gl_functions;
  require_sound_gl (owner->gl_context ());
  extension.CreateMemoryObjects (1, &memory_object);
  const GLint dedicated = 1;
  extension.MemoryObjectParameteriv (memory_object, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  check_gl (gl, "glMemoryObjectParameterivEXT");
  Descriptor memory = allocation->export_memory ();
  extension.ImportMemoryFd (memory_object, allocation->size (), GL_HANDLE_TYPE_OPAQUE_FD_EXT, memory.get ());
  check_gl (gl, "glImportMemoryFdEXT");
  memory.release ();

  gl->GenTextures (1, &texture_id);
  gl->BindTexture (GL_TEXTURE_2D, texture_id);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_TILING_EXT, GL_OPTIMAL_TILING_EXT);
  extension.TexStorageMem2D (GL_TEXTURE_2D, 1, format, width, height, memory_object, 0);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl->BindTexture (GL_TEXTURE_2D, 0);
  check_gl (gl, "glTexStorageMem2DEXT");
}

void
ExternalImage::import_to_cl ()
{
  const SharedFormat &shared = *find_shared_format (format);
  const cl_image_format image_format = {shared.order, shared.type};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  cl_image = owner->importer ().import_image (
      Context::of (owner->cl.get ()).handle, allocation->export_memory (), image_format, description);
}

bool
ExternalImage::is_storable () const
{
  return allocation->is_storable ();
}

/* OpenCL's image first, then GL's texture, and last the memory. */
ExternalImage::~ExternalImage ()
{
  cl_image = ::cl::Image2D ();
  if (!texture_id && !memory_object)
    return;
  run_in_gl_thread (owner->gl_context (), [this] {
    if (texture_id)
      owner->gl_context ()->gl_vtable->DeleteTextures (1, &texture_id);
    if (memory_object)
      owner->gl_functions.DeleteMemoryObjects (1, &memory_object);
  });
}

}  // namespace gst::cl
