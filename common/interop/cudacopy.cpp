/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/cudacopy.hpp"

#include <algorithm>

namespace gst::cl::cuda {

namespace {

/* While one part comes back from the host, the next one is on its way there: a third of a 1080p frame is best on an H100. */
constexpr gsize part_bytes = 1 << 20;
/* How often the slower way is timed. */
constexpr guint64 look_again = 64;
/* CU_STREAM_NON_BLOCKING, CU_EVENT_DISABLE_TIMING */
constexpr unsigned independent = 1, untimed = 2;

class Mapping {
public:
  Mapping (GstBuffer *buffer, GstMapFlags flags) : buffer (buffer)
  {
    if (!gst_buffer_map (buffer, &map, GstMapFlags (int (flags) | map_cuda)))
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "A frame in CUDA memory could not be mapped.", "");
  }
  ~Mapping () { gst_buffer_unmap (buffer, &map); }
  Mapping (const Mapping &) = delete;
  Mapping &operator= (const Mapping &) = delete;

  Pointer pointer () const { return reinterpret_cast<Pointer> (map.data); }

private:
  GstBuffer *const buffer;
  GstMapInfo map;
};

Copy2D
rows_of (gsize row_bytes, gsize rows)
{
  return {.from_type = on_device_memory, .to_type = on_device_memory, .row_bytes = row_bytes, .rows = rows};
}

}  // namespace

Copier::Copier (std::shared_ptr<const Exchange> exchange_, const GstVideoInfo &info_)
    : exchange (std::move (exchange_)), library (exchange->library), info (info_),
      format (*find_format (GST_VIDEO_INFO_FORMAT (&info)))
{
}

Copier::~Copier ()
{
  if (!stream || !library.context_push (exchange->cuda.get ()))
    return;
  for (Stream used : {stream, returning})
    if (used)
      library.driver.StreamDestroy (used);
  if (passed)
    library.driver.EventDestroy (passed);
  if (pages)
    library.driver.MemFreeHost (pages);
  library.context_pop (nullptr);
}

void
Copier::start ()
{
  const Library::Driver &driver = library.driver;
  gsize size = 0;
  for (int i = 0; i < format.n_planes; i++) {
    const PlaneExtent extent = extent_of (format, i, info);
    size += extent.row_bytes * extent.rows;
  }
  if (!stream)
    check (library, driver.StreamCreate (&stream, independent), "cuStreamCreate");
  if (!returning)
    check (library, driver.StreamCreate (&returning, independent), "cuStreamCreate");
  if (!passed)
    check (library, driver.EventCreate (&passed, untimed), "cuEventCreate");
  if (!pages)
    check (library, driver.MemAllocHost (&pages, size), "cuMemAllocHost");
}

/* Compares the best times, because frames with longer times waited for other work. A way without times is tried. */
Copier::Way
Copier::choose () const
{
  const auto best = [this] (Way way) { return *std::min_element (times[way].begin (), times[way].end ()); };
  const bool other = n_frames % look_again == look_again - 1;
  return (best (on_device) <= best (through_host)) != other ? on_device : through_host;
}

void
Copier::copy_plane (Way way, const Side &from, const Side &to, const PlaneExtent &extent, guint8 *host)
{
  const Library::Driver &driver = library.driver;
  const gsize step = way == on_device ? extent.rows : std::max<gsize> (part_bytes / extent.row_bytes, 1);
  for (gsize row = 0; row < extent.rows; row += step) {
    const gsize rows = std::min (step, extent.rows - row);
    Copy2D there = rows_of (extent.row_bytes, rows), back = rows_of (extent.row_bytes, rows);
    there.from_device = from.base + from.at.offset + row * from.at.stride;
    there.from_pitch = from.at.stride;
    back.to_device = to.base + to.at.offset + row * to.at.stride;
    back.to_pitch = to.at.stride;
    if (way == on_device) {
      there.to_device = back.to_device;
      there.to_pitch = back.to_pitch;
      check (library, driver.Memcpy2DAsync (&there, stream), "cuMemcpy2DAsync");
      continue;
    }
    there.to_type = back.from_type = on_host;
    there.to_host = host + row * extent.row_bytes;
    back.from_host = there.to_host;
    there.to_pitch = back.from_pitch = extent.row_bytes;
    check (library, driver.Memcpy2DAsync (&there, stream), "cuMemcpy2DAsync");
    check (library, driver.EventRecord (passed, stream), "cuEventRecord");
    check (library, driver.StreamWaitEvent (returning, passed, 0), "cuStreamWaitEvent");
    check (library, driver.Memcpy2DAsync (&back, returning), "cuMemcpy2DAsync");
  }
}

void
Copier::copy (GstBuffer *from, GstBuffer *to)
{
  const Current current (library, exchange->cuda.get ());
  const Mapping source (from, GST_MAP_READ), target (to, GST_MAP_WRITE);
  start ();
  const Way way = choose ();
  const gint64 begin = g_get_monotonic_time ();
  auto *host = static_cast<guint8 *> (pages);
  try {
    for (int i = 0; i < format.n_planes; i++) {
      const PlaneExtent extent = extent_of (format, i, info);
      copy_plane (way, {source.pointer (), placement_of (from, info, i)}, {target.pointer (), placement_of (to, info, i)},
          extent, host);
      host += extent.row_bytes * extent.rows;
    }
  } catch (...) {
    /* both frames must stay until no copy uses them */
    library.driver.StreamSynchronize (stream);
    library.driver.StreamSynchronize (returning);
    throw;
  }
  check (library, library.driver.StreamSynchronize (way == on_device ? stream : returning), "cuStreamSynchronize");
  std::rotate (times[way].begin (), times[way].begin () + 1, times[way].end ());
  times[way].back () = std::max<gint64> (g_get_monotonic_time () - begin, 1);
  n_frames++;
}

}  // namespace gst::cl::cuda
