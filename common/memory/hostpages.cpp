/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/hostpages.hpp"

#include <mutex>
#include <optional>

namespace gst::cl {

namespace {

/* The state of the pages of a GstMemory. */
struct HostPages {
  cl_context context;
  const void *data;
  gsize size;
  /** Empty until the memory comes for the second time, and if the driver refused it. */
  std::optional<::cl::Buffer> buffer;
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

GQuark
pages_quark ()
{
  static const GQuark quark = g_quark_from_static_string ("gst-cl-host-pages");
  return quark;
}

HostPages *
known_pages (const GstMapInfo &map)
{
  return static_cast<HostPages *> (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (map.memory), pages_quark ()));
}

HostPages &
remember_pages (const Context &context, const GstMapInfo &map)
{
  auto *pages = new HostPages{context.handle (), map.data, map.size, std::nullopt};
  gst_mini_object_set_qdata (
      GST_MINI_OBJECT_CAST (map.memory), pages_quark (), pages, [] (gpointer data) { delete static_cast<HostPages *> (data); });
  return *pages;
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
  HostPages *pages = known_pages (map);
  if (pages && pages->buffer && pages->is_of (context, map))
    return *pages->buffer;
  allocations++;
  const ::cl::Buffer buffer = make_buffer (context, map);
  remember_pages (context, map).buffer = buffer;
  return buffer;
}

bool
pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations)
{
  const std::lock_guard lock (pages_mutex);
  HostPages *pages = known_pages (map);
  /* an old context may be gone; after a tee two contexts may alternate, and the second one continues to copy */
  if (!pages || (!pages->is_of (context, map) && ++pages->strangers > patience)) {
    remember_pages (context, map);
    return false;
  }
  if (!pages->is_of (context, map) || pages->refused)
    return false;
  pages->strangers = 0;
  if (!pages->buffer) {
    allocations++;
    try {
      pages->buffer = make_buffer (context, map);
    } catch (const ::cl::Error &) {
      pages->refused = true; /* such as pages of a device */
    }
  }
  return pages->buffer.has_value ();
}

}  // namespace gst::cl
