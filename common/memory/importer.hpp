/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Imports memory that another interface allocated into OpenCL: cl_khr_external_memory. */
#pragma once

#include "core/context.hpp"
#include "core/files.hpp"

#include <array>
#include <span>
#include <vector>

namespace gst::cl {

/** The UUID of a device, which is the same in OpenCL, CUDA, GL and Vulkan. */
using Uuid = std::array<unsigned char, 16>;

GST_CL_API std::string text_of (const Uuid &uuid);

/** A kind of file descriptors that an Importer takes. */
struct HandleType {
  /** The extension that the device must list. */
  const char *extension;
  /** The OpenCL property that holds the descriptor. */
  cl_ulong property;
  /** Whether OpenCL becomes the owner of the descriptor. */
  bool takes_over;
};

/** Descriptors of memory that Vulkan or CUDA allocated on the same device. */
GST_CL_API extern const HandleType opaque_descriptors;

/** The functions of a device for imports of one kind. Immutable. */
class GST_CL_API Importer {
public:
  /** Null if the device lacks an extension or function; why_not then names it for a user. Calls no function of an extension
   *  unless the device lists it. */
  static std::shared_ptr<const Importer> create (const Device &device, const HandleType &type, std::string &why_not);

  /** Sets uuid to the device's UUID. False, with why_not, if the device reports none. */
  static bool find_uuid (const Device &device, Uuid &uuid, std::string &why_not);

  /** Imports size bytes of memory. Throws cl::Error. */
  ::cl::Buffer import_buffer (const ::cl::Context &context, Descriptor memory, size_t size) const;
  /** The same as an image. Throws cl::Error. */
  ::cl::Image2D import_image (
      const ::cl::Context &context, Descriptor memory, const cl_image_format &format, const cl_image_desc &description) const;

  /** Enqueue acquire() before, and release() after the commands that use the objects. Other interfaces must have finished with
   *  the objects before the acquire, and may use them when the release is complete. Throws cl::Error. */
  void acquire (cl_command_queue queue, std::span<const cl_mem> objects, const std::vector<::cl::Event> &wait,
      ::cl::Event *event = nullptr) const;
  void release (cl_command_queue queue, std::span<const cl_mem> objects, const std::vector<::cl::Event> &wait,
      ::cl::Event *event = nullptr) const;

private:
  using CreateBuffer = cl_mem (CL_API_CALL *) (cl_context, const cl_ulong *, cl_mem_flags, size_t, void *, cl_int *);
  using CreateImage = cl_mem (CL_API_CALL *) (
      cl_context, const cl_ulong *, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *);
  using HandOver = cl_int (CL_API_CALL *) (cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

  explicit Importer (const HandleType &type) : type (type) {}
  template <typename Object, typename Create> Object import (Descriptor memory, const char *call, const Create &create) const;
  static void hand_over (HandOver function, const char *name, cl_command_queue queue, std::span<const cl_mem> objects,
      const std::vector<::cl::Event> &wait, ::cl::Event *event);

  const HandleType &type;
  CreateBuffer create_buffer = nullptr;
  CreateImage create_image = nullptr;
  HandOver acquire_objects = nullptr, release_objects = nullptr;
};

}  // namespace gst::cl
