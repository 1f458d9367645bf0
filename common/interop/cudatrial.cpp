/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The test: CUDA writes a small frame, OpenCL inverts it, CUDA reads it, and every byte is compared. */
#include "core/debug.hpp"
#include "interop/cudacopy.hpp"
#include "interop/cudalink.hpp"
#include "memory/frame.hpp"

#include <map>

GST_DEBUG_CATEGORY_STATIC (gst_cl_cuda_trial_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_cl_cuda_trial_debug

namespace gst::cl {

namespace cuda {

namespace {

/* A test pattern: neighbouring bytes, rows and planes differ. */
guint8
pattern (gsize byte)
{
  return static_cast<guint8> (byte * 7 + (byte >> 9) * 31);
}

class Trial {
public:
  Trial (std::shared_ptr<const Exchange> exchange, GstVideoFormat format);

  /** Runs the test with a frame in from. Returns the number of wrong bytes. */
  int compare (GstBuffer *from)
  {
    write (from, false);
    write (out.get (), false); /* overwrites the result, so that an unwritten frame does not pass */
    run (from);
    GstMapInfo map;
    /* map it like a CUDA element, then read its bytes */
    if (!gst_buffer_map (out.get (), &map, GstMapFlags (int (GST_MAP_READWRITE) | map_cuda)))
      return 1;
    gst_buffer_unmap (out.get (), &map);
    if (!gst_buffer_map (out.get (), &map, GST_MAP_READ))
      return 1;
    int wrong = 0;
    for (int plane = 0; plane < format.n_planes; plane++) {
      const Placement there = placement_of (from, info, plane), here = placement_of (out.get (), info, plane);
      const PlaneExtent extent = extent_of (format, plane, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info));
      for (gsize y = 0; y < extent.rows; y++)
        for (gsize x = 0; x < extent.row_bytes; x++)
          wrong += map.data[here.offset + y * here.stride + x]
                   != static_cast<guint8> (~pattern (there.offset + y * there.stride + x));
    }
    gst_buffer_unmap (out.get (), &map);
    return wrong;
  }

  /** The mean time of a frame in `from`, whose memory may be unknown to OpenCL. */
  double time (GstBuffer *from)
  {
    run (from);
    return mean_microseconds ([&] { run (from); });
  }

  GstBuffer *known () const { return in.get (); }
  GstBuffer *foreign () const { return other.get (); }

private:
  /* Writes by a map of the host and CUDA's copy. */
  void write (GstBuffer *buffer, bool inverted)
  {
    GstMapInfo map;
    if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "A frame in CUDA memory could not be mapped.", "");
    for (gsize i = 0; i < map.size; i++)
      map.data[i] = inverted ? static_cast<guint8> (~pattern (i)) : pattern (i);
    gst_buffer_unmap (buffer, &map);
    if (!gst_buffer_map (buffer, &map, GstMapFlags (int (GST_MAP_READ) | map_cuda)))
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "A frame in CUDA memory could not be mapped.", "");
    gst_buffer_unmap (buffer, &map);
  }

  /* All bytes of the memory, those between planes included. */
  void run (GstBuffer *from)
  {
    const ::cl::CommandQueue &queue = Context::of (exchange->context.get ()).compute;
    Frame source = mapper.read (from, queue ()), target = mapper.write (out.get (), queue ());
    kernel.setArg (0, source.planes[0].memory);
    kernel.setArg (1, target.planes[0].memory);
    kernel.setArg (2, cl_ulong (0));
    kernel.setArg (3, cl_ulong (0));
    ::cl::Event left, done;
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
    queue.flush ();
    done.wait ();
  }

  const std::shared_ptr<const Exchange> exchange;
  const GstVideoInfo info;
  const Format &format;
  const std::shared_ptr<MemoryLink> link;
  PoolRef pool, plain_pool;
  BufferRef in, out, other;
  FrameMapper mapper;
  ::cl::Kernel kernel;
};

GstVideoInfo
small (GstVideoFormat format)
{
  GstVideoInfo info;
  gst_video_info_set_format (&info, format, 64, 48);
  return info;
}

Trial::Trial (std::shared_ptr<const Exchange> exchange_, GstVideoFormat format_)
    : exchange (std::move (exchange_)), info (small (format_)), format (*find_format (format_)),
      link (make_link (exchange, info, [] (const std::string &) {})), mapper (exchange->context, info, false, {link})
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  gst_caps_set_features (caps, 0, gst_caps_features_new (feature, nullptr));
  pool = start_pool (new_pool (exchange), caps, 2, memory_name);
  plain_pool = start_pool (PoolRef (exchange->library.buffer_pool_new (exchange->cuda.get ())), caps, 1, memory_name);
  in = acquire_buffer (pool.get ());
  out = acquire_buffer (pool.get ());
  other = acquire_buffer (plain_pool.get ());
  BuildCounts counts;
  kernel =
      ::cl::Kernel (*Context::of (exchange->context.get ()).programs.get ({{"lib/probe_bytes.cl"}, ""}, counts), "probe_bytes");
}

Verdict
run_trial (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  Verdict verdict;
  try {
    Trial trial (exchange, format);
    int wrong = trial.compare (trial.known ());
    for (int i = 0; i < Copier::trial_frames; i++)
      wrong += trial.compare (trial.foreign ());
    if (wrong) {
      verdict.reason = "a test picture came back with " + std::to_string (wrong) + " wrong bytes";
      return verdict;
    }
    verdict.microseconds = trial.time (trial.known ());
    verdict.microseconds_copied = trial.time (trial.foreign ());
    verdict.works = true;
  } catch (const std::exception &error) {
    verdict.reason = reason_of (error);
  }
  return verdict;
}

}  // namespace

Verdict
find_verdict (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format)
{
  GST_CL_ENSURE_CATEGORY (gst_cl_cuda_trial_debug, "clcudatrial", "the trial of frames in CUDA memory");
  static std::mutex mutex;
  static auto *const known = new std::map<std::pair<cl_device_id, GstVideoFormat>, Verdict>;
  const Device &device = Context::of (exchange->context.get ()).device;
  const std::lock_guard lock (mutex);
  const auto [verdict, is_new] = known->try_emplace ({device.handle (), format});
  if (!is_new)
    return verdict->second;
  verdict->second = run_trial (exchange, format);
  if (verdict->second.works)
    GST_INFO ("%s exchanges %s with CUDA, %.0f us a frame, %.0f if it is copied first", device.name.c_str (),
        gst_video_format_to_string (format), verdict->second.microseconds, verdict->second.microseconds_copied);
  else
    GST_INFO ("%s does not exchange %s with CUDA: %s", device.name.c_str (), gst_video_format_to_string (format),
        verdict->second.reason.c_str ());
  return verdict->second;
}

}  // namespace cuda
}  // namespace gst::cl
