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
  bool misused = false;
  {
    const std::lock_guard lock (ledger ().mutex);
    for (cl_uint i = 0; i < n; i++) {
      const auto found = ledger ().events.find (events[i]);
      misused |= found != ledger ().events.end () && found->second.type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR;
    }
  }
  if (!misused)
    return CL_SUCCESS;
  report ("event-misuse", "%s waits for the event of a GL sync; only clEnqueueAcquireGLObjects may", function);
  return CL_INVALID_EVENT;
}

void
remember_event (cl_event event, cl_command_type type)
{
  next ().clRetainEvent (event);
  const std::lock_guard lock (ledger ().mutex);
  ledger ().events[event] = {type};
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

}  // namespace layer
