/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GL context without a window and a CL context that shares with it, for the test of the layer. */
#pragma once

#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_gl.h>
#include <CL/opencl.hpp>
#include <EGL/egl.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include <cstdint>
#include <string>
#include <vector>

/* Ends the program if the condition is false. */
#define CHECK(condition)                                                                                                       \
  do {                                                                                                                         \
    if (!(condition))                                                                                                          \
      fail (__FILE__, __LINE__, #condition);                                                                                   \
  } while (0)
#define CHECK_EQUAL(a, b) check_equal (__FILE__, __LINE__, #a, (a), (b))

[[noreturn]] void fail (const char *file, int line, const std::string &text);

/* A case of a test program, which runs if the program's argument is its name: CASE ("name") { ... } */
struct Case {
  Case (const char *name, void (*run) ());
};
#define CASE_OF_LINE(name, line)                                                                                               \
  void case_##line ();                                                                                                         \
  const Case object_##line (name, case_##line);                                                                                \
  void case_##line ()
#define CASE_AT(name, line) CASE_OF_LINE (name, line)
#define CASE(name) CASE_AT (name, __LINE__)

template <typename A, typename B>
void
check_equal (const char *file, int line, const char *text, const A &a, const B &b)
{
  if (!(a == static_cast<A> (b)))
    fail (file, line, std::string (text) + " is " + std::to_string (a) + ", not " + std::to_string (b));
}

/* Ends the program with the status that Meson treats as skipped. */
[[noreturn]] void skip (const char *why);

/* Transfers of the current context have no padding. */
void pack_tightly ();

using Bytes = std::vector<std::uint8_t>;

/* A GL 3.3 core context, current on the thread that made it. */
class GlContext {
public:
  GlContext ();
  ~GlContext ();
  GlContext (const GlContext &) = delete;

  EGLDisplay display () const { return display_; }
  EGLContext handle () const { return context_; }
  void make_current (bool current) const;
  void destroy ();

private:
  EGLDisplay display_;
  EGLContext context_;
};

/* A texture format of an application. */
struct TextureFormat {
  const char *name;
  GLint internal;
  GLenum transfer, type;
  std::size_t texel_bytes;
  cl_image_format image;
};

extern const std::vector<TextureFormat> texture_formats;
extern const TextureFormat &rgba8;

GLuint make_texture (const TextureFormat &format, int width, int height, const Bytes &texels);
void fill_texture (GLuint texture, const TextureFormat &format, int width, int height, const Bytes &texels);
Bytes read_texture (GLuint texture, const TextureFormat &format, int width, int height);
Bytes noise (std::size_t size);
Bytes inverted (Bytes bytes);

/* Draws into the texture for tens of milliseconds; the result is white. */
void draw_long (GLuint texture, int width, int height);

/* Device, context and queue. */
class Sharing {
public:
  explicit Sharing (const GlContext &gl, cl_command_queue_properties properties = 0);
  /* list: context properties with a final 0; without them the context is not associated with GL. */
  explicit Sharing (const std::vector<cl_context_properties> &list = {}, cl_command_queue_properties properties = 0);

  cl_mem create (GLuint texture, cl_mem_flags flags, cl_int expected = CL_SUCCESS) const;
  cl_int acquire (std::vector<cl_mem> objects, std::vector<cl_event> events = {}, cl_event *event = nullptr) const;
  cl_int release (std::vector<cl_mem> objects, std::vector<cl_event> events = {}, cl_event *event = nullptr) const;
  cl_event create_event (GLsync sync, cl_int expected = CL_SUCCESS) const;
  cl_kernel kernel (const char *name) const;
  cl_int run (cl_kernel kernel, std::size_t width, std::size_t height, std::vector<cl_event> events = {}) const;
  /* out = 1 - in */
  cl_int invert (cl_mem in, cl_mem out, std::size_t width, std::size_t height) const;

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;

private:
  cl::Program program_;
};

struct OwnGl {
  GlContext gl;
};

/* The same with a GL context of its own. */
struct GlSharing : OwnGl, Sharing {
  explicit GlSharing (cl_command_queue_properties properties = 0) : Sharing (gl, properties) {}
};

/* getInfo () returns a handle in some releases of the bindings, and an object in others. */
cl_platform_id platform_of (const cl::Device &device);

/* The first platform's CPU device. */
cl::Device find_device ();
std::vector<cl_context_properties> sharing_properties (const cl::Device &device, const GlContext &gl);

/* A texture of noise becomes its inverse, in three frames. */
void check_round_trip (const Sharing &sharing, const TextureFormat &format, int width, int height);

/* A counter of the layer in this process. */
unsigned long long counter (const std::string &key);
inline unsigned long long
violations (const std::string &rule)
{
  return counter ("rule-" + rule);
}

/* The rule was broken as many times, and no other. */
void expect (const char *rule, unsigned long long times = 1);

/* Rules that hold for every kind of object. A Scene has one, or more, to use, acquire and release, and the error of a wrong release. */
template <typename Scene> struct CommonRules {
  static void not_acquired ()
  {
    Scene scene;
    CHECK_EQUAL (scene.use (), CL_INVALID_OPERATION);
    expect ("not-acquired");
  }
  static void used_after_release ()
  {
    Scene scene;
    CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
    CHECK_EQUAL (scene.use (), CL_SUCCESS);
    CHECK_EQUAL (scene.release (), CL_SUCCESS);
    CHECK_EQUAL (scene.use (), CL_INVALID_OPERATION);
    scene.finish ();
    expect ("used-after-release");
  }
  static void double_acquire ()
  {
    Scene scene;
    CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
    CHECK_EQUAL (scene.acquire (), CL_INVALID_OPERATION);
    CHECK_EQUAL (scene.release (), CL_SUCCESS);
    scene.finish ();
    expect ("double-acquire");
  }
  static void release_not_acquired ()
  {
    Scene scene;
    CHECK_EQUAL (scene.release (), Scene::wrong_release);
    expect ("release-not-acquired");
  }

  const Case cases[4] = {{"not-acquired", not_acquired}, {"used-after-release", used_after_release},
      {"double-acquire", double_acquire}, {"release-not-acquired", release_not_acquired}};
};
