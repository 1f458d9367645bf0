/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_external_memory_opaque_fd: the layer's own GL context imports the memory as a texture, which is then handled as in GL
 * sharing. */
#include "external.hpp"

#include <GL/glext.h>

#include <sys/stat.h>
#include <unistd.h>

#include <numeric>

#include "dmabuf.hpp"
#include "external_names.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

struct ImportGl {
  EACH (LAYER_GL_MEMBER, CreateMemoryObjectsEXT, DeleteMemoryObjectsEXT, DeleteTextures, GenTextures, GetIntegerv, GetStringi,
      GetUnsignedBytei_vEXT, GetUnsignedBytevEXT, ImportMemoryFdEXT, MemoryObjectParameterivEXT, TexParameteri,
      TexStorageMem2DEXT)

  bool has_extension (const char *wanted) const
  {
    GLint n = 0;
    GetIntegerv (GL_NUM_EXTENSIONS, &n);
    for (GLint i = 0; i < n; i++) {
      if (!std::strcmp (reinterpret_cast<const char *> (GetStringi (GL_EXTENSIONS, i)), wanted))
        return true;
    }
    return false;
  }
};

const ImportGl &
import_gl ()
{
  static const ImportGl instance;
  return instance;
}

std::optional<Uuids>
read_uuids ()
{
  std::optional<Uuids> uuids;
  if (settings ().cuda)
    std::iota (uuids.emplace ().device.begin (), uuids->device.end (), 0xc0);
  const std::shared_ptr<GlThread> thread = settings ().external ? GlThread::create_unshared () : nullptr;
  if (!thread)
    return uuids;
  thread->run ([&] (const Gl &) {
    const ImportGl &gl = import_gl ();
    if (!gl.has_extension ("GL_EXT_memory_object_fd"))
      return;
    uuids.emplace ();
    gl.GetUnsignedBytei_vEXT (GL_DEVICE_UUID_EXT, 0, uuids->device.data ());
    gl.GetUnsignedBytevEXT (GL_DRIVER_UUID_EXT, uuids->driver.data ());
    if (!settings ().same_uuid)
      uuids->device[0] ^= 1;
  });
  return uuids;
}

/* The requests in an image's properties. */
struct ImportRequest {
  int fd = -1;
  bool imports = false;
  std::vector<cl_device_id> devices;
};

cl_int
parse (const cl_mem_properties *properties, ImportRequest &request)
{
  while (properties && *properties) {
    switch (*properties++) {
      case CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR:
        if (request.imports)
          return CL_INVALID_PROPERTY;
        request.imports = true;
        request.fd = static_cast<int> (*properties++);
        break;
      case CL_MEM_DEVICE_HANDLE_LIST_KHR:
        while (*properties != CL_MEM_DEVICE_HANDLE_LIST_END_KHR)
          request.devices.push_back (reinterpret_cast<cl_device_id> (*properties++));
        properties++;
        break;
      default:
        return CL_INVALID_PROPERTY;
    }
  }
  return CL_SUCCESS;
}

/* Without a list, the context's devices may use the memory. */
cl_int
check_devices (cl_context context, const std::vector<cl_device_id> &listed)
{
  cl_device_id device = nullptr;
  cl_uint n = 0;
  next ().clGetContextInfo (context, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, nullptr);
  if (n != 1)
    return CL_INVALID_DEVICE;
  next ().clGetContextInfo (context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
  for (const cl_device_id one : listed) {
    if (one != device)
      return CL_INVALID_DEVICE;
  }
  return is_emulated (device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* Memory of Mesa's software drivers is an anonymous file. */
bool
is_anonymous_file (int fd)
{
  struct stat status;
  char target[64] = {};
  const std::string link = "/proc/self/fd/" + std::to_string (fd);
  return fd >= 0 && fstat (fd, &status) == 0 && status.st_size > 0 && readlink (link.c_str (), target, sizeof target - 1) > 0
         && !std::strncmp (target, "/memfd:", 7);
}

cl_int
check_arguments (const ImportRequest &request, cl_context context, cl_mem_flags flags, const cl_image_format *format,
    const cl_image_desc *description, const void *host)
{
  if (!settings ().accept_imports || !importer_uuids ())
    return CL_INVALID_OPERATION;
  if (!are_access_flags (flags))
    return CL_INVALID_VALUE;
  if (host)
    return CL_INVALID_HOST_PTR;
  if (!format || !find_format (*format))
    return CL_IMAGE_FORMAT_NOT_SUPPORTED;
  if (!description || description->image_type != CL_MEM_OBJECT_IMAGE2D || description->image_width == 0
      || description->image_height == 0 || description->image_row_pitch != 0 || description->num_mip_levels > 1)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (!is_anonymous_file (request.fd))
    return CL_INVALID_VALUE;
  return check_devices (context, request.devices);
}

/* Runs on the GL thread. GL takes ownership of the descriptor. */
bool
import (const Gl &gl, int fd, Image &image)
{
  const ImportGl &more = import_gl ();
  struct stat status = {};
  fstat (fd, &status);
  while (gl.GetError () != GL_NO_ERROR) {}
  const GLint dedicated = GL_TRUE;
  more.CreateMemoryObjectsEXT (1, &image.memory);
  more.MemoryObjectParameterivEXT (image.memory, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  more.ImportMemoryFdEXT (image.memory, status.st_size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, fd);
  more.GenTextures (1, &image.texture.name);
  gl.BindTexture (GL_TEXTURE_2D, image.texture.name);
  more.TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  more.TexStorageMem2DEXT (
      GL_TEXTURE_2D, 1, image.format->internal, image.texture.width, image.texture.height, image.memory, 0);
  gl.BindTexture (GL_TEXTURE_2D, 0);
  return gl.GetError () == GL_NO_ERROR;
}

/* The context's importer, which is made on first use. */
std::shared_ptr<GlThread>
importer_of (Context &context)
{
  const std::lock_guard lock (context.mutex);
  if (!context.importer)
    context.importer = GlThread::create_unshared ();
  return context.importer;
}

cl_int
create (Context &context, const ImportRequest &request, cl_mem_flags flags, const cl_image_format &format,
    const cl_image_desc &description, cl_mem *handle)
{
  const std::shared_ptr<GlThread> importer = importer_of (context);
  if (!importer)
    return CL_OUT_OF_RESOURCES;
  auto image = std::make_shared<Image> ();
  image->context = context.handle;
  image->group = context.handle;
  image->flags = flags ? flags : CL_MEM_READ_WRITE;
  image->format = find_format (format);
  image->importer = importer;
  image->texture = {.target = GL_TEXTURE_2D,
      .internal = image->format->internal,
      .width = static_cast<GLint> (description.image_width),
      .height = static_cast<GLint> (description.image_height)};
  const int fd = dup (request.fd);
  bool imported = false;
  importer->run ([&] (const Gl &gl) { imported = import (gl, fd, *image); });
  const cl_int error = imported ? create_image (image) : CL_INVALID_VALUE;
  if (error != CL_SUCCESS)
    return error;
  /* From here on OpenCL owns the descriptor. */
  close (request.fd);
  count ("imports");
  *handle = image->handle;
  return CL_SUCCESS;
}

cl_mem CL_API_CALL
create_image_with_properties (cl_context handle, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *description, void *host, cl_int *errcode_ret)
{
  const std::shared_ptr<Context> context = find_context (handle);
  ImportRequest request;
  cl_int error = settings ().external && context ? parse (properties, request) : CL_SUCCESS;
  if (!request.imports && error == CL_SUCCESS)
    return next ().clCreateImageWithProperties (handle, properties, flags, format, description, host, errcode_ret);
  cl_mem image = nullptr;
  if (error == CL_SUCCESS)
    error = check_arguments (request, handle, flags, format, description, host);
  if (error == CL_SUCCESS)
    error = create (*context, request, flags, *format, *description, &image);
  set_error (errcode_ret, error);
  return image;
}

cl_int
enqueue (Transfer &transfer)
{
  if (transfer.n_objects == 0)
    return CL_SUCCESS;
  if (are_dmabufs (transfer.objects))
    return enqueue_dmabufs (transfer);
  if (transfer.is_acquire () && has_pending_gl_commands ())
    report ("gl-pending", "GL commands of the calling thread are not complete at acquire");
  return transfer.enqueue (importer_of (*transfer.context));
}

void *
find_function (const char *name)
{
  if (!name)
    return nullptr;
  if (void *function = find_dmabuf_function (name))
    return function;
  if (!settings ().external && !settings ().dma_buf && !settings ().cuda)
    return nullptr;
  /* Some loaders would return the driver's own function. */
  if (!std::strcmp (name, "clCreateImageWithProperties"))
    return reinterpret_cast<void *> (create_image_with_properties);
  if (!std::strcmp (name, "clEnqueueAcquireExternalMemObjectsKHR"))
    return reinterpret_cast<void *> (hand_over<CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, enqueue>);
  if (!std::strcmp (name, "clEnqueueReleaseExternalMemObjectsKHR"))
    return reinterpret_cast<void *> (hand_over<CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, enqueue>);
  return nullptr;
}

}  // namespace

const Uuids *
importer_uuids ()
{
  static const std::optional<Uuids> &uuids = *new std::optional<Uuids> (read_uuids ());
  return uuids ? &*uuids : nullptr;
}

Image::~Image ()
{
  const std::shared_ptr<GlThread> owner = importer.lock ();
  if (!owner || !memory)
    return;
  owner->post ([texture = texture.name, memory = memory] (const Gl &) {
    import_gl ().DeleteTextures (1, &texture);
    import_gl ().DeleteMemoryObjectsEXT (1, &memory);
  });
}

void
hook_external (cl_icd_dispatch &dispatch)
{
  dispatch.clCreateImageWithProperties = create_image_with_properties;
  dispatch.clGetExtensionFunctionAddress = [] (const char *name) {
    return find_function (name) ?: next ().clGetExtensionFunctionAddress (name);
  };
  dispatch.clGetExtensionFunctionAddressForPlatform = [] (cl_platform_id platform, const char *name) {
    return find_function (name) ?: next ().clGetExtensionFunctionAddressForPlatform (platform, name);
  };
}

}  // namespace layer
