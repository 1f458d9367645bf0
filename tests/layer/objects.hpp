/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the layer knows of the application's OpenCL objects. The objects themselves are the next layer's. */
#pragma once

#include <CL/cl_icd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gl.hpp"
#include "texture.hpp"

namespace layer {

/* The functions below this layer. */
const cl_icd_dispatch &next ();

struct Context {
  std::mutex mutex; /* of the importer */
  cl_context handle = nullptr;
  unsigned references = 1;
  std::vector<cl_context_properties> properties;
  bool associated = false; /* with a GL context */
  Binding binding;
  std::shared_ptr<GlThread> importer; /* of external memory, from the first import on */
  std::shared_ptr<GlThread> gl;       /* null where GL contexts are accepted, but nothing can be shared */
};

struct Free {
  void operator() (void *memory) const { std::free (memory); }
};

/* A memory object that the layer watches. */
struct Object {
  virtual ~Object () = default;
  /* In a report. */
  virtual std::string what () const = 0;
  /* Whether commands may see its bytes. */
  virtual bool has_bytes () const = 0;
  /* Whether it may be used between acquire and release only. */
  virtual bool needs_acquire () const { return true; }

  bool is_read_only () const { return flags & CL_MEM_READ_ONLY; }

  cl_mem handle = nullptr;
  unsigned references = 1;
  cl_context context = nullptr;
  cl_mem_flags flags = 0;

  /* the ledger, in the order of the application's calls */
  bool acquired = false;
  bool was_acquired = false;
};

/* An image made from a texture or from external memory. Its pixels lie in memory that the layer owns
 * (CL_MEM_USE_HOST_PTR), so that the GL thread reaches them without a command queue. */
struct Image : Object {
  std::string what () const override { return "texture " + std::to_string (texture.name); }
  bool has_bytes () const override { return format->is_exact (); }

  const void *group = nullptr; /* within which the texture's name is unique */
  Texture texture;
  const Format *format = nullptr;
  bool marked = false; /* see mark () */
  std::unique_ptr<std::uint8_t, Free> pixels;

  /* The memory object behind the texture where the image was made from external memory; both are the layer's then. */
  GLuint memory = 0;
  std::weak_ptr<GlThread> importer;

  /* the GL thread's: what the texture must still hold at release, and what the image held at acquire */
  std::vector<std::uint8_t> expected;
  std::vector<std::uint8_t> loaded;

  std::size_t pixel_count () const { return static_cast<std::size_t> (texture.width) * texture.height; }
  std::size_t size () const { return pixel_count () * format->pixel_bytes (); }
};

/* An event that the layer made. It holds a reference of its own, so that no other event takes the handle. */
struct Event {
  cl_command_type type = 0;
  unsigned references = 1;
};

/* How many objects of one texture are acquired. */
struct Holders {
  unsigned readers = 0, writers = 0;
};

/* Nothing of OpenCL may be called while the mutex is held: callbacks would lock it again. */
struct Ledger {
  std::mutex mutex;
  std::map<cl_context, std::shared_ptr<Context>> contexts;
  std::map<cl_mem, std::shared_ptr<Object>> objects;
  std::map<cl_event, Event> events;
  std::map<cl_kernel, std::map<cl_uint, std::weak_ptr<Object>>> arguments;
  std::map<std::pair<const void *, GLuint>, Holders> textures;
};

Ledger &ledger ();

std::shared_ptr<Context> find_context (cl_context context);
std::shared_ptr<Object> find_object (cl_mem object);
/* Null for other objects. */
std::shared_ptr<Image> find_image (cl_mem object);

/* CL_SUCCESS, or the error of a list that is malformed or, unless syncs are allowed, holds a GL sync event. */
cl_int check_wait_list (cl_uint n, const cl_event *events, bool allow_syncs, const char *function);

/* Whether flags say how kernels use an image, and nothing more. */
bool are_access_flags (cl_mem_flags flags);

/* Makes the image on the CL device, of the texture and the format that it names, and takes note of it. */
cl_int create_image (const std::shared_ptr<Image> &image);

/* From now on clGetEventInfo gives this type, and the handle stays unique until the application lets go. */
void remember_event (cl_event event, cl_command_type type);

/* Whether a CL device is one that the layer lends GL sharing to: a CPU, which computes in the layer's own memory. */
bool is_emulated (cl_device_id device);

/* The answer of every clGet...Info. */
cl_int give (const void *value, std::size_t size, std::size_t capacity, void *destination, std::size_t *size_ret);

/* The functions that replace the next layer's, by topic. */
void hook_info (cl_icd_dispatch &dispatch);
void hook_contexts (cl_icd_dispatch &dispatch);
void hook_images (cl_icd_dispatch &dispatch);
void hook_sharing (cl_icd_dispatch &dispatch);
void hook_external (cl_icd_dispatch &dispatch);
void hook_dmabuf (cl_icd_dispatch &dispatch);
void hook_commands (cl_icd_dispatch &dispatch);
void hook_host_copies (cl_icd_dispatch &dispatch);

}  // namespace layer
