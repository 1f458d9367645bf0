/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL textures in memory that Vulkan allocates and both GL and OpenCL import. Frames need no copy, and OpenCL's acquire is
 * fast. */
#pragma once

#include "gl/thread.hpp"
#include "memory/importer.hpp"

namespace gst::cl {

namespace vulkan {
class Device;
class Image;
}  // namespace vulkan

class ExternalImage;

class TextureCopier;

/** A CL context and a GL context on one device that both import memory. */
class GST_CL_API ExternalMemory : public std::enable_shared_from_this<ExternalMemory> {
public:
  /** GL thread. Throws Failure (RESOURCE, NOT_FOUND), which tells the user the missing part. */
  ExternalMemory (const ContextRef &context, GstGLContext *gl);
  ~ExternalMemory ();
  ExternalMemory (const ExternalMemory &) = delete;
  ExternalMemory &operator= (const ExternalMemory &) = delete;

  /** Whether create_image() takes the format; a driver may still refuse it. */
  static bool knows (GstGLFormat format);
  /** Creates a texture of that format and size with its CL image, contents undefined. GL thread. Throws Failure. */
  std::shared_ptr<ExternalImage> create_image (GstGLFormat format, int width, int height);

  /** Copies a foreign texture on the GPU. GL thread. Throws Failure. */
  void copy (guint from, const ExternalImage &to);

  /** Acquires and releases the images for OpenCL. */
  const Importer &importer () const { return *cl_importer; }

  GstGLContext *gl_context () const { return gl.get (); }

  /** The functions of GL_EXT_memory_object_fd. */
  struct GlFunctions {
    void (GSTGLAPI *GetUnsignedBytei_v) (GLenum, GLuint, GLubyte *);
    void (GSTGLAPI *CreateMemoryObjects) (GLsizei, GLuint *);
    void (GSTGLAPI *DeleteMemoryObjects) (GLsizei, const GLuint *);
    void (GSTGLAPI *MemoryObjectParameteriv) (GLuint, GLenum, const GLint *);
    void (GSTGLAPI *ImportMemoryFd) (GLuint, guint64, GLenum, GLint);
    void (GSTGLAPI *TexStorageMem2D) (GLenum, GLsizei, GLenum, GLsizei, GLsizei, GLuint, guint64);
  };

private:
  friend class ExternalImage;

  ContextRef cl;
  GlContextRef gl;
  std::shared_ptr<vulkan::Device> device;
  std::shared_ptr<const Importer> cl_importer;
  GlFunctions gl_functions{};
  std::unique_ptr<TextureCopier> copier;
};

/** The shared ExternalMemory of a CL context and a GL context; creates it if there is none. Throws Failure (RESOURCE,
 *  NOT_FOUND), which names the missing part. */
std::shared_ptr<ExternalMemory> find_external_memory (const ContextRef &context, GstGLContext *gl);

/** A GL texture and a CL image in the same memory. May be destroyed on any thread. */
class GST_CL_API ExternalImage {
public:
  /** GL thread; see ExternalMemory::create_image(). */
  ExternalImage (std::shared_ptr<ExternalMemory> owner, GstGLFormat format, int width, int height);
  ~ExternalImage ();
  ExternalImage (const ExternalImage &) = delete;
  ExternalImage &operator= (const ExternalImage &) = delete;

  guint texture () const { return texture_id; }
  const ::cl::Image2D &image () const { return cl_image; }
  const std::shared_ptr<ExternalMemory> &memory () const { return owner; }
  /** Whether GL's shaders can store into the texture. */
  bool is_storable () const;

  /** A sized format: GST_GL_RGBA8 for GST_GL_RGBA. */
  const GstGLFormat format;
  const int width, height;

private:
  friend class ExternalMemory;
  void import_to_gl ();
  void import_to_cl ();

  std::shared_ptr<ExternalMemory> owner;
  std::unique_ptr<vulkan::Image> allocation;
  guint memory_object = 0, texture_id = 0;
  ::cl::Image2D cl_image;
};

/** The external image of a GstGLMemory from a pool of external_pool_new(); null for other memory. */
GST_CL_API ExternalImage *external_image_of (GstMemory *memory);

/** A pool of GstGLMemory on external images, one for each plane, target 2D. It is a GstGLBufferPool. */
GST_CL_API GstBufferPool *external_pool_new (std::shared_ptr<ExternalMemory> memory);

}  // namespace gst::cl
