/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/importer.hpp"

#include <dlfcn.h>

/* Older headers lack these names. */
#ifndef CL_DEVICE_UUID_KHR
#define CL_DEVICE_UUID_KHR 0x106A
#endif
#ifndef CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
#define CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR 0x2060
#endif

namespace gst::cl {

const HandleType opaque_descriptors{"cl_khr_external_memory_opaque_fd", CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, true};

namespace {

/* A function of an extension; with in_core a function of OpenCL 3.0, which older loaders lack. */
template <typename Function>
bool
load (cl_platform_id platform, Function &function, const char *name, bool in_core = false)
{
  static void *const loader = dlopen ("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
  function = in_core ? reinterpret_cast<Function> (dlsym (loader ? loader : RTLD_DEFAULT, name)) : nullptr;
  if (!function)
    function = reinterpret_cast<Function> (clGetExtensionFunctionAddressForPlatform (platform, name));
  return function != nullptr;
}

}  // namespace

std::string
text_of (const Uuid &uuid)
{
  std::string text;
  char digits[3];
  for (const unsigned char byte : uuid) {
    g_snprintf (digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

bool
Importer::find_uuid (const Device &device, Uuid &uuid, std::string &why_not)
{
  if (device.has_extension ("cl_khr_device_uuid")
      && clGetDeviceInfo (device.handle (), CL_DEVICE_UUID_KHR, uuid.size (), uuid.data (), nullptr) == CL_SUCCESS)
    return true;
  why_not = "the OpenCL device " + device.name + " does not report its UUID (cl_khr_device_uuid)";
  return false;
}

std::shared_ptr<const Importer>
Importer::create (const Device &device, const HandleType &type, std::string &why_not)
{
  const std::string who = "the OpenCL device " + device.name;
  std::shared_ptr<Importer> importer (new Importer (type));
  const cl_platform_id platform = device.platform ();
  if (!device.has_extension (type.extension))
    why_not = who + " lacks " + type.extension;
  /* loaders call the driver's function without a check, and drivers before 3.0 have none */
  else if (device.platform.getInfo<CL_PLATFORM_VERSION> () < std::string ("OpenCL 3"))
    why_not = who + " is older than OpenCL 3.0";
  else if (!load (platform, importer->create_buffer, "clCreateBufferWithProperties", true)
           || !load (platform, importer->create_image, "clCreateImageWithProperties", true)
           || !load (platform, importer->acquire_objects, "clEnqueueAcquireExternalMemObjectsKHR")
           || !load (platform, importer->release_objects, "clEnqueueReleaseExternalMemObjectsKHR"))
    why_not = who + " lacks functions of cl_khr_external_memory";
  else
    return importer;
  return nullptr;
}

template <typename Object, typename Create>
Object
Importer::import (Descriptor memory, const char *call, const Create &create) const
{
  const cl_ulong properties[] = {type.property, cl_ulong (memory.get ()), 0};
  cl_int status = CL_SUCCESS;
  const cl_mem raw = create (properties, &status);
  if (status != CL_SUCCESS || !raw)
    throw ::cl::Error (status, call);
  if (type.takes_over)
    memory.release ();
  return Object (raw);
}

::cl::Buffer
Importer::import_buffer (const ::cl::Context &context, Descriptor memory, size_t size) const
{
  return import <::cl::Buffer> (
      std::move (memory), "clCreateBufferWithProperties", [&] (const cl_ulong *properties, cl_int *status) {
        return create_buffer (context (), properties, CL_MEM_READ_WRITE, size, nullptr, status);
      });
}

::cl::Image2D
Importer::import_image (
    const ::cl::Context &context, Descriptor memory, const cl_image_format &format, const cl_image_desc &description) const
{
  return import <::cl::Image2D> (
      std::move (memory), "clCreateImageWithProperties", [&] (const cl_ulong *properties, cl_int *status) {
        return create_image (context (), properties, CL_MEM_READ_WRITE, &format, &description, nullptr, status);
      });
}

void
Importer::hand_over (HandOver function, const char *name, cl_command_queue queue, std::span<const cl_mem> objects,
    const std::vector<::cl::Event> &wait, ::cl::Event *event)
{
  std::vector<cl_event> raw_wait;
  for (const ::cl::Event &waited : wait)
    raw_wait.push_back (waited ());
  cl_event raw = nullptr;
  const cl_int status = function (queue, cl_uint (objects.size ()), objects.data (), cl_uint (raw_wait.size ()),
      raw_wait.empty () ? nullptr : raw_wait.data (), event ? &raw : nullptr);
  if (status != CL_SUCCESS)
    throw ::cl::Error (status, name);
  if (event)
    *event = ::cl::Event (raw);
}

void
Importer::acquire (
    cl_command_queue queue, std::span<const cl_mem> objects, const std::vector<::cl::Event> &wait, ::cl::Event *event) const
{
  hand_over (acquire_objects, "clEnqueueAcquireExternalMemObjectsKHR", queue, objects, wait, event);
}

void
Importer::release (
    cl_command_queue queue, std::span<const cl_mem> objects, const std::vector<::cl::Event> &wait, ::cl::Event *event) const
{
  hand_over (release_objects, "clEnqueueReleaseExternalMemObjectsKHR", queue, objects, wait, event);
}

}  // namespace gst::cl
