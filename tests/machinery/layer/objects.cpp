/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objects.hpp"

#include "report.hpp"

namespace layer {

Ledger &
ledger ()
{
  static Ledger &instance = *new Ledger;
  return instance;
}

template <typename List>
static typename List::mapped_type
find_in (const List &list, typename List::key_type handle)
{
  const std::lock_guard lock (ledger ().mutex);
  const auto found = list.find (handle);
  return found == list.end () ? nullptr : found->second;
}

std::shared_ptr<Context>
find_context (cl_context context)
{
  return find_in (ledger ().contexts, context);
}

std::shared_ptr<Object>
find_object (cl_mem object)
{
  return find_in (ledger ().objects, object);
}

cl_command_type
find_type (cl_event event)
{
  const std::shared_ptr<Event> found = find_in (ledger ().events, event);
  return found ? found->type : 0;
}

std::shared_ptr<Image>
find_image (cl_mem object)
{
  return std::dynamic_pointer_cast<Image> (find_object (object));
}

cl_int
check_wait_list (cl_uint n, const cl_event *events, bool allow_syncs, const char *function)
{
  if ((n == 0) != (events == nullptr))
    return CL_INVALID_EVENT_WAIT_LIST;
  if (allow_syncs)
    return CL_SUCCESS;
  const auto is_sync = [] (cl_event event) { return find_type (event) == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR; };
  if (std::none_of (events, events + n, is_sync))
    return CL_SUCCESS;
  report ("event-misuse", "%s waits for the event of a GL sync; only clEnqueueAcquireGLObjects may", function);
  return CL_INVALID_EVENT;
}

void
remember_event (cl_event event, cl_command_type type)
{
  next ().clRetainEvent (event);
  const std::lock_guard lock (ledger ().mutex);
  ledger ().events[event] = std::make_shared<Event> (type);
}

std::unique_ptr<std::uint8_t, Free>
allocate (std::size_t size, int byte)
{
  constexpr std::size_t alignment = 4096; /* PoCL requires it of host memory that it uses in place */
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void *const memory = std::aligned_alloc (alignment, whole);
  if (memory)
    std::memset (memory, byte, whole);
  return std::unique_ptr<std::uint8_t, Free> (static_cast<std::uint8_t *> (memory));
}

void
watch (const std::shared_ptr<Object> &object)
{
  const auto drop = [] (cl_mem, void *kept) { delete static_cast<std::shared_ptr<Object> *> (kept); };
  next ().clSetMemObjectDestructorCallback (object->handle, drop, new std::shared_ptr<Object> (object));
  const std::lock_guard lock (ledger ().mutex);
  ledger ().objects[object->handle] = object;
}

bool
is_emulated (cl_device_id device)
{
  cl_device_type type = 0;
  cl_bool images = CL_FALSE;
  next ().clGetDeviceInfo (device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  next ().clGetDeviceInfo (device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
  return (type & CL_DEVICE_TYPE_CPU) && images;
}

std::vector<cl_device_id>
devices_of (cl_platform_id platform, cl_device_type type)
{
  cl_uint n = 0;
  if (next ().clGetDeviceIDs (platform, type, 0, nullptr, &n) != CL_SUCCESS)
    return {};
  std::vector<cl_device_id> devices (n);
  next ().clGetDeviceIDs (platform, type, n, devices.data (), nullptr);
  return devices;
}

}  // namespace layer
