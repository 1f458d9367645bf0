/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer's data about the application's OpenCL objects, which belong to the next layer. */
#pragma once

#include "../census/give.hpp"

#include <CL/cl_icd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "texture.hpp"

namespace layer {

/* The functions of the next layer. */
extern cl_icd_dispatch target;
inline const cl_icd_dispatch &
next ()
{
  return target;
}

struct Context {
  std::mutex mutex; /* protects the importer */
  cl_context handle = nullptr;
  unsigned references = 1;
  std::vector<cl_context_properties> properties;
  bool associated = false; /* with a GL context */
  Binding binding;
  std::shared_ptr<GlThread> importer; /* of external memory, from the first import on */
  std::shared_ptr<GlThread> gl;       /* null if GL contexts are accepted, but nothing can be shared */
};

struct Free {
  void operator() (void *memory) const { std::free (memory); }
};

/* A memory object that the layer watches. */
struct Object {
  virtual ~Object () = default;
  /* Its description in a report. */
  virtual std::string what () const = 0;
  /* Whether commands may access its bytes. */
  virtual bool has_bytes () const = 0;
  /* Whether it may only be used between acquire and release. */
  virtual bool needs_acquire () const { return true; }
  /* Whether it was made from external memory. */
  virtual bool is_external () const { return true; }

  bool is_read_only () const { return flags & CL_MEM_READ_ONLY; }

  cl_mem handle = nullptr;
  unsigned references = 1;
  cl_context context = nullptr;
  cl_mem_flags flags = 0;

  /* the ledger, in the order of the application's calls */
  bool acquired = false;
  bool was_acquired = false;
};

/* An image made from a texture or from external memory. Its pixels are in memory of the layer (CL_MEM_USE_HOST_PTR), so that
 * the GL thread can access them without a command queue. */
struct Image : Object {
  ~Image () override;
  std::string what () const override { return "texture " + std::to_string (texture.name); }
  bool has_bytes () const override { return format->is_exact (); }
  bool is_external () const override { return memory; }

  const void *group = nullptr; /* the share group within which the texture's name is unique */
  Texture texture;
  const Format *format = nullptr;
  bool marked = false; /* see mark () */
  std::unique_ptr<std::uint8_t, Free> pixels;

  /* The GL memory object of an image from external memory; the layer then owns it and the texture. */
  GLuint memory = 0;
  std::weak_ptr<GlThread> importer;

  /* GL thread only: the texture's expected content at release, and the image's content at acquire */
  std::vector<std::uint8_t> expected;
  std::vector<std::uint8_t> loaded;

  std::size_t pixel_count () const { return static_cast<std::size_t> (texture.width) * texture.height; }
  std::size_t size () const { return pixel_count () * format->pixel_bytes (); }
};

/* An event of the layer, which holds a reference, so that no other event gets the handle. */
struct Event {
  cl_command_type type = 0;
  unsigned references = 1;
};

/* How many objects of a texture are acquired. */
struct Holders {
  unsigned readers = 0, writers = 0;
};

/* No OpenCL function may be called while the mutex is held, because callbacks lock it, too. */
struct Ledger {
  std::mutex mutex;
  std::map<cl_context, std::shared_ptr<Context>> contexts;
  std::map<cl_mem, std::shared_ptr<Object>> objects;
  std::map<cl_event, std::shared_ptr<Event>> events;
  std::map<cl_kernel, std::map<cl_uint, std::weak_ptr<Object>>> arguments;
  std::map<std::pair<const void *, GLuint>, Holders> textures;
};

Ledger &ledger ();

/* Returns the result of a function that uses the ledger. */
template <typename Use>
auto
locked (const Use &use)
{
  const std::lock_guard lock (ledger ().mutex);
  return use (ledger ());
}

/* A handler that counts an application's references to contexts, objects or events of a list. */
template <auto list>
constexpr auto retains = [] (auto original, const char *, auto handle) {
  const cl_int error = original (handle);
  const std::lock_guard lock (ledger ().mutex);
  const auto &all = ledger ().*list;
  if (const auto found = all.find (handle); error == CL_SUCCESS && found != all.end ())
    found->second->references++;
  return error;
};

/* Returns the context, the object or the event if this was the application's last reference. */
template <typename List>
typename List::mapped_type
drop_reference (List &list, typename List::key_type handle)
{
  const std::lock_guard lock (ledger ().mutex);
  const auto found = list.find (handle);
  if (found == list.end () || --found->second->references > 0)
    return nullptr;
  return std::move (list.extract (found).mapped ());
}

std::shared_ptr<Context> find_context (cl_context context);
std::shared_ptr<Object> find_object (cl_mem object);
/* The type of an event of the layer, or 0. */
cl_command_type find_type (cl_event event);

/* Returns an error code to the application. */
inline void
set_error (cl_int *errcode_ret, cl_int error)
{
  if (errcode_ret)
    *errcode_ret = error;
}

/* Null if it is not an image of the layer. */
std::shared_ptr<Image> find_image (cl_mem object);

/* Returns CL_SUCCESS, or the error of an invalid list; GL sync events are invalid unless allowed. */
cl_int check_wait_list (cl_uint n, const cl_event *events, bool allow_syncs, const char *function);

/* Whether flags only describe how kernels access an image. */
bool are_access_flags (cl_mem_flags flags);

/* Memory for a buffer or an image, with every byte the same. */
std::unique_ptr<std::uint8_t, Free> allocate (std::size_t size, int byte);

/* Watches an object, which stays until the device has destroyed it, perhaps later than at the last release. */
void watch (const std::shared_ptr<Object> &object);

/* Makes the image on the CL device from its texture and format, and watches it. */
cl_int create_image (const std::shared_ptr<Image> &image);

/* From now on clGetEventInfo returns this type, and the handle stays unique until the application releases the event. */
void remember_event (cl_event event, cl_command_type type);

/* Whether the layer provides GL sharing for a CL device: a CPU, which computes in the layer's own memory. */
bool is_emulated (cl_device_id device);

std::vector<cl_device_id> devices_of (cl_platform_id platform, cl_device_type type);

/* Install functions that replace the next layer's, by topic. */
void hook_info (cl_icd_dispatch &dispatch);
void hook_contexts (cl_icd_dispatch &dispatch);
void hook_images (cl_icd_dispatch &dispatch);
void hook_sharing (cl_icd_dispatch &dispatch);
void hook_external (cl_icd_dispatch &dispatch);
void hook_dmabuf (cl_icd_dispatch &dispatch);
void hook_commands (cl_icd_dispatch &dispatch);
void hook_host_copies (cl_icd_dispatch &dispatch);

}  // namespace layer
