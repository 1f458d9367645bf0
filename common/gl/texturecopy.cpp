/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/external.hpp"

#include <gst/gl/gstglfuncs.h>

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

struct TextureCopier::Functions {
  explicit Functions (GstGLContext *context)
  {
    const auto load = [context] (auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype (function)>> (gst_gl_context_get_proc_address (context, name));
    };
    const bool has_4_3 = gst_gl_context_check_gl_version (context, desktop_gl, 4, 3);
    if (has_4_3) {
      load (DispatchCompute, "glDispatchCompute");
      load (BindImageTexture, "glBindImageTexture");
      load (MemoryBarrier, "glMemoryBarrier");
    }
    if (has_4_3 || gst_gl_context_check_gl_version (context, GST_GL_API_GLES2, 3, 2)
        || gst_gl_context_check_feature (context, "GL_ARB_copy_image"))
      load (CopyImageSubData, "glCopyImageSubData");
  }

  bool has_compute () const { return DispatchCompute && BindImageTexture && MemoryBarrier; }

  void (GSTGLAPI *DispatchCompute) (GLuint, GLuint, GLuint) = nullptr;
  void (GSTGLAPI *BindImageTexture) (GLuint, GLuint, GLint, GLboolean, GLint, GLenum, GLenum) = nullptr;
  void (GSTGLAPI *MemoryBarrier) (GLbitfield) = nullptr;
  void (GSTGLAPI *CopyImageSubData) (GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint, GLint, GLint,
      GLsizei, GLsizei, GLsizei) = nullptr;
};

TextureCopier::TextureCopier (GstGLContext *context_) : context (context_), functions (std::make_unique<Functions> (context_))
{
  if (functions->has_compute ())
    make_program ();
}

TextureCopier::~TextureCopier ()
{
  if (program)
    context->gl_vtable->DeleteProgram (program);
}

/* If it fails, the other ways remain. */
void
TextureCopier::make_program ()
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

bool
TextureCopier::try_shader (guint from, const ExternalImage &to)
{
  if (!program || !to.is_storable ())
    return false;
  const GstGLFuncs *gl = context->gl_vtable;
  gl->UseProgram (program);
  gl->ActiveTexture (GL_TEXTURE0);
  gl->BindTexture (GL_TEXTURE_2D, from);
  functions->BindImageTexture (0, to.texture (), 0, GL_FALSE, 0, GL_WRITE_ONLY, to.format);
  functions->DispatchCompute ((to.width + group_width - 1) / group_width, (to.height + group_height - 1) / group_height, 1);
  functions->MemoryBarrier (GL_ALL_BARRIER_BITS);
  functions->BindImageTexture (0, 0, 0, GL_FALSE, 0, GL_WRITE_ONLY, to.format);
  gl->BindTexture (GL_TEXTURE_2D, 0);
  gst_gl_context_clear_shader (context);
  return gl->GetError () == GL_NO_ERROR;
}

bool
TextureCopier::try_copy_image (guint from, unsigned from_target, const ExternalImage &to)
{
  if (!functions->CopyImageSubData)
    return false;
  functions->CopyImageSubData (from, from_target, 0, 0, 0, 0, to.texture (), GL_TEXTURE_2D, 0, 0, 0, 0, to.width, to.height, 1);
  return context->gl_vtable->GetError () == GL_NO_ERROR;
}

void
TextureCopier::blit (guint from, unsigned from_target, const ExternalImage &to)
{
  const GstGLFuncs *gl = context->gl_vtable;
  guint framebuffers[2];
  gl->GenFramebuffers (2, framebuffers);
  gl->BindFramebuffer (GL_READ_FRAMEBUFFER, framebuffers[0]);
  gl->FramebufferTexture2D (GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, from_target, from, 0);
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

void
TextureCopier::copy (guint from, unsigned from_target, const ExternalImage &to)
{
  require_sound_gl (context);
  if ((from_target == GL_TEXTURE_2D && try_shader (from, to)) || try_copy_image (from, from_target, to))
    return;
  clear_gl_errors (context->gl_vtable);
  blit (from, from_target, to);
}

void
clear_gl_errors (const GstGLFuncs *gl)
{
  for (int n = 0; n < 16 && gl->GetError () != GL_NO_ERROR; n++)
    continue;
}

}  // namespace gst::cl
