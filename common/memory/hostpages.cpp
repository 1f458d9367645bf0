/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/hostcopy.hpp"

#include <mutex>
#include <optional>

namespace gst::cl {

namespace {

/* The state of the pages of a GstMemory. */
struct HostPages {
  /** Null until the memory comes for the first time. */
  cl_context context = nullptr;
  const void *data = nullptr;
  gsize size = 0;
  /** Empty until the memory comes for the second time, and if the driver refused it. */
  std::optional<::cl::Buffer> buffer = {};
  bool refused = false;
  /** Number of requests of other contexts since the last request of this one. */
  unsigned strangers = 0;

  bool is_of (const Context &of, const GstMapInfo &map) const
  {
    return context == of.handle () && data == map.data && size == map.size;
  }
};

constexpr unsigned patience = 4;

/* Several threads may use the same memory, after a tee. */
std::mutex pages_mutex;

HostPages &
pages_of (const GstMapInfo &map)
{
  return kept_with<HostPages> (map.memory, "gst-cl-host-pages");
}

::cl::Buffer
make_buffer (const Context &context, const GstMapInfo &map)
{
  return ::cl::Buffer (context.handle, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, map.size, map.data);
}

}  // namespace

::cl::Buffer
wrap_pages (Context &context, const GstMapInfo &map, guint64 &allocations)
{
  const std::lock_guard lock (pages_mutex);
  HostPages &pages = pages_of (map);
  if (pages.buffer && pages.is_of (context, map))
    return *pages.buffer;
  allocations++;
  pages = {context.handle (), map.data, map.size, make_buffer (context, map)};
  return *pages.buffer;
}

bool
pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations)
{
  const std::lock_guard lock (pages_mutex);
  HostPages &pages = pages_of (map);
  /* an old context may be gone; after a tee two contexts may alternate, and the second one continues to copy */
  if (!pages.context || (!pages.is_of (context, map) && ++pages.strangers > patience)) {
    pages = {context.handle (), map.data, map.size, std::nullopt};
    return false;
  }
  if (!pages.is_of (context, map) || pages.refused)
    return false;
  pages.strangers = 0;
  if (!pages.buffer) {
    allocations++;
    try {
      pages.buffer = make_buffer (context, map);
    } catch (const ::cl::Error &) {
      pages.refused = true; /* such as pages of a device */
    }
  }
  return pages.buffer.has_value ();
}

}  // namespace gst::cl
