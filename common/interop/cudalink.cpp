/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in CUDA memory: their copies, their links, and the test: CUDA writes a small frame, OpenCL inverts it, CUDA reads it, and
 * every byte is compared. */
#include "interop/cudalink.hpp"

#include "core/debug.hpp"
#include "interop/trial.hpp"
#include "memory/frame.hpp"

#include <algorithm>
#include <array>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcuda", "frames in CUDA memory">)

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

/* Copies frames of info to memory that OpenCL has imported, in one of two ways: within the GPU's memory, or through host
 *  memory by the GPU's copy engines. A copy within the GPU may first have to switch the GPU from OpenCL to CUDA, which takes
 *  ten times as long as the copy; the copy engines need no switch. Both ways are timed from time to time, and the faster one is
 *  used. For one streaming thread. */
class Copier {
public:
  Copier (std::shared_ptr<const Exchange> exchange_, const GstVideoInfo &info_)
      : exchange (std::move (exchange_)), library (exchange->library), info (info_),
        format (*find_format (GST_VIDEO_INFO_FORMAT (&info)))
  {
  }

  ~Copier ()
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

  Copier (const Copier &) = delete;
  Copier &operator= (const Copier &) = delete;

  /* Copies a frame and waits for it. All planes must lie within their memory. Throws Failure. */
  void copy (GstBuffer *from, GstBuffer *to)
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

  /* The number of frames after which both ways have been tried. */
  static constexpr int trial_frames = 6;

private:
  enum Way { on_device, through_host };
  static constexpr int n_samples = trial_frames / 2;

  struct Side {
    Pointer base;
    Placement at;
  };

  /* Compares the best times, because frames with longer times waited for other work. A way without times is tried. */
  Way choose () const
  {
    const auto best = [this] (Way way) { return *std::min_element (times[way].begin (), times[way].end ()); };
    const bool other = n_frames % look_again == look_again - 1;
    return (best (on_device) <= best (through_host)) != other ? on_device : through_host;
  }

  void start ()
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

  void copy_plane (Way way, const Side &from, const Side &to, const PlaneExtent &extent, guint8 *host)
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

  const std::shared_ptr<const Exchange> exchange;
  const Library &library;
  const GstVideoInfo info;
  const Format &format;
  /* The stream for copies, and the one for copies back from the host. */
  Stream stream = nullptr, returning = nullptr;
  Event passed = nullptr;
  void *pages = nullptr;
  /* The latest times of each way in µs; 0 for none. */
  std::array<std::array<gint64, n_samples>, 2> times = {};
  guint64 n_frames = 0;
};

class ImportedLink : public MemoryLink {
public:
  ImportedLink (std::shared_ptr<const Exchange> exchange_, const GstVideoInfo &info_, Warn warn_)
      : MemoryLink (MemoryKind::cuda, exchange_->context), exchange (std::move (exchange_)), info (info_),
        format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), warn (std::move (warn_)), copier (exchange, info)
  {
  }
  ~ImportedLink () override
  {
    if (pool)
      gst_buffer_pool_set_active (pool.get (), FALSE);
  }

  const char *path () const override { return "cuda"; }

  /* Returns null for frames that the host must copy by GStreamer's maps. */
  BufferRef reach (GstBuffer *buffer) override
  {
    GstMemory *memory = gst_buffer_n_memory (buffer) == 1 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
    if (!memory || !exchange->library.is_cuda_memory (memory))
      return {};
    const int device = device_of (reinterpret_cast<Memory *> (memory)->context);
    if (device != device_of (exchange->cuda.get ())) {
      warn ("they come from another GPU, CUDA device " + std::to_string (device));
      return {};
    }
    try {
      settle (memory);
      return is_imported (memory) ? BufferRef::retain (buffer) : copy (buffer);
    } catch (const Failure &failure) {
      GST_WARNING ("%s (%s)", failure.what (), failure.debug.c_str ());
      warn (failure.what ());
      return {};
    }
  }

  PoolRef create_pool (GstCaps *caps, guint min_buffers) override
  {
    return start_pool (new_pool (exchange), caps, min_buffers, memory_name);
  }
  bool is_awaited_by_map () const override { return true; }

private:
  bool is_imported (GstMemory *memory) const
  {
    const FrameBuffer *frame = frame_buffer_of (memory);
    return frame && frame->context ().handle () == Context::of (exchange->context.get ()).handle ();
  }

  /* Waits for CUDA's work on a frame, and uploads the host's changes. Before GStreamer 1.24 the writer has waited. */
  void settle (GstMemory *memory) const
  {
    GstMapInfo map;
    if (GST_MEMORY_FLAG_IS_SET (memory, needs_upload) || !is_imported (memory)) {
      if (!gst_memory_map (memory, &map, GstMapFlags (int (GST_MAP_READ) | map_cuda)))
        throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "A frame in CUDA memory could not be mapped.",
            "gst_memory_map with GST_MAP_CUDA failed");
      gst_memory_unmap (memory, &map);
    }
    if (exchange->library.memory_sync)
      exchange->library.memory_sync (reinterpret_cast<Memory *> (memory));
  }

  BufferRef copy (GstBuffer *buffer)
  {
    if (!pool) {
      g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
      pool = start_pool (new_pool (exchange), caps, 3, memory_name);
      counts.imports += 3;
    }
    BufferRef target = acquire_buffer (pool.get ());
    require_within (buffer, info, format);
    GST_LOG ("a frame of another pool is copied");
    copier.copy (buffer, target.get ());
    counts.copies++;
    return target;
  }

  const std::shared_ptr<const Exchange> exchange;
  const GstVideoInfo info;
  const Format &format;
  const Warn warn;
  PoolRef pool;
  Copier copier;
};

class StagedLink : public MemoryLink {
public:
  StagedLink (const ContextRef &context_, const Library *library_, ContextOfCuda cuda_)
      : MemoryLink (MemoryKind::cuda, context_), library (library_), cuda (std::move (cuda_))
  {
  }

  const char *path () const override { return "cuda-staged"; }
  BufferRef reach (GstBuffer *) override { return {}; }
  PoolRef create_pool (GstCaps *caps, guint min_buffers) override
  {
    if (!library || !cuda)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
          "CUDA is not available for frames in CUDA memory. Use cudadownload to bring them to system memory.", "");
    return start_pool (PoolRef (library->buffer_pool_new (cuda.get ())), caps, min_buffers, memory_name);
  }

private:
  const Library *const library;
  const ContextOfCuda cuda;
};

class CudaTrial : public Trial {
public:
  CudaTrial (const Exchange &exchange, const std::shared_ptr<MemoryLink> &by, const GstVideoInfo &of)
      : Trial (*by, of, feature), mapper (exchange.context, info, false, {by}),
        plain_pool (
            start_pool (PoolRef (exchange.library.buffer_pool_new (exchange.cuda.get ())), caps.get (), 1, memory_name)),
        plain (acquire_buffer (plain_pool.get ()))
  {
    BuildCounts counts;
    kernel = ::cl::Kernel (
        *Context::of (exchange.context.get ()).programs.get ({{"lib/probe_bytes.cl"}, ""}, counts), "probe_bytes");
  }

  /** A frame whose memory is unknown to OpenCL. */
  GstBuffer *foreign () const { return plain.get (); }

private:
  /* Maps the frame like a CUDA element. */
  void touch (GstBuffer *buffer, GstMapFlags flags) override { const Mapping mapped (buffer, flags); }

  /* All bytes of the memory, those between planes included. */
  void run (GstBuffer *from) override
  {
    Frame source = mapper.read (from, queue ()), target = mapper.write (out.get (), queue ());
    kernel.setArg (0, source.planes[0].memory);
    kernel.setArg (1, target.planes[0].memory);
    kernel.setArg (2, cl_ulong (0));
    kernel.setArg (3, cl_ulong (0));
    ::cl::Event done;
    try {
      queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (gst_buffer_get_size (out.get ())));
    } catch (...) {
      source.leave (queue ());
      target.leave (queue ());
      throw;
    }
    source.leave (queue ());
    target.leave (queue ());
    queue.enqueueMarkerWithWaitList (nullptr, &done);
    source.complete_read ({done, queue ()});
    target.complete_write ({done, queue ()});
    Context::of (link.context.get ()).wait_for (done);
  }

  FrameMapper mapper;
  const PoolRef plain_pool;
  const BufferRef plain;
  ::cl::Kernel kernel;
};

Verdict
run_trial (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  try {
    const GstVideoInfo info = trial_info (format);
    CudaTrial trial (*exchange, make_link (exchange, info, [] (const std::string &) {}), info);
    trial.require_inverse (trial.input ());
    for (int i = 0; i < Copier::trial_frames; i++)
      trial.require_inverse (trial.foreign ());
    return {.works = true,
        .reason = "",
        .microseconds = trial.time (trial.input ()),
        .microseconds_copied = trial.time (trial.foreign ())};
  } catch (const std::exception &error) {
    return {.reason = reason_of (error)};
  }
}

}  // namespace

std::shared_ptr<MemoryLink>
make_link (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info, Warn warn)
{
  return std::make_shared<ImportedLink> (std::move (exchange), info, std::move (warn));
}

std::shared_ptr<MemoryLink>
make_staged_link (const ContextRef &context, const Library *library, ContextOfCuda cuda)
{
  return std::make_shared<StagedLink> (context, library, std::move (cuda));
}

Verdict
find_verdict (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  static auto *const verdicts = new Verdicts<std::pair<cl_device_id, GstVideoFormat>>;
  const Device &device = Context::of (exchange->context.get ()).device;
  const auto attempt = [&] {
    const Verdict verdict = run_trial (exchange, format);
    GST_INFO ("exchange of %s between %s and CUDA %s", gst_video_format_to_string (format), device.name.c_str (),
        verdict.text ().c_str ());
    return std::optional (verdict);
  };
  return *verdicts->get ({device.handle (), format}, attempt);
}

}  // namespace gst::cl::cuda
